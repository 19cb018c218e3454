//! The values of each subscription page, already formatted, and its template.

use askama::Template;

use crate::checkout::views::Notice;
use crate::merchants::look::SellerProfile;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// A subscriber's own page.
#[derive(Template)]
#[template(path = "subscription_pages/portal.html")]
pub struct PortalPage {
    pub lang: Lang,
    pub test_mode: bool,
    pub merchant: SellerProfile,
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
    pub details: Vec<DetailRow>,
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

/// A row of the subscription's details.
pub struct DetailRow {
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
#[template(path = "subscription_pages/cancel.html")]
pub struct CancelPage {
    pub lang: Lang,
    pub test_mode: bool,
    pub merchant: SellerProfile,
    /// This page in the other language, token included.
    pub language_url: String,
    /// The subscriber's own page.
    pub place: String,
    pub title: String,
    /// When the paid period ends; `None` where it can only be cancelled now.
    pub ends: Option<String>,
}
