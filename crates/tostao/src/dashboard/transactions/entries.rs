//! The money of a payment, each line with its entries in the statement.

use crate::books::api::AccountName;
use crate::books::movements::MovementKind;
use crate::dashboard::balance::balance_pages::BALANCE;
use crate::dashboard::balance::statement_form::StatementForm;
use crate::dashboard::balance::wording;
use crate::dashboard::shell::url;
use crate::dashboard::transactions::payment_view::MoneyLine;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, Permissions};
use crate::transactions::Transaction;
use crate::transactions::captured::Captured;

/// The statements in which a payment is, for a role that may read them.
pub struct Entries<'a> {
    pub payment: &'a Transaction,
    pub captured: Captured,
    pub is_disputed: bool,
    /// Whether money was set aside beside it.
    pub is_beside: bool,
    pub permissions: &'a Permissions,
    pub mode: Mode,
    pub lang: Lang,
}

impl Entries<'_> {
    /// What came in, and what of it went.
    pub fn money(&self) -> Vec<MoneyLine> {
        let (payment, lang) = (self.payment, self.lang);
        let line = |name, cents, url| {
            let amount = lang.money(cents);
            MoneyLine { name, amount, is_sum: false, url }
        };
        let Some(paid) = payment.paid else {
            return vec![line(lang.payment_amount(), payment.amount.get(), None)];
        };
        let captured = self.url(self.captured.account, Some(MovementKind::PaymentCaptured));
        let captured = captured.filter(|_| !paid.is_zero());
        let refunding = |kind| self.url(AccountName::Refunding, kind);
        let gone = [
            (lang.payment_fee(), payment.fee, captured.clone()),
            (
                lang.payment_refunded_part(),
                payment.refunded,
                refunding(Some(MovementKind::RefundCompleted)),
            ),
            // What was asked for and is not completed is what is left in the whole account.
            (lang.payment_refunding_part(), payment.refunding, refunding(None)),
        ];
        let mut lines = vec![line(lang.payment_came_in(), paid.get(), captured)];
        let mut left = paid.get();
        for (name, amount, url) in gone.into_iter().filter(|(_, amount, _)| !amount.is_zero()) {
            lines.push(line(name, -amount.get(), url));
            left -= amount.get();
        }
        lines.push(MoneyLine { is_sum: true, ..line(lang.payment_left(), left, None) });
        lines
    }

    /// The statements of the accounts that it was in, with their names.
    pub fn statements(&self) -> Vec<(String, &'static str)> {
        let Transaction { paid, refunded, refunding, .. } = self.payment;
        let is_paid = paid.is_some_and(|paid| !paid.is_zero());
        let is_refunded = !(refunded.is_zero() && refunding.is_zero());
        // A refund or a dispute takes from the balance what is not pending any more.
        let is_available = self.captured.has_settled || is_refunded || self.is_disputed;
        let accounts = [
            (AccountName::Available, is_paid && is_available),
            (AccountName::Pending, is_paid && self.captured.account == AccountName::Pending),
            (AccountName::Refunding, is_refunded),
            (AccountName::Disputed, self.is_disputed),
            (AccountName::Suspense, self.is_beside),
        ];
        let accounts = accounts.into_iter().filter(|(_, is_in)| *is_in);
        let link = |(account, _)| {
            let list = self.url(account, None)?;
            Some((list, wording::account(account, self.lang)))
        };
        accounts.filter_map(link).collect()
    }

    fn url(&self, account: AccountName, kind: Option<MovementKind>) -> Option<String> {
        let form = || StatementForm {
            account: account.name().to_owned(),
            kind: kind.map(|kind| kind.name().to_owned()).unwrap_or_default(),
            transaction_id: self.payment.id.to_string(),
            ..StatementForm::default()
        };
        let may = self.permissions.contains(Permission::WithdrawalsRead);
        may.then(|| form().url(&url(self.mode, BALANCE)))
    }
}
