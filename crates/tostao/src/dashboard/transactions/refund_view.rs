//! What the pages of a refund show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::WrongField;
use crate::dashboard::shell::Shell;
use crate::dashboard::transactions::refund_form::{RefundFields, RefundForm};
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The form: step 1 of 2.
#[derive(Template)]
#[template(path = "dashboard/transactions/refund.html")]
pub struct RefundPage {
    pub lang: Lang,
    pub shell: Shell,
    pub payment: RefundedPayment,
    pub fields: RefundFields,
    pub wrong: Vec<WrongField>,
    /// Why the refund that was asked for is not possible.
    pub refused: Option<String>,
    pub api: Vec<ApiCall>,
}

/// What would happen: step 2 of 2.
#[derive(Template)]
#[template(path = "dashboard/transactions/refund_review.html")]
pub struct ReviewPage {
    pub lang: Lang,
    pub shell: Shell,
    pub payment: RefundedPayment,
    pub form: RefundForm,
    /// "Refund R$ 20.00 of R$ 49.90 to Fulano de Tal".
    pub heading: String,
    /// The button, which names the amount.
    pub button: String,
    /// What would change, a sentence each.
    pub effects: Vec<String>,
    pub attempt: String,
}

/// The payment that is refunded.
pub struct RefundedPayment {
    pub url: String,
    pub form_url: String,
    pub confirm_url: String,
    pub amount: String,
    /// What can still be refunded.
    pub left: String,
    /// How it goes back.
    pub way: &'static str,
    /// Whether a PIX key has to be named.
    pub needs_key: bool,
    /// Whether anything was sold that can be restocked.
    pub has_items: bool,
}
