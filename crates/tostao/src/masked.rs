//! Personal data of which its owner knows it again, and nobody else learns it.

use brazil::document::Document;

/// Stands for what is hidden.
pub const HIDDEN: &str = "***";

/// The first letter and the domain: `a***@example.com`.
pub fn email(email: &str) -> String {
    let Some((local, domain)) = email.rsplit_once('@') else { return text(email, 0) };
    let first = local.chars().next().map(String::from).unwrap_or_default();
    format!("{first}{HIDDEN}@{domain}")
}

/// The first digits: `123.***.***-**`; nothing of what is no document.
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

/// So many of the first letters: `Ru***`; nothing stays nothing.
pub fn text(text: &str, shown: usize) -> String {
    if text.is_empty() {
        return String::new();
    }
    let first: String = text.chars().take(shown).collect();
    format!("{first}{HIDDEN}")
}

#[cfg(test)]
mod tests {
    use super::{document, email, phone, text};

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
}
