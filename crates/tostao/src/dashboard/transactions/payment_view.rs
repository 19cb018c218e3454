//! What the page of a payment shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::events::view::Row as EventRow;
use crate::dashboard::form::WrongField;
use crate::dashboard::parts::{Action, State};
use crate::dashboard::shell::Shell;
use crate::dashboard::transactions::disputed::DisputeRow;
use crate::dashboard::transactions::simulate_form::Simulate;
use crate::dashboard::transactions::to_pay::ToPay;
use crate::dashboard::why::Why;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// A payment.
#[derive(Template)]
#[template(path = "dashboard/transactions/payment.html")]
pub struct PaymentPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub id: String,
    pub amount: String,
    pub state: State,
    pub why: Why,
    /// The form of another charge with the same data, where that is what is left to do.
    pub again_url: Option<String>,
    /// What is wrong with a form of the page.
    pub wrong: Vec<WrongField>,
    /// Why what was asked for here was not done, where no field is the reason.
    pub refused: Option<&'static str>,
    pub refund: Action,
    pub receipt: Action,
    pub cancel: Action,
    /// Where money that came beside it is decided on, and the names of these pages.
    pub set_aside: Vec<(String, String)>,
    /// `None` for real money.
    pub simulate: Option<Simulate>,
    /// The hidden field of the page's forms.
    pub attempt: String,
    /// `None` unless it waits.
    pub to_pay: Option<ToPay>,
    pub timeline: Vec<Step>,
    /// The request that made it, as long as the log has it.
    pub request_url: Option<String>,
    pub money: Vec<MoneyLine>,
    /// The statements with its entries, by the names of their accounts.
    pub statements: Vec<(String, &'static str)>,
    /// `None` for a role that may not read customers.
    pub buyer: Option<Buyer>,
    pub facts: Vec<(&'static str, String)>,
    /// The subscription that it pays a period of.
    pub subscription_url: Option<String>,
    pub refunds: Vec<RefundRow>,
    pub disputes: Vec<DisputeRow>,
    /// `None` for a role that may not read webhooks.
    pub deliveries: Option<Deliveries>,
    pub json: String,
    pub api: Vec<ApiCall>,
}

/// The newest events about the payment.
pub struct Deliveries {
    pub rows: Vec<EventRow>,
    /// All of them.
    pub all_url: String,
}

/// Something that happened.
pub struct Step {
    pub when: String,
    pub what: &'static str,
    pub more: String,
}

/// A line of the sum.
pub struct MoneyLine {
    pub name: &'static str,
    pub amount: String,
    pub is_sum: bool,
    /// Its entries in the statement, for a role that may read them.
    pub url: Option<String>,
}

/// The payer: what identifies them is shown on demand.
pub struct Buyer {
    pub masked: String,
    pub name: String,
    pub email: String,
    /// Without its middle digits.
    pub document: Option<String>,
    pub phone: Option<String>,
}

/// A refund of the payment.
pub struct RefundRow {
    pub when: String,
    pub amount: String,
    pub state: State,
    pub reason: String,
}
