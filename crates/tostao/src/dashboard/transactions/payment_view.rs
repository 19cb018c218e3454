//! What the page of a payment shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::parts::{Action, State};
use crate::dashboard::shell::Shell;
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
    pub amount: String,
    pub state: State,
    pub why: Why,
    pub refund: Action,
    pub cancel: Action,
    /// The hidden field of the form that cancels.
    pub attempt: String,
    pub timeline: Vec<Step>,
    pub money: Vec<MoneyLine>,
    /// `None` for a role that may not read customers.
    pub buyer: Option<Buyer>,
    pub facts: Vec<(&'static str, String)>,
    /// The subscription that it pays a period of.
    pub subscription_url: Option<String>,
    pub refunds: Vec<RefundRow>,
    pub json: String,
    pub api: Vec<ApiCall>,
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
