//! Tokens: they stand for a card that was just typed.
//!
//! Only the card's details without its number are stored. The token is stored as a hash: read
//! access to the database is not enough to charge the card.

use std::time::Duration;

use db::error::Result;
use db::hex::hex;
use db::tx::Tx;
use rails::card::CardDetails;
use rails::error::ProviderError;

use crate::bank::SandboxBank;
use crate::cards::Card;
use crate::keys::{KeyUse, token_hash};
use crate::store;
use crate::test_cards::TestCard;

/// How long a token is valid, by the server's clock.
pub const GOOD_FOR: Duration = Duration::from_secs(15 * 60);

const PREFIX: &str = "tok_sandbox_";

/// A validated card as it was typed.
#[derive(Debug, Clone, Copy)]
pub struct Typed {
    pub card: &'static TestCard,
    pub exp_month: i64,
    pub exp_year: i64,
}

impl SandboxBank {
    /// Creates a single-use token for a card.
    pub async fn tokenize(&self, typed: Typed) -> Result<String, ProviderError> {
        let number = typed.card.number.as_bytes();
        let details = CardDetails {
            brand: typed.card.brand,
            last4: typed.card.last4().to_owned(),
            fingerprint: hex(&self.keys.sign(KeyUse::CardFingerprints, number)),
            exp_month: typed.exp_month,
            exp_year: typed.exp_year,
        };
        let card = Card { details, scenario: typed.card.scenario };
        self.transact(async move |tx| {
            let token = format!("{PREFIX}{}", plain_letters(&tx.random::<24>()));
            let expires_at = tx.now().plus(GOOD_FOR);
            store::insert_token(tx, &token_hash(&token), &card, expires_at).await?;
            Ok(token)
        })
        .await
    }
}

/// Deletes tokens that can no longer be used; returns how many.
pub async fn delete_expired(tx: &Tx, limit: i64) -> Result<u64> {
    store::delete_expired_tokens(tx, tx.now(), limit).await
}

/// Two letters a byte, and never a digit: nothing in a token may look like a card's number.
fn plain_letters(bytes: &[u8]) -> String {
    let letter = |half: u8| char::from(b'a' + half);
    bytes.iter().flat_map(|byte| [letter(byte >> 4), letter(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::plain_letters;

    #[test]
    fn a_token_holds_letters_only_and_encodes_every_byte_differently() {
        let all: Vec<u8> = (0..=255).collect();
        let text = plain_letters(&all);
        assert!(text.bytes().all(|letter| letter.is_ascii_lowercase()));
        let pairs: std::collections::HashSet<_> = text.as_bytes().chunks(2).collect();
        assert_eq!(pairs.len(), 256);
    }
}
