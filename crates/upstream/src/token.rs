//! An access token: what the service grants, and for how long.

use std::fmt;
use std::time::Duration;

use http::HeaderValue;
use serde::Deserialize;
use thiserror::Error;

/// An access token. Its text goes into the `Authorization` header and nowhere else.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    header: HeaderValue,
    lifetime: Duration,
    scopes: Vec<String>,
}

/// Why a response is not a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TokenError {
    #[error("the response is not a token")]
    Malformed,
    #[error("the token is not a bearer token")]
    Kind,
    #[error("the token has characters that no header can carry")]
    Text,
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    token_type: Option<String>,
    expires_in: Seconds,
    scope: Option<String>,
}

/// Some services write the number as text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Seconds {
    Number(u64),
    Text(String),
}

impl Token {
    pub fn new(text: &str, lifetime: Duration, scopes: Vec<String>) -> Result<Self, TokenError> {
        let header = HeaderValue::try_from(format!("Bearer {text}"));
        let mut header = header.map_err(|_| TokenError::Text)?;
        if text.is_empty() {
            return Err(TokenError::Malformed);
        }
        header.set_sensitive(true);
        Ok(Self { header, lifetime, scopes })
    }

    /// Reads the response of a token request, as OAuth 2.0 defines it.
    pub fn read(body: &[u8]) -> Result<Self, TokenError> {
        let granted: Granted = serde_json::from_slice(body).map_err(|_| TokenError::Malformed)?;
        let kind = granted.token_type.as_deref().unwrap_or("bearer");
        if !kind.eq_ignore_ascii_case("bearer") {
            return Err(TokenError::Kind);
        }
        let seconds = match granted.expires_in {
            Seconds::Number(seconds) => seconds,
            Seconds::Text(text) => text.trim().parse().map_err(|_| TokenError::Malformed)?,
        };
        let scopes = granted.scope.unwrap_or_default();
        let scopes = scopes.split_whitespace().map(str::to_owned).collect();
        Self::new(&granted.access_token, Duration::from_secs(seconds), scopes)
    }

    /// How long the token is valid from the moment it was granted.
    pub fn lifetime(&self) -> Duration {
        self.lifetime
    }

    /// What the token allows, if the service says so.
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    pub(crate) fn header(&self) -> &HeaderValue {
        &self.header
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Token")
            .field("lifetime", &self.lifetime)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Token, TokenError};

    fn read(body: &str) -> Result<(u64, Vec<String>), TokenError> {
        let token = Token::read(body.as_bytes())?;
        Ok((token.lifetime().as_secs(), token.scopes().to_vec()))
    }

    #[test]
    fn a_token_is_read_as_services_write_it() {
        let rows = [
            (
                r#"{"access_token":"a","token_type":"Bearer","expires_in":3600,"scope":"a.b  c"}"#,
                Ok((3600, vec!["a.b", "c"])),
            ),
            (r#"{"access_token":"a","token_type":"bearer","expires_in":"60"}"#, Ok((60, vec![]))),
            (r#"{"access_token":"a","expires_in":1,"scope":"","more":{}}"#, Ok((1, vec![]))),
            (r#"{"access_token":"a","token_type":"mac","expires_in":1}"#, Err(TokenError::Kind)),
            (r#"{"access_token":"a\n","expires_in":1}"#, Err(TokenError::Text)),
            (r#"{"access_token":"","expires_in":1}"#, Err(TokenError::Malformed)),
            (r#"{"access_token":"a"}"#, Err(TokenError::Malformed)),
            (r#"{"access_token":"a","expires_in":-1}"#, Err(TokenError::Malformed)),
            (r#"{"access_token":"a","expires_in":"soon"}"#, Err(TokenError::Malformed)),
            (r#"{"expires_in":1}"#, Err(TokenError::Malformed)),
            ("<html>", Err(TokenError::Malformed)),
        ];
        for (body, expected) in rows {
            let expected = expected.map(|(seconds, scopes): (u64, Vec<&str>)| {
                (seconds, scopes.into_iter().map(str::to_owned).collect())
            });
            assert_eq!(read(body), expected, "{body}");
        }
    }

    #[test]
    fn printing_a_token_hides_its_text() {
        let token = Token::new("secret", Duration::from_secs(1), Vec::new()).unwrap();
        assert!(!format!("{token:?} {:?}", token.header()).contains("secret"));
    }
}
