//! The list of API keys.

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::auth::api_key::ApiKey;
use crate::auth::seat::MemberSeat;
use crate::credentials::api::Asker;
use crate::credentials::{self, Credential};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::keys::form::in_words;
use crate::dashboard::developers::keys::view::{ListPage, Row};
use crate::dashboard::developers::requests::filter::FilterForm;
use crate::dashboard::developers::requests::list_pages as requests;
use crate::dashboard::parts::{self, Action, NothingYet, Tone};
use crate::dashboard::secret::SecretPage;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::{Error, Result};
use crate::platform::ids::CredentialId;
use crate::platform::messages::Lang;
use crate::platform::permissions::{
    CredentialsRead, CredentialsWrite, Permission, PersonalPermission,
};

/// The path of the list in its mode.
pub const LIST: &str = "/developers/keys";
/// The same list in the API.
pub const API: &str = "/api/credentials";
/// A key that ends within this time is marked.
const SOON: Duration = Duration::from_hours(7 * 24);

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
pub struct MadeKey {
    data: MadeKeyData,
}

#[derive(Debug, Deserialize)]
struct MadeKeyData {
    name: String,
    key: String,
}

/// GET /dashboard/{mode}/developers/keys
pub async fn show(
    State(app): State<App>,
    seat: MemberSeat<CredentialsRead>,
    visit: Visit,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let read = async move |tx: &Tx| credentials::list(tx, scope.merchant).await;
    let listed = app.read(read).await?;
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Keys).await?;
    let (here, now) = (url(scope.mode, LIST), app.now());
    let may = seat.may(PersonalPermission::CredentialsWrite);
    let action = |path: String| {
        if may { Action::Possible(path) } else { Action::Refused(lang.payment_role_may_not()) }
    };
    let row = |key: &Credential| {
        let (state, why) = state(key, now, lang);
        Row {
            name: key.name.clone(),
            state,
            why,
            ends: format!("{}…{}", ApiKey::shown_prefix(key.mode, &key.public_id), key.last4),
            facts: facts(key, lang),
            requests_url: seat.permissions.contains(Permission::RequestsRead).then(|| {
                let form = FilterForm::of_key(key.id);
                form.url(&url(scope.mode, requests::LIST))
            }),
            rotate: (format!("rotate-{}", key.id), action(format!("{here}/{}/rotate", key.id))),
            revoke: (format!("revoke-{}", key.id), action(format!("{here}/{}/revoke", key.id))),
        }
    };
    let of_mode = listed.iter().filter(|key| key.mode == scope.mode);
    let page = ListPage {
        lang,
        shell,
        new: action(format!("{here}/new")),
        rows: of_mode.map(row).collect(),
        nothing: NothingYet {
            heading: lang.keys_none(),
            note: lang.keys_none_note(),
            step: may.then(|| (format!("{here}/new"), lang.key_new())),
        },
        api: vec![ApiCall::of_person(&app.settings.base_url(), API)],
    };
    visit.page(&page, StatusCode::OK)
}

/// A key of the mode of a page; `None` if it is revoked or unknown. Those of the other mode are
/// refused.
pub async fn find(
    app: &App,
    seat: &MemberSeat<CredentialsWrite>,
    id: CredentialId,
) -> Result<Option<Credential>> {
    let scope = seat.scope;
    let read = async move |tx: &Tx| credentials::find(tx, scope.merchant, id).await;
    match app.read(read).await? {
        Some(key) if key.mode != scope.mode => Err(Error::NotFound("API key")),
        found => Ok(found),
    }
}

/// The same, where there has to be one.
pub async fn expect(
    app: &App,
    seat: &MemberSeat<CredentialsWrite>,
    id: CredentialId,
) -> Result<Credential> {
    find(app, seat, id).await?.ok_or(Error::NotFound("API key"))
}

/// The person at a page, as the API takes them.
pub fn asker(seat: &MemberSeat<CredentialsWrite>) -> Asker {
    let (merchant, person) = seat.who();
    Asker { merchant, person, role: seat.role, by: seat.by(), elevation: seat.elevation }
}

/// The page that shows a secret once.
pub async fn secret_page(
    app: &App,
    seat: &MemberSeat<CredentialsWrite>,
    visit: &Visit,
    shown: MadeKey,
    old: Option<String>,
) -> Result<Response> {
    let (mode, lang, base_url) = (seat.scope.mode, visit.lang, app.settings.base_url());
    let MadeKeyData { name, key } = shown.data;
    let environment = format!("TOSTAO_SERVER={base_url}\nTOSTAO_API_KEY={key}");
    let try_it = ApiCall::get(&base_url, "/api/whoami").curl.replace("$TOSTAO_API_KEY", &key);
    let page = SecretPage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Keys).await?,
        heading: name,
        keep: lang.key_shown_once(),
        note: lang.key_shown_once_note(),
        old,
        lines: vec![
            ("secret", lang.key_secret(), key),
            ("environment", lang.key_environment(), environment),
            ("try", lang.key_try(), try_it),
        ],
        next: (url(mode, LIST), lang.key_stored()),
    };
    visit.page(&page, StatusCode::OK)
}

fn state(key: &Credential, now: Timestamp, lang: Lang) -> (parts::State, String) {
    let used = match key.last_used_at {
        Some(at) => lang.key_used(lang.date_time(at.micros())),
        None => lang.key_unused().to_owned(),
    };
    let (tone, word) = match key.expires_at {
        Some(at) if at <= now => (Tone::Off, lang.key_over()),
        Some(at) if at.since(now) < SOON => (Tone::Wait, lang.key_soon_over()),
        _ => (Tone::Good, lang.key_valid()),
    };
    (parts::State { tone, word }, used)
}

fn facts(key: &Credential, lang: Lang) -> Vec<(&'static str, String)> {
    let date = |at: Timestamp| lang.date_time(at.micros());
    let expires = key.expires_at.map_or_else(|| lang.key_never().to_owned(), date);
    let facts = [
        (lang.key_may(), Some(in_words(&key.permissions, lang))),
        (lang.webhook_created(), Some(date(key.created_at))),
        (lang.key_expires_at(), Some(expires)),
        (lang.key_addresses(), key.ip_allowlist.as_ref().map(|list| list.join(", "))),
    ];
    let facts = facts.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let previous = key.previous.iter().map(|previous| {
        let until = lang.key_previous_until(&previous.last4, date(previous.expires_at));
        (lang.key_previous(), until)
    });
    facts.chain(previous).collect()
}
