//! The calls of the API that give what a page shows.

use serde_json::Value;

use crate::platform::ids::Mode;

/// A call, as a person with a key of the mode would make it.
pub struct ApiCall {
    /// The command; the key comes from the environment, so that none is on a page.
    pub curl: String,
}

impl ApiCall {
    /// Reads a path of the API.
    pub fn get(base_url: &str, path: &str) -> Self {
        let curl =
            format!("curl \"{base_url}{path}\" \\\n  -H \"Authorization: Bearer $TOSTAO_API_KEY\"");
        Self { curl }
    }

    /// Reads a path that no key may read.
    pub fn of_person(base_url: &str, path: &str) -> Self {
        Self::get(base_url, path).as_person()
    }

    /// The same call by a person, with the access token of their session.
    #[must_use]
    pub fn as_person(self) -> Self {
        Self { curl: self.curl.replacen("$TOSTAO_API_KEY", "$TOSTAO_ACCESS_TOKEN", 1) }
    }

    /// The same in a mode, where the token does not say which.
    #[must_use]
    pub fn in_mode(mut self, mode: Mode) -> Self {
        if mode.is_development() {
            self.curl.push_str(" \\\n  -H \"X-Dev-Mode: true\"");
        }
        self
    }

    /// The same path, deleted.
    #[must_use]
    pub fn deleting(self) -> Self {
        Self { curl: self.curl.replacen("curl ", "curl -X DELETE ", 1) }
    }

    /// Says what deleting an object would change, as the page that asks to confirm it does.
    pub fn rehearsed_deletion(base_url: &str, path: &str) -> Self {
        Self::get(base_url, &format!("{path}?dryRun=true")).deleting()
    }

    /// Puts a file of a type at a path of the API.
    pub fn upload(base_url: &str, path: &str, kind: &str, file: &str) -> Self {
        let curl = Self::get(base_url, path).curl.replacen("curl ", "curl -X PUT ", 1);
        let kind = format!("-H \"Content-Type: {kind}\"");
        Self { curl: format!("{curl} \\\n  {kind} \\\n  --data-binary @{file}") }
    }

    /// Sends a body to a path of the API.
    pub fn send(method: &str, base_url: &str, path: &str, body: &Value) -> Self {
        // Within quotes of a shell only a quote has to be written otherwise.
        let body = body.to_string().replace('\'', r"'\''");
        let Self { curl } = Self::get(base_url, path);
        let curl = curl.replacen("curl ", &format!("curl -X {method} "), 1);
        let json = "-H \"Content-Type: application/json\"";
        Self { curl: format!("{curl} \\\n  {json} \\\n  -d '{body}'") }
    }
}
