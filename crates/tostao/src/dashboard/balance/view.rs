//! What the pages of the balance show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::balance::since::Since;
use crate::dashboard::balance::test_money::TestMoney;
use crate::dashboard::balance::withdraw_form::WithdrawFields;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::listing::{Found, SearchFields};
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
    pub keys_url: String,
    pub withdrawals_url: String,
    pub receivables_url: String,
    pub advances_url: String,
    pub figures: Vec<Figure>,
    /// The merchant owes, so a sentence says how it is paid off.
    pub is_negative: bool,
    /// What came since the last withdrawal, if there was one.
    pub since: Option<Since>,
    pub accounts: Vec<Choice>,
    pub kinds: Vec<Choice>,
    /// The first and the last day of the statement, if they are set.
    pub from: String,
    pub to: String,
    /// The payment that the entries belong to, if one is set.
    pub transaction_id: String,
    /// Whether only entries of some numbers are shown.
    pub is_part: bool,
    /// What is left out of the statement of a payment, if anything is.
    pub older: Option<String>,
    /// What the filter keeps beside its fields.
    pub kept: Vec<(&'static str, String)>,
    /// The account's whole statement, if the filter leaves anything out.
    pub all_url: Option<String>,
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

/// What a figure of the balance consists of in a period.
#[derive(Template)]
#[template(path = "dashboard/balance/explain.html")]
pub struct ExplainPage {
    pub lang: Lang,
    pub shell: Shell,
    pub balance_url: String,
    pub form_url: String,
    pub heading: String,
    /// The period in words; `None` if it is wrong.
    pub period: Option<String>,
    pub from: Field,
    pub to: Field,
    pub wrong: Vec<WrongField>,
    pub rows: Vec<ExplainRow>,
    pub api: Vec<ApiCall>,
}

/// A balance, or what the movements of a kind added to one.
pub struct ExplainRow {
    pub what: String,
    /// The entries that sum to it.
    pub url: Option<String>,
    pub amount: String,
    pub is_balance: bool,
}

/// What settles when.
#[derive(Template)]
#[template(path = "dashboard/balance/receivables.html")]
pub struct ReceivablesPage {
    pub lang: Lang,
    pub shell: Shell,
    pub balance_url: String,
    /// What the parts on all pages bring.
    pub sum: String,
    pub rows: Vec<ReceivableRow>,
    pub nothing: NothingYet,
    pub pager: Pager,
    pub api: Vec<ApiCall>,
}

/// A part of a payment that settles later.
pub struct ReceivableRow {
    pub due: String,
    pub installment: String,
    /// The payment: who bought and what.
    pub payment: String,
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
    pub list_url: String,
    pub fields: SearchFields,
    /// What the filter keeps beside the state.
    pub kept: Vec<(&'static str, String)>,
    pub exports: Exports,
    /// `None` where the list is of no single state.
    pub sum: Option<WithdrawalsSum>,
    pub found: Found<WithdrawalRow>,
    pub api: Vec<ApiCall>,
}

/// What the withdrawals on all pages sum to.
pub struct WithdrawalsSum {
    pub amount: String,
    /// What came back of them, if anything did.
    pub returned: Option<String>,
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
    /// What comes next for test money that waits.
    pub test_money: Option<TestMoney>,
    pub facts: Vec<(&'static str, String)>,
    /// What came since the withdrawal before it.
    pub since: Since,
    pub receipt_url: Option<String>,
    /// Where it is cancelled, or why it is not.
    pub cancel: Action,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

/// The form of a withdrawal: step 1 of 2.
#[derive(Template)]
#[template(path = "dashboard/balance/withdraw.html")]
pub struct WithdrawPage {
    pub lang: Lang,
    pub shell: Shell,
    pub balance_url: String,
    pub form_url: String,
    pub keys_url: String,
    /// Whether a key that is not saved may be typed.
    pub may_type: bool,
    /// What stands in the place of the form while no key can be chosen or typed.
    pub nothing: NothingYet,
    pub available: String,
    /// What the limits leave for now, where there are some.
    pub left: Option<String>,
    pub fields: WithdrawFields,
    pub wrong: Vec<WrongField>,
    /// Why the withdrawal that was asked for is not possible.
    pub refused: Option<String>,
    pub api: Vec<ApiCall>,
}
