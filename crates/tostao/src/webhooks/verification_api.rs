//! Checking a delivery that a receiver refused.

use std::collections::BTreeMap;

use axum::extract::State;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::Caller;
use crate::events;
use crate::platform::error::{Error, Result};
use crate::platform::http::body::Body;
use crate::platform::http::context::Context;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::rate_limit::WEBHOOK_TEST;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{EventId, Scope, WebhookId};
use crate::platform::messages::{Lang, with_addresses};
use crate::platform::permissions::WebhooksWrite;
use crate::webhooks;
use crate::webhooks::envelope;
use crate::webhooks::verification::{Difference, Known, Received, Verdict, verify};

/// What is checked here came some time ago, which says nothing against it.
const ANY_AGE: i64 = i64::MAX;
const HEADERS_MAX: usize = 100;

/// A delivery as it came.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "VerifyDeliveryRequest")]
#[schemars(extend("examples" = [{
    "subscriptionId": "0190a000-0000-7000-8000-000000000001",
    "headers": { "X-Webhook-Signature": "S5ZYueAfK9bmDYl5NUp9Lk5O+2CQCo2dWXhSXj9ZpMk=" },
    "body": "{\"event\":\"transaction.paid\"}",
}]))]
pub struct VerifyBody {
    /// The webhook whose secret signs it.
    subscription_id: WebhookId,
    /// The headers that came; their names in any case.
    #[schemars(extend("maxProperties" = HEADERS_MAX))]
    headers: BTreeMap<String, String>,
    /// The body that came, before anything has parsed it. Send it or `bodyBase64`.
    body: Option<String>,
    /// The bytes of the body in base64, for one that may not be UTF-8.
    #[schemars(extend("contentEncoding" = "base64"))]
    body_base64: Option<String>,
}

/// Whether a delivery is signed, and the mistake if it is not.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeliveryVerification")]
pub struct VerificationView {
    verified: bool,
    /// A stable name of the mistake that explains it; null if the delivery is verified, unsigned or
    /// unexplained.
    mistake: Option<&'static str>,
    /// What was found and what to do, in English or Portuguese, as `Accept-Language` asks.
    explanation: String,
    difference: Option<DifferenceView>,
    /// How old the signature is by now, in seconds; a receiver refuses one of more than a minute.
    age_seconds: Option<i64>,
}

/// The bytes that came and those that were signed, from shortly before the first difference.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeliveryDifference")]
pub struct DifferenceView {
    received: String,
    signed: String,
}

/// The result of a check.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "VerifyDeliveryResponse")]
pub struct VerificationReply {
    success: bool,
    data: VerificationView,
}

/// POST /api/webhooks/verify
///
/// Nothing of the delivery is stored.
pub async fn check(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    Context(context): Context,
    language: RequestLanguage,
    body: Body<VerifyBody>,
) -> Result<Ok200<VerificationReply>> {
    let scope = caller.scope;
    app.check_rate_limit(&context, &WEBHOOK_TEST, scope)?;
    let VerifyBody { subscription_id: id, headers, body, body_base64 } = body.value;
    let body = read_body(body, body_base64)?;
    if headers.len() > HEADERS_MAX {
        return Err(Error::field("headers", "INVALID_LENGTH", "must have at most 100 entries"));
    }
    let header = |wanted: &str| {
        let mut found = headers.iter().filter(|(name, _)| name.trim().eq_ignore_ascii_case(wanted));
        found.next().map(|(_, value)| value.trim())
    };
    let received = Received::new(&body, header);
    let event = received.id.and_then(|id| id.parse().ok());
    let secrets = app.secrets.clone();
    let unit = async move |tx: &Tx| {
        let (secret, others) = webhooks::secrets(tx, scope, &secrets, id).await?;
        Ok((secret, others, sent(tx, scope, event).await?))
    };
    let (secret, others, sent) = app.read(unit).await?;
    let now = app.now().seconds();
    let sent_at = received.timestamp.and_then(|seconds| seconds.parse::<i64>().ok());
    let others: Vec<_> = others.iter().map(|(other, mistake)| (other.expose(), *mistake)).collect();
    let known = Known { secret: secret.expose(), others: &others, like: sent.as_deref() };
    let verdict = verify(&received, known, (now, ANY_AGE));
    let age_seconds = sent_at.map(|sent_at| now.saturating_sub(sent_at));
    let view = VerificationView::new(verdict, language.lang);
    let explanation = with_addresses(&view.explanation, &app.settings.base_url());
    let data = VerificationView { explanation, age_seconds, ..view };
    Ok(Ok200(VerificationReply { success: true, data }))
}

/// The body of an event as it was sent; `None` if there is no such event, or no more.
async fn sent(tx: &Tx, scope: Scope, event: Option<EventId>) -> Result<Option<String>> {
    let Some(event) = event else { return Ok(None) };
    match events::find(tx, scope, event).await {
        Ok(record) => Ok(Some(envelope::body(scope.mode, &record, record.name.text()))),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The bytes of the body, sent in one of two ways.
fn read_body(text: Option<String>, base64: Option<String>) -> Result<Vec<u8>> {
    match (text, base64) {
        (Some(text), None) => Ok(text.into_bytes()),
        (None, Some(base64)) => STANDARD
            .decode(base64)
            .map_err(|_| Error::field("bodyBase64", "INVALID_VALUE", "must be base64")),
        (None, None) => Err(Error::field("body", "REQUIRED", "is required, or bodyBase64")),
        (Some(_), Some(_)) => {
            let message = "must not be sent together with body";
            Err(Error::field("bodyBase64", "INVALID_VALUE", message))
        }
    }
}

impl VerificationView {
    fn new(verdict: Verdict, lang: Lang) -> Self {
        let plain = |verified, explanation: &str| Self {
            verified,
            mistake: None,
            explanation: explanation.to_owned(),
            difference: None,
            age_seconds: None,
        };
        match verdict {
            Verdict::Verified => plain(true, lang.cli_verified()),
            Verdict::Unsigned => plain(false, lang.cli_unsigned()),
            Verdict::Unexplained => plain(false, lang.cli_unexplained()),
            Verdict::Mistaken(mistake, difference) => Self {
                verified: false,
                mistake: Some(mistake.code()),
                explanation: format!("{} {}", lang.cli_not_verified(), mistake.explained(lang)),
                difference: difference
                    .map(|Difference { received, signed }| DifferenceView { received, signed }),
                age_seconds: None,
            },
        }
    }
}
