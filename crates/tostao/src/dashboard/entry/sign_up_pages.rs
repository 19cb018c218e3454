//! Opening an account.

use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::SIGN_IN;
use crate::dashboard::entry::session_pages::{Arrival, Onward, enter, is_known};
use crate::dashboard::entry::sign_in_pages::too_many;
use crate::dashboard::entry::view::{MessagePage, SignUpPage};
use crate::dashboard::form::Field;
use crate::dashboard::shell;
use crate::dashboard::visit_pages::Visit;
use crate::people::params::RegisterBody;
use crate::people::sign_in::{prove_password, sign_in_source};
use crate::people::{self, SignedIn};
use crate::platform::config::Registration;
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::card_data;
use crate::platform::http::device::Device;
use crate::platform::http::html::{posted_to_correct, see};
use crate::platform::http::query::Query;
use crate::platform::ids::Mode;
use crate::registration;

/// The fields whose errors the form shows.
const SHOWN: [&str; 5] = ["name", "email", "password", "document", "phone"];

/// An invite code, as the address that another merchant shared has it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SignUpQuery {
    code: String,
}

/// The fields of the form, by the names of the API's body.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SignUpForm {
    name: String,
    email: String,
    password: String,
    document: String,
    phone: String,
    invite_code: String,
}

impl SignUpForm {
    fn refuse_card_data(&self) -> Result<()> {
        card_data::refuse_typed([
            ("name", self.name.as_str()),
            ("email", &self.email),
            ("document", &self.document),
            ("phone", &self.phone),
        ])
    }

    fn body(&self) -> RegisterBody {
        let given = |text: &String| Some(text.clone()).filter(|text| !text.trim().is_empty());
        RegisterBody {
            name: self.name.clone(),
            email: self.email.clone(),
            password: self.password.clone(),
            document: given(&self.document),
            phone: given(&self.phone),
            invite_code: given(&self.invite_code),
        }
    }
}

/// GET /sign-up
pub async fn show(
    State(app): State<App>,
    visit: Visit,
    headers: HeaderMap,
    Query(query): Query<SignUpQuery>,
) -> Result<Response> {
    if app.settings.registration == Registration::Closed {
        return closed(&visit);
    }
    if is_known(&app, &headers).await? {
        return Ok(see(&shell::url(Mode::Development, "")));
    }
    let form = SignUpForm { invite_code: query.code, ..SignUpForm::default() };
    visit.page(&page(&visit, &form, &[]), StatusCode::OK)
}

/// POST /sign-up
pub async fn sign_up(
    State(app): State<App>,
    visit: Visit,
    device: Device,
    headers: HeaderMap,
    request: Request,
) -> Result<Response> {
    let posted: SignUpForm = posted_to_correct(request, &SHOWN).await?;
    // The account remembers the device, as it does when it is opened through the API.
    let fresh = app.database.sources().random();
    let (device, named) = device.named(fresh, &app.settings.base_url());
    let opened = match posted.refuse_card_data() {
        Ok(()) => registration::register(&app, &visit.context, &device, posted.body()).await,
        Err(error) => Err(error),
    };
    let (who, said) = match opened {
        Ok((merchant, is_invited)) => {
            let lang = visit.lang;
            let said = if is_invited { lang.entry_opened() } else { lang.entry_opened_uninvited() };
            let (id, owner) = (merchant.id, people::owner_of(merchant.id));
            let found = app.read(async move |tx| people::signed_in(tx, id, owner).await).await?;
            (found.ok_or(Error::NotFound("Account"))?, Some(said.to_owned()))
        }
        Err(Error::Refused(ErrorCode::AlreadyExists, _)) => {
            let typed = (&*posted.email, &*posted.password);
            match opened_before(&app, &visit, &device, typed).await? {
                Some(who) => (who, None),
                None => return taken(&visit, &posted),
            }
        }
        Err(Error::Refused(ErrorCode::RegistrationClosed, _)) => return closed(&visit),
        Err(Error::Invalid(wrong)) => return visit.refused(&page(&visit, &posted, &wrong)),
        Err(error) => {
            let mut page = page(&visit, &posted, &[]);
            return too_many(&visit, error, |notice| {
                page.notice = Some(notice);
                page
            });
        }
    };
    let arrival = Arrival { visit: &visit, headers: &headers, device: &device };
    let onward = Onward { next: shell::url(Mode::Development, ""), said };
    let mut response = enter(&app, &arrival, who, onward).await?;
    if let Some((name, value)) = named {
        response.headers_mut().append(name, value);
    }
    Ok(response)
}

/// The owner of the account that the same form has opened before: pressing the button twice, and
/// not noticing that one has an account already, both lead there.
pub async fn opened_before(
    app: &App,
    visit: &Visit,
    device: &Device,
    (email, password): (&str, &str),
) -> Result<Option<SignedIn>> {
    let from = sign_in_source(&visit.context, device);
    let typed = (email, None);
    match prove_password(app, &visit.context, &from, typed, password.to_owned()).await {
        Ok(who) => Ok(Some(who)),
        Err(Error::Unauthenticated(ErrorCode::InvalidCredentials)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn taken(visit: &Visit, posted: &SignUpForm) -> Result<Response> {
    let mut page = page(visit, posted, &[]);
    page.email.error = Some(visit.lang.entry_taken().to_owned());
    visit.refused(&page)
}

fn closed(visit: &Visit) -> Result<Response> {
    let (heading, note) = (visit.lang.entry_closed(), visit.lang.entry_closed_note());
    let way_out = Some((SIGN_IN, visit.lang.entry_sign_in()));
    let page = MessagePage::new(visit, heading, note, way_out);
    visit.page(&page, StatusCode::FORBIDDEN)
}

fn page(visit: &Visit, posted: &SignUpForm, wrong: &[FieldError]) -> SignUpPage {
    let field = |name: &str, value: &str| {
        let field = Field::judged(name, value, wrong, visit.lang);
        // A card's number is not even sent back.
        let is_card = wrong.iter().any(|one| one.field == name && one.code.starts_with("CARD_"));
        if is_card { Field { value: String::new(), ..field } } else { field }
    };
    let password = field("password", "");
    SignUpPage {
        lang: visit.lang,
        language_url: visit.language_url(),
        notice: None,
        name: field("name", &posted.name),
        email: field("email", &posted.email),
        password,
        document: field("document", &posted.document),
        phone: field("phone", &posted.phone),
        invite_code: posted.invite_code.clone(),
    }
}
