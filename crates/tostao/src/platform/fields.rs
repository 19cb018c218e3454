//! Validation of single values that several features share: text lengths, email, amounts.

use std::time::Duration;

use brazil::document::Document;
use brazil::pix_key::PixKeyType;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use url::Url;

use crate::platform::error::{Error, ErrorCode, FieldFault};

/// The largest amount of one charge: ten million reais.
pub const AMOUNT_MAX: i64 = 1_000_000_000;
/// The longest note about a decision.
const NOTE_LENGTH_MAX: usize = 500;
/// One week.
const GRACE_SECONDS_MAX: u64 = 604_800;
/// Joins emoji into one emoji.
const JOINER: char = '\u{200d}';

/// The type of a PIX key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "PixKeyType")]
pub enum ApiPixKeyType {
    Cpf,
    Cnpj,
    Email,
    Phone,
    Random,
}

impl From<PixKeyType> for ApiPixKeyType {
    fn from(key_type: PixKeyType) -> Self {
        match key_type {
            PixKeyType::Cpf => Self::Cpf,
            PixKeyType::Cnpj => Self::Cnpj,
            PixKeyType::Email => Self::Email,
            PixKeyType::Phone => Self::Phone,
            PixKeyType::Random => Self::Random,
        }
    }
}

/// What an administrator writes about a decision.
pub fn note(value: &str) -> Result<String, FieldFault> {
    text(value, 1, NOTE_LENGTH_MAX)
}

/// Text of `min` to `max` characters, trimmed, without control characters.
pub fn text(value: &str, min: usize, max: usize) -> Result<String, FieldFault> {
    let trimmed = value.trim();
    let length = trimmed.chars().count();
    if !(min..=max).contains(&length) {
        let message = match min {
            0 => format!("must have at most {max} characters"),
            _ => format!("must have {min} to {max} characters"),
        };
        return Err(FieldFault::new("INVALID_LENGTH", message));
    }
    if trimmed.chars().any(|c| c.is_control() && c != '\n' && c != '\r' && c != '\t') {
        return Err(FieldFault::new("INVALID_CHARACTER", "must not contain control characters"));
    }
    Ok(trimmed.to_owned())
}

/// Text that may be omitted.
pub fn optional_text(value: Option<&str>, max: usize) -> Result<Option<String>, FieldFault> {
    value.map(|value| text(value, 0, max)).transpose().map(|t| t.filter(|t| !t.is_empty()))
}

/// A name that people read and trust: text without hidden or direction-changing characters.
pub fn name(value: &str, min: usize, max: usize) -> Result<String, FieldFault> {
    let name = text(value, min, max)?;
    let symbol = |c: char| !c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace();
    let characters: Vec<char> = name.chars().collect();
    let hides = |place: usize| {
        let beside = |place: Option<usize>| place.and_then(|place| characters.get(place));
        let (before, after) = (beside(place.checked_sub(1)), beside(Some(place + 1)));
        match characters[place] {
            // The character that joins two emoji, as in a family, is refused between letters.
            JOINER => ![before, after].into_iter().all(|c| c.is_some_and(|c| symbol(*c))),
            c => is_hidden(c),
        }
    };
    if (0..characters.len()).any(hides) {
        let message = "must not contain characters that are invisible or change the direction";
        return Err(FieldFault::new("INVALID_CHARACTER", message));
    }
    Ok(name)
}

/// A name that may be omitted.
pub fn optional_name(value: Option<&str>, max: usize) -> Result<Option<String>, FieldFault> {
    value.map(|value| name(value, 0, max)).transpose().map(|name| name.filter(|n| !n.is_empty()))
}

/// Invisible characters, and those that reverse the reading direction of their neighbours.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// The normalized form of an email address, valid or not.
pub fn spelled(address: &str) -> String {
    address.trim().nfkc().collect::<String>().to_lowercase()
}

/// The forms under which an address may be stored: older versions stored what was typed, current
/// ones the normalized form.
pub fn spellings(address: &str) -> [String; 2] {
    [address.trim().to_lowercase(), spelled(address)]
}

/// A validated, normalized email address in lower case.
///
/// Full-width letters become plain ones, and before the at sign only Latin letters are accepted,
/// with or without accents, so that one person's address cannot look like another's.
pub fn email(value: &str) -> Result<String, FieldFault> {
    let address = spelled(value);
    let fault = || FieldFault::new("INVALID_EMAIL", "must be an email address");
    let (local, domain) = address.rsplit_once('@').ok_or_else(fault)?;
    let marks = |c: char| "<>()[],;:\\\"".contains(c);
    let odd = |c: char| c.is_whitespace() || c.is_control() || is_hidden(c) || marks(c);
    let good = !local.is_empty()
        && local.nfd().all(|c| c.is_ascii() || is_combining_mark(c))
        && local.len() <= 64
        && address.len() <= 254
        && !address.contains(odd)
        && !local.contains('@')
        && domain.contains('.')
        && domain.split('.').all(|label| !label.is_empty() && !label.starts_with('-'));
    if good { Ok(address) } else { Err(fault()) }
}

/// The address without the part between the plus and the at sign: both reach the same person.
pub fn without_alias(email: &str) -> String {
    let email = email.trim().to_lowercase();
    let Some((local, domain)) = email.rsplit_once('@') else { return email };
    match local.split_once('+') {
        Some((name, _)) if !name.is_empty() => format!("{name}@{domain}"),
        _ => email,
    }
}

/// Whether two addresses reach the same person.
pub fn reach_the_same(a: &str, b: &str) -> bool {
    without_alias(a) == without_alias(b)
}

/// A CPF or CNPJ with valid check digits.
pub fn document(value: &str) -> Result<Document, FieldFault> {
    Document::parse(value).map_err(|_| {
        FieldFault::new(ErrorCode::InvalidDocument.name(), "must be a valid CPF or CNPJ")
    })
}

/// A telephone number: 8 to 15 digits, with an optional international prefix.
pub fn phone(value: &str) -> Result<String, FieldFault> {
    let kept: String = value.chars().filter(char::is_ascii_digit).collect();
    let odd = value.chars().any(|c| !c.is_ascii_digit() && !" +-().".contains(c));
    if odd || !(8..=15).contains(&kept.len()) {
        return Err(FieldFault::new(
            "INVALID_PHONE",
            "must be a telephone number of 8 to 15 digits",
        ));
    }
    Ok(if value.trim_start().starts_with('+') { format!("+{kept}") } else { kept })
}

/// An amount of at least one cent.
pub fn amount(cents: i64) -> Result<Cents, FieldFault> {
    if (1..=AMOUNT_MAX).contains(&cents) {
        return Ok(Cents::new(cents));
    }
    Err(FieldFault::new("OUT_OF_RANGE", format!("must be from 1 to {AMOUNT_MAX} cents")))
}

/// How long a replaced secret stays valid: the field `gracePeriodSeconds`.
pub fn grace_period(seconds: u64) -> Result<Duration, Error> {
    if seconds <= GRACE_SECONDS_MAX {
        return Ok(Duration::from_secs(seconds));
    }
    let message = format!("must be from 0 to {GRACE_SECONDS_MAX}");
    Err(Error::field("gracePeriodSeconds", "OUT_OF_RANGE", message))
}

/// Only BRL is supported.
pub fn currency(value: Option<&str>) -> Result<(), FieldFault> {
    match value {
        None | Some("BRL") => Ok(()),
        Some(_) => Err(FieldFault::new("UNSUPPORTED_CURRENCY", "must be BRL")),
    }
}

/// An http or https URL.
pub fn web_address(value: &str) -> Result<String, FieldFault> {
    let fault = || FieldFault::new("INVALID_URL", "must be an http or https address");
    let url = Url::parse(value.trim()).map_err(|_| fault())?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.host_str().is_some()
        && url.username().is_empty()
        && url.password().is_none()
        && value.len() <= 2048;
    if plain { Ok(url.into()) } else { Err(fault()) }
}

#[cfg(test)]
mod tests {
    use super::{email, name, phone, text, web_address, without_alias};

    #[test]
    fn an_address_needs_a_name_and_a_domain() {
        let table = [
            ("Ana@Example.com ", true),
            ("ana+shop@mail.example.com", true),
            ("ana", false),
            ("@example.com", false),
            ("ana@", false),
            ("ana@localhost", false),
            ("ana@exam ple.com", false),
            ("ana@@example.com", false),
            ("ana@.com", false),
            ("ana@coração.com.br", true),
            // A Cyrillic letter, an invisible one, and one that reverses the reading direction.
            ("\u{430}na@example.com", false),
            ("joão@example.com", true),
            ("j\u{131}l@example.com", false),
            ("an\u{200b}a@example.com", false),
            ("ana@exam\u{202e}ple.com", false),
            ("ana@exam\u{ad}ple.com", false),
        ];
        for (given, good) in table {
            assert_eq!(email(given).is_ok(), good, "{given}");
        }
        // Full-width letters, and a domain with decomposed accents, are the same address.
        assert_eq!(email("ａｎａ＠ｅｘａｍｐｌｅ．ｃｏｍ").as_deref(), Ok("ana@example.com"));
        assert_eq!(email("ana@corac\u{327}a\u{303}o.com.br"), email("ana@coração.com.br"));
        assert_eq!(email("Ana@Example.com ").as_deref(), Ok("ana@example.com"));
    }

    #[test]
    fn lengths_count_characters_not_bytes() {
        assert!(text(&"é".repeat(255), 1, 255).is_ok());
        assert!(text(&"é".repeat(256), 1, 255).is_err());
        assert!(text("   ", 1, 255).is_err());
        assert!(text("a\u{0}b", 1, 255).is_err());
    }

    #[test]
    fn a_name_shows_all_that_it_holds() {
        let good = [
            "João D'Ávila & Filhos",
            "שלום עולם",
            "محمد",
            "👩\u{200d}🚀 Loja 🏳\u{fe0f}\u{200d}🌈",
            "👨🏽\u{200d}👩\u{200d}👧",
        ];
        for given in good {
            assert_eq!(name(given, 1, 255).as_deref(), Ok(given));
        }
        let hidden = [
            "\u{202e}ajoL",
            "a\u{202d}b",
            "a\u{2066}b",
            "a\u{200e}b",
            "a\u{200f}b",
            "a\u{61c}b",
            "a\u{200b}b",
            "a\u{200c}b",
            "a\u{200d}b",
            "👩\u{200d}",
            "\u{200d}👩",
            "a\u{2060}b",
            "a\u{feff}b",
            "a\u{ad}b",
            "\u{3164}",
            "a\u{2028}b",
            "a\u{e0041}b",
            "a\u{180e}b",
        ];
        for given in hidden {
            let fault = name(given, 1, 255).unwrap_err();
            assert_eq!(fault.code, "INVALID_CHARACTER", "{given:?}");
        }
        assert!(name("a\u{0}b", 1, 255).is_err() && name(" ", 1, 255).is_err());
    }

    #[test]
    fn only_web_addresses_are_followed() {
        let table = [
            ("https://example.com/thanks?x=1", true),
            ("http://example.com", true),
            ("javascript:alert(1)", false),
            ("ftp://example.com", false),
            ("https://user:pass@example.com", false),
            ("//example.com", false),
        ];
        for (given, good) in table {
            assert_eq!(web_address(given).is_ok(), good, "{given}");
        }
    }

    #[test]
    fn a_telephone_number_keeps_its_prefix() {
        assert_eq!(phone("+55 (11) 91234-5678").as_deref(), Ok("+5511912345678"));
        assert_eq!(phone("(11) 91234-5678").as_deref(), Ok("11912345678"));
        assert!(phone("12").is_err());
        assert!(phone("11 9x234").is_err());
    }

    #[test]
    fn an_alias_is_the_same_address() {
        let table = [
            ("ana@example.com", "ana@example.com"),
            ("Ana@Example.COM", "ana@example.com"),
            (" ana+loja@example.com ", "ana@example.com"),
            ("ana+loja+2@example.com", "ana@example.com"),
            ("ana.b+loja@example.com", "ana.b@example.com"),
            ("+loja@example.com", "+loja@example.com"),
            ("ana@exa+mple.com", "ana@exa+mple.com"),
            ("ana", "ana"),
        ];
        for (given, known) in table {
            assert_eq!(without_alias(given), known);
        }
    }
}
