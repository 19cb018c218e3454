//! A person's name, and what they see of themselves.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::frame;
use crate::dashboard::account::view::ProfilePage;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, Posted, faults};
use crate::dashboard::kept_form;
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::dashboard::words;
use crate::people::account_api::{ProfileBody, ask_to_rename};
use crate::people::{self, Account, Person, email_changes};
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::card_data;
use crate::platform::permissions::NoPermission;

const PATH: &str = "/profile";
const API: &str = "/api/auth/me";
/// The fields whose errors the form shows.
const SHOWN: [&str; 1] = ["name"];

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct ProfileForm {
    name: String,
}

/// GET /account/profile
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
) -> Result<Response> {
    let kept = kept_form::read::<Posted<ProfileForm>>(&app, seat.who(), &visit);
    let page = page(&app, &seat, &visit, (kept.map(|form| form.typed), &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /account/profile
pub async fn save(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<ProfileForm> = posted_form(request, &SHOWN).await?;
    let once = (&*form.attempt, &*form.values()?);
    let execution = frame::execution(&app, &seat, PATH, once, Ok(()))?;
    let name = form.typed.name.clone();
    let saved = match card_data::refuse_typed([("name", &*name)]) {
        Ok(()) => ask_to_rename(&app, seat.acting(), execution, ProfileBody { name }).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(see_and_say(&app, &account_url(PATH), visit.lang.account_saved())),
        Err(error) => {
            let (wrong, refused) = faults(error, visit.lang)?;
            let mut page = page(&app, &seat, &visit, (Some(form.typed), &wrong)).await?;
            page.frame.refused = refused;
            visit.refused(&page)
        }
    }
}

async fn page(
    app: &App,
    seat: &PersonalSeat<NoPermission>,
    visit: &Visit,
    (typed, wrong): (Option<ProfileForm>, &[FieldError]),
) -> Result<ProfilePage> {
    let (lang, base_url, (_, id)) = (visit.lang, app.settings.base_url(), seat.who());
    let read = async move |tx: &Tx| {
        let pending = email_changes::open_of(tx, id).await?;
        Ok::<_, Error>((people::find(tx, id).await?, people::accounts(tx, id).await?, pending))
    };
    let (Person { name, email, .. }, accounts, pending) = app.read(read).await?;
    let name = Field::judged("name", &typed.map_or(name, |typed| typed.name), wrong, lang);
    let body = json!({ "name": "Fulana de Tal" });
    let api = vec![ApiCall::send("PATCH", &base_url, API, &body).as_person()];
    let names = (lang.profile_title(), lang.account_save());
    let back = ("/security", lang.security_title());
    let mut frame = frame::form(app, seat, PATH, back, names, api);
    frame.wrong = name.wrong("name", lang.profile_name()).into_iter().collect();
    let line = |account: &Account| {
        lang.profile_account_role(&account.name, words::role(account.role, lang))
    };
    Ok(ProfilePage {
        lang,
        shell: frame::shell(app, seat, visit, Section::Profile).await?,
        frame,
        name,
        email,
        changes: pending.is_some(),
        accounts: accounts.iter().map(line).collect(),
    })
}
