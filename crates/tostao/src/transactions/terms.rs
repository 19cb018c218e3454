//! The server settings that units about payments need: URLs, fees, signing secrets.

use std::sync::Arc;
use std::time::Duration;

use brazil::periods::{years_after, years_before};
use db::time::Timestamp;
use ledger::cents::Cents;

use crate::app::App;
use crate::carts::RecoveryUrls;
use crate::platform::error::{Error, Result};
use crate::platform::ids::Scope;
use crate::platform::secrets::Secrets;
use crate::transactions::{Method, Transaction, status_token};

/// The path segment that stands for "no link".
pub const NO_LINK: &str = "-";

/// The platform's fee for a paid payment.
#[derive(Debug, Clone, Copy)]
pub struct Fee {
    pub fixed: Cents,
    pub basis_points: u32,
}

/// The platform's fee for each method.
#[derive(Debug, Clone, Copy)]
pub struct Fees {
    pub pix: Fee,
    pub boleto: Fee,
    pub card: Fee,
}

impl Fees {
    /// The fee of a method; a free payment has none.
    pub fn of(&self, method: Method) -> Fee {
        match method {
            Method::Pix => self.pix,
            Method::Boleto => self.boleto,
            Method::CreditCard => self.card,
            Method::Free => Fee { fixed: Cents::ZERO, basis_points: 0 },
        }
    }
}

/// How long an affiliate's commission on a payment is held.
#[derive(Debug, Clone, Copy)]
pub struct CommissionHoldPeriods {
    pub card: Duration,
    /// For every other method.
    pub other: Duration,
}

impl CommissionHoldPeriods {
    /// The holding period for a method.
    pub fn of(&self, method: Method) -> Duration {
        match method {
            Method::CreditCard => self.card,
            Method::Pix | Method::Boleto | Method::Free => self.other,
        }
    }
}

/// The server's terms.
#[derive(Clone)]
pub struct PaymentTerms {
    pub checkout_url: String,
    pub fees: Fees,
    pub hold_periods: CommissionHoldPeriods,
    /// For how many years a payment that brought money keeps the payer's data, once its client is
    /// deleted.
    pub retention_years: u32,
    pub secrets: Arc<Secrets>,
}

impl Fee {
    /// The fee on an amount: never more than the amount.
    pub fn on(self, amount: Cents) -> Result<Cents> {
        let share = amount.basis_points(self.basis_points);
        let fee = share.and_then(|share| share.plus(self.fixed));
        let overflow = || Error::Internal(anyhow::anyhow!("the fee on an amount overflows"));
        fee.map(|fee| fee.min(amount)).ok_or_else(overflow)
    }
}

impl PaymentTerms {
    /// Reads the terms from the settings.
    pub fn of(app: &App) -> Self {
        let (settings, secrets) = (&app.settings, app.secrets.clone());
        let fee = |fixed, basis_points| Fee { fixed: Cents::new(fixed), basis_points };
        let fees = Fees {
            pix: fee(settings.pix_fee_cents, settings.pix_fee_basis_points),
            boleto: fee(settings.boleto_fee_cents, settings.boleto_fee_basis_points),
            card: fee(settings.card_fee_cents, settings.card_fee_basis_points),
        };
        let days = |count: u32| Duration::from_hours(24) * count;
        let hold_periods = CommissionHoldPeriods {
            card: days(settings.affiliate_card_hold_days),
            other: days(settings.affiliate_hold_days),
        };
        let retention_years = settings.retention_years;
        Self { checkout_url: settings.checkout_url(), fees, hold_periods, retention_years, secrets }
    }

    /// Until when a payment keeps the payer's data, by its payment time.
    pub fn retained_until(&self, paid_at: Timestamp) -> Timestamp {
        Timestamp::from_micros(years_after(paid_at.micros(), self.retention_years))
    }

    /// Payments paid before this time no longer keep the payer's data.
    pub fn retained_since(&self, now: Timestamp) -> Timestamp {
        Timestamp::from_micros(years_before(now.micros(), self.retention_years))
    }

    /// What the URLs of carts are made with.
    pub fn cart_addresses(&self) -> RecoveryUrls {
        RecoveryUrls { checkout_url: self.checkout_url.clone(), secrets: self.secrets.clone() }
    }

    /// The URL of the buyer's page about a payment.
    pub fn payment_url(&self, scope: Scope, transaction: &Transaction) -> String {
        self.page(scope, transaction, "")
    }

    /// The URL of the receipt.
    pub fn receipt_url(&self, scope: Scope, transaction: &Transaction) -> String {
        self.page(scope, transaction, "/receipt")
    }

    /// The URL of the boleto.
    pub fn boleto_url(&self, scope: Scope, transaction: &Transaction) -> String {
        self.page(scope, transaction, "/boleto")
    }

    fn page(&self, scope: Scope, transaction: &Transaction, page: &str) -> String {
        let slug = transaction.link.as_ref().map_or(NO_LINK, |link| link.slug.as_str());
        let token = status_token::write(&self.secrets, scope, transaction.id);
        let (base, id) = (&self.checkout_url, transaction.id);
        format!("{base}/pay/{slug}/t/{id}{page}?token={token}")
    }
}

#[cfg(test)]
mod tests {
    use ledger::cents::Cents;

    use super::Fee;

    #[test]
    fn a_fee_is_a_share_and_a_sum_and_never_more_than_the_amount() {
        // 10,000 × 1.99 % = 199, and 80 on top.
        let table = [(0, 0, 10_000, 0), (80, 199, 10_000, 279), (80, 0, 50, 50), (0, 50, 99, 0)];
        for (fixed, basis_points, amount, fee) in table {
            let terms = Fee { fixed: Cents::new(fixed), basis_points };
            assert_eq!(terms.on(Cents::new(amount)).ok(), Some(Cents::new(fee)), "{amount}");
        }
    }
}
