//! The diagnosis of a webhook: each step on the way of a delivery, tried now.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::webhooks::list_pages::LIST;
use crate::dashboard::developers::webhooks::view::{DiagnosisPage, StepRow};
use crate::dashboard::developers::webhooks::wording;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::WebhookId;
use crate::platform::messages::{Lang, with_addresses};
use crate::platform::permissions::WebhooksWrite;
use crate::samples::diagnosis_api::ask;
use crate::webhooks;
use crate::webhooks::diagnosis::finding::{Finding, Reason};
use crate::webhooks::diagnosis::{Step, StepName};
use crate::webhooks::view::shown_url;

/// What is posted, by the names of the operation's body.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct DiagnosisForm {
    probe_refusals: String,
}

/// POST /dashboard/{mode}/developers/webhooks/{id}/diagnose
///
/// It stores nothing, so the page itself is the answer.
pub async fn diagnose(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    PathParam(id): PathParam<WebhookId>,
    request: Request,
) -> Result<Response> {
    let form: DiagnosisForm = posted(request).await?;
    let (scope, lang) = (seat.scope, visit.lang);
    let webhook = app.read(async move |tx| webhooks::find(tx, scope, id).await).await?;
    let probes_refusals = !form.probe_refusals.is_empty();
    let steps = ask(&app, &visit.context, scope, id, probes_refusals).await?;
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Webhooks).await?;
    let base_url = app.settings.base_url();
    let path = format!("/api/v1/webhooks/subscriptions/{id}/diagnose");
    let body = json!({ "probeRefusals": probes_refusals });
    let page = DiagnosisPage {
        lang,
        shell,
        webhook_url: url(scope.mode, &format!("{LIST}/{id}")),
        address: shown_url(&app.secrets, &seat.permissions, &webhook),
        at: lang.date_time(app.now().micros()),
        steps: steps.iter().map(|step| row(step, id, &base_url, lang)).collect(),
        probes_refusals,
        api: vec![ApiCall::send("POST", &base_url, &path, &body)],
    };
    visit.page(&page, StatusCode::OK)
}

fn row(step: &Step, id: WebhookId, base_url: &str, lang: Lang) -> StepRow {
    // What programs do by a command or a call, a person does on the page beside this one.
    let message = match step.finding {
        Finding::Skipped(Reason::NotAskedFor) => lang.diagnosis_not_chosen().to_owned(),
        _ => step.finding.message(lang),
    };
    let remedy = step.finding.remedy(id, lang).map(|text| match step.name {
        StepName::State => lang.diagnosis_enable_here().to_owned(),
        StepName::History => lang.diagnosis_recover_here().to_owned(),
        _ => with_addresses(&text, base_url),
    });
    StepRow {
        name: wording::step(step.name, lang),
        state: wording::outcome(step.finding.outcome(), lang),
        message,
        remedy,
        detail: step.detail.clone(),
        ms: step.took.map(|took| took.as_millis()),
    }
}
