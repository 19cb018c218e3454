//! What the pages of the balance show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::balance::withdraw_form::{WithdrawFields, WithdrawForm};
use crate::dashboard::form::WrongField;
use crate::dashboard::parts::{Action, Choice, Exports, Figure, NothingYet, Pager, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The balance and a statement.
#[derive(Template)]
#[template(path = "dashboard/balance/balance.html")]
pub struct BalancePage {
    pub lang: Lang,
    pub shell: Shell,
    pub withdraw: Action,
    pub withdrawals_url: String,
    pub receivables_url: String,
    pub advances_url: String,
    pub figures: Vec<Figure>,
    /// The merchant owes, so a sentence says how it is paid off.
    pub is_negative: bool,
    pub accounts: Vec<Choice>,
    pub list_url: String,
    pub rows: Vec<EntryRow>,
    pub exports: Exports,
    pub pager: Pager,
    pub api: Vec<ApiCall>,
}

/// An entry of the statement.
pub struct EntryRow {
    pub when: String,
    pub what: String,
    /// The object that moved the money, where it has a page.
    pub url: Option<String>,
    pub amount: String,
    pub balance: String,
}

/// What settles when.
#[derive(Template)]
#[template(path = "dashboard/balance/receivables.html")]
pub struct ReceivablesPage {
    pub lang: Lang,
    pub shell: Shell,
    pub balance_url: String,
    pub rows: Vec<ReceivableRow>,
    pub nothing: NothingYet,
    pub pager: Pager,
    pub api: Vec<ApiCall>,
}

/// A part of a payment that settles later.
pub struct ReceivableRow {
    pub due: String,
    pub installment: String,
    pub payment_url: String,
    /// Whether it secures an advance.
    pub is_pledged: bool,
    pub net: String,
}

/// Withdrawals.
#[derive(Template)]
#[template(path = "dashboard/balance/withdrawals.html")]
pub struct WithdrawalsPage {
    pub lang: Lang,
    pub shell: Shell,
    pub balance_url: String,
    pub withdraw: Action,
    pub rows: Vec<WithdrawalRow>,
    pub nothing: NothingYet,
    pub pager: Pager,
    pub api: Vec<ApiCall>,
}

/// A withdrawal in the list.
pub struct WithdrawalRow {
    pub when: String,
    pub url: String,
    pub key: String,
    pub state: State,
    pub amount: String,
}

/// A withdrawal.
#[derive(Template)]
#[template(path = "dashboard/balance/withdrawal.html")]
pub struct WithdrawalPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub heading: String,
    pub state: State,
    pub why: String,
    pub facts: Vec<(&'static str, String)>,
    pub receipt_url: Option<String>,
    /// Where it is cancelled, or why it is not.
    pub cancel: Action,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

/// The form of a withdrawal: step 1 of 3.
#[derive(Template)]
#[template(path = "dashboard/balance/withdraw.html")]
pub struct WithdrawPage {
    pub lang: Lang,
    pub shell: Shell,
    pub balance_url: String,
    pub form_url: String,
    pub available: String,
    /// What the limits leave for now, where there are some.
    pub left: Option<String>,
    pub fields: WithdrawFields,
    pub wrong: Vec<WrongField>,
    /// Why the withdrawal that was asked for is not possible.
    pub refused: Option<String>,
    pub api: Vec<ApiCall>,
}

/// What would happen: step 2 of 3.
#[derive(Template)]
#[template(path = "dashboard/balance/withdraw_review.html")]
pub struct ReviewPage {
    pub lang: Lang,
    pub shell: Shell,
    pub form_url: String,
    pub confirm_url: String,
    pub heading: String,
    /// What would happen, a sentence each.
    pub effects: Vec<String>,
    pub form: WithdrawForm,
    pub button: String,
    pub attempt: String,
}
