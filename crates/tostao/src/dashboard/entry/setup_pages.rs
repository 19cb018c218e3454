//! The addresses that the program prints: opening the first account, and signing in once.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::SIGN_IN;
use crate::dashboard::entry::session_pages::{Arrival, Onward, enter};
use crate::dashboard::entry::sign_in_pages::too_many;
use crate::dashboard::entry::sign_up_pages::opened_before;
use crate::dashboard::entry::view::{EnterPage, MessagePage, SetupPage};
use crate::dashboard::form::Field;
use crate::dashboard::shell;
use crate::dashboard::visit_pages::Visit;
use crate::people::params::RegisterBody;
use crate::people::{self, SignedIn, owner_of};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::card_data;
use crate::platform::http::device::Device;
use crate::platform::http::html::posted_to_correct;
use crate::platform::http::path::TextParam;
use crate::platform::ids::{MerchantId, Mode};
use crate::registration::setup::{self, Setup};

/// The fields whose errors the form shows.
const SHOWN: [&str; 3] = ["name", "email", "password"];

/// The fields of the form, by the names of the API's body; the button that signs in has none.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct SetupForm {
    name: String,
    email: String,
    password: String,
}

/// GET /setup/{token}
pub async fn show(
    State(app): State<App>,
    visit: Visit,
    TextParam(token): TextParam,
) -> Result<Response> {
    match setup::find(&app, &visit.context, &token).await {
        Ok(Setup::FirstAccount) => {
            visit.page(&page(&visit, &SetupForm::default(), &[]), StatusCode::OK)
        }
        Ok(Setup::SignIn(_)) => {
            let (lang, place) = (visit.lang, visit.path.clone());
            let page = EnterPage { lang, language_url: visit.language_url(), place };
            visit.page(&page, StatusCode::OK)
        }
        Err(error) => over(&visit, error),
    }
}

/// POST /setup/{token}
pub async fn set_up(
    State(app): State<App>,
    visit: Visit,
    device: Device,
    headers: HeaderMap,
    TextParam(token): TextParam,
    request: Request,
) -> Result<Response> {
    let posted: SetupForm = posted_to_correct(request, &SHOWN).await?;
    let fresh = app.database.sources().random();
    let (device, named) = device.named(fresh, &app.settings.base_url());
    let arrival = Arrival { visit: &visit, headers: &headers, device: &device };
    let known = match setup::find(&app, &visit.context, &token).await {
        Ok(Setup::SignIn(account)) => {
            setup::take(&app, &token, account).await.map(|who| (who, None))
        }
        Ok(Setup::FirstAccount) => {
            let opened = opened(&app, &visit, &device, &token, &posted).await;
            opened.map(|who| (who, Some(visit.lang.entry_opened().to_owned())))
        }
        Err(error) => Err(error),
    };
    let (who, said) = match known {
        Ok(known) => known,
        Err(Error::Invalid(wrong)) => return visit.refused(&page(&visit, &posted, &wrong)),
        // The button was pressed twice, or the person has an account already.
        Err(error) if has_ended(&error) => {
            match pressed_twice(&app, &visit, &device, &posted).await? {
                Some(who) => (who, None),
                None => return refused(&visit, &posted, error),
            }
        }
        Err(error) => {
            let mut page = page(&visit, &posted, &[]);
            return too_many(&visit, error, |notice| {
                page.notice = Some(notice);
                page
            });
        }
    };
    let onward = Onward { next: shell::url(Mode::Development, ""), said };
    let mut response = enter(&app, &arrival, who, onward).await?;
    if let Some((name, value)) = named {
        response.headers_mut().append(name, value);
    }
    Ok(response)
}

async fn opened(
    app: &App,
    visit: &Visit,
    device: &Device,
    token: &str,
    SetupForm { name, email, password }: &SetupForm,
) -> Result<SignedIn> {
    card_data::refuse_typed([("name", &**name), ("email", &**email)])?;
    let body = RegisterBody::of(name.clone(), email.clone(), password.clone());
    let id: MerchantId = setup::open(app, &visit.context, device, token, body).await?.id;
    let find = async move |tx: &Tx| people::signed_in(tx, id, owner_of(id)).await;
    app.read(find).await?.ok_or(Error::NotFound("Account"))
}

/// The owner of the account that the same form has opened before.
async fn pressed_twice(
    app: &App,
    visit: &Visit,
    device: &Device,
    SetupForm { email, password, .. }: &SetupForm,
) -> Result<Option<SignedIn>> {
    if email.is_empty() {
        return Ok(None);
    }
    opened_before(app, visit, device, (email, password)).await
}

/// Whether the address was used, or somebody has the e-mail already.
fn has_ended(error: &Error) -> bool {
    [ErrorCode::NotFound, ErrorCode::AlreadyExists].contains(&error.code())
}

fn refused(visit: &Visit, posted: &SetupForm, error: Error) -> Result<Response> {
    if error.code() != ErrorCode::AlreadyExists {
        return over(visit, error);
    }
    let mut page = page(visit, posted, &[]);
    page.email.error = Some(visit.lang.entry_taken().to_owned());
    visit.refused(&page)
}

/// The page about an address that works no more; any other error stays an error.
fn over(visit: &Visit, error: Error) -> Result<Response> {
    if error.code() != ErrorCode::NotFound {
        return Err(error);
    }
    let (heading, note) = (visit.lang.setup_over(), visit.lang.setup_over_note());
    let way_out = Some((SIGN_IN, visit.lang.entry_sign_in()));
    visit.page(&MessagePage::new(visit, heading, note, way_out), StatusCode::NOT_FOUND)
}

fn page(visit: &Visit, posted: &SetupForm, wrong: &[FieldError]) -> SetupPage {
    let field = |name: &str, value: &str| {
        let field = Field::judged(name, value, wrong, visit.lang);
        // A card's number is not even sent back.
        let is_card = wrong.iter().any(|one| one.field == name && one.code.starts_with("CARD_"));
        if is_card { Field { value: String::new(), ..field } } else { field }
    };
    SetupPage {
        lang: visit.lang,
        language_url: visit.language_url(),
        notice: None,
        name: field("name", &posted.name),
        email: field("email", &posted.email),
        password: field("password", ""),
        place: visit.path.clone(),
    }
}
