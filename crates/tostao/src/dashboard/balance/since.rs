//! What came since a withdrawal, with the entries that sum to it.

use crate::dashboard::balance::balance_pages::BALANCE;
use crate::dashboard::balance::statement_form::StatementForm;
use crate::dashboard::shell::url;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::statements::since_withdrawal::{Previous, SinceWithdrawal};

/// The path of the same in the API.
pub const API: &str = "/api/balance/since-withdrawal";

/// What came since a withdrawal.
pub struct Since {
    pub what: String,
    pub sum: String,
    /// The entries that sum to it.
    pub list_url: String,
}

impl Since {
    /// What came since the last withdrawal; `None` where there was none.
    pub fn last(since: &SinceWithdrawal, mode: Mode, lang: Lang) -> Option<Self> {
        let previous = since.previous.as_ref()?;
        let what = lang.balance_since_withdrawal(when(previous, lang));
        Some(Self::new(what, since, mode, lang))
    }

    /// What came before a withdrawal, since the one before it.
    pub fn before(since: &SinceWithdrawal, mode: Mode, lang: Lang) -> Self {
        let what = match &since.previous {
            Some(previous) => lang.withdrawal_since_previous(when(previous, lang)),
            None => lang.withdrawal_since_first().to_owned(),
        };
        Self::new(what, since, mode, lang)
    }

    fn new(what: String, since: &SinceWithdrawal, mode: Mode, lang: Lang) -> Self {
        let form = StatementForm {
            sequence_from: since.sequences.start.to_string(),
            sequence_to: since.sequences.end.to_string(),
            ..StatementForm::default()
        };
        Self { what, sum: lang.money(since.sum.get()), list_url: form.url(&url(mode, BALANCE)) }
    }
}

fn when(previous: &Previous, lang: Lang) -> String {
    lang.date_time(previous.requested_at.micros())
}
