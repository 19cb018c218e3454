//! Cards: an acquirer charges a card that we know only by a token.

use std::fmt;
use std::net::IpAddr;

use brazil::card_brand::CardBrand;
use brazil::document::Document;
use db::text_enum;
use ledger::cents::Cents;

use crate::address::Address;
use crate::provider::{Call, Provider};
use crate::refund::RefundState;

/// The card details that may be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardDetails {
    pub brand: CardBrand,
    pub last4: String,
    /// Identifies the card, whatever buyer uses it.
    pub fingerprint: String,
    pub exp_month: i64,
    pub exp_year: i64,
}

/// A charge request.
#[derive(Debug, Clone)]
pub struct CardChargeRequest {
    /// Our reference for the charge, unique for ever.
    pub reference: String,
    pub source: CardSource,
    /// The full amount that the buyer pays, interest included.
    pub amount: Cents,
    pub installments: i64,
    /// The text on the buyer's statement.
    pub statement: String,
    pub buyer: CardBuyer,
    /// What is sold, as far as it is known; its total may differ from the amount.
    pub items: Vec<CardItem>,
    /// The address that the buyer's browser calls from.
    pub ip: Option<IpAddr>,
    pub authentication: Option<ThreeDSecure>,
}

/// The buyer, as acquirers and their antifraud services ask for them.
#[derive(Debug, Clone)]
pub struct CardBuyer {
    pub name: String,
    pub email: String,
    pub document: Option<Document>,
    /// 8 to 15 digits, with a plus sign before an international prefix.
    pub phone: Option<String>,
    pub address: Option<Address>,
}

/// A line of what is sold.
#[derive(Debug, Clone)]
pub struct CardItem {
    pub description: String,
    /// The price of one of them.
    pub amount: Cents,
    pub quantity: i64,
}

/// The result of 3-D Secure, where the buyer's bank authenticated the buyer before the charge.
#[derive(Debug, Clone)]
pub struct ThreeDSecure {
    /// Who is liable for fraud, in the brand's code (ECI).
    pub indicator: String,
    /// The issuer's cryptogram (CAVV).
    pub cryptogram: String,
    /// The directory server's id of the authentication.
    pub transaction_id: String,
    /// The version of the protocol.
    pub version: String,
}

/// The card to charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardSource {
    /// A card that the buyer has just typed; valid for one charge, or for storing the card.
    Token(String),
    /// A stored card.
    Stored(String),
}

/// The result of a charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChargeResult {
    Approved {
        authorization_code: String,
    },
    Declined {
        code: DeclineCode,
    },
    /// Captured with another amount than was asked for, which is never booked: an administrator
    /// decides with the acquirer.
    CapturedOtherwise {
        amount: Cents,
    },
    /// Not decided yet; ask again.
    Processing,
}

/// A card stored for future charges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCard {
    /// The acquirer that stored it, and the only one that can charge it.
    pub provider: String,
    /// What [`CardSource::Stored`] takes.
    pub id: String,
    pub details: CardDetails,
}

/// A request to store a card.
#[derive(Debug, Clone)]
pub struct StoreCardRequest {
    /// Our reference for the request, unique for ever.
    pub reference: String,
    pub token: String,
    /// An acquirer stores a card for a person.
    pub buyer: CardBuyer,
}

/// The result of storing a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreOutcome {
    Stored(StoredCard),
    Declined(DeclineCode),
}

/// A refund request, full or partial.
#[derive(Debug, Clone)]
pub struct CardRefundRequest {
    /// Our reference for the refund, unique for ever.
    pub reference: String,
    /// The reference of the charge.
    pub charge_reference: String,
    pub amount: Cents,
    /// What was refunded of the charge before: where an acquirer keeps only a total, the total
    /// shows whether this refund arrived. So refunds of one charge are sent one after another.
    pub refunded_before: Cents,
    /// Names the attempt: the same until it is certain that nothing was sent, and then another one.
    /// An acquirer that repeats its answer to a request must not repeat a refusal that no longer
    /// holds.
    pub attempt: String,
}

/// Where a buyer's browser sends a card to get a token: never to us.
///
/// Both are endpoints of the acquirer that the checkout's content security policy lets a page
/// reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokenizer {
    /// Accepts the card as JSON, and responds with a token; it names the account by whatever public
    /// key the acquirer requires.
    pub api: String,
    /// The form of that JSON.
    pub dialect: TokenDialect,
    /// Accepts the form of a page without scripts, with the page's own path and its sealed state,
    /// and redirects back to it with a token. Without it, a page needs scripts to take a card.
    pub form: Option<String>,
    /// A number to try it with, where no real one is accepted.
    pub sample: Option<&'static str>,
}

text_enum! {
    /// How a tokenizer's API is spoken to, which the card page's script does.
    pub enum TokenDialect {
        /// The sandbox's: a flat card, and a list of errors with a field and a code each.
        Sandbox = "sandbox",
        /// Pagar.me's: `{type, card}`, and errors by the names of its fields.
        Pagarme = "pagarme",
    }
}

/// An acquirer.
pub trait CardProvider: Provider {
    /// Where its tokens come from.
    fn tokenizer(&self) -> Tokenizer;

    /// Returns the card details of a token; `None` if it is unknown, used or expired.
    fn inspect_token<'a>(&'a self, token: &'a str) -> Call<'a, Option<CardDetails>>;

    /// Charges a card; the same reference again returns the result of that charge.
    ///
    /// After an unknown outcome, [`CardProvider::find`] returns what happened.
    fn authorize<'a>(&'a self, order: &'a CardChargeRequest) -> Call<'a, ChargeResult>;

    /// Returns the result of a charge of this amount; `None` if it never arrived. Another amount is
    /// no result: it must not be booked.
    fn find<'a>(&'a self, reference: &'a str, amount: Cents) -> Call<'a, Option<ChargeResult>>;

    /// Verifies a card without charging it and stores it; the same reference and token again
    /// return the same card.
    fn store_card<'a>(&'a self, order: &'a StoreCardRequest) -> Call<'a, StoreOutcome>;

    /// Returns what was refunded of a charge so far, where the acquirer keeps only a total; `None`
    /// where it knows single refunds by their references.
    fn refunded_total<'a>(&'a self, charge_reference: &'a str) -> Call<'a, Option<Cents>>;

    /// Refunds a charge; the same reference again returns the state of that refund.
    fn refund<'a>(&'a self, order: &'a CardRefundRequest) -> Call<'a, RefundState>;

    /// Returns the state of a refund; `None` if it never arrived.
    fn find_refund<'a>(&'a self, order: &'a CardRefundRequest) -> Call<'a, Option<RefundState>>;
}

/// Defines the decline codes: variant, API value, whether a retry is useless, and the meaning.
macro_rules! decline_codes {
    ($($name:ident = $word:literal, $hard:literal, $meaning:literal;)+) => {
        /// Why an issuer declined, in our own codes: acquirers' codes are mapped to them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DeclineCode {
            $(#[doc = $meaning] $name,)+
        }

        impl DeclineCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The value in the API: `insufficient_funds`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                }
            }

            /// Whether the same card will be declined again, so only another one helps.
            pub const fn is_hard(self) -> bool {
                match self {
                    $(Self::$name => $hard,)+
                }
            }

            /// What it means, for documents.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$name => $meaning,)+
                }
            }
        }
    };
}

decline_codes! {
    CardDeclined = "card_declined", false, "The issuer said no and gave no reason.";
    InsufficientFunds = "insufficient_funds", false, "The limit or the balance is not enough.";
    DoNotHonor = "do_not_honor", false, "The issuer said no; the buyer may ask it why.";
    VelocityExceeded = "card_velocity_exceeded", false,
        "Too many charges, or too much, in a short time.";
    IncorrectCvc = "incorrect_cvc", true, "The security code is wrong.";
    ExpiredCard = "expired_card", true, "The card has expired.";
    LostCard = "lost_card", true, "The card was reported lost.";
    StolenCard = "stolen_card", true, "The card was reported stolen.";
}

impl DeclineCode {
    /// Parses the value in the API.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == word)
    }
}

impl fmt::Display for DeclineCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::DeclineCode;

    #[test]
    fn a_decline_code_is_found_by_its_word() {
        for code in DeclineCode::ALL {
            assert_eq!(DeclineCode::parse(code.name()), Some(*code));
        }
        assert_eq!(DeclineCode::parse("approved"), None);
    }

    #[test]
    fn a_card_that_is_gone_is_not_tried_again_and_an_empty_one_is() {
        let hard = |code: &&DeclineCode| code.is_hard();
        let names: Vec<_> = DeclineCode::ALL.iter().filter(hard).map(|code| code.name()).collect();
        assert_eq!(names, ["incorrect_cvc", "expired_card", "lost_card", "stolen_card"]);
    }
}
