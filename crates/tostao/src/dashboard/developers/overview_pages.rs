//! The first page of developers: where the API is, who may call it, and what went wrong.

use askama::Template;
use axum::extract::State as Shared;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::credentials::Credential;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::keys::list_pages as keys;
use crate::dashboard::developers::requests::filter::FilterForm;
use crate::dashboard::developers::requests::list_pages as requests;
use crate::dashboard::developers::requests::view::Row;
use crate::dashboard::developers::webhooks::list_pages as webhooks;
use crate::dashboard::developers::webhooks::wording;
use crate::dashboard::home::checklist;
use crate::dashboard::home::view::{Attention, Checklist};
use crate::dashboard::parts::Part;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::assets;
use crate::platform::error::Result;
use crate::platform::http::page::PageQuery;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, PersonalPermission, RequestsRead};
use crate::webhooks as features;
use crate::webhooks::WebhookEndpoint;
use crate::webhooks::view::shown_url;

/// How many refused requests are shown.
const REFUSED_SHOWN: i64 = 5;

/// The first page of developers.
#[derive(Template)]
#[template(path = "dashboard/developers/overview.html")]
struct OverviewPage {
    lang: Lang,
    shell: Shell,
    base_url: String,
    docs: [(String, &'static str); 4],
    /// How many keys there are, and their list; `None` if the role may not see them.
    keys: Option<(String, String)>,
    webhooks: Part<Webhooks>,
    refused: Part<Vec<Row>>,
    refused_url: String,
    /// What is left of the first steps, where there is no key and no webhook.
    checklist: Option<Checklist>,
    api: Vec<ApiCall>,
}

/// The webhooks, and those that need attention.
struct Webhooks {
    count: String,
    url: String,
    failing: Vec<Attention>,
    is_empty: bool,
}

/// GET /dashboard/{mode}/developers
pub async fn show(
    Shared(app): Shared<App>,
    seat: Seat<RequestsRead>,
    visit: Visit,
) -> Result<Response> {
    let (scope, lang, base_url) = (seat.scope, visit.lang, app.settings.base_url());
    let known = requests::keys(&app, &seat).await?;
    let webhooks = Part::of(webhooks_of(&app, &seat, lang).await, &visit.context);
    let refused = Part::of(refused(&app, &seat, (&known, lang)).await, &visit.context);
    let has_nothing =
        known.is_empty() && matches!(&webhooks, Part::Read(webhooks) if webhooks.is_empty);
    let checklist = if has_nothing {
        Part::of(checklist::read(&app, scope, seat.role, lang).await, &visit.context).read()
    } else {
        None
    };
    let refused_form = FilterForm::of_refused();
    let page = OverviewPage {
        lang,
        shell: Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Developers).await?,
        docs: docs(lang),
        keys: seat
            .may(PersonalPermission::CredentialsRead)
            .then(|| (lang.developers_keys(known.len()), url(scope.mode, keys::LIST))),
        webhooks,
        refused,
        refused_url: refused_form.url(&url(scope.mode, requests::LIST)),
        checklist: checklist.flatten(),
        api: vec![
            ApiCall::get(&base_url, "/api/whoami"),
            ApiCall::get(&base_url, webhooks::API),
            ApiCall::get(&base_url, &refused_form.api_path()),
        ],
        base_url,
    };
    visit.page(&page, StatusCode::OK)
}

/// The guides and the reference.
fn docs(lang: Lang) -> [(String, &'static str); 4] {
    [
        (lang.developers_quickstart_url().to_owned(), lang.developers_quickstart()),
        (lang.webhooks_guide().to_owned(), lang.webhooks_title()),
        ("/docs/errors".to_owned(), lang.developers_errors()),
        ("/docs".to_owned(), lang.developers_reference()),
    ]
}

async fn webhooks_of(app: &App, seat: &Seat<RequestsRead>, lang: Lang) -> Result<Webhooks> {
    let scope = seat.scope;
    let list = url(scope.mode, webhooks::LIST);
    let all = PageQuery { limit: Some(100), ..PageQuery::default() }.read()?;
    let found = if seat.permissions.contains(Permission::WebhooksRead) {
        app.read(async move |tx: &Tx| features::list(tx, scope, all).await).await?.rows
    } else {
        Vec::new()
    };
    let ill = |webhook: &&WebhookEndpoint| {
        let is_off = !webhook.active && webhook.disabled.is_some();
        is_off || (webhook.active && webhook.failing.is_some())
    };
    let attention = |webhook: &WebhookEndpoint| {
        let (state, note) = wording::webhook(webhook, lang);
        let heading = shown_url(&app.secrets, &seat.permissions, webhook);
        Attention { state, heading, note, url: Some(format!("{list}/{}", webhook.id)) }
    };
    Ok(Webhooks {
        count: lang.developers_webhooks(found.len()),
        failing: found.iter().filter(ill).map(attention).collect(),
        is_empty: found.is_empty(),
        url: list,
    })
}

/// The newest requests that were refused.
async fn refused(
    app: &App,
    seat: &Seat<RequestsRead>,
    (known, lang): (&[Credential], Lang),
) -> Result<Vec<Row>> {
    app.requests.write(&app.database).await;
    let scope = seat.scope;
    let filter = FilterForm::of_refused().read()?;
    let page = PageQuery { limit: Some(REFUSED_SHOWN), ..PageQuery::default() }.read()?;
    let read = async move |tx: &Tx| crate::requests::page(tx, scope, &filter, page).await;
    let listed = app.scan_for(scope.merchant, read).await?;
    let here = url(scope.mode, requests::LIST);
    Ok(listed.rows.iter().map(|one| requests::row(one, known, &here, lang)).collect())
}
