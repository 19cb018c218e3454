//! The figures of what left the balance by withdrawals; each is the sum of the list that it opens.

use std::borrow::Cow;

use db::tx::Tx;
use ledger::cents::Cents;

use crate::books;
use crate::books::chart::AccountKind;
use crate::dashboard::balance::list_pages::LIST;
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::Figure;
use crate::dashboard::shell::url;
use crate::platform::error::Result;
use crate::platform::ids::{Mode, Scope};
use crate::platform::messages::Lang;
use crate::withdrawals::list::{ListSum, sum};
use crate::withdrawals::status::Status;

/// What left the balance, and has or has not been paid yet.
pub struct Withdrawn {
    on_its_way: Cents,
    paid: ListSum,
}

impl Withdrawn {
    /// Reads what the books hold for withdrawals, which is the sum of the pending ones, and sums
    /// those that were paid.
    pub async fn read(tx: &Tx, scope: Scope) -> Result<Self> {
        Ok(Self {
            on_its_way: books::held(tx, scope, AccountKind::Withdrawing).await?,
            paid: sum(tx, scope, Status::Completed).await?,
        })
    }

    /// The figures, in the order in which money passes through them.
    pub fn figures(&self, mode: Mode, lang: Lang) -> [Figure; 2] {
        let figure = |status: Status, sum: Cents, label, note: Cow<'static, str>| {
            let list = ListForm { status: status.name().to_owned(), ..ListForm::default() };
            let (value, list_url) = (lang.money(sum.get()), list.url(&url(mode, LIST)));
            Figure { label, value, note, list_url: Some(list_url) }
        };
        let (on_its_way, paid) = (lang.balance_withdrawing(), lang.balance_withdrawn());
        let note = if self.paid.returned.is_zero() {
            lang.balance_withdrawn_note().into()
        } else {
            lang.balance_withdrawn_returned(lang.money(self.paid.returned.get())).into()
        };
        let waits = lang.balance_withdrawing_note().into();
        [
            figure(Status::Pending, self.on_its_way, on_its_way, waits),
            figure(Status::Completed, self.paid.amount, paid, note),
        ]
    }
}
