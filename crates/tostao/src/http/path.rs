//! A parameter of the path; one that cannot be read names nothing that exists.

use std::str::FromStr;

use axum::extract::{FromRequestParts, Path, RawPathParams};
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::error::{Error, Result};
use crate::openapi::describe::Describe;
use crate::openapi::operation::Operation;

/// The only parameter of the path, or the last one.
#[derive(Debug, Clone)]
pub struct At<T>(pub T);

/// All parameters of a page's path, by name.
#[derive(Debug, Clone)]
pub struct Named<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<App> for Named<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let path = Path::<T>::from_request_parts(parts, app).await;
        path.map(|Path(named)| Self(named)).map_err(|_| Error::NotFound("Page"))
    }
}

impl<T: FromStr + Send> FromRequestParts<App> for At<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let unknown = || Error::NotFound("Resource");
        let params = RawPathParams::from_request_parts(parts, app).await.map_err(|_| unknown())?;
        let last = params.iter().last().ok_or_else(unknown)?;
        last.1.parse().map(Self).map_err(|_| unknown())
    }
}

impl<T: JsonSchema> Describe for At<T> {
    fn describe(operation: &mut Operation) {
        operation.path_parameter::<T>();
    }
}
