//! A webhook: how it stands and why, what can be done, and its deliveries.

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::developers::events::list_pages::LIST as EVENTS;
use crate::dashboard::developers::webhooks::list_pages::LIST;
use crate::dashboard::developers::webhooks::view::{
    Actions, AttemptRow, Changes, DeliveryRow, Span, WebhookPage,
};
use crate::dashboard::developers::webhooks::wording;
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::{Action, Choice, Text};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::events::names::Name;
use crate::platform::error::Result;
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::ids::WebhookId;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, WebhooksRead};
use crate::webhooks::deliveries::api::shown_log;
use crate::webhooks::deliveries::{Delivery, DeliveryAttempt};
use crate::webhooks::recovery::{Recovery, Status as RecoveryStatus};
use crate::webhooks::view::shown_url;
use crate::webhooks::{self, WebhookEndpoint, deliveries, recovery};

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);
/// Events are kept for 30 days, so no recovery goes further back.
const SPANS: [(Duration, Text); 4] = [
    (HOUR, Lang::webhook_last_hour),
    (DAY, Lang::webhook_last_day),
    (DAY.saturating_mul(7), Lang::webhook_last_week),
    (DAY.saturating_mul(29), Lang::webhook_last_month),
];

/// GET /dashboard/{mode}/developers/webhooks/{id}
pub async fn show(
    State(app): State<App>,
    seat: Seat<WebhooksRead>,
    visit: Visit,
    PathParam(id): PathParam<WebhookId>,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, lang, (form, within)) = (seat.scope, visit.lang, form.unfiltered()?);
    let read = async move |tx: &Tx| {
        let webhook = webhooks::find(tx, scope, id).await?;
        let recovery = recovery::latest(tx, scope, id).await?;
        Ok((webhook, recovery, deliveries::page(tx, scope, id, within).await?))
    };
    let (webhook, recovery, mut listed) = app.scan_for(scope.merchant, read).await?;
    let is_recovering = recovery.as_ref().is_some_and(|it| it.status == RecoveryStatus::Running);
    for delivery in &mut listed.rows {
        delivery.log = shown_log(&seat.permissions, std::mem::take(&mut delivery.log));
    }
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Webhooks).await?;
    let list_url = url(scope.mode, LIST);
    let (here, events_url) = (format!("{list_url}/{id}"), url(scope.mode, EVENTS));
    let (state, why) = wording::webhook(&webhook, lang);
    let sends = webhook.active && seat.permissions.contains(Permission::WebhooksWrite);
    let api = format!("/api/v1/webhooks/subscriptions/{id}");
    let calls = [api, form.api_path(&format!("/api/webhooks/subscriptions/{id}/deliveries"))];
    let page = WebhookPage {
        lang,
        shell,
        address: shown_url(&app.secrets, &seat.permissions, &webhook),
        state,
        why,
        events: wording::events(&webhook.events, lang),
        created: lang.date_time(webhook.created_at.micros()),
        recovery: recovery.map(|recovery| recovered(&recovery, lang)),
        actions: actions(&app, &seat, (&webhook, is_recovering), lang),
        changes: changes(&seat, &here, webhook.active, lang),
        attempt: attempt::fresh(&app, scope),
        deliveries: listed
            .rows
            .iter()
            .map(|delivery| row(delivery, (&webhook, &events_url), sends.then_some(&*here), lang))
            .collect(),
        pager: form.pager(&listed, within, &here),
        api: calls.iter().map(|path| ApiCall::get(&app.settings.base_url(), path)).collect(),
        description: webhook.description,
        list_url,
        url: here,
    };
    visit.page(&page, StatusCode::OK)
}

fn actions(
    app: &App,
    seat: &Seat<WebhooksRead>,
    (webhook, is_recovering): (&WebhookEndpoint, bool),
    lang: Lang,
) -> Actions {
    if !seat.permissions.contains(Permission::WebhooksWrite) {
        return Actions::Refused(lang.payment_role_may_not());
    }
    if !webhook.active {
        return Actions::Enable;
    }
    let now = seat.scope.at(app.now());
    let event = |name: &Name| Choice {
        value: name.text(),
        name: name.text(),
        is_chosen: *name == Name::TransactionPaid,
    };
    let span = |(ago, name): (Duration, Text)| Span {
        since: now.minus(ago).to_string(),
        name: name(lang),
    };
    Actions::Send {
        events: Name::ALL.iter().map(event).collect(),
        spans: if is_recovering { Vec::new() } else { SPANS.map(span).into() },
    }
}

fn changes(seat: &Seat<WebhooksRead>, here: &str, is_active: bool, lang: Lang) -> Changes {
    let (needed, held) = (Permission::WebhooksWrite, &seat.permissions);
    let action = |what| Action::needing(needed, held, format!("{here}/{what}"), lang);
    Changes {
        edit: action("edit"),
        rotate: action("rotate"),
        delete: action("delete"),
        pause_url: (is_active && held.contains(needed)).then(|| format!("{here}/pause")),
    }
}

fn recovered(recovery: &Recovery, lang: Lang) -> String {
    let since = lang.date_time(recovery.since.micros());
    match recovery.status {
        RecoveryStatus::Running => lang.webhook_recovering(since, recovery.resent),
        RecoveryStatus::Finished => lang.webhook_recovered(since, recovery.resent),
        RecoveryStatus::Stopped => lang.webhook_recovery_stopped(since, recovery.resent),
    }
}

/// A delivery; `here` is the webhook's page, if it may be sent again.
fn row(
    delivery: &Delivery,
    (webhook, events_url): (&WebhookEndpoint, &str),
    here: Option<&str>,
    lang: Lang,
) -> DeliveryRow {
    let is_active = webhook.active;
    DeliveryRow {
        event: delivery.event_name.clone(),
        event_url: format!("{events_url}/{}", delivery.event),
        id: delivery.event.to_string(),
        when: lang.date_time(delivery.created_at.micros()),
        state: wording::delivery(&delivery.standing, is_active, lang),
        why: wording::delivery_why(&delivery.standing, is_active, lang),
        attempts: delivery.log.iter().rev().map(|attempt| attempted(attempt, lang)).collect(),
        resend_url: here.map(|here| format!("{here}/resend")),
    }
}

fn attempted(attempt: &DeliveryAttempt, lang: Lang) -> AttemptRow {
    let result = match (&attempt.error, attempt.status) {
        (Some(code), status) => wording::error(code, status, lang),
        (None, status) => lang.delivery_accepted(status.unwrap_or_default()),
    };
    AttemptRow {
        when: lang.date_time(attempt.at.micros()),
        result,
        ms: attempt.ms,
        excerpt: attempt.excerpt.clone(),
    }
}
