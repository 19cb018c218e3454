//! The page for a card. Nothing of a card is ever posted to us: its form leads to the tokeniser.

use askama::Template;

use crate::checkout::views::{Field, initial};
use crate::platform::assets;
use crate::platform::messages::Lang;
use crate::providers::card::Tokeniser;

/// The card to pay with: to be typed, or typed and to be confirmed.
#[derive(Template)]
#[template(path = "checkout/card.html")]
pub struct CardPage {
    pub lang: Lang,
    pub test_mode: bool,
    pub merchant: String,
    pub language_url: String,
    /// Where this page is.
    pub place: String,
    pub goal: Goal,
    pub title: String,
    pub amount: String,
    /// In how many parts, if in several; or how often it recurs.
    pub parts: Option<String>,
    /// What was typed on the page before, sealed.
    pub state: String,
    /// What happened, and what to do about it.
    pub notice: Option<Notice>,
    pub step: Step,
    /// Other ways to pay: the contract's word, and what the button says.
    pub others: Vec<(&'static str, String)>,
}

/// What the card is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    Pay,
    /// To begin a trial, which costs nothing now.
    Try,
    /// To be charged from now on.
    Keep,
}

impl CardPage {
    fn heading(&self) -> &'static str {
        match self.goal {
            Goal::Pay => self.lang.confirm_card(),
            Goal::Try | Goal::Keep => self.lang.confirm_kept_card(),
        }
    }

    fn go(&self) -> String {
        match self.goal {
            Goal::Pay => self.lang.pay_amount(&self.amount),
            Goal::Try => self.lang.start_trial().to_owned(),
            Goal::Keep => self.lang.use_this_card().to_owned(),
        }
    }

    fn go_with(&self, last4: &str) -> String {
        match self.goal {
            Goal::Pay => self.lang.pay_with_card_ending(&self.amount, last4),
            Goal::Try => self.lang.start_trial_with_card(last4),
            Goal::Keep => self.lang.use_card_ending(last4),
        }
    }
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
