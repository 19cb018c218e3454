//! The query string of a list: unknown names are ignored, invalid values refused by name.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::platform::error::{Error, Result};
use crate::platform::http::decode_error::plain;
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::operation::Operation;

/// The parsed query.
#[derive(Debug, Clone)]
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let text = parts.uri.query().unwrap_or_default();
        let pairs =
            serde_urlencoded::Deserializer::new(url::form_urlencoded::parse(text.as_bytes()));
        serde_path_to_error::deserialize(pairs).map(Self).map_err(|error| {
            let (field, text) = (error.path().to_string(), error.inner().to_string());
            let named =
                |fault| text.strip_prefix(fault)?.strip_prefix(" field `")?.strip_suffix('`');
            match (named("missing"), named("duplicate")) {
                (Some(field), _) => Error::field(field, "REQUIRED", "is required"),
                (_, Some(field)) => Error::field(field, "INVALID_VALUE", "must be sent once"),
                _ => Error::field(field, "INVALID_VALUE", plain(&text)),
            }
        })
    }
}

impl<T: JsonSchema> Describe for Query<T> {
    fn describe(operation: &mut Operation) {
        operation.query::<T>();
    }
}
