//! Masked personal data: its owner recognizes it, others learn nothing from it.

use brazil::document::Document;
use brazil::pix_key::{PixKey, PixKeyType};

/// How the documents of buyers are shown to somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Documents {
    Whole,
    Masked,
}

/// Replaces what is hidden.
pub const HIDDEN: &str = "***";

/// The first letter and the domain: `a***@example.com`.
pub fn email(email: &str) -> String {
    let Some((local, domain)) = email.rsplit_once('@') else { return text(email, 0) };
    let first = local.chars().next().map(String::from).unwrap_or_default();
    format!("{first}{HIDDEN}@{domain}")
}

/// The first digits: `123.***.***-**`; hidden entirely if it is not a valid document.
pub fn document(document: &str) -> String {
    Document::parse(document).map_or_else(|_| text(document, 0), |document| document.masked())
}

/// The last four digits: `***4321`.
pub fn phone(phone: &str) -> String {
    let hidden = phone.chars().count().saturating_sub(4);
    if hidden == 0 {
        return text(phone, 0);
    }
    let shown: String = phone.chars().skip(hidden).collect();
    format!("{HIDDEN}{shown}")
}

/// Masks a PIX key by its type: document, email or telephone; a random key shows its first
/// characters.
pub fn pix_key(key: &PixKey) -> String {
    match key.key_type() {
        PixKeyType::Cpf | PixKeyType::Cnpj => document(key.as_str()),
        PixKeyType::Email => email(key.as_str()),
        PixKeyType::Phone => phone(key.as_str()),
        PixKeyType::Random => text(key.as_str(), 8),
    }
}

/// The first `shown` letters: `Ru***`; an empty text stays empty.
pub fn text(text: &str, shown: usize) -> String {
    if text.is_empty() {
        return String::new();
    }
    let first: String = text.chars().take(shown).collect();
    format!("{first}{HIDDEN}")
}

#[cfg(test)]
mod tests {
    use brazil::pix_key::{PixKey, PixKeyType};

    use super::{document, email, phone, pix_key, text};

    #[test]
    fn little_enough_is_shown() {
        let table = [
            (email("ana@example.com"), "a***@example.com"),
            (email("é@b.com"), "é***@b.com"),
            (email("no address"), "***"),
            (document("529.982.247-25"), "529.***.***-**"),
            (document("no document"), "***"),
            (phone("+5511987654321"), "***4321"),
            (phone("4321"), "***"),
            (text("Rua das Flores", 2), "Ru***"),
            (text("10", 0), "***"),
        ];
        for (shown, wanted) in table {
            assert_eq!(shown, wanted);
        }
        assert_eq!([email(""), document(""), phone(""), text("", 2)], ["", "", "", ""]);
    }

    #[test]
    fn a_pix_key_is_recognized_and_not_given_away() {
        let table = [
            (PixKeyType::Cpf, "12345678909", "123.***.***-**"),
            (PixKeyType::Cnpj, "11222333000181", "11.***.***/****-**"),
            (PixKeyType::Email, "ana@example.com", "a***@example.com"),
            (PixKeyType::Phone, "+5511912345678", "***5678"),
            (PixKeyType::Random, "123e4567-e12b-12d1-a456-426655440000", "123e4567***"),
        ];
        for (key_type, text, shown) in table {
            assert_eq!(pix_key(&PixKey::parse(key_type, text).unwrap()), shown);
        }
    }
}
