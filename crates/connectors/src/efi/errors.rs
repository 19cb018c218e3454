//! Efí's errors: its own form (`{nome, mensagem}`), and the central bank's for some statuses.

use serde::Deserialize;
use upstream::failure::{ErrorObject, Fault, Meaning};

use crate::bacen;

#[derive(Deserialize)]
struct OwnError {
    nome: String,
    #[serde(default)]
    mensagem: String,
}

/// Efí's words for its own account, in a refusal that is about our key and not the payee's.
const OWN_ACCOUNT: &str = "conta Efí autenticada";

/// Reads an error object; a proxy's page is none.
pub fn read(_: u16, body: &[u8]) -> Option<ErrorObject> {
    let Ok(OwnError { nome: code, mensagem: text }) = serde_json::from_slice(body) else {
        return bacen::errors::read(body);
    };
    let meaning = meaning(&code, &text);
    Some(ErrorObject { code, text, meaning })
}

fn meaning(code: &str, text: &str) -> Meaning {
    match code {
        "txid_duplicado" | "devolucao_id_duplicado" | "id_envio_duplicado" => Meaning::Duplicate,
        // These are about the operator's account: refusing the order would fail every merchant's.
        "chave_invalida" if text.contains(OWN_ACCOUNT) => Meaning::Misconfigured(Fault::Request),
        "documento_bloqueado" => Meaning::Misconfigured(Fault::Permission),
        // With 400 instead of 404, as Efí's pages list them.
        _ if code.ends_with("_nao_encontrado") || code.ends_with("_nao_encontrada") => {
            Meaning::NotFound
        }
        "acesso_negado" | "escopo_invalido" => Meaning::Misconfigured(Fault::Permission),
        _ => Meaning::Refused,
    }
}

#[cfg(test)]
mod tests {
    use upstream::failure::{Fault, Meaning};

    use super::read;

    #[test]
    fn each_of_efis_errors_has_its_meaning() {
        let own = |code: &str, text: &str| format!(r#"{{"nome":"{code}","mensagem":"{text}"}}"#);
        let standard = |kind: &str| format!(r#"{{"type":"https://a/api/v2/error/{kind}"}}"#);
        let ours = "A chave informada não faz referência à conta Efí autenticada";
        let table = [
            (own("txid_duplicado", "a"), Meaning::Duplicate),
            (own("devolucao_id_duplicado", "a"), Meaning::Duplicate),
            (own("id_envio_duplicado", "a"), Meaning::Duplicate),
            (own("pagamento_negado", "a"), Meaning::Refused),
            (own("chave_invalida", "A chave informada é inválida."), Meaning::Refused),
            (own("chave_invalida", ours), Meaning::Misconfigured(Fault::Request)),
            (own("documento_bloqueado", "a"), Meaning::Misconfigured(Fault::Permission)),
            (own("cobranca_nao_encontrada", "a"), Meaning::NotFound),
            (standard("NaoEncontrado"), Meaning::NotFound),
            (standard("AcessoNegado"), Meaning::Misconfigured(Fault::Permission)),
        ];
        for (body, meaning) in table {
            let error = read(400, body.as_bytes());
            assert_eq!(error.map(|error| error.meaning), Some(meaning), "{body}");
        }
    }

    #[test]
    fn a_proxys_page_is_no_error_of_efis() {
        assert_eq!(read(400, b"<html><body>400 The SSL certificate error</body></html>"), None);
    }
}
