//! An answer to a request, wherever it came from.

use http::HeaderMap;
use serde_json::Value;

/// An answer.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Reply {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    /// The body as JSON, of an answer with this status.
    #[track_caller]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        if self.text.is_empty() { Value::Null } else { self.json() }
    }

    /// A refusal with this status and code; answers the names of the fields at fault.
    #[track_caller]
    pub fn expect_refusal(&self, status: u16, code: &str) -> Vec<String> {
        let body = self.expect(status);
        assert_eq!(body["code"], code, "{}", self.text);
        let fields = body["errors"].as_array().into_iter().flatten();
        fields.filter_map(|error| error["field"].as_str().map(str::to_owned)).collect()
    }

    /// A header's text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}
