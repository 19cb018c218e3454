//! Keeps card data out: a request that holds a card's number or code is refused before it is read.
//!
//! A number of 13 to 19 digits with a valid Luhn digit counts as a card's anywhere, unless its
//! field is for another kind of number: every tenth CNPJ would pass for a card. Names such as `cvv`
//! are refused whatever the value. [`brazil::luhn`] knows how numbers are written.

use brazil::luhn;
use serde_json::Value;
use url::{Url, form_urlencoded};
use uuid::Uuid;

use crate::platform::error::{Error, ErrorCode, FieldError, Result};

/// Fields for a card's number or code, without dashes and underscores, in lower case.
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
/// Fields for other long numbers: documents, telephones, PIX keys, boletos.
const NUMBER_FIELDS: [&str; 19] = [
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
    "payingkey",
    "phone",
    "pixkey",
    "refundpixkey",
    "taxid",
];
/// Fields for secrets, which may hold digits by chance.
const SECRET_FIELDS: [&str; 16] = [
    "accesstoken",
    "apikey",
    "authority",
    "cardtoken",
    "certificate",
    "clientid",
    "clientsecret",
    "cursor",
    "idtoken",
    "managetoken",
    "password",
    "publickey",
    "refreshtoken",
    "secret",
    "secretkey",
    "token",
];
/// Fields for URLs; a path may hold digits by chance.
const ADDRESS_FIELDS: [&str; 6] =
    ["affiliatepage", "imageurl", "redirecturl", "salespage", "url", "website"];
/// Fields for email addresses; many have a telephone before the at sign.
const EMAIL_FIELDS: [&str; 3] = ["clientemail", "customeremail", "email"];
/// CNPJ, telephone and PIX key have at most this many digits,
const NUMBER_DIGITS_MAX: usize = 14;
/// and a boleto at least this many.
const BOLETO_DIGITS_MIN: usize = 44;

/// What a field may hold, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    CardData,
    OtherNumber,
    Secret,
    Address,
    Email,
    Text,
}

/// Refuses a JSON body that holds card data, naming the first such field.
pub fn refuse(body: &Value) -> Result<()> {
    let Some(path) = find(Meaning::Text, body) else { return Ok(()) };
    let (code, field) = (ErrorCode::CardDataNotAccepted, path.trim_start_matches('.'));
    // Field names may themselves spell a card number, which is not repeated.
    if field.is_empty() || luhn::may_hold_card_number(field) {
        let message = "Card numbers and security codes are never sent here. Send a card token.";
        return Err(Error::refused(code, message));
    }
    let message = "must not contain a card number or security code; send a card token";
    Err(Error::field(field, code.name(), message))
}

/// Whether a field of a form holds card data.
pub fn stands_in(field: &str, text: &str) -> bool {
    luhn::holds_card_number(field) || is_text_of_card(Meaning::of(field), text)
}

/// Refuses what was typed into a form, each with the path of its field, that holds card data.
pub fn refuse_typed<'a>(typed: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<()> {
    let found = typed.into_iter().filter(|(path, text)| {
        let field = path.rsplit('.').next().unwrap_or_default();
        stands_in(field, text)
    });
    let wrong: Vec<_> = found
        .map(|(path, _)| FieldError {
            field: path.to_owned(),
            code: ErrorCode::CardDataNotAccepted.name(),
            message: "contains a card number".to_owned(),
        })
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(Error::Invalid(wrong)) }
}

/// Refuses a field of a form; a name that is itself a number is not repeated.
pub fn refused(field: &str) -> Error {
    let (code, message) = (ErrorCode::CardDataNotAccepted, "must not contain a card number");
    if luhn::may_hold_card_number(field) {
        return Error::refused(code, "Card numbers are never sent here.");
    }
    Error::field(field, code.name(), message)
}

/// Whether a machine-made value, such as a header's, holds a card's number.
pub fn stands_in_value(value: &str) -> bool {
    luhn::may_hold_card_number(value) && luhn::holds_issued_number(&without_ids(value))
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
        } else if SECRET_FIELDS.contains(&name) {
            Self::Secret
        } else if ADDRESS_FIELDS.contains(&name) {
            Self::Address
        } else if EMAIL_FIELDS.contains(&name) {
            Self::Email
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
            // What is nested in a card field counts as card data, too.
            let inner = if meaning == Meaning::CardData { meaning } else { Meaning::of(name) };
            find(inner, value).map(|inner| format!(".{name}{inner}"))
        }),
    }
}

fn is_text_of_card(meaning: Meaning, text: &str) -> bool {
    if meaning == Meaning::CardData {
        return !text.trim().is_empty();
    }
    // Most texts have too few digits to need the full check.
    if !luhn::may_hold_card_number(text) {
        return false;
    }
    match meaning {
        Meaning::CardData => true,
        Meaning::Secret => luhn::is_card_number(text),
        Meaning::Address => luhn::is_card_number(text) || stands_in_query(text),
        Meaning::Email => holds_number(behind_local_part(text)),
        Meaning::OtherNumber => {
            let digits = digits(text);
            digits > NUMBER_DIGITS_MAX && digits < BOLETO_DIGITS_MIN && holds_number(text)
        }
        Meaning::Text => !is_boleto(text) && holds_number(text),
    }
}

/// Counts the digits of every script.
fn digits(text: &str) -> usize {
    luhn::with_plain_digits(text).bytes().filter(u8::is_ascii_digit).count()
}

fn holds_number(text: &str) -> bool {
    luhn::holds_card_number(&without_ids(text))
}

/// Whether the query or the fragment of a URL holds a number; both are stored as sent.
fn stands_in_query(address: &str) -> bool {
    let Ok(url) = Url::parse(address.trim()) else { return holds_number(address) };
    let parts = [url.query(), url.fragment()];
    parts.into_iter().flatten().any(|part| {
        let pairs = form_urlencoded::parse(part.as_bytes());
        let words = pairs.flat_map(|(name, value)| [name, " ".into(), value, " ".into()]);
        stands_in_value(&words.collect::<String>())
    })
}

/// The part after the local part of an email address; the whole text if it is no such address.
fn behind_local_part(text: &str) -> &str {
    match text.trim().rsplit_once('@') {
        Some((local, rest)) if !local.contains(char::is_whitespace) => rest,
        _ => text,
    }
}

/// Whether the whole text is a boleto: its 44 digits, or the 47 or 48 of the digitable line.
fn is_boleto(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '.' | '-');
    matches!(digits(text), 44 | 47 | 48) && text.chars().all(plain)
}

/// The text without its UUIDs, in which two groups of digits may look like a card number.
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
    use crate::platform::error::Error;

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
            // A field's name excuses only numbers of the length it is for.
            json!({ "document": card }),
            json!({ "metadata": { "phone": spaced } }),
            json!({ "cardToken": card }),
            json!({ "cardToken": "4242.4242.4242.4242" }),
            json!({ "redirectUrl": card }),
            json!({ "redirectUrl": format!("https://example.com/a?n={card}") }),
            json!({ "imageUrl": "https://example.com/a?n=4242%204242+4242.4242" }),
            json!({ "url": "https://example.com/a?4242-4242-4242-4242=1" }),
            json!({ "salesPage": "https://example.com/a#4242/4242/4242/4242" }),
            json!({ "idempotencyKey": spaced }),
            json!({ "attempt": spaced }),
            json!({ "email": spaced }),
            json!({ "email": format!("my card {card} @example.com") }),
            json!({ "email": format!("ana@{card}.com") }),
            json!({ "note": format!("{card}@example.com") }),
            json!({ "document": "٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢" }),
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
            (json!({ "٤٢٤٢ ٤٢٤٢": { "٤٢٤٢ ٤٢٤٢": { "cvv": "1" } } }), None),
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
            // CNPJs and telephones whose last digit happens to be a valid Luhn digit.
            json!({ "document": "30.569.309/0259-04" }),
            json!({ "clientDocument": "30569309025904" }),
            json!({ "phone": "+55 11 91234-5676" }),
            json!({ "pixKey": "30569309025904", "pixKeyType": "cnpj" }),
            // A boleto's barcode and digitable lines, plain and as printed.
            json!({ "barcode": "42".repeat(22) }),
            json!({ "note": "42".repeat(22) }),
            json!({ "note": "00190500954014481606906809350314337370000000100" }),
            json!({ "note": "00190.50095 40144.816069 06809.350314 3 37370000000100" }),
            json!({ "note": "836400000010 330100481000 180975657313 001589636081" }),
            // The last two groups of these have 16 digits and a valid Luhn digit.
            json!({ "productId": "7d9f0c1e-7c1e-7d7a-4242-424242424242" }),
            json!({ "note": "see 7d9f0c1e-7c1e-7d7a-4242-424242424242, please" }),
            json!({ "imageUrl": "https://example.com/4242424242424242.png" }),
            json!({ "imageUrl": "https://example.com/a.png?v=1732345678905" }),
            json!({ "refreshToken": "a4242424242424242b" }),
            json!({ "token": "tok_4242424242424242" }),
            json!({ "note": "7d9f0c1e7c1e4242424242424242abcd" }),
            json!({ "note": "CNPJ 11.222.363/0001-98" }),
            json!({ "email": "5511987654309@example.com", "clientEmail": "4242424242424242@a.b" }),
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
            ("attempt", card.as_str(), true),
            (card.as_str(), "", true),
            ("name", "Fulano de Tal", false),
        ];
        for (field, text, found) in table {
            assert_eq!(stands_in(field, text), found, "{field}: {text}");
        }
    }
}
