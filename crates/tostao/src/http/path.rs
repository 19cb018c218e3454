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

/// The first of two parameters: what the thing at the end of the path belongs to.
#[derive(Debug, Clone)]
pub struct Within<T>(pub T);

/// All parameters of a page's path, by name.
#[derive(Debug, Clone)]
pub struct Named<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<App> for Named<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let none = || Error::NotFound("Page");
        parameters(parts, app).await.map_err(|_| none())?;
        let path = Path::<T>::from_request_parts(parts, app).await;
        path.map(|Path(named)| Self(named)).map_err(|_| none())
    }
}

impl<T: FromStr + Send> FromRequestParts<App> for At<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let params = parameters(parts, app).await?;
        parse(params.iter().last()).map(Self)
    }
}

impl<T: FromStr + Send> FromRequestParts<App> for Within<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let params = parameters(parts, app).await?;
        parse(params.iter().next()).map(Self)
    }
}

impl<T: JsonSchema> Describe for At<T> {
    fn describe(operation: &mut Operation) {
        operation.path_parameter::<T>();
    }
}

impl<T: JsonSchema> Describe for Within<T> {
    fn describe(operation: &mut Operation) {
        operation.path_parameter::<T>();
    }
}

/// Gives the parameters, unless one holds what no id, slug or token ever holds: then it names
/// nothing, and is put into no answer.
async fn parameters(parts: &mut Parts, app: &App) -> Result<RawPathParams> {
    let params = RawPathParams::from_request_parts(parts, app).await.map_err(|_| unknown())?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
    if !params.iter().all(|(_, text)| text.chars().all(plain)) {
        return Err(unknown());
    }
    Ok(params)
}

fn parse<T: FromStr>(parameter: Option<(&str, &str)>) -> Result<T> {
    parameter.and_then(|(_, text)| text.parse().ok()).ok_or_else(unknown)
}

fn unknown() -> Error {
    Error::NotFound("Resource")
}
