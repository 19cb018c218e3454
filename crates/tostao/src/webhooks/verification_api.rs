//! Checking a delivery that a receiver refused.

use std::collections::BTreeMap;

use axum::extract::State;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::error::{Error, Result};
use crate::platform::http::body::Body;
use crate::platform::http::context::Context;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::rate_limit::WEBHOOK_TEST;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::WebhookId;
use crate::platform::messages::Lang;
use crate::platform::permissions::WebhooksWrite;
use crate::webhooks;
use crate::webhooks::secret::Secret;
use crate::webhooks::verification::{Difference, Received, Verdict, verify};

/// What is checked here came some time ago, which says nothing against it.
const ANY_AGE: i64 = i64::MAX;
const HEADERS_MAX: usize = 100;

/// A delivery as it came.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "VerifyDeliveryRequest")]
pub struct VerifyBody {
    /// The webhook whose secret signs it.
    subscription_id: WebhookId,
    /// The headers that came; their names in any case.
    headers: BTreeMap<String, String>,
    /// The body that came, before anything has parsed it.
    body: String,
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
    let VerifyBody { subscription_id: id, headers, body } = body.value;
    if headers.len() > HEADERS_MAX {
        return Err(Error::field("headers", "INVALID_LENGTH", "must have at most 100 entries"));
    }
    let secrets = app.secrets.clone();
    let unit = async move |tx: &Tx| webhooks::secrets(tx, scope, &secrets, id).await;
    let (secret, others) = app.read(unit).await?;
    let header = |wanted: &str| {
        let mut found = headers.iter().filter(|(name, _)| name.trim().eq_ignore_ascii_case(wanted));
        found.next().map(|(_, value)| value.trim())
    };
    let received = Received::new(body.as_bytes(), header);
    let now = app.now().seconds();
    let sent_at = received.timestamp.and_then(|seconds| seconds.parse::<i64>().ok());
    let others: Vec<_> = others.iter().map(Secret::expose).collect();
    let verdict = verify(&received, (secret.expose(), &others), (now, ANY_AGE));
    let age_seconds = sent_at.map(|sent_at| now.saturating_sub(sent_at));
    let data = VerificationView { age_seconds, ..VerificationView::new(verdict, language.lang) };
    Ok(Ok200(VerificationReply { success: true, data }))
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
