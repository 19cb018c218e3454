//! Diagnosing a webhook with a sample event.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::Caller;
use crate::events::names::Name;
use crate::platform::error::Result;
use crate::platform::http::body::OptionalBody;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PathParam;
use crate::platform::http::rate_limit::WEBHOOK_TEST;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{Scope, WebhookId};
use crate::platform::messages::{Lang, with_addresses};
use crate::platform::permissions::WebhooksWrite;
use crate::samples;
use crate::webhooks::diagnosis::finding::StepOutcome;
use crate::webhooks::diagnosis::{Step, diagnose};

/// How far the diagnosis goes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "DiagnoseWebhookRequest")]
pub struct DiagnoseBody {
    /// Also send a sample with a wrong signature and one with an old signature, which the receiver
    /// should refuse.
    probe_refusals: bool,
}

/// A step of a diagnosis.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DiagnosisStep")]
pub struct StepView {
    /// `state`, `address`, `dns`, `connect`, `tls`, `answer`, `again`, `unsigned`, `stale` or
    /// `history`.
    step: &'static str,
    outcome: StepOutcome,
    /// A stable name of what was found; new ones may be added.
    code: &'static str,
    /// What was found, in English or Portuguese, as `Accept-Language` asks.
    message: String,
    /// What to do about it; null if nothing is to be done.
    remedy: Option<String>,
    /// What was looked at: in `address` the URL without its query, in `dns` the addresses of its
    /// name, if all of them are public. Null in other steps.
    detail: Option<String>,
    /// How long it took, in milliseconds.
    ms: Option<u64>,
}

/// A webhook's diagnosis.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Diagnosis")]
pub struct DiagnosisView {
    /// The worst outcome of all steps.
    outcome: StepOutcome,
    /// Every step, in their order.
    steps: Vec<StepView>,
}

/// A response with a diagnosis.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DiagnosisResponse")]
pub struct DiagnosisReply {
    success: bool,
    data: DiagnosisView,
}

/// POST /api/v1/webhooks/subscriptions/{id}/diagnose
pub async fn run(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    Context(context): Context,
    language: RequestLanguage,
    PathParam(id): PathParam<WebhookId>,
    body: OptionalBody<DiagnoseBody>,
) -> Result<Ok200<DiagnosisReply>> {
    let steps = ask(&app, &context, caller.scope, id, body.value.probe_refusals).await?;
    let data = DiagnosisView::new(id, &steps, language.lang, &app.settings.base_url());
    Ok(Ok200(DiagnosisReply { success: true, data }))
}

/// Diagnoses a webhook, as a program or a person asks.
pub async fn ask(
    app: &App,
    context: &RequestContext,
    scope: Scope,
    id: WebhookId,
    probes_refusals: bool,
) -> Result<Vec<Step>> {
    app.check_rate_limit(context, &WEBHOOK_TEST, scope)?;
    diagnose(app, scope, id, samples::of(Name::TransactionPaid), probes_refusals).await
}

impl DiagnosisView {
    fn new(id: WebhookId, steps: &[Step], lang: Lang, base_url: &str) -> Self {
        let outcomes = || steps.iter().map(|step| step.finding.outcome());
        let worst = [StepOutcome::Fail, StepOutcome::Warn];
        let worst = worst.into_iter().find(|worst| outcomes().any(|one| one == *worst));
        let steps = steps.iter().map(|step| StepView {
            step: step.name.name(),
            outcome: step.finding.outcome(),
            code: step.finding.code(),
            message: step.finding.message(lang),
            remedy: step.finding.remedy(id, lang).map(|text| with_addresses(&text, base_url)),
            detail: step.detail.clone(),
            ms: step.took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
        });
        Self { outcome: worst.unwrap_or(StepOutcome::Ok), steps: steps.collect() }
    }
}
