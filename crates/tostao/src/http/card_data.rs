//! Card data never comes in: what holds a card's number or code is refused before it is read.
//!
//! A number of 13 to 19 digits with a right check digit is a card's, wherever it stands, unless
//! its field is for another kind of number: every tenth CNPJ would pass for a card. Names such as
//! `cvv` need no look at the value.

use serde_json::Value;
use uuid::Uuid;

use crate::error::{Error, Refusal, Result};

/// Fields for a card's number or code, written without dashes, underscores and capitals.
const CARD_FIELDS: [&str; 19] = [
    "cardcode",
    "cardcvc",
    "cardcvv",
    "cardnumber",
    "cardno",
    "cardpan",
    "cardsecuritycode",
    "ccnumber",
    "creditcardnumber",
    "csc",
    "cvc",
    "cvc2",
    "cvv",
    "cvv2",
    "numerocartao",
    "numerodocartao",
    "pan",
    "primaryaccountnumber",
    "securitycode",
];
/// Fields for other long numbers: people, telephones, PIX keys, slips.
const NUMBER_FIELDS: [&str; 18] = [
    "barcode",
    "boleto",
    "clientdocument",
    "clientphone",
    "cnpj",
    "codigobarras",
    "cpf",
    "customerdocument",
    "customerphone",
    "digitableline",
    "document",
    "key",
    "linhadigitavel",
    "mobile",
    "phone",
    "pixkey",
    "refundpixkey",
    "taxid",
];
/// Fields for addresses and secrets, which hold digits by chance.
const CHANCE_FIELDS: [&str; 16] = [
    "accesstoken",
    "affiliatepage",
    "apikey",
    "attempt",
    "cardtoken",
    "cursor",
    "idempotencykey",
    "imageurl",
    "managetoken",
    "password",
    "redirecturl",
    "refreshtoken",
    "salespage",
    "secret",
    "token",
    "url",
];
/// The shortest card's number.
const CARD_DIGITS_MIN: usize = 13;
/// CNPJ, telephone and PIX key have up to this many digits,
const NUMBER_DIGITS_MAX: usize = 14;
/// and a slip at least this many.
const SLIP_DIGITS_MIN: usize = 44;

/// What a field may hold by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    CardData,
    OtherNumber,
    DigitsByChance,
    Text,
}

/// Refuses a JSON body with card data anywhere in it, by the first field that holds some.
pub fn refuse(body: &Value) -> Result<()> {
    let Some(path) = find(Meaning::Text, body) else { return Ok(()) };
    let (refusal, field) = (Refusal::CardDataNotAccepted, path.trim_start_matches('.'));
    // Names may spell a number together, and it is not repeated.
    if field.is_empty() || digits(field) >= CARD_DIGITS_MIN {
        let message = "Card numbers and security codes are never sent here. Send a card token.";
        return Err(Error::refused(refusal, message));
    }
    let message = "must not hold a card's number or security code; send a card token";
    Err(Error::field(field, refusal.code(), message))
}

/// Tells whether a field of a form holds card data.
pub fn stands_in(field: &str, text: &str) -> bool {
    is_text_of_card(Meaning::of(field), text)
}

impl Meaning {
    fn of(field: &str) -> Self {
        let letters = field.chars().filter(char::is_ascii_alphanumeric);
        let name: String = letters.map(|c| c.to_ascii_lowercase()).collect();
        let name = name.as_str();
        if CARD_FIELDS.contains(&name) {
            Self::CardData
        } else if NUMBER_FIELDS.contains(&name) {
            Self::OtherNumber
        } else if CHANCE_FIELDS.contains(&name) {
            Self::DigitsByChance
        } else {
            Self::Text
        }
    }
}

/// The path at which a value holds card data. A name that is itself a number is not repeated.
fn find(meaning: Meaning, value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(_) => None,
        Value::Number(number) => is_text_of_card(meaning, &number.to_string()).then(String::new),
        Value::String(text) => is_text_of_card(meaning, text).then(String::new),
        Value::Array(values) => values.iter().enumerate().find_map(|(place, value)| {
            find(meaning, value).map(|inner| format!("[{place}]{inner}"))
        }),
        Value::Object(fields) => fields.iter().find_map(|(name, value)| {
            if is_text_of_card(Meaning::Text, name) {
                return Some(String::new());
            }
            // What stands inside a security code is one, too.
            let inner = if meaning == Meaning::CardData { meaning } else { Meaning::of(name) };
            find(inner, value).map(|inner| format!(".{name}{inner}"))
        }),
    }
}

fn is_text_of_card(meaning: Meaning, text: &str) -> bool {
    match meaning {
        Meaning::CardData => !text.trim().is_empty(),
        Meaning::DigitsByChance => brazil::luhn::is_card_number(text),
        Meaning::OtherNumber => {
            let digits = digits(text);
            digits > NUMBER_DIGITS_MAX && digits < SLIP_DIGITS_MIN && holds_number(text)
        }
        Meaning::Text => !is_slip(text) && holds_number(text),
    }
}

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

fn holds_number(text: &str) -> bool {
    // Most texts are too short on digits to be looked at twice.
    digits(text) >= CARD_DIGITS_MIN && brazil::luhn::holds_card_number(&without_ids(text))
}

/// Whether the whole text is a boleto: its 44 digits, or the 47 or 48 that people type.
fn is_slip(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '.' | '-');
    matches!(digits(text), 44 | 47 | 48) && text.chars().all(plain)
}

/// The text without its UUIDs, in which two groups of digits may look like a number.
fn without_ids(text: &str) -> String {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    let words = text.split_inclusive(is_end).map(|word| {
        let id = word.trim_end_matches(is_end);
        if id.len() == 36 && Uuid::try_parse(id).is_ok() { "id " } else { word }
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{refuse, stands_in};
    use crate::error::Error;

    /// The number that card brands publish for tests.
    fn card() -> String {
        "4242".repeat(4)
    }

    fn is_refused(body: &Value) -> bool {
        refuse(body).is_err()
    }

    #[test]
    fn card_data_is_refused_wherever_it_stands() {
        let (card, spaced) = (card(), "4242 4242-4242 4242");
        let table = [
            json!({ "cvv": "123" }),
            json!({ "cvc": 123 }),
            json!({ "security_code": "1234" }),
            json!({ "CardNumber": "anything" }),
            json!({ "pan": ["4242"] }),
            json!({ "cvv": { "value": "123" } }),
            json!({ "card": { "number": card, "expMonth": 1 } }),
            json!({ "card": { "number": "1", "cvv": "1" } }),
            json!({ "customer": { "name": format!("Fulano {card}") } }),
            json!({ "metadata": { "note": spaced } }),
            json!({ "metadata": { card.clone(): "x" } }),
            json!({ "metadata": { "n": card.parse::<u64>().expect("fits") } }),
            json!({ "items": [{ "note": "ok" }, { "note": card }] }),
            json!({ "title": "378282246310005" }),
            // Names excuse only numbers of the length they are for.
            json!({ "document": card }),
            json!({ "metadata": { "phone": spaced } }),
            json!({ "cardToken": card }),
            json!({ "redirectUrl": card }),
        ];
        for body in table {
            assert!(is_refused(&body), "{body}");
        }
    }

    #[test]
    fn the_field_is_named_unless_names_spell_a_number() {
        let table = [
            (json!({ "items": [{ "note": "ok" }, { "note": card() }] }), Some("items[1].note")),
            (json!({ "card": { "cvv": "1" } }), Some("card.cvv")),
            (json!({ card(): 1 }), None),
            (json!({ "4242 4242": { "4242 4242": { "cvv": "1" } } }), None),
            (json!({ "4242_4242_4242_4242": { "cvv": "1" } }), None),
        ];
        for (body, named) in table {
            let field = match refuse(&body) {
                Err(Error::Invalid(mut faults)) => faults.pop().map(|fault| fault.field),
                _ => None,
            };
            assert_eq!(field.as_deref(), named, "{body}");
        }
    }

    #[test]
    fn other_numbers_are_taken() {
        let table = [
            json!({ "title": "Caneca", "amountCents": 1_000_000_000 }),
            json!({ "cvv": null, "cvc": "", "pan": false }),
            json!({ "card": { "number": "1000" }, "number": "42" }),
            // Numbers of companies and telephones whose last digit happens to be a card's.
            json!({ "document": "30.569.309/0259-04" }),
            json!({ "clientDocument": "30569309025904" }),
            json!({ "phone": "+55 11 91234-5676" }),
            json!({ "pixKey": "30569309025904", "pixKeyType": "cnpj" }),
            // A boleto's bar code and the lines that people type, plain and as printed.
            json!({ "barcode": "42".repeat(22) }),
            json!({ "note": "42".repeat(22) }),
            json!({ "note": "00190500954014481606906809350314337370000000100" }),
            json!({ "note": "00190.50095 40144.816069 06809.350314 3 37370000000100" }),
            json!({ "note": "836400000010 330100481000 180975657313 001589636081" }),
            // The last two groups of these have 16 digits and a card's check digit.
            json!({ "productId": "7d9f0c1e-7c1e-7d7a-4242-424242424242" }),
            json!({ "note": "see 7d9f0c1e-7c1e-7d7a-4242-424242424242, please" }),
            json!({ "imageUrl": "https://example.com/4242424242424242.png" }),
            json!({ "refreshToken": "a4242424242424242b" }),
            json!({ "at": "2026-11-21T12:00:00.000Z" }),
        ];
        for body in table {
            assert!(!is_refused(&body), "{body}");
        }
    }

    #[test]
    fn a_form_is_looked_at_field_by_field() {
        let card = card();
        let table = [
            ("customer.name", card.as_str(), true),
            ("complement", "ap 4242 4242 4242 4242", true),
            ("document", card.as_str(), true),
            ("document", "30569309025904", false),
            ("attempt", "ab4242424242424242cd", false),
            ("name", "Fulano de Tal", false),
        ];
        for (field, text, found) in table {
            assert_eq!(stands_in(field, text), found, "{field}: {text}");
        }
    }
}
