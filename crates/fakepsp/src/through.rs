//! Sends the central bank's operations through a schema validator to the plain listener.

use anyhow::Result;
use serde_json::Value;
use url::Url;

use crate::call::Call;
use crate::net::client::{Client, Message, Shown};
use crate::reply::Reply;

/// Marks what comes back to the plain listener: it was logged, and its fault was taken.
pub const MARK: &str = "x-fakepsp-forwarded";

const VIOLATIONS: &str = "sl-violations";

const STANDARD: [&str; 8] = ["cob", "cobv", "loc", "pix", "webhook", "rec", "solicrec", "cobr"];

/// Whether the central bank's document describes the path; Efí's own are unknown to it.
pub fn is_standard(call: &Call) -> bool {
    let is_ours = call.segment(0) == "v2" && call.segments.last().is_none_or(|it| it != "qrcode");
    let part = call.segment(1);
    is_ours && (STANDARD.contains(&part) || part == "lotecobv")
}

/// Returns the answer without the validator's header, and what that objected to.
pub async fn forward(client: &Client, base: &Url, call: &Call) -> Result<(Reply, Vec<Value>)> {
    let mut url = base.clone();
    url.set_path(call.path.strip_prefix("/v2").unwrap_or(&call.path));
    url.set_query(Some(call.raw_query.as_str()).filter(|query| !query.is_empty()));
    let mut headers = call.headers.clone();
    headers.insert(MARK, "1".parse()?);
    let message = Message { method: call.method.clone(), url, headers, body: call.body.clone() };
    let answer = client.send(message, Shown::Nothing).await?;
    let violations = answer.headers.get(VIOLATIONS).map(http::HeaderValue::as_bytes);
    let violations = violations.and_then(|text| serde_json::from_slice(text).ok());
    let kept = ["content-type", "retry-after"].into_iter().filter_map(|name| {
        Some((name.to_owned(), answer.headers.get(name)?.to_str().ok()?.to_owned()))
    });
    let reply = Reply { status: answer.status, headers: kept.collect(), body: answer.body };
    Ok((reply, violations.unwrap_or_default()))
}
