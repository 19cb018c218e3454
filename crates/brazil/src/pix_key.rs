//! PIX keys, validated against their declared type.
//!
//! The type is never guessed: `11912345684` is a valid CPF and a valid mobile number, and guessing
//! would send money to somebody else. Keys are stored in the form of the central bank's directory
//! (DICT).

use std::fmt;

use crate::document::Document;

/// The five key types of the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PixKeyType {
    Cpf,
    Cnpj,
    Email,
    Phone,
    Random,
}

/// The text is not a key type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be one of cpf, cnpj, email, phone, random")]
pub struct InvalidPixKeyType;

/// A key that is valid for its type, in the directory's form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PixKey {
    key_type: PixKeyType,
    normalized: String,
}

/// The text is not a valid key of the given type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a valid PIX key of type {}", .0.as_str())]
pub struct InvalidPixKey(pub PixKeyType);

impl PixKeyType {
    pub const ALL: [Self; 5] = [Self::Cpf, Self::Cnpj, Self::Email, Self::Phone, Self::Random];

    /// Parses the name used in requests and in the database.
    pub fn parse(name: &str) -> Result<Self, InvalidPixKeyType> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name).ok_or(InvalidPixKeyType)
    }

    /// Returns the name used in requests and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cpf => "cpf",
            Self::Cnpj => "cnpj",
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Random => "random",
        }
    }
}

impl PixKey {
    /// Parses a key of the given type, with any usual punctuation.
    pub fn parse(key_type: PixKeyType, text: &str) -> Result<Self, InvalidPixKey> {
        let normalized = match key_type {
            PixKeyType::Cpf => document(text, true),
            PixKeyType::Cnpj => document(text, false),
            PixKeyType::Email => email(text),
            PixKeyType::Phone => phone(text),
            PixKeyType::Random => random(text),
        };
        match normalized {
            Some(normalized) => Ok(Self { key_type, normalized }),
            None => Err(InvalidPixKey(key_type)),
        }
    }

    /// Returns the declared type.
    pub fn key_type(&self) -> PixKeyType {
        self.key_type
    }

    /// Returns the key in the directory's form.
    pub fn as_str(&self) -> &str {
        &self.normalized
    }
}

/// Most keys are personal data, so debug output only has the type.
impl fmt::Debug for PixKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PixKey({}, ***)", self.key_type.as_str())
    }
}

const EMAIL_LONGEST: usize = 77;
const DOMAIN_LABEL_LONGEST: usize = 63;
const UUID_HYPHENS: [usize; 4] = [8, 13, 18, 23];
const UUID_LENGTH: usize = 36;

fn document(text: &str, cpf: bool) -> Option<String> {
    let document = Document::parse(text).ok()?;
    (document.is_cpf() == cpf).then(|| document.as_str().to_owned())
}

/// The directory accepts a domain without a dot; we do not, because it is always a typo.
fn email(text: &str) -> Option<String> {
    let email = text.trim().to_ascii_lowercase();
    let (local, domain) = email.split_once('@')?;
    let fits = email.len() <= EMAIL_LONGEST
        && !local.is_empty()
        && local.bytes().all(is_local_part_byte)
        && domain.contains('.')
        && domain.split('.').all(is_domain_label);
    fits.then_some(email)
}

fn is_local_part_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".!#$&'*+/=?^_`{|}~-".contains(&byte)
}

fn is_domain_label(label: &str) -> bool {
    (1..=DOMAIN_LABEL_LONGEST).contains(&label.len())
        && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Parses a mobile number: area code, a nine and eight digits, with or without country code.
fn phone(text: &str) -> Option<String> {
    let dialled: String =
        text.trim().chars().filter(|c| !matches!(c, ' ' | '(' | ')' | '-' | '.' | '/')).collect();
    let national = match dialled.strip_prefix("+55") {
        Some(national) => national,
        // 55 is also an area code, so it is the country code only in front of a complete number.
        None if dialled.len() > 11 => dialled.strip_prefix("55").unwrap_or(&dialled),
        None => &dialled,
    };
    let national = national.strip_prefix('0').unwrap_or(national);
    let is_mobile = national.len() == 11
        && national.bytes().all(|b| b.is_ascii_digit())
        && national.bytes().take(2).all(|b| b != b'0')
        && national.as_bytes()[2] == b'9';
    is_mobile.then(|| format!("+55{national}"))
}

/// Any UUID is valid: the directory's own examples are not all of version 4.
fn random(text: &str) -> Option<String> {
    let key = text.trim().to_ascii_lowercase();
    let fits = key.len() == UUID_LENGTH
        && key.bytes().enumerate().all(|(place, byte)| {
            if UUID_HYPHENS.contains(&place) { byte == b'-' } else { byte.is_ascii_hexdigit() }
        });
    fits.then_some(key)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
    use proptest::sample::select;

    use super::PixKeyType::{Cnpj, Cpf, Email, Phone, Random};
    use super::{InvalidPixKey, InvalidPixKeyType, PixKey, PixKeyType};
    use crate::testing::repeatable;

    #[test]
    fn keys_are_kept_in_the_form_of_the_directory() {
        let rows = [
            (Cpf, "123.456.789-09", "12345678909"),
            (Cpf, "11912345684", "11912345684"),
            (Cnpj, "11.222.333/0001-81", "11222333000181"),
            (Cnpj, "12.abc.345/01de-35", "12ABC34501DE35"),
            (Email, " Ana@Example.COM ", "ana@example.com"),
            (Email, "ana+loja.1'x@sub.example.com.br", "ana+loja.1'x@sub.example.com.br"),
            (Phone, "11912345684", "+5511912345684"),
            (Phone, "(11) 91234-5684", "+5511912345684"),
            (Phone, "011 91234-5684", "+5511912345684"),
            (Phone, "+55 11 91234-5684", "+5511912345684"),
            (Phone, "+55 (011) 91234.5684", "+5511912345684"),
            (Phone, "5511912345684", "+5511912345684"),
            (Phone, "55991234567", "+5555991234567"),
            (Phone, "5555991234567", "+5555991234567"),
            (
                Random,
                "123E4567-E12B-12D1-A456-426655440000",
                "123e4567-e12b-12d1-a456-426655440000",
            ),
        ];
        for (key_type, text, normalized) in rows {
            let key = PixKey::parse(key_type, text).unwrap();
            assert_eq!(key.as_str(), normalized, "{text}");
            assert_eq!(key.key_type(), key_type, "{text}");
        }
    }

    #[test]
    fn a_key_that_does_not_fit_the_given_type_is_refused() {
        let rows = [
            (Cpf, "11222333000181"),
            (Cpf, "12345678908"),
            (Cpf, "ana@example.com"),
            (Cnpj, "12345678909"),
            (Cnpj, "12ABC34501DE34"),
            (Email, ""),
            (Email, "ana"),
            (Email, "@example.com"),
            (Email, "ana@"),
            (Email, "ana@example"),
            (Email, "ana@example..com"),
            (Email, "ana@-example.com"),
            (Email, "ana@example-.com"),
            (Email, "ana@b@example.com"),
            (Email, "ana maria@example.com"),
            (Email, "ana%1@example.com"),
            (Email, "anã@example.com"),
            (Phone, ""),
            (Phone, "912345684"),
            (Phone, "1132345684"),
            (Phone, "11812345684"),
            (Phone, "01912345684"),
            (Phone, "10912345684"),
            (Phone, "+1 11912345684"),
            (Phone, "+55119123456845"),
            (Phone, "119123456x4"),
            (Random, "123e4567e12b12d1a456426655440000"),
            (Random, "123e4567-e12b-12d1-a456-42665544000g"),
            (Random, "123e4567-e12b-12d1-a45-6426655440000"),
            (Random, "12345678909"),
        ];
        for (key_type, text) in rows {
            let refusal = Err(InvalidPixKey(key_type));
            assert_eq!(PixKey::parse(key_type, text), refusal, "{key_type:?} {text}");
        }
    }

    #[test]
    fn an_email_key_has_at_most_77_characters() {
        let domain = "@example.com";
        let longest = format!("{}{domain}", "a".repeat(77 - domain.len()));
        assert!(PixKey::parse(Email, &longest).is_ok());
        assert!(PixKey::parse(Email, &format!("a{longest}")).is_err());
    }

    #[test]
    fn types_are_known_by_their_lower_case_names() {
        for key_type in PixKeyType::ALL {
            assert_eq!(PixKeyType::parse(key_type.as_str()), Ok(key_type));
        }
        for name in ["", "CPF", "evp", "aleatoria"] {
            assert_eq!(PixKeyType::parse(name), Err(InvalidPixKeyType), "{name}");
        }
    }

    #[test]
    fn debug_output_and_errors_do_not_show_the_key() {
        let key = PixKey::parse(Email, "ana@example.com").unwrap();
        assert_eq!(format!("{key:?}"), "PixKey(email, ***)");
        let refusal = PixKey::parse(Phone, "ana@example.com").unwrap_err();
        assert_eq!(refusal.to_string(), "not a valid PIX key of type phone");
    }

    proptest! {
        #![proptest_config(repeatable())]

        #[test]
        fn reading_a_kept_key_again_changes_nothing(
            key_type in select(PixKeyType::ALL.as_slice()),
            text in "[0-9A-Za-z@.+-]{1,20}|[(]?[1-9]{2}[)]? ?9[0-9]{8}|[A-Z]{3}@[a-z]{2}.br",
        ) {
            if let Ok(key) = PixKey::parse(key_type, &text) {
                prop_assert_eq!(PixKey::parse(key_type, key.as_str()), Ok(key.clone()));
                prop_assert!(key.as_str().is_ascii() && key.as_str().len() <= 77);
            }
        }

        #[test]
        fn no_text_makes_the_reader_panic(
            key_type in select(PixKeyType::ALL.as_slice()), text in ".{0,90}",
        ) {
            let _ = PixKey::parse(key_type, &text);
        }
    }
}
