//! The list of webhooks.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::webhooks::view::{ListPage, Row};
use crate::dashboard::developers::webhooks::wording;
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::{Action, NothingYet};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::permissions::{Permission, WebhooksRead};
use crate::webhooks;
use crate::webhooks::view::shown_url;

/// The path of the list in its mode.
pub const LIST: &str = "/developers/webhooks";
/// The same list in the API.
pub const API: &str = "/api/v1/webhooks/subscriptions";

/// GET /dashboard/{mode}/developers/webhooks
pub async fn show(
    State(app): State<App>,
    seat: Seat<WebhooksRead>,
    visit: Visit,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, lang, (form, page)) = (seat.scope, visit.lang, form.unfiltered()?);
    let read = async move |tx: &Tx| webhooks::list(tx, scope, page).await;
    let listed = app.scan_for(scope.merchant, read).await?;
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Webhooks).await?;
    let here = url(scope.mode, LIST);
    let row = |webhook| {
        let (state, why) = wording::webhook(webhook, lang);
        Row {
            address: shown_url(&app.secrets, &seat.permissions, webhook),
            url: format!("{here}/{}", webhook.id),
            state,
            why,
            events: wording::events(&webhook.events, lang),
        }
    };
    let page = ListPage {
        lang,
        shell,
        new: Action::needing(
            Permission::WebhooksWrite,
            &seat.permissions,
            format!("{here}/new"),
            lang,
        ),
        rows: listed.rows.iter().map(row).collect(),
        nothing: NothingYet {
            heading: lang.webhooks_none(),
            note: lang.webhooks_none_note(),
            step: Some((lang.webhooks_guide().to_owned(), lang.home_how())),
        },
        pager: form.pager(&listed, page, &here),
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path(API))],
    };
    visit.page(&page, StatusCode::OK)
}
