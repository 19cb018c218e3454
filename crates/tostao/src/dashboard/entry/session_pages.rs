//! The one place where a browser's session starts, and where it ends.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use db::tx::Tx;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::app::App;
use crate::auth::seat::{PersonalSeat, SIGN_IN, SeatHolder, signed_in, signed_out};
use crate::credentials;
use crate::dashboard::entry::code_pages;
use crate::dashboard::entry::view::MessagePage;
use crate::dashboard::host_pages::is_loopback;
use crate::dashboard::shell;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::people::SignedIn;
use crate::people::second_step;
use crate::people::sessions;
use crate::people::sessions::browser::{self, Browser};
use crate::people::sign_in::{counted, sign_in_source};
use crate::platform::error::{ErrorCode, Result};
use crate::platform::http::device::Device;
use crate::platform::http::hosts::requested;
use crate::platform::http::html::see;
use crate::platform::ids::{MerchantId, Mode};
use crate::platform::permissions::NoPermission;

/// What a browser says of itself when it signs in.
pub struct Arrival<'a> {
    pub visit: &'a Visit,
    pub headers: &'a HeaderMap,
    pub device: &'a Device,
}

/// Where a person goes once they are signed in, and what the page there says.
pub struct Onward {
    pub next: String,
    pub said: Option<String>,
}

/// The cookies of a session that has started.
pub struct SessionCookies(Vec<(HeaderName, HeaderValue)>);

/// Signs a person in whose password was verified, and leads them on; one with a second step types a
/// code before.
///
/// Every page that signs somebody in ends here.
pub async fn enter(
    app: &App,
    arrival: &Arrival<'_>,
    who: SignedIn,
    onward: Onward,
) -> Result<Response> {
    match start(app, arrival, who.clone(), None).await {
        Err(error) if error.code() == ErrorCode::TwoFactorRequired => {
            code_pages::ask(app, arrival.visit, &who, onward)
        }
        started => Ok(go_on(app, started?, onward)),
    }
}

/// Starts the session of a person whose password was verified, with the code that they typed.
pub async fn start(
    app: &App,
    arrival: &Arrival<'_>,
    who: SignedIn,
    code: Option<String>,
) -> Result<SessionCookies> {
    let Arrival { visit: Visit { context, lang, .. }, headers, device } = *arrival;
    let fresh = app.database.sources().random();
    let (device, named) = device.named(fresh, &app.settings.base_url());
    let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
    let browser = Browser::new(sign_in_source(context, &device), agent, context);
    let (by, lifetime) = (who.by(context), app.settings.dashboard.lifetime());
    let (account, secrets, lang) = (who.merchant.id, app.secrets.clone(), *lang);
    let request = context.clone();
    let unit = async move |tx: &Tx| {
        let (whose, how) = ((account, who.person.id), (&*secrets, lang));
        Ok(match second_step::pass(tx, how, &request, whose, code.as_deref()).await? {
            Ok(passed) => {
                let proved = (&who, passed);
                Ok(browser::sign_in(tx, &by, proved, &browser, lifetime, lang).await?)
            }
            Err(refusal) => Err(refusal),
        })
    };
    let token = counted(app, context, account, app.transact(unit).await?)?;
    Ok(SessionCookies([Some(signed_in(&token)?), named].into_iter().flatten().collect()))
}

/// Leads a person on whose session has started.
pub fn go_on(app: &App, SessionCookies(cookies): SessionCookies, onward: Onward) -> Response {
    let mut response = match onward.said {
        Some(text) => see_and_say(app, &onward.next, text),
        None => see(&onward.next),
    };
    for (name, value) in cookies {
        response.headers_mut().append(name, value);
    }
    response
}

/// Wraps the pages before the dashboard: where a cookie would not be safe, they say so and ask for
/// no password.
pub async fn secure(
    State(app): State<App>,
    visit: Visit,
    request: Request,
    next: Next,
) -> Result<Response> {
    if is_secure(&app, request.headers()) {
        return Ok(next.run(request).await);
    }
    let (heading, note) = (visit.lang.entry_insecure(), visit.lang.entry_insecure_note());
    visit.page(&MessagePage::new(&visit, heading, note, None), StatusCode::FORBIDDEN)
}

/// Whether a cookie is safe on this connection, so that people can sign in.
///
/// Browsers take the cookie over `http` from the machine itself only, and send what proves where a
/// form comes from only there.
fn is_secure(app: &App, headers: &HeaderMap) -> bool {
    if app.settings.base_url().starts_with("https://") {
        return true;
    }
    is_loopback(requested(headers))
}

/// GET /dashboard
///
/// An account that has a key of production works there; another one begins in test mode.
pub async fn open(State(app): State<App>, seat: PersonalSeat<NoPermission>) -> Result<Response> {
    Ok(see(&home(&app, seat.holder.merchant).await?))
}

/// The first page of an account.
pub async fn home(app: &App, account: MerchantId) -> Result<String> {
    let keys = app.read(async move |tx: &Tx| credentials::list(tx, account).await).await?;
    let is_live = keys.iter().any(|key| key.mode == Mode::Production);
    let mode = if is_live { Mode::Production } else { Mode::Development };
    Ok(shell::url(mode, ""))
}

/// Whether the browser is signed in already; then no form is shown.
pub async fn is_known(app: &App, headers: &HeaderMap) -> Result<bool> {
    Ok(SeatHolder::find(app, headers, Mode::Development).await?.is_some())
}

/// POST /sign-out
pub async fn sign_out(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
) -> Result<Response> {
    let (session, who, by) = (seat.session, seat.who(), seat.by());
    app.transact(async move |tx: &Tx| sessions::sign_out(tx, &by, who, session).await).await?;
    let mut response = see_and_say(&app, SIGN_IN, visit.lang.entry_signed_out());
    let (name, value) = signed_out()?;
    response.headers_mut().append(name, value);
    Ok(response)
}
