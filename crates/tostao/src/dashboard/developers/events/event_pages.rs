//! An event: its payload, to which webhooks it goes, and sending it again.

use axum::extract::{Request, State};
use axum::response::Response;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::developers::events::filter::API;
use crate::dashboard::developers::events::list_pages::LIST;
use crate::dashboard::developers::events::view::{DeliveryRow, EventPage};
use crate::dashboard::developers::webhooks::list_pages::LIST as WEBHOOKS;
use crate::dashboard::developers::webhooks::wording;
use crate::dashboard::parts::Action;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::events::EVENTS_KEPT;
use crate::events::names::{ANY, Name};
use crate::platform::error::{Error, Result};
use crate::platform::http::html::posted;
use crate::platform::http::page::PageQuery;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{EventId, WebhookId};
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, WebhooksRead, WebhooksWrite};
use crate::webhooks::deliveries::EventDelivery;
use crate::webhooks::history::api::{ask_to_redeliver, withheld_for};
use crate::webhooks::history::{self, EventWithDeliveries};
use crate::webhooks::view::shown_url;
use crate::webhooks::{self, WebhookEndpoint};

/// Which objects have a page: how the names of their events begin, its list, and what is needed.
const OBJECTS: [(&str, &str, Permission); 3] = [
    ("transaction.", "/transactions", Permission::TransactionsRead),
    ("payment_link.", "/links", Permission::PaymentLinksRead),
    ("product.", "/products", Permission::ProductsRead),
];

/// What is posted, by the names of the operation's body.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ResendForm {
    /// Empty for each webhook.
    subscription_id: String,
    attempt: String,
}

/// GET /dashboard/{mode}/developers/events/{id}
pub async fn show(
    State(app): State<App>,
    seat: Seat<WebhooksRead>,
    visit: Visit,
    PathParam(id): PathParam<EventId>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let all = PageQuery { limit: Some(100), ..PageQuery::default() }.read()?;
    let read = async move |tx: &Tx| {
        let found = history::find(tx, scope, id).await?;
        Ok::<_, Error>((found, webhooks::list(tx, scope, all).await?.rows))
    };
    let ((event, data), webhooks) = app.read(read).await?;
    let (base_url, list_url) = (app.settings.base_url(), url(scope.mode, LIST));
    let (path, here) = (format!("{API}/{id}"), format!("{list_url}/{id}"));
    let row = |delivery: &EventDelivery| {
        let webhook = webhooks.iter().find(|webhook| webhook.id == delivery.webhook);
        delivered(&app, &seat, delivery, (webhook, &here), lang)
    };
    let page = EventPage {
        lang,
        shell: Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Events).await?,
        name: event.name.text(),
        state: wording::event(&event.deliveries, lang),
        why: wording::event_why(&event.deliveries, lang),
        facts: facts(&event, lang),
        object_url: object_url(&seat, &event),
        payload: payload(&seat, &event, &data)?,
        deliveries: event.deliveries.iter().map(row).collect(),
        resend: sends(&seat, receives(&event, &webhooks), format!("{here}/resend"), lang),
        attempt: attempt::fresh(&app, scope),
        api: vec![
            ApiCall::get(&base_url, &path),
            ApiCall::send("POST", &base_url, &format!("{path}/redeliver"), &json!({})),
        ],
        list_url,
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/developers/events/{id}/resend
pub async fn resend(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    PathParam(id): PathParam<EventId>,
    request: Request,
) -> Result<Response> {
    let form: ResendForm = posted(request).await?;
    let (scope, to) = (seat.scope, &form.subscription_id);
    let parsed = |id: &String| id.parse::<WebhookId>().map_err(|_| Error::NotFound("Webhook"));
    let only = Some(to).filter(|id| !id.is_empty()).map(parsed).transpose()?;
    // The buttons of one page share its attempt.
    let route = format!("{LIST}/{id}/resend/{to}");
    let key = attempt::key(&app, scope, &route, &form.attempt, to)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    ask_to_redeliver(&app, &visit.context, ticket, id, only).await?;
    let here = url(scope.mode, &format!("{LIST}/{id}"));
    Ok(see_and_say(&app, &here, visit.lang.webhook_resent()))
}

/// Whether a webhook that is switched on has received the event, or subscribes to it. A listener is
/// not among the webhooks, and never off.
fn receives(event: &EventWithDeliveries, webhooks: &[WebhookEndpoint]) -> bool {
    let is_on = |delivery: &EventDelivery| {
        let webhook = webhooks.iter().find(|webhook| webhook.id == delivery.webhook);
        webhook.is_none_or(|webhook| webhook.active)
    };
    let subscribes =
        |name: &String| name == ANY || Name::parse(name).is_some_and(|name| name == event.name);
    event.deliveries.iter().any(is_on)
        || webhooks.iter().any(|webhook| webhook.active && webhook.events.iter().any(subscribes))
}

/// Where it is sent again, or why it is not.
fn sends(seat: &Seat<WebhooksRead>, receives: bool, url: String, lang: Lang) -> Action {
    match Action::needing(Permission::WebhooksWrite, &seat.permissions, url, lang) {
        Action::Possible(_) if !receives => Action::Refused(lang.event_no_receiver()),
        action => action,
    }
}

fn delivered(
    app: &App,
    seat: &Seat<WebhooksRead>,
    delivery: &EventDelivery,
    (webhook, here): (Option<&WebhookEndpoint>, &str),
    lang: Lang,
) -> DeliveryRow {
    let id = delivery.webhook;
    let is_active = webhook.is_none_or(|webhook| webhook.active);
    let shown = webhook.map(|webhook| shown_url(&app.secrets, &seat.permissions, webhook));
    let url = url(seat.scope.mode, &format!("{WEBHOOKS}/{id}"));
    let last = delivery.last_attempt_at.map(|at| lang.date_time(at.micros()));
    DeliveryRow {
        address: shown.unwrap_or_else(|| id.to_string()),
        id: id.to_string(),
        url,
        state: wording::delivery(delivery, is_active, lang),
        why: wording::delivery_why(delivery, is_active, lang),
        attempts: delivery.attempts,
        last,
        resend: match sends(seat, true, format!("{here}/resend"), lang) {
            Action::Possible(_) if !is_active => Action::Refused(lang.webhook_recover_later()),
            action => action,
        },
    }
}

fn facts(event: &EventWithDeliveries, lang: Lang) -> Vec<(&'static str, String)> {
    let date = |at: Timestamp| lang.date_time(at.micros());
    let facts = [
        (lang.requests_when(), Some(date(event.created_at))),
        (lang.webhook_event_id(), Some(event.id.to_string())),
        (lang.event_object(), Some(event.object.to_string())),
        (lang.event_sequence(), Some(event.sequence.to_string())),
        (lang.event_test(), event.sample.then(|| lang.event_is_test().to_owned())),
        (lang.event_kept(), Some(date(event.created_at.plus(EVENTS_KEPT)))),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The page of the event's object. One that is a sample, or was deleted, has none.
fn object_url(seat: &Seat<WebhooksRead>, event: &EventWithDeliveries) -> Option<String> {
    let deletes = [Name::ProductDeleted, Name::PaymentLinkDeleted];
    if event.sample || deletes.contains(&event.name) {
        return None;
    }
    let (_, list, _) = OBJECTS.iter().find(|(beginning, _, needed)| {
        event.name.text().starts_with(beginning) && seat.permissions.contains(*needed)
    })?;
    Some(url(seat.scope.mode, &format!("{list}/{}", event.object)))
}

/// The payload, indented; or the permissions that the reader lacks to see it.
fn payload(
    seat: &Seat<WebhooksRead>,
    event: &EventWithDeliveries,
    data: &str,
) -> Result<Result<String, String>> {
    if let Some(lacking) = withheld_for(&seat.permissions, event.name, event.sample) {
        let names: Vec<_> = lacking.iter().map(ToString::to_string).collect();
        return Ok(Err(names.join(", ")));
    }
    let data: Value = serde_json::from_str(data)?;
    Ok(Ok(serde_json::to_string_pretty(&data)?))
}
