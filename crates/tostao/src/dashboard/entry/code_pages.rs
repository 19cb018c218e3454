//! The code of the second step, which a person types after their password.
//!
//! Between the two pages the browser holds, sealed, who proved which password.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::Response;
use db::hex::hex;
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::seat::SIGN_IN;
use crate::dashboard::entry::next::wanted;
use crate::dashboard::entry::session_pages::{Arrival, Onward, go_on, start};
use crate::dashboard::entry::sign_in_pages::too_many;
use crate::dashboard::entry::view::CodePage;
use crate::dashboard::form::Field;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::people::sign_in::limit_codes;
use crate::people::{self, Person, SignedIn};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::device::Device;
use crate::platform::http::html::posted;
use crate::platform::ids::{MerchantId, PersonId};
use crate::platform::secrets::sha256;
use crate::platform::signed_tokens::{open, seal};

const SEALED_FOR: &str = "sign-in";
/// How long after the password a code is accepted.
const TYPED_WITHIN: Duration = Duration::from_mins(10);

/// Who proved which password, and where they are going.
#[derive(Debug, Serialize, Deserialize)]
struct Proved {
    merchant: MerchantId,
    person: PersonId,
    /// Of the hash of the password, so that a password which is changed meanwhile ends the sign-in.
    password: String,
    next: String,
    said: Option<String>,
}

/// What is posted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CodeForm {
    proved: String,
    code: String,
}

/// The page that asks a person whose password was right for a code.
pub fn ask(app: &App, visit: &Visit, who: &SignedIn, onward: Onward) -> Result<Response> {
    let proved = Proved {
        merchant: who.merchant.id,
        person: who.person.id,
        password: password_of(&who.person),
        next: onward.next,
        said: onward.said,
    };
    let content = serde_json::to_vec(&proved).map_err(|error| Error::Internal(error.into()))?;
    let (nonce, ends_at) = (app.database.sources().random(), app.now().plus(TYPED_WITHIN));
    let sealed = seal(&app.secrets, nonce, SEALED_FOR, &content, ends_at);
    visit.page(&page(visit, sealed), StatusCode::OK)
}

/// POST /sign-in/code
pub async fn sign_in(
    State(app): State<App>,
    visit: Visit,
    device: Device,
    headers: HeaderMap,
    request: Request,
) -> Result<Response> {
    let posted: CodeForm = posted(request).await?;
    let Some((who, onward)) = read(&app, &posted.proved).await? else {
        return Ok(see_and_say(&app, SIGN_IN, visit.lang.entry_code_late()));
    };
    let mut page = page(&visit, posted.proved);
    if posted.code.trim().is_empty() {
        page.code.error = Some(visit.lang.required().to_owned());
        return visit.refused(&page);
    }
    if let Err(error) = limit_codes(&app, &visit.context, who.person.id) {
        return too_many(&visit, error, |notice| CodePage { notice: Some(notice), ..page });
    }
    let arrival = Arrival { visit: &visit, headers: &headers, device: &device };
    match start(&app, &arrival, who, Some(posted.code)).await {
        Ok(cookies) => Ok(go_on(&app, cookies, onward)),
        Err(error) if error.code() == ErrorCode::TwoFactorCodeInvalid => {
            visit.context.note_refusal(&error);
            page.code.error = Some(visit.lang.entry_code_wrong().to_owned());
            visit.refused(&page)
        }
        Err(Error::Unauthenticated(ErrorCode::InvalidCredentials)) => {
            Ok(see_and_say(&app, SIGN_IN, visit.lang.entry_code_late()))
        }
        Err(error) => too_many(&visit, error, |notice| {
            page.notice = Some(notice);
            page
        }),
    }
}

/// Who proved their password on the page before; `None` once it is too long ago, the password is
/// another one, or they are no member any more.
async fn read(app: &App, sealed: &str) -> Result<Option<(SignedIn, Onward)>> {
    let Some(content) = open(&app.secrets, app.now(), SEALED_FOR, sealed) else { return Ok(None) };
    let proved: Proved =
        serde_json::from_slice(&content).map_err(|error| Error::Internal(error.into()))?;
    let (merchant, person) = (proved.merchant, proved.person);
    let found = app.read(async move |tx| people::signed_in(tx, merchant, person).await).await?;
    let who = found.filter(|who| password_of(&who.person) == proved.password);
    let onward = Onward { next: wanted(&proved.next).to_owned(), said: proved.said };
    Ok(who.map(|who| (who, onward)))
}

fn password_of(person: &Person) -> String {
    hex(&sha256(person.password_hash.as_bytes()))
}

fn page(visit: &Visit, proved: String) -> CodePage {
    CodePage {
        lang: visit.lang,
        language_url: format!("{SIGN_IN}?lang={}", visit.lang.other().tag()),
        notice: None,
        code: Field::default(),
        proved,
    }
}
