//! The second step, the password and the sessions of a person, and ending a session.

use axum::extract::{Request, State as AppState};
use axum::response::Response;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::frame;
use crate::dashboard::account::security::agents;
use crate::dashboard::account::security::view::{SecurityPage, SessionRow};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::parts::{State, Tone};
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::people::second_step;
use crate::people::sessions::{self, SessionKind, SessionRecord};
use crate::people::sessions_api::{ask_to_end, ask_to_end_others};
use crate::people::{self, Account};
use crate::platform::error::{Error, Result};
use crate::platform::http::html::posted;
use crate::platform::ids::SessionId;
use crate::platform::messages::Lang;
use crate::platform::permissions::NoPermission;

/// The path of the page.
pub const PATH: &str = "/security";

/// The session to end; none means all the others.
#[derive(Debug, Deserialize)]
struct EndForm {
    session: Option<SessionId>,
}

/// GET /account/security
pub async fn show(
    AppState(app): AppState<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
) -> Result<Response> {
    let (lang, base_url, (_, person)) = (visit.lang, app.settings.base_url(), seat.who());
    let read = async move |tx: &Tx| {
        let step = second_step::state(tx, person).await?.unwrap_or_default();
        let accounts = people::accounts(tx, person).await?;
        Ok::<_, Error>((step, accounts, sessions::list(tx, person).await?))
    };
    let (step, accounts, listed) = app.read(read).await?;
    let (state, why) = if let Some(at) = step.enabled_at {
        let state = State { tone: Tone::Good, word: lang.security_on() };
        (state, lang.security_on_since(lang.date_time(at.micros())))
    } else {
        let state = State { tone: Tone::Wait, word: lang.security_off() };
        (state, lang.security_off_why().to_owned())
    };
    let row = |session: &SessionRecord| row(session, &accounts, seat.session, lang);
    let call = |path| ApiCall::of_person(&base_url, path);
    let page = SecurityPage {
        lang,
        shell: frame::shell(&app, &seat, &visit, Section::Security).await?,
        step: state,
        step_why: why,
        codes_left: step.enabled_at.map(|_| lang.security_codes_left(step.backup_codes_left)),
        sessions: listed.iter().map(row).collect(),
        api: vec![call("/api/two-factor"), call("/api/auth/sessions")],
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /account/security/end
///
/// A session ends once, however often the form is sent.
pub async fn end(
    AppState(app): AppState<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let (lang, acting) = (visit.lang, seat.acting());
    let said = match posted::<EndForm>(request).await?.session {
        None => {
            ask_to_end_others(&app, acting).await?;
            lang.security_others_ended()
        }
        Some(session) => match ask_to_end(&app, acting, session).await {
            Ok(()) => lang.security_ended(),
            Err(Error::NotFound(_)) => lang.security_session_gone(),
            Err(error) => return Err(error),
        },
    };
    Ok(see_and_say(&app, &account_url(PATH), said))
}

fn row(
    session: &SessionRecord,
    accounts: &[Account],
    current: SessionId,
    lang: Lang,
) -> SessionRow {
    let is_this = session.id == current;
    let state = if is_this {
        State { tone: Tone::Good, word: lang.security_this() }
    } else {
        State { tone: Tone::Wait, word: lang.security_another() }
    };
    let name = match session.kind {
        SessionKind::Api => lang.security_program().to_owned(),
        SessionKind::Browser => agents::name(session.agent.as_deref(), lang),
    };
    let account = accounts.iter().find(|account| account.id == session.merchant);
    let address = session.address.clone().or_else(|| session.network.clone());
    let at = |at: Timestamp| Some(lang.date_time(at.micros()));
    let facts = [
        (lang.security_address(), address),
        (lang.security_seen(), at(session.used_at)),
        (lang.security_began(), at(session.created_at)),
        (lang.security_until(), at(session.expires_at)),
        (lang.security_account(), account.map(|account| account.name.clone())),
    ];
    let facts = facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    SessionRow { id: session.id, name, is_this, state, facts }
}
