//! Path parameters; one that cannot be parsed names nothing that exists.

use std::str::FromStr;

use axum::extract::{FromRequestParts, Path, RawPathParams};
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::platform::error::{Error, Result};
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::operation::Operation;

/// The only parameter of the path, or the last one.
#[derive(Debug, Clone)]
pub struct PathParam<T>(pub T);

/// The first of two parameters: the parent of the object at the end of the path.
#[derive(Debug, Clone)]
pub struct ParentParam<T>(pub T);

/// The only parameter of the path, which may be any text.
#[derive(Debug, Clone)]
pub struct TextParam(pub String);

/// All parameters of a page's path, by name.
#[derive(Debug, Clone)]
pub struct PagePath<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PagePath<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let none = || Error::NotFound("Page");
        parameters(parts, state).await.map_err(|_| none())?;
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(named)| Self(named)).map_err(|_| none())
    }
}

impl<S: Send + Sync, T: FromStr + Send> FromRequestParts<S> for PathParam<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let params = parameters(parts, state).await?;
        parse(params.iter().last()).map(Self)
    }
}

impl<S: Send + Sync, T: FromStr + Send> FromRequestParts<S> for ParentParam<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let params = parameters(parts, state).await?;
        parse(params.iter().next()).map(Self)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for TextParam {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let params =
            RawPathParams::from_request_parts(parts, state).await.map_err(|_| unknown())?;
        params.iter().last().map(|(_, text)| Self(text.to_owned())).ok_or_else(unknown)
    }
}

impl Describe for TextParam {
    fn describe(operation: &mut Operation) {
        operation.path_parameter::<String>();
    }
}

impl<T: JsonSchema> Describe for PathParam<T> {
    fn describe(operation: &mut Operation) {
        operation.path_parameter::<T>();
    }
}

impl<T: JsonSchema> Describe for ParentParam<T> {
    fn describe(operation: &mut Operation) {
        operation.path_parameter::<T>();
    }
}

/// Returns the parameters, unless one holds a character that no id, slug or token has: then it
/// names nothing, and is not repeated in any response.
async fn parameters(parts: &mut Parts, state: &(impl Send + Sync)) -> Result<RawPathParams> {
    let params = RawPathParams::from_request_parts(parts, state).await.map_err(|_| unknown())?;
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
