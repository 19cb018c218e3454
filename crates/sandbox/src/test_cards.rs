//! Published test cards, and how each behaves here.
//!
//! Acquirers print these numbers in their manuals: they belong to no one and cannot pay. They occur
//! in this file only, and the sandbox accepts no other number, so that a real card typed in the
//! wrong place is refused before it is processed. Where the publisher gives a number a meaning, it
//! is kept; a few decline elsewhere and simulate a lost reply here.

use brazil::card_brand::CardBrand;
use rails::card::DeclineCode;

use crate::refunds::Outcome;

/// A published number.
#[derive(Debug)]
pub struct TestCard {
    pub number: &'static str,
    pub brand: CardBrand,
    pub scenario: Scenario,
}

/// The behavior of a card's charges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    Approves,
    Declines(DeclineCode),
    DeclinesOnceKept,
    LosesTheApproval,
    LosesTheDecline,
    ApprovesLate,
    RefundsLate,
    RefusesRefunds,
}

/// Every number that the sandbox accepts.
pub const TEST_CARDS: &[TestCard] = &[
    card("4242424242424242", CardBrand::Visa, Scenario::Approves),
    card("4000000760000002", CardBrand::Visa, Scenario::Approves),
    card("5555555555554444", CardBrand::Mastercard, Scenario::Approves),
    card("2223003122003222", CardBrand::Mastercard, Scenario::Approves),
    card("5066991111111118", CardBrand::Elo, Scenario::Approves),
    card("6062828888666688", CardBrand::Hipercard, Scenario::Approves),
    card("6370950000000005", CardBrand::Hiper, Scenario::Approves),
    card("378282246310005", CardBrand::Amex, Scenario::Approves),
    card("30569309025904", CardBrand::Diners, Scenario::Approves),
    card("6011111111111117", CardBrand::Discover, Scenario::Approves),
    card("3566002020360505", CardBrand::Jcb, Scenario::Approves),
    declines("4000000000000002", DeclineCode::CardDeclined),
    declines("4000000000009995", DeclineCode::InsufficientFunds),
    declines("4000000000000028", DeclineCode::DoNotHonor),
    declines("4000000000006975", DeclineCode::VelocityExceeded),
    declines("4000000000000127", DeclineCode::IncorrectCvc),
    declines("4000000000000101", DeclineCode::IncorrectCvc),
    declines("4000000000000069", DeclineCode::ExpiredCard),
    declines("4000000000009987", DeclineCode::LostCard),
    declines("4000000000009979", DeclineCode::StolenCard),
    card("4000000000000341", CardBrand::Visa, Scenario::DeclinesOnceKept),
    card("4000000000000119", CardBrand::Visa, Scenario::LosesTheApproval),
    card("4100000000000019", CardBrand::Visa, Scenario::LosesTheDecline),
    card("4000000000000036", CardBrand::Visa, Scenario::ApprovesLate),
    card("4000000000007726", CardBrand::Visa, Scenario::RefundsLate),
    card("4000000000005126", CardBrand::Visa, Scenario::RefusesRefunds),
];

const fn card(number: &'static str, brand: CardBrand, scenario: Scenario) -> TestCard {
    TestCard { number, brand, scenario }
}

const fn declines(number: &'static str, code: DeclineCode) -> TestCard {
    card(number, CardBrand::Visa, Scenario::Declines(code))
}

impl TestCard {
    /// Finds a card by its digits.
    pub fn find(digits: &str) -> Option<&'static Self> {
        TEST_CARDS.iter().find(|card| card.number == digits)
    }

    /// The last four digits.
    pub fn last4(&self) -> &'static str {
        &self.number[self.number.len() - 4..]
    }
}

impl Scenario {
    /// The stored value.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approves => "approves",
            Self::Declines(code) => code.name(),
            Self::DeclinesOnceKept => "declines_once_kept",
            Self::LosesTheApproval => "loses_the_approval",
            Self::LosesTheDecline => "loses_the_decline",
            Self::ApprovesLate => "approves_late",
            Self::RefundsLate => "refunds_late",
            Self::RefusesRefunds => "refuses_refunds",
        }
    }

    /// What happens to a charge, for documents.
    pub fn happens(self) -> String {
        let text = match self {
            Self::Declines(code) => return format!("declined: `{code}`"),
            Self::Approves => "approved",
            Self::DeclinesOnceKept => {
                "can be kept for later; every charge is declined: `card_declined`"
            }
            Self::LosesTheApproval => "approved, and the answer is lost",
            Self::LosesTheDecline => "declined with `card_declined`, and the answer is lost",
            Self::ApprovesLate => "undecided for a while, then approved",
            Self::RefundsLate => "approved; refunds take a while",
            Self::RefusesRefunds => "approved; refunds are refused",
        };
        text.to_owned()
    }

    /// Parses the stored value.
    pub fn parse(name: &str) -> Option<Self> {
        TEST_CARDS.iter().map(|card| card.scenario).find(|scenario| scenario.name() == name)
    }

    /// The decline code of a charge, if it is declined.
    pub const fn decline(self) -> Option<DeclineCode> {
        match self {
            Self::Declines(code) => Some(code),
            Self::DeclinesOnceKept | Self::LosesTheDecline => Some(DeclineCode::CardDeclined),
            Self::Approves
            | Self::LosesTheApproval
            | Self::ApprovesLate
            | Self::RefundsLate
            | Self::RefusesRefunds => None,
        }
    }

    /// The decline code if the card cannot be stored.
    pub const fn refusal_to_keep(self) -> Option<DeclineCode> {
        if matches!(self, Self::DeclinesOnceKept) { None } else { self.decline() }
    }

    /// Whether the first reply about a charge is lost.
    pub const fn loses_the_answer(self) -> bool {
        matches!(self, Self::LosesTheApproval | Self::LosesTheDecline)
    }

    /// Whether a charge stays undecided for a while.
    pub const fn is_late(self) -> bool {
        matches!(self, Self::ApprovesLate)
    }

    /// The result of refunds.
    pub const fn refund(self) -> Outcome {
        match self {
            Self::RefundsLate => Outcome::Late,
            Self::RefusesRefunds => Outcome::Refused,
            _ => Outcome::AtOnce,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use brazil::card_brand::CardBrand;
    use brazil::luhn::is_card_number;

    use super::{Scenario, TEST_CARDS, TestCard};

    #[test]
    fn every_number_is_a_card_of_the_brand_beside_it_and_stands_once() {
        let mut seen = HashSet::new();
        for card in TEST_CARDS {
            assert!(is_card_number(card.number), "{}", card.number);
            assert_eq!(CardBrand::of(card.number), Some(card.brand), "{}", card.number);
            assert!(seen.insert(card.number), "{} stands twice", card.number);
            assert!(card.number.ends_with(card.last4()));
        }
    }

    #[test]
    fn every_brand_can_be_tried_and_pays() {
        for brand in CardBrand::ALL {
            let pays = |card: &TestCard| card.brand == *brand && card.scenario.decline().is_none();
            assert!(TEST_CARDS.iter().any(pays), "{brand}");
        }
    }

    #[test]
    fn a_scenario_is_found_by_its_word() {
        for card in TEST_CARDS {
            assert_eq!(Scenario::parse(card.scenario.name()), Some(card.scenario));
        }
        assert_eq!(Scenario::parse("flies"), None);
    }
}
