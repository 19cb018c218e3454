//! The values of each subscription page, already formatted, and its template.

use askama::Template;

use crate::checkout::views::{
    Discount, InstallmentChoice, Notice, PayForm, PaymentChoice, initial,
};
use crate::platform::assets;
use crate::platform::messages::Lang;

/// A plan, and the form to subscribe to it.
#[derive(Template)]
#[template(path = "subscribing/plan.html")]
pub struct PlanPage {
    pub lang: Lang,
    pub test_mode: bool,
    pub merchant: String,
    /// This page in the other language.
    pub language_url: String,
    /// Where the form is posted.
    pub place: String,
    pub title: String,
    pub description: Option<String>,
    /// The length of the trial, if the buyer gets one.
    pub trial: Option<String>,
    /// The price of each period, with its interval.
    pub price: String,
    /// What is charged when, by card and by PIX.
    pub terms: String,
    pub pix_terms: String,
    /// The coupon's discount on the first payment.
    pub discount: Option<Discount>,
    /// What is charged at once.
    pub total: String,
    /// The same in cents, posted with the form.
    pub seen: i64,
    pub ways: Vec<PaymentChoice>,
    /// Empty: a period is not paid in installments.
    pub parts: Vec<InstallmentChoice>,
    pub form: PayForm,
    /// Names this rendering of the form, so that posting it twice subscribes once.
    pub attempt: String,
    /// The values behind masked fields, sealed; empty where no field is masked.
    pub kept: String,
    /// What the buyer must know before they go on.
    pub notice: Option<Notice>,
    /// The affiliate's code.
    pub aff: String,
}

impl PlanPage {
    fn document_hint(&self) -> &'static str {
        let lang = self.lang;
        if self.trial.is_some() { lang.document_hint_plan() } else { lang.document_hint() }
    }
}

/// A subscriber's own page.
#[derive(Template)]
#[template(path = "subscribing/portal.html")]
pub struct PortalPage {
    pub lang: Lang,
    pub test_mode: bool,
    pub merchant: String,
    /// This page in the other language, token included.
    pub language_url: String,
    /// Where this page is; the forms are posted to URLs below it.
    pub place: String,
    pub title: String,
    pub status: &'static str,
    /// The result of the last action.
    pub flash: Option<&'static str>,
    /// What to do with the URL of a new subscription.
    pub advice: Option<&'static str>,
    /// What the subscriber must know before they continue.
    pub notice: Option<Notice>,
    /// What to do about a failed payment.
    pub owed: Option<&'static str>,
    pub facts: Vec<Fact>,
    /// The page of a pending payment, and its amount.
    pub pay: Option<(String, String)>,
    /// The label of the link to another card.
    pub card: Option<&'static str>,
    pub can_pause: bool,
    /// The label of the button that ends a pause.
    pub resume: Option<String>,
    pub can_cancel: bool,
    /// Where to subscribe again.
    pub again: Option<String>,
    pub payments: Vec<Payment>,
}

/// A fact about the subscription.
pub struct Fact {
    pub label: &'static str,
    pub value: String,
}

/// A payment of a period.
pub struct Payment {
    pub day: String,
    pub amount: String,
    pub status: &'static str,
    /// Its page, where there is something to show.
    pub address: Option<String>,
}

/// The page that asks for the cancellation.
#[derive(Template)]
#[template(path = "subscribing/cancel.html")]
pub struct CancelPage {
    pub lang: Lang,
    pub test_mode: bool,
    pub merchant: String,
    /// This page in the other language, token included.
    pub language_url: String,
    /// The subscriber's own page.
    pub place: String,
    pub title: String,
    /// When the paid period ends; `None` where it can only be cancelled now.
    pub ends: Option<String>,
}
