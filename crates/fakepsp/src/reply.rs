//! One answer, before a fault has its way with it.

use bytes::Bytes;
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

impl Reply {
    pub fn json(status: u16, value: &Value) -> Self {
        Self::typed(status, "application/json; charset=utf-8", value.to_string())
    }

    /// An error as the central bank's API writes it (RFC 7807).
    pub fn problem(status: u16, kind: &str, title: &str, detail: &str) -> Self {
        let value = json!({
            "type": format!("https://pix.bcb.gov.br/api/v2/error/{kind}"),
            "title": title,
            "status": status,
            "detail": detail,
        });
        Self::typed(status, "application/problem+json", value.to_string())
    }

    /// An error as Efí writes most of its own.
    pub fn named(status: u16, name: &str, text: &str) -> Self {
        Self::json(status, &json!({ "nome": name, "mensagem": text }))
    }

    pub fn html(status: u16, title: &str) -> Self {
        let page = format!(
            "<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1>\
             </center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
        );
        Self::typed(status, "text/html", page)
    }

    pub fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Bytes::new() }
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    fn typed(status: u16, kind: &str, body: String) -> Self {
        Self { status, headers: Vec::new(), body: Bytes::from(body) }.with("content-type", kind)
    }
}
