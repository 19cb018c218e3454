//! Whether the code of a refusal is one that the document lists for its operation: a program
//! cannot handle what it does not know of.

use std::sync::LazyLock;

use http::Method;
use serde_json::Value;
use tostao::openapi::docs::operations;
use tostao::routes;

use crate::harness::reply::Reply;

/// An operation's method and path, with its codes.
type Listed = (String, String, Vec<String>);

static LISTED: LazyLock<Vec<Listed>> = LazyLock::new(|| {
    let document = routes::document();
    let listed = |(path, method, operation): (&str, &str, &Value)| -> Listed {
        (method.to_uppercase(), path.to_owned(), codes(operation))
    };
    operations(&document).into_iter().map(listed).collect()
});

/// The codes that an operation of the document lists.
pub fn codes(operation: &Value) -> Vec<String> {
    let codes = operation["x-error-codes"].as_array().expect("lists its codes").iter();
    codes.map(|code| code.as_str().expect("is text").to_owned()).collect()
}

/// Fails where an operation answers a code that it does not list.
pub fn expect_listed(method: &Method, address: &str, reply: &Reply) {
    if reply.status < 400 {
        return;
    }
    let body: Value = serde_json::from_str(&reply.text).unwrap_or_default();
    let Some(code) = body["code"].as_str() else { return };
    let path = address.split('?').next().unwrap_or_default();
    let Some((method, path, codes)) = operation(method.as_str(), path) else { return };
    let is_listed = codes.iter().any(|listed| listed == code);
    assert!(is_listed, "{method} {path} does not list {code}: {body}");
}

/// The operation of a path; none is served for a page or an unknown one.
fn operation(method: &str, path: &str) -> Option<&'static Listed> {
    let fits = |pattern: &str| {
        let (parts, names) = (path.split('/'), pattern.split('/'));
        parts.clone().count() == names.clone().count()
            && parts.zip(names).all(|(part, name)| name.starts_with('{') || part == name)
    };
    let fitting = LISTED.iter().filter(|(_, pattern, _)| fits(pattern));
    // A path without parameters is served before one with them, whatever the method.
    let (_, served, _) = fitting.min_by_key(|(_, pattern, _)| pattern.matches('{').count())?;
    LISTED.iter().find(|(known, pattern, _)| *known == method && pattern == served)
}
