//! Inter's errors: the central bank's form, and its own (`{title, detail, violacoes}`) without a
//! kind.

use serde::Deserialize;
use upstream::failure::{ErrorObject, Meaning};

use crate::bacen;

#[derive(Deserialize)]
struct OwnError {
    title: String,
    #[serde(default)]
    detail: String,
    #[serde(default, rename = "violacoes")]
    violations: Vec<Violation>,
}

#[derive(Deserialize)]
struct Violation {
    #[serde(rename = "propriedade")]
    property: String,
}

/// Reads an error object; a proxy's page is none.
///
/// Its code are the properties that are wrong, or else the title, which many errors share.
pub fn read(_: u16, body: &[u8]) -> Option<ErrorObject> {
    bacen::errors::read(body).or_else(|| {
        let OwnError { title, detail: text, violations } = serde_json::from_slice(body).ok()?;
        let wrong: Vec<_> = violations.iter().map(|violation| &*violation.property).collect();
        let code = if wrong.is_empty() { title } else { wrong.join(" ") };
        Some(ErrorObject { code, text, meaning: Meaning::Refused })
    })
}

/// Whether an error names properties of the request, and only such as are meant.
pub fn is_only_about(code: &str, is_meant: impl Fn(&str) -> bool) -> bool {
    !code.is_empty() && code.split(' ').all(is_meant)
}

#[cfg(test)]
mod tests {
    use super::{is_only_about, read};

    fn code(body: &str) -> Option<String> {
        read(400, body.as_bytes()).map(|error| error.code)
    }

    #[test]
    fn both_forms_are_read_and_a_page_is_none() {
        assert_eq!(code(r#"{"title":"Acesso negado","detail":"a"}"#), Some("Acesso negado".into()));
        assert_eq!(
            code(r#"{"type":"https://pix.bcb.gov.br/api/v2/error/CobNaoEncontrado","title":"a"}"#),
            Some("CobNaoEncontrado".into())
        );
        assert_eq!(code("<html>"), None);
    }

    #[test]
    fn an_error_is_known_by_the_properties_that_are_wrong() {
        let body = r#"{"title":"a","detail":"b","violacoes":[
            {"propriedade":"pagador.cep","razao":"c"},{"propriedade":"pagador.uf","razao":"d"}
        ]}"#;
        let code = code(body).expect("is an error");
        assert_eq!(code, "pagador.cep pagador.uf");
        assert!(is_only_about(&code, |property| property.starts_with("pagador.")));
        assert!(!is_only_about(&code, |property| property == "pagador.cep"));
        assert!(!is_only_about("", |_| true));
    }
}
