//! The pages of a payment that is not paid yet, for every method.

use askama::Template;
use documents::qr::Qr;

use crate::merchants::look::SellerProfile;
use crate::platform::assets;
use crate::platform::boleto_document::BoletoDocument;
use crate::platform::messages::Lang;

/// The path of a payment's pages.
pub struct PaymentPaths {
    pub slug: String,
    pub transaction: String,
    /// Opens this payment for its bearer; made of characters that need no escaping.
    pub token: String,
}

impl PaymentPaths {
    /// The path of a page, or of what it posts to.
    pub fn address(&self, page: &str) -> String {
        format!("/pay/{}/t/{}{page}", self.slug, self.transaction)
    }

    /// The same for a link, with the token.
    pub fn address_with_token(&self, page: &str) -> String {
        format!("{}?token={}", self.address(page), self.token)
    }

    /// The URL that the script polls for the status.
    pub fn polling_address(&self) -> String {
        format!("/api/transactions/public/{}?token={}", self.transaction, self.token)
    }
}

/// What every page of a payment shows.
pub struct Charge {
    pub merchant: SellerProfile,
    pub place: PaymentPaths,
    pub title: String,
    pub amount: String,
    /// The subscription that it pays a period of, and where that is managed.
    pub subscription: Option<Subscription>,
    /// Whether it cannot be renewed, because its coupon is no longer valid.
    pub is_coupon_lost: bool,
}

/// The subscription of a payment.
pub struct Subscription {
    /// Its portal, if this browser has opened it before.
    pub address: Option<String>,
}

/// The PIX code to pay, or the offer of a new one after it expired.
#[derive(Template)]
#[template(path = "checkout/pix.html")]
pub struct PixPage {
    pub lang: Lang,
    pub test_mode: bool,
    /// This page in the other language, token included.
    pub language_url: String,
    pub charge: Charge,
    pub expires_at: String,
    /// `None` once the code has expired.
    pub code: Option<PixCode>,
}

/// A code that can still be paid.
pub struct PixCode {
    pub br_code: String,
    pub qr: Qr,
    pub seconds_left: u64,
}

/// The boleto to pay, or what stands in its place.
#[derive(Template)]
#[template(path = "checkout/boleto.html")]
pub struct BoletoPage {
    pub lang: Lang,
    pub test_mode: bool,
    /// This page in the other language, token included.
    pub language_url: String,
    pub charge: Charge,
    pub boleto: BoletoState,
}

/// What a buyer can do about their boleto.
pub enum BoletoState {
    /// Pay it.
    Payable(Box<BoletoDocument>),
    /// Wait: the page loads itself again until the bank has made it.
    BeingMade,
    /// Ask for a new one: the bank did not make this one.
    NotMade,
    /// Ask for a new one: it has expired.
    Expired,
}

/// A card charge whose result is not known yet.
#[derive(Template)]
#[template(path = "checkout/processing.html")]
pub struct ProcessingPage {
    pub lang: Lang,
    pub test_mode: bool,
    /// This page in the other language, token included.
    pub language_url: String,
    pub charge: Charge,
}

/// A card charge that was declined after a while.
#[derive(Template)]
#[template(path = "checkout/failed.html")]
pub struct FailedPage {
    pub lang: Lang,
    pub test_mode: bool,
    /// This page in the other language, token included.
    pub language_url: String,
    pub charge: Charge,
    /// The reason, and what to do.
    pub reason: &'static str,
    /// Whether it may be tried again.
    pub has_link: bool,
    pub takes_pix: bool,
}

impl PixPage {
    /// The status that the page was rendered for; the script reloads when it receives another one.
    fn status(&self) -> &'static str {
        if self.code.is_some() { "PENDING" } else { "EXPIRED" }
    }
}

impl BoletoPage {
    /// The status that the page was rendered for.
    fn status(&self) -> &'static str {
        match self.boleto {
            BoletoState::Payable(_) | BoletoState::BeingMade => "PENDING",
            BoletoState::NotMade => "FAILED",
            BoletoState::Expired => "EXPIRED",
        }
    }

    fn is_payable(&self) -> bool {
        matches!(self.boleto, BoletoState::Payable(_))
    }

    fn due_on(&self) -> String {
        match &self.boleto {
            BoletoState::Payable(boleto) => self.lang.date(boleto.due_on),
            BoletoState::BeingMade | BoletoState::NotMade | BoletoState::Expired => String::new(),
        }
    }

    fn is_being_made(&self) -> bool {
        matches!(self.boleto, BoletoState::BeingMade)
    }
}
