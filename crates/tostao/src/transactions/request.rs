//! A payment request: what is paid for, by whom, and how.

use std::net::IpAddr;
use std::time::Duration;

use brazil::calendar::{
    add_business_days, business_day_on_or_after, sao_paulo_date, sao_paulo_start_of_day,
};
use db::time::Timestamp;
use jiff::ToSpan;
use jiff::civil::Date;
use ledger::cents::Cents;
use rails::card::StoredCard;

use crate::affiliates::attribution::AttributionBasis;
use crate::clients::CustomerDetails;
use crate::platform::ids::{PaymentLinkId, ProductId, TransactionId};
use crate::subscriptions::charges::PeriodCharge;
use crate::transactions::{Address, PaymentMethod, Transaction};

/// A PIX charge expires after an hour by default.
pub const SECONDS_TO_PAY: i64 = 3_600;

/// A boleto paid on its last day is reported some days later; only then does it expire.
const BUSINESS_DAYS_OF_GRACE: u32 = 3;

/// What is being paid for.
#[derive(Debug, Clone)]
pub enum ChargeFor {
    Amount(Cents),
    Items(Vec<(ProductId, i64)>),
    Link(PaymentLinkId),
    /// A period of a subscription.
    Period(Box<PeriodCharge>),
}

/// The payment method with its parameters.
#[derive(Debug, Clone)]
pub enum PaymentInstrument {
    Pix {
        seconds_to_pay: i64,
    },
    Boleto {
        due_on: Date,
    },
    Card {
        /// `None` where a coupon may leave nothing to pay.
        token: Option<String>,
        installments: u8,
    },
    /// A stored card, charged at once.
    Stored(Box<StoredCard>),
}

/// A validated payment request.
#[derive(Debug, Clone)]
pub struct NewTransaction {
    pub charge_for: ChargeFor,
    pub instrument: PaymentInstrument,
    pub customer: CustomerDetails,
    pub address: Option<Address>,
    pub coupon_code: Option<String>,
    /// Candidates for the attribution to an affiliate; without any, nothing is looked up.
    pub attribution: Option<AttributionBasis>,
    /// What it is for, where neither a link nor products say so.
    pub description: Option<String>,
    pub external_id: Option<String>,
    pub metadata: serde_json::Value,
    /// The total that the buyer agreed to, where a page showed it; a higher one is refused.
    pub at_most: Option<Cents>,
    /// The address of the buyer's browser, for the acquirer's antifraud service; never stored.
    pub buyer_ip: Option<IpAddr>,
    /// The payment that this one replaces: the unit that stores this one cancels it, so the buyer
    /// always has one that they can pay.
    pub replaces: Option<TransactionId>,
}

impl ChargeFor {
    /// The subscription period, if that is what is paid for.
    pub fn period(&self) -> Option<&PeriodCharge> {
        match self {
            Self::Period(charge) => Some(charge),
            Self::Amount(_) | Self::Items(_) | Self::Link(_) => None,
        }
    }
}

impl NewTransaction {
    /// What it is for, where neither a link nor products say so.
    pub fn description(&self) -> Option<String> {
        let period = self.charge_for.period().map(|charge| charge.description.clone());
        period.or_else(|| self.description.clone())
    }

    /// The same purchase again, with as much time to pay, for a buyer whose payment ended unpaid;
    /// `today` is the date in São Paulo.
    pub fn again(old: &Transaction, today: Date) -> Self {
        let charge_for = match &old.link {
            Some(link) => ChargeFor::Link(link.id),
            // Its coupon is taken off again.
            None if old.items.is_empty() => ChargeFor::Amount(old.price()),
            None => ChargeFor::Items(old.items.iter().map(|i| (i.product, i.quantity)).collect()),
        };
        Self {
            charge_for,
            instrument: PaymentInstrument::again(old, today),
            customer: old.customer.clone(),
            address: old.address.clone(),
            coupon_code: old.coupon_code.clone(),
            attribution: old.affiliate_code.as_ref().map(|_| AttributionBasis::SameAs(old.id)),
            description: old.description.clone(),
            external_id: old.external_id.clone(),
            metadata: old.metadata.clone(),
            at_most: None,
            buyer_ip: None,
            replaces: None,
        }
    }
}

impl PaymentInstrument {
    /// The same method again; PIX instead of a card, because a card token is valid for one charge.
    fn again(old: &Transaction, today: Date) -> Self {
        match &old.boleto {
            Some(boleto) => {
                let given = boleto.due_on - sao_paulo_date(old.created_at.micros());
                Self::Boleto { due_on: today.checked_add(given).unwrap_or(today) }
            }
            None => Self::Pix { seconds_to_pay: old.seconds_to_pay().unwrap_or(SECONDS_TO_PAY) },
        }
    }

    /// The payment method.
    pub fn method(&self) -> PaymentMethod {
        match self {
            Self::Pix { .. } => PaymentMethod::Pix,
            Self::Boleto { .. } => PaymentMethod::Boleto,
            Self::Card { .. } | Self::Stored(_) => PaymentMethod::CreditCard,
        }
    }

    /// The deadline for paying; a card is charged at once.
    pub fn expires_at(&self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Pix { seconds_to_pay } => Some(now.plus(seconds(*seconds_to_pay))),
            Self::Boleto { due_on } => Some(boleto_expiry(*due_on)),
            Self::Card { .. } | Self::Stored(_) => None,
        }
    }
}

fn seconds(count: i64) -> Duration {
    Duration::from_secs(u64::try_from(count).unwrap_or(0))
}

/// When a boleto expires: at the end of its grace period.
fn boleto_expiry(due_on: Date) -> Timestamp {
    let payable_on = business_day_on_or_after(due_on);
    let last = add_business_days(payable_on, BUSINESS_DAYS_OF_GRACE);
    let next = last.checked_add(1.day()).unwrap_or(last);
    Timestamp::from_micros(sao_paulo_start_of_day(next))
}
