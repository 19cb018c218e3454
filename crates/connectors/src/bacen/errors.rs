//! The central bank's form of errors (RFC 7807), and what they mean for a call.

use serde::Deserialize;
use upstream::failure::{ErrorObject, Fault, Meaning};

/// The folder of the addresses that name an error's kind.
const KINDS: &str = "/api/v2/error/";

#[derive(Deserialize)]
struct Problem {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    detail: String,
}

/// Reads an error of the standard; its code is the last part of its `type`.
pub fn read(body: &[u8]) -> Option<ErrorObject> {
    let Problem { kind, title, detail } = serde_json::from_slice(body).ok()?;
    let (_, code) = kind.split_once(KINDS).or_else(|| kind.rsplit_once('/'))?;
    let meaning = match code {
        "AcessoNegado" => Meaning::Misconfigured(Fault::Permission),
        _ if code.ends_with("NaoEncontrado") || code.ends_with("NaoEncontrada") => {
            Meaning::NotFound
        }
        _ => Meaning::Refused,
    };
    let text = if detail.is_empty() { title } else { detail };
    Some(ErrorObject { code: code.to_owned(), text, meaning })
}

#[cfg(test)]
mod tests {
    use upstream::failure::{Fault, Meaning};

    use super::read;

    #[test]
    fn a_problem_is_known_by_the_last_part_of_its_type() {
        let problem = |kind: &str| {
            let kind = format!("https://pix.bcb.gov.br/api/v2/error/{kind}");
            let body = format!(r#"{{"type":"{kind}","title":"T","detail":"D"}}"#);
            read(body.as_bytes()).map(|error| (error.code, error.text, error.meaning))
        };
        let named = |kind: &str, meaning| Some((kind.to_owned(), "D".to_owned(), meaning));
        assert_eq!(problem("CobOperacaoInvalida"), named("CobOperacaoInvalida", Meaning::Refused));
        let forbidden = Meaning::Misconfigured(Fault::Permission);
        assert_eq!(problem("AcessoNegado"), named("AcessoNegado", forbidden));
    }

    #[test]
    fn what_is_no_problem_of_the_standard_is_read_as_none() {
        for body in ["<html>400</html>", "{}", r#"{"type":"x"}"#, r#"{"nome":"a"}"#] {
            assert_eq!(read(body.as_bytes()), None, "{body}");
        }
    }
}
