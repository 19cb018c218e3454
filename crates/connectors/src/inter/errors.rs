//! Inter's errors: the central bank's form, and its own (`{title, detail}`) without a kind.

use serde::Deserialize;
use upstream::failure::{ErrorObject, Meaning};

use crate::bacen;

#[derive(Deserialize)]
struct OwnError {
    title: String,
    #[serde(default)]
    detail: String,
}

/// Reads an error object; a proxy's page is none.
pub fn read(_: u16, body: &[u8]) -> Option<ErrorObject> {
    bacen::errors::read(body).or_else(|| {
        let OwnError { title: code, detail: text } = serde_json::from_slice(body).ok()?;
        Some(ErrorObject { code, text, meaning: Meaning::Refused })
    })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn both_forms_are_read_and_a_page_is_none() {
        let code = |body: &str| read(400, body.as_bytes()).map(|error| error.code);
        assert_eq!(code(r#"{"title":"Acesso negado","detail":"a"}"#), Some("Acesso negado".into()));
        assert_eq!(
            code(r#"{"type":"https://pix.bcb.gov.br/api/v2/error/CobNaoEncontrado","title":"a"}"#),
            Some("CobNaoEncontrado".into())
        );
        assert_eq!(code("<html>"), None);
    }
}
