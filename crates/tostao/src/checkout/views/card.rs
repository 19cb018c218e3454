//! The card page. No card data is ever posted to us: its form posts to the tokenizer.

use askama::Template;
use rails::card::Tokenizer;
use url::Url;

use crate::checkout::views::{Field, Notice};
use crate::merchants::look::SellerProfile;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The card to pay with: to be typed, or typed and to be confirmed.
#[derive(Template)]
#[template(path = "checkout/card.html")]
pub struct CardPage {
    pub lang: Lang,
    pub test_mode: bool,
    pub merchant: SellerProfile,
    pub language_url: String,
    /// The path of this page.
    pub place: String,
    pub order: CardOrder,
    /// What was typed on the page before, sealed.
    pub state: String,
    /// What happened, and what to do about it.
    pub notice: Option<Notice>,
    pub step: Step,
}

/// What the card is to be used for, in words.
pub struct CardOrder {
    pub goal: CardPurpose,
    pub title: String,
    pub amount: String,
    /// The number of installments, if more than one; or how often it recurs.
    pub parts: Option<String>,
    /// Other ways to pay: the value in the API, and the label of the button.
    pub others: Vec<(&'static str, String)>,
}

/// What the card is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardPurpose {
    Pay,
    /// To start a trial, which costs nothing now.
    Try,
    /// To be charged from now on.
    Keep,
}

impl CardForm {
    /// The name of a field, if the form is ever sent as one; the script reads it by its id.
    fn name(&self, field: &'static str) -> &'static str {
        if self.tokenizer.form.is_some() { field } else { "" }
    }
}

impl CardPage {
    /// The origin of the tokenizer, if it is another server than this one.
    pub fn tokenizer_origin(&self) -> Option<String> {
        let Step::Type(form) = &self.step else { return None };
        let api = Url::parse(&form.tokenizer.api).ok()?;
        Some(api.origin().ascii_serialization())
    }

    /// What a buyer whose browser runs no scripts can do instead.
    fn without_script(&self) -> &'static str {
        if self.order.others.is_empty() {
            self.lang.card_without_script()
        } else {
            self.lang.card_without_script_or_otherwise()
        }
    }

    fn heading(&self) -> &'static str {
        match self.order.goal {
            CardPurpose::Pay => self.lang.confirm_card(),
            CardPurpose::Try | CardPurpose::Keep => self.lang.confirm_kept_card(),
        }
    }

    fn go(&self) -> String {
        match self.order.goal {
            CardPurpose::Pay => self.lang.pay_amount(&self.order.amount),
            CardPurpose::Try => self.lang.start_trial().to_owned(),
            CardPurpose::Keep => self.lang.use_this_card().to_owned(),
        }
    }

    fn continue_label(&self, last4: &str) -> String {
        match self.order.goal {
            CardPurpose::Pay => self.lang.pay_with_card_ending(&self.order.amount, last4),
            CardPurpose::Try => self.lang.start_trial_with_card(last4),
            CardPurpose::Keep => self.lang.use_card_ending(last4),
        }
    }
}

/// The step of the page.
pub enum Step {
    Type(CardForm),
    Confirm { token: String, brand: &'static str, last4: String },
}

/// The card fields, which are sent to the tokenizer.
pub struct CardForm {
    pub tokenizer: Tokenizer,
    pub number: Field,
    pub expiry: Field,
    pub cvv: Field,
    pub holder: Field,
}
