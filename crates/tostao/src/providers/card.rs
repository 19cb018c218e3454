//! Cards: an acquirer charges a card that we know by a token alone.

use std::fmt;

use brazil::card_brand::CardBrand;
use ledger::cents::Cents;

use crate::providers::{Call, RefundState};

/// What may be known of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardFace {
    pub brand: CardBrand,
    pub last4: String,
    /// The same for the same card, whoever uses it and however often.
    pub fingerprint: String,
    pub exp_month: i64,
    pub exp_year: i64,
}

/// A charge to be made.
#[derive(Debug, Clone)]
pub struct CardOrder {
    /// Our name for the charge, unique for ever.
    pub reference: String,
    pub source: CardSource,
    /// Everything the buyer pays, interest included.
    pub amount: Cents,
    pub installments: i64,
    /// What the buyer reads on his bill.
    pub statement: String,
}

/// Which card is charged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardSource {
    /// One that the buyer has just typed; good for one charge, or for keeping the card.
    Token(String),
    /// One that was kept.
    Stored(String),
}

/// What became of a charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardVerdict {
    Approved {
        authorization_code: String,
    },
    Declined {
        code: DeclineCode,
    },
    /// Not decided yet; ask again.
    Processing,
}

/// A card kept for later charges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCard {
    /// What [`CardSource::Stored`] takes.
    pub id: String,
    pub face: CardFace,
}

/// What became of keeping a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    Stored(StoredCard),
    Declined(DeclineCode),
}

/// Money to be given back, whole or in part.
#[derive(Debug, Clone)]
pub struct CardRefundOrder {
    /// Our name for the refund, unique for ever.
    pub reference: String,
    /// The reference of the charge.
    pub charge_reference: String,
    pub amount: Cents,
}

/// Where a buyer's browser sends a card to get a token for it: never to us.
///
/// Both are doors of the acquirer that the checkout's content security policy lets a page reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokeniser {
    /// Takes the card as JSON, and answers with a token.
    pub api: String,
    /// Takes the form of a page without scripts, with the page's own path and its sealed state,
    /// and leads back to it with a token.
    pub form: String,
    /// A number to try it with, where no real one is taken.
    pub sample: Option<&'static str>,
}

/// An acquirer.
pub trait CardProvider: Send + Sync {
    /// Its name in the charges it made.
    fn name(&self) -> &'static str;

    /// Where its tokens come from.
    fn tokeniser(&self) -> Tokeniser;

    /// Tells whose card a token stands for; `None` if it is unknown, used or expired.
    fn look<'a>(&'a self, token: &'a str) -> Call<'a, Option<CardFace>>;

    /// Charges a card; the same reference again gives the verdict on that charge.
    ///
    /// After an unknown answer, [`CardProvider::find`] tells what happened.
    fn authorize<'a>(&'a self, order: &'a CardOrder) -> Call<'a, CardVerdict>;

    /// Tells what became of a charge; `None` if it never arrived.
    fn find<'a>(&'a self, reference: &'a str) -> Call<'a, Option<CardVerdict>>;

    /// Checks a card without charging it and keeps it; the same token again gives the same card.
    fn keep<'a>(&'a self, token: &'a str) -> Call<'a, Kept>;

    /// Gives money back; the same reference again tells how that refund stands.
    fn refund<'a>(&'a self, order: &'a CardRefundOrder) -> Call<'a, RefundState>;

    /// Tells how a refund stands; `None` if it never arrived.
    fn find_refund<'a>(&'a self, reference: &'a str) -> Call<'a, Option<RefundState>>;
}

/// Defines the reasons for a decline: name, word, and whether another try is useless.
macro_rules! decline_codes {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $hard:literal;)+) => {
        /// Why an issuer said no, in words of our own: acquirers' codes are translated to them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DeclineCode {
            $($(#[$doc])* $name,)+
        }

        impl DeclineCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The word in the API: `insufficient_funds`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                }
            }

            /// Whether the same card will be declined again, so that only another one helps.
            pub const fn is_hard(self) -> bool {
                match self {
                    $(Self::$name => $hard,)+
                }
            }
        }
    };
}

decline_codes! {
    /// No reason given.
    CardDeclined = "card_declined", false;
    InsufficientFunds = "insufficient_funds", false;
    /// The issuer does not say why, and may change its mind.
    DoNotHonor = "do_not_honor", false;
    /// Too many charges, or too much, in a short time.
    VelocityExceeded = "card_velocity_exceeded", false;
    IncorrectCvc = "incorrect_cvc", true;
    ExpiredCard = "expired_card", true;
    LostCard = "lost_card", true;
    StolenCard = "stolen_card", true;
}

impl DeclineCode {
    /// Finds a code by its word.
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
