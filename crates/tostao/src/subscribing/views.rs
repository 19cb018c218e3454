//! What each page of subscriptions shows: plain values, already formatted, and the template they
//! fill.

use askama::Template;

use crate::checkout::views::card::Notice;
use crate::checkout::views::{Discount, Part, PayForm, Way, initial};
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
    /// Where the form is sent.
    pub place: String,
    pub title: String,
    pub description: Option<String>,
    /// How long nothing is charged, if the buyer begins so.
    pub trial: Option<String>,
    /// What each period costs, with how long a period is.
    pub price: String,
    /// When what is charged, by card and by PIX.
    pub terms: String,
    pub pix_terms: String,
    /// What a coupon takes off the first payment.
    pub discount: Option<Discount>,
    /// What is charged at once.
    pub total: String,
    /// The same in cents, to be told with the form.
    pub seen: i64,
    pub ways: Vec<Way>,
    /// No period is paid in parts.
    pub parts: Vec<Part>,
    pub form: PayForm,
    /// Names this showing of the form, so that sending it twice subscribes once.
    pub attempt: String,
    /// The values behind masked fields, sealed; empty where no field is masked.
    pub kept: String,
    /// Whether something changed since the buyer last looked.
    pub changed: bool,
    /// Whether the plan has a trial that this buyer does not get.
    pub had_trial: bool,
    /// Who brought the buyer.
    pub aff: String,
}

impl PlanPage {
    fn document_hint(&self) -> &'static str {
        let lang = self.lang;
        if self.trial.is_some() { lang.document_hint_plan() } else { lang.document_hint() }
    }

    fn changed_note(&self) -> &'static str {
        if self.had_trial { self.lang.had_trial() } else { self.lang.price_changed() }
    }
}

/// A subscriber's own page.
#[derive(Template)]
#[template(path = "subscribing/own.html")]
pub struct OwnPage {
    pub lang: Lang,
    pub test_mode: bool,
    pub merchant: String,
    /// This page in the other language, token included.
    pub language_url: String,
    /// Where this page is; the forms are sent below it.
    pub place: String,
    pub title: String,
    pub status: &'static str,
    /// What just happened.
    pub news: Option<&'static str>,
    /// What to do with the address of one that was made just now.
    pub advice: Option<&'static str>,
    /// What the subscriber must know before he goes on.
    pub notice: Option<Notice>,
    /// What to do about a payment that failed.
    pub owed: Option<&'static str>,
    pub facts: Vec<Fact>,
    /// The page of a payment that waits, and what it comes to.
    pub pay: Option<(String, String)>,
    /// What the way to another card says.
    pub card: Option<&'static str>,
    pub can_pause: bool,
    /// What the button that ends a pause says.
    pub resume: Option<String>,
    pub can_cancel: bool,
    /// Where to subscribe anew.
    pub again: Option<String>,
    pub payments: Vec<Payment>,
}

/// Something about the subscription.
pub struct Fact {
    pub label: &'static str,
    pub value: String,
}

/// A payment of a period.
pub struct Payment {
    pub day: String,
    pub amount: String,
    pub status: &'static str,
    /// Its page, where it has something to show.
    pub address: Option<String>,
}

/// The page that asks whether it is to end.
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
    /// When what was paid for ends; `None` where it can only end now.
    pub ends: Option<String>,
}
