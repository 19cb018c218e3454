//! The page for a card. Nothing of a card is ever posted to us: its form leads to the tokeniser.

use askama::Template;

use crate::assets;
use crate::checkout::views::{Field, initial};
use crate::messages::Lang;
use crate::providers::card::Tokeniser;

/// The card to pay with: to be typed, or typed and to be confirmed.
#[derive(Template)]
#[template(path = "checkout/card.html")]
pub struct CardPage {
    pub lang: Lang,
    pub test_mode: bool,
    pub merchant: String,
    pub language_url: String,
    pub slug: String,
    pub title: String,
    pub amount: String,
    /// In how many parts, if in several.
    pub parts: Option<String>,
    /// What was typed on the page before, sealed.
    pub state: String,
    /// What happened, and what to do about it.
    pub notice: Option<Notice>,
    pub step: Step,
    /// Other ways to pay: the contract's word, and what the button says.
    pub others: Vec<(&'static str, String)>,
}

/// Something the buyer must know before he goes on.
pub struct Notice {
    pub heading: &'static str,
    pub text: &'static str,
}

/// How far he is.
pub enum Step {
    Type(CardForm),
    Confirm { token: String, brand: &'static str, last4: String },
}

/// The fields of a card, which are sent to the tokeniser.
pub struct CardForm {
    pub door: Tokeniser,
    pub number: Field,
    pub expiry: Field,
    pub cvv: Field,
    pub holder: Field,
}
