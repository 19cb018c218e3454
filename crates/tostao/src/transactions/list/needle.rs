//! What a payment is searched by: any text that a person has at hand.

use db::value::pattern;
use uuid::Uuid;

use crate::platform::error::Result;
use crate::platform::http::page::search;
use crate::platform::typed_amount::typed_cents;

/// A validated search text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needle {
    /// Finds the text in the buyer's name and email and in the merchant's reference.
    pub pattern: String,
    /// The text as it was sent, for a reference, a txid or an end-to-end id.
    pub text: String,
    /// The text as an amount in cents.
    pub amount: Option<i64>,
    /// The text as the id of a payment.
    pub id: Option<Uuid>,
}

impl Needle {
    /// Validates the text; an empty one searches nothing.
    pub fn read(q: Option<&str>) -> Result<Option<Self>> {
        search(q)?;
        let Some(text) = q.filter(|text| !text.is_empty()) else { return Ok(None) };
        let trimmed = text.trim();
        Ok(Some(Self {
            pattern: pattern(text),
            text: trimmed.to_owned(),
            amount: typed_cents(trimmed),
            id: Uuid::try_parse(trimmed).ok(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::Needle;

    #[test]
    fn spaces_around_an_identifier_do_not_hide_it() {
        let id = "01931b2c-0000-7000-8000-000000000000";
        let needle = Needle::read(Some(&format!(" {id}\n"))).ok().flatten();
        assert_eq!(needle.and_then(|needle| needle.id).map(|id| id.to_string()), Some(id.into()));
        assert_eq!(Needle::read(Some("")).ok().flatten(), None);
    }
}
