//! The list of events.

use axum::extract::State as Shared;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::events::filter::FilterForm;
use crate::dashboard::developers::events::view::{ListPage, Row};
use crate::dashboard::developers::webhooks::list_pages::LIST as WEBHOOKS;
use crate::dashboard::developers::webhooks::wording;
use crate::dashboard::listing::{Found, by_cursor};
use crate::dashboard::parts::NothingYet;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;
use crate::platform::permissions::WebhooksRead;
use crate::webhooks::deliveries::Status;
use crate::webhooks::history::{self, EventWithDeliveries};

/// The path of the list in its mode.
pub const LIST: &str = "/developers/events";

/// GET /dashboard/{mode}/developers/events
pub async fn show(
    Shared(app): Shared<App>,
    seat: Seat<WebhooksRead>,
    visit: Visit,
    Query(form): Query<FilterForm>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let (found, wrong) = Found::or_wrong(found(&app, scope, &form, lang).await)?;
    let list_url = url(scope.mode, LIST);
    let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let page = ListPage {
        lang,
        shell: Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Events).await?,
        fields: form.fields(&wrong, &list_url, lang),
        list_url,
        found,
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path())],
        form,
    };
    visit.page(&page, status)
}

async fn found(app: &App, scope: Scope, form: &FilterForm, lang: Lang) -> Result<Found<Row>> {
    let (filter, page, here) = (form.read()?, form.page().read()?, url(scope.mode, LIST));
    let read = async move |tx: &Tx| history::list(tx, scope, &filter, page).await;
    let listed = app.scan_for(scope.merchant, read).await?;
    if listed.rows.is_empty() && form.cursor.is_empty() {
        let step = Some((url(scope.mode, WEBHOOKS), lang.webhooks_title()));
        let (heading, note) = (lang.events_none(), lang.events_none_note());
        let empty = (lang.events_none_match(), NothingYet { heading, note, step });
        return Ok(Found::none(form.is_set().then_some(here), empty));
    }
    let at = |cursor: &str| form.from_cursor(cursor).url(&here);
    let pager = by_cursor(&form.cursor, &listed, page, at);
    Ok(Found::Rows { rows: listed.rows.iter().map(|one| row(one, &here, lang)).collect(), pager })
}

/// An event in a list; `here` is where each has its page.
pub fn row(event: &EventWithDeliveries, here: &str, lang: Lang) -> Row {
    let all = event.deliveries.len();
    let done = event.deliveries.iter().filter(|one| one.status == Status::Delivered).count();
    Row {
        when: lang.date_time(event.created_at.micros()),
        name: event.name.text(),
        url: format!("{here}/{}", event.id),
        object: event.object.to_string(),
        state: wording::event(&event.deliveries, lang),
        delivered: (all > 0).then(|| lang.event_delivered(done, all)),
    }
}
