//! What the pages of advances show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::balance::advance_form::{AdvanceFields, AdvanceForm};
use crate::dashboard::balance::test_money::TestMoney;
use crate::dashboard::form::WrongField;
use crate::dashboard::parts::{Action, NothingYet, Pager, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// Advances, and what could be advanced now.
#[derive(Template)]
#[template(path = "dashboard/balance/advances.html")]
pub struct AdvancesPage {
    pub lang: Lang,
    pub shell: Shell,
    pub balance_url: String,
    pub new: Action,
    /// What could be advanced now.
    pub most: String,
    pub rows: Vec<AdvanceRow>,
    pub nothing: NothingYet,
    pub pager: Pager,
    pub api: Vec<ApiCall>,
}

/// An advance in the list.
pub struct AdvanceRow {
    pub when: String,
    pub url: String,
    pub state: State,
    pub amount: String,
}

/// An advance.
#[derive(Template)]
#[template(path = "dashboard/balance/advance.html")]
pub struct AdvancePage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub heading: String,
    pub state: State,
    pub why: String,
    /// Why it could not be approved as things are.
    pub not_enough: Option<&'static str>,
    /// What comes next for test money that waits.
    pub test_money: Option<TestMoney>,
    pub facts: Vec<(&'static str, String)>,
    /// What the list of securities says that they do, or would.
    pub securities_heading: &'static str,
    pub securities: Vec<SecurityRow>,
    /// Where it is cancelled; `None` once it was decided, or if the role may not.
    pub cancel_url: Option<String>,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

/// A receivable that secures an advance.
pub struct SecurityRow {
    pub due: String,
    pub installment: String,
    pub payment_url: String,
    pub fee: String,
    pub amount: String,
}

/// The form of an advance: step 1 of 2.
#[derive(Template)]
#[template(path = "dashboard/balance/advance_form.html")]
pub struct AskPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub form_url: String,
    pub most: String,
    pub fields: AdvanceFields,
    pub wrong: Vec<WrongField>,
    /// Why the advance that was asked for is not possible.
    pub refused: Option<String>,
    /// The advance that is open already.
    pub open_url: Option<String>,
    pub api: Vec<ApiCall>,
}

/// What it would cost: step 2 of 2.
#[derive(Template)]
#[template(path = "dashboard/balance/advance_review.html")]
pub struct OfferPage {
    pub lang: Lang,
    pub shell: Shell,
    pub form_url: String,
    pub confirm_url: String,
    pub heading: String,
    pub effects: Vec<String>,
    /// What the list of securities says that they would do.
    pub securities_heading: &'static str,
    pub securities: Vec<SecurityRow>,
    pub form: AdvanceForm,
    pub button: String,
    pub attempt: String,
}
