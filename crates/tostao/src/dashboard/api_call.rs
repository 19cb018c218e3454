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

    /// Reads a path that takes an administrator's access token, in a mode.
    pub fn as_administrator(base_url: &str, path: &str, mode: Mode) -> Self {
        let mut curl =
            format!("curl \"{base_url}{path}\" \\\n  -H \"Authorization: Bearer $TOKEN\"");
        if mode.is_development() {
            curl.push_str(" \\\n  -H \"X-Dev-Mode: true\"");
        }
        Self { curl }
    }

    /// Says what deleting an object would change, as the page that asks to confirm it does.
    pub fn rehearsed_deletion(base_url: &str, path: &str) -> Self {
        let Self { curl } = Self::get(base_url, &format!("{path}?dryRun=true"));
        Self { curl: curl.replacen("curl ", "curl -X DELETE ", 1) }
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
