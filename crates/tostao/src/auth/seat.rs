//! Extractors that authenticate a browser by its cookie: the dashboard's [`Caller`].
//!
//! Holding a [`Seat<P>`] proves that a person is signed in and that their role includes the
//! permission `P` in the mode that the path names. A handler of the dashboard has no other way to a
//! [`Scope`].
//!
//! [`Caller`]: crate::auth::caller::Caller

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use db::time::Timestamp;
use db::tx::Tx;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use url::form_urlencoded;

use crate::app::App;
use crate::audit::{Actor, ActorContext};
use crate::auth::elevation::{self, Elevation, Matter, PayeePermit};
use crate::people::sessions::browser::{self, BrowserSession, BrowserToken};
use crate::people::{self, Acting, Membership};
use crate::platform::error::{Error, ErrorCode, Permit, Result};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::headers::cookies;
use crate::platform::http::html::see;
use crate::platform::http::rate_limit::AUTHENTICATED;
use crate::platform::ids::{MerchantId, Mode, PersonId, Scope, SessionId};
use crate::platform::masked::Documents;
use crate::platform::member_role::MemberRole;
use crate::platform::permissions::{
    NoPermission, Permissions, PersonalPermission, RequiredPermissions, RequiredPersonalPermissions,
};

/// The page where people sign in.
pub const SIGN_IN: &str = "/sign-in";
/// Where the pages of the dashboard are, each mode in a folder of its own.
pub const DASHBOARD: &str = "/dashboard";
/// Where administrators' pages about all accounts are, likewise.
pub const ADMIN: &str = "/admin";
/// Where the pages about a person and their account are, which belong to no mode.
pub const ACCOUNT: &str = "/account";

/// The prefix keeps other hosts of the domain from setting it.
const COOKIE: &str = "__Host-tostao=";
/// Says that a page is read again by itself, which is no use of the session.
const LIVE_PART: &str = "x-live-part";
const ATTRIBUTES: &str = "Path=/; Secure; HttpOnly; SameSite=Lax";

/// A person at a page of one mode, whose role includes the permission `P` there.
#[derive(Debug)]
pub struct Seat<P> {
    pub scope: Scope,
    pub session: SessionId,
    pub person: PersonId,
    pub role: MemberRole,
    /// All that the role includes, for pages that show some parts only to some roles.
    pub permissions: Permissions,
    pub elevation: Elevation,
    is_administrator: bool,
    ends_at: Timestamp,
    context: Arc<RequestContext>,
    proof: PhantomData<P>,
}

/// An administrator with a second step, at a page about all accounts in one mode.
#[derive(Debug)]
pub struct AdminSeat {
    pub mode: Mode,
    /// What every page shows of the person.
    pub holder: SeatHolder,
    elevation: Elevation,
    context: Arc<RequestContext>,
}

/// A person at a page of one mode, whose role includes what no API key may do.
#[derive(Debug)]
pub struct MemberSeat<P> {
    seat: Seat<NoPermission>,
    proof: PhantomData<P>,
}

/// A person at a page that is about no mode, whose role includes what no API key may do.
#[derive(Debug)]
pub struct PersonalSeat<P> {
    pub session: SessionId,
    /// What every page shows of the person.
    pub holder: SeatHolder,
    /// Whether the person has to give a code where others give their password.
    pub has_second_step: bool,
    /// The hash of the browser's cookie.
    pub cookie_hash: Vec<u8>,
    elevation: Elevation,
    context: Arc<RequestContext>,
    proof: PhantomData<P>,
}

/// A browser that listens for what is new in one mode. It uses nothing of its session, whose end is
/// not put off.
#[derive(Clone)]
pub struct ListeningSeat {
    pub scope: Scope,
    pub person: PersonId,
    token: Arc<BrowserToken>,
}

/// The person whom a browser's cookie names, without any proof of a permission.
#[derive(Debug, Clone, Copy)]
pub struct SeatHolder {
    pub merchant: MerchantId,
    pub person: PersonId,
    pub role: MemberRole,
    /// Whether the person administers the platform.
    pub is_administrator: bool,
    /// How far the developer's clock runs ahead in the mode of the page; zero in production.
    pub ahead: Duration,
    /// When the session ends, however much it is used.
    pub ends_at: Timestamp,
}

/// Whether an address is that of a page about a person and their account. Those that ask who is
/// there, or change the account, are passed through.
pub fn is_of_account(path: &str) -> bool {
    let page = path.strip_prefix(ACCOUNT).and_then(|rest| rest.strip_prefix('/'));
    page.is_some_and(|page| page != "elevate" && page != "switch")
}

/// Whose session has ended, on the response to a form that was posted in it.
#[derive(Debug, Clone, Copy)]
pub struct EndedSession(pub MerchantId, pub PersonId);

/// What is known of a browser.
enum Seated {
    Session(BrowserSession),
    /// It has no cookie; or one whose session has ended.
    SignedOut {
        ended: bool,
    },
}

impl<P: RequiredPermissions> FromRequestParts<App> for Seat<P> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let mode = mode_of(parts.uri.path());
        let mode = mode.ok_or_else(|| Error::NotFound("Page").into_response())?;
        let (context, session) = seated(parts, app, mode).await?;
        let is_administrator = session.member.is_administrator();
        let Membership { scope, person, role, elevation, .. } = session.member;
        let permissions = role.permissions(mode);
        if let Some(missing) = P::PERMISSIONS.iter().find(|needed| !permissions.contains(**needed))
        {
            return Err(Error::RoleForbidden(missing.name()).into_response());
        }
        Ok(Self {
            scope,
            session: session.id,
            person,
            role,
            permissions,
            is_administrator,
            elevation,
            ends_at: session.ends_at,
            context,
            proof: PhantomData,
        })
    }
}

impl FromRequestParts<App> for AdminSeat {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let mode = mode_of(parts.uri.path());
        let unknown = || Error::NotFound("Page").into_response();
        let mode = mode.ok_or_else(unknown)?;
        let (context, session) = seated(parts, app, mode).await?;
        if !session.member.is_administrator() {
            return Err(unknown());
        }
        let elevation = session.member.elevation;
        let permit = elevation.permit_to_look(Matter::Administration);
        elevation::expect(permit).map_err(IntoResponse::into_response)?;
        Ok(Self { mode, holder: SeatHolder::of(&session), elevation, context })
    }
}

impl AdminSeat {
    /// The administrator's own account, in which what they post takes effect once.
    pub fn scope(&self) -> Scope {
        let SeatHolder { merchant, ahead, .. } = self.holder;
        Scope { merchant, mode: self.mode, ahead }
    }

    /// The account and the person.
    pub fn who(&self) -> (MerchantId, PersonId) {
        (self.holder.merchant, self.holder.person)
    }

    /// Whether the administrator may decide, as far as their session shows who they are.
    pub fn permit(&self) -> Permit {
        self.elevation.permit(Matter::Administration)
    }

    /// The administrator, for the audit log.
    pub fn by(&self) -> ActorContext {
        ActorContext::request(Actor::Administrator(self.holder.merchant), &self.context)
    }
}

impl FromRequestParts<App> for ListeningSeat {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let mode = mode_of(parts.uri.path()).ok_or(Error::NotFound("Page"))?;
        let Context(context) = Context::from_request_parts(parts, app).await?;
        let signed_out = || Error::Unauthenticated(ErrorCode::Unauthorized);
        let given = cookies(&parts.headers, COOKIE).next().unwrap_or_default();
        let token = Arc::new(BrowserToken::parse(given).ok_or_else(signed_out)?);
        let named = token.clone();
        let find = async move |tx: &Tx| browser::find(tx, &named, mode).await;
        let session = app.lookup(find).await?.ok_or_else(signed_out)?;
        let Membership { scope, person, .. } = session.member;
        app.check_rate_limit(&context, &AUTHENTICATED, scope)?;
        Ok(Self { scope, person, token })
    }
}

impl<P: RequiredPersonalPermissions> FromRequestParts<App> for MemberSeat<P> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let seat = Seat::from_request_parts(parts, app).await?;
        expect_role::<P>(seat.role).map_err(IntoResponse::into_response)?;
        Ok(Self { seat, proof: PhantomData })
    }
}

impl<P> Deref for MemberSeat<P> {
    type Target = Seat<NoPermission>;

    fn deref(&self) -> &Self::Target {
        &self.seat
    }
}

impl<P: RequiredPersonalPermissions> FromRequestParts<App> for PersonalSeat<P> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let (context, session) = seated(parts, app, Mode::Production).await?;
        let (holder, elevation) = (SeatHolder::of(&session), session.member.elevation);
        expect_role::<P>(holder.role).map_err(IntoResponse::into_response)?;
        let (has_second_step, proof) = (elevation.has_second_step, PhantomData);
        let BrowserSession { id: session, token_hash: cookie_hash, .. } = session;
        Ok(Self { session, holder, has_second_step, cookie_hash, elevation, context, proof })
    }
}

impl ListeningSeat {
    /// What the person may do now; `None` once the session has ended, or is of another account.
    pub async fn permissions(&self, tx: &Tx) -> Result<Option<Permissions>> {
        let Scope { merchant, mode, .. } = self.scope;
        let session = browser::find(tx, &self.token, mode).await?;
        let member = session.map(|session| session.member);
        let here = member.filter(|member| member.scope.merchant == merchant);
        Ok(here.map(|member| member.role.permissions(mode)))
    }
}

impl<P> Seat<P> {
    /// Whether the person may do what no key may.
    pub fn may(&self, what: PersonalPermission) -> bool {
        self.role.may(what)
    }

    /// The account and the person.
    pub fn who(&self) -> (MerchantId, PersonId) {
        (self.scope.merchant, self.person)
    }

    /// How the person sees the documents of buyers.
    pub fn documents(&self) -> Documents {
        self.role.documents()
    }

    /// Whether the person may do something in their mode, as far as their session shows who they
    /// are.
    pub fn permit(&self, matter: fn(Mode) -> Matter) -> Permit {
        self.elevation.permit(matter(self.scope.mode))
    }

    /// Whether the person may name the PIX key that money goes back to.
    pub fn permit_payee(&self) -> PayeePermit {
        self.elevation.permit_payee(self.scope.mode, &self.permissions)
    }

    /// The person, for the audit log.
    pub fn by(&self) -> ActorContext {
        ActorContext::request(people::actor(self.scope.merchant, self.person), &self.context)
    }

    /// The same without the proof, for what every page shows.
    pub fn holder(&self) -> SeatHolder {
        let Self { scope: Scope { merchant, ahead, .. }, person, role, .. } = *self;
        let Self { is_administrator, ends_at, .. } = *self;
        SeatHolder { merchant, person, role, is_administrator, ahead, ends_at }
    }
}

impl<P> PersonalSeat<P> {
    /// The account and the person.
    pub fn who(&self) -> (MerchantId, PersonId) {
        (self.holder.merchant, self.holder.person)
    }

    /// The account, for what belongs to neither mode and takes effect once.
    pub fn scope(&self) -> Scope {
        let (merchant, mode) = (self.holder.merchant, Mode::Production);
        Scope { merchant, mode, ahead: self.holder.ahead }
    }

    /// Whether the person may do what no key may.
    pub fn may(&self, what: PersonalPermission) -> bool {
        self.holder.role.may(what)
    }

    /// Whether the person may do something, as far as their session shows who they are.
    pub fn permit(&self, matter: Matter) -> Permit {
        self.elevation.permit(matter)
    }

    /// The person in their session.
    pub fn acting(&self) -> Acting {
        Acting { who: self.who(), session: self.session, by: self.by() }
    }

    /// The person, for the audit log.
    pub fn by(&self) -> ActorContext {
        let (merchant, person) = self.who();
        ActorContext::request(people::actor(merchant, person), &self.context)
    }

    /// The request, for the audit log of another account.
    pub fn request(&self) -> Arc<RequestContext> {
        self.context.clone()
    }
}

impl SeatHolder {
    /// The account in the mode in which the person was found, for what checks by itself what their
    /// role includes.
    pub fn scope(self, mode: Mode) -> Scope {
        Scope { merchant: self.merchant, mode, ahead: self.ahead }
    }

    /// The person whose session a browser's cookie names, if it has not ended.
    pub async fn find(app: &App, headers: &HeaderMap, mode: Mode) -> Result<Option<Self>> {
        let Seated::Session(session) = find(app, headers, mode).await? else { return Ok(None) };
        Ok(Some(Self::of(&session)))
    }

    fn of(session: &BrowserSession) -> Self {
        let Membership { scope: Scope { merchant, ahead, .. }, person, role, .. } = session.member;
        let (is_administrator, ends_at) = (session.member.is_administrator(), session.ends_at);
        Self { merchant, person, role, is_administrator, ahead, ends_at }
    }
}

/// The cookie that signs a browser in. The session's end is the server's to know.
pub fn signed_in(token: &BrowserToken) -> Result<(HeaderName, HeaderValue)> {
    let cookie = format!("{COOKIE}{}; {ATTRIBUTES}", token.expose());
    let value = HeaderValue::try_from(cookie).map_err(|error| Error::Internal(error.into()))?;
    Ok((header::SET_COOKIE, value))
}

/// The cookie that forgets a session.
pub fn signed_out() -> Result<(HeaderName, HeaderValue)> {
    let cookie = format!("{COOKIE}; Max-Age=0; {ATTRIBUTES}");
    let value = HeaderValue::try_from(cookie).map_err(|error| Error::Internal(error.into()))?;
    Ok((header::SET_COOKIE, value))
}

/// The name of a mode in the addresses of the dashboard.
pub fn folder(mode: Mode) -> &'static str {
    match mode {
        Mode::Development => "dev",
        Mode::Production => "prod",
    }
}

/// The mode that an address of the dashboard, or of administrators' pages, names.
pub fn mode_of(path: &str) -> Option<Mode> {
    let within = [DASHBOARD, ADMIN].into_iter().find_map(|area| path.strip_prefix(area))?;
    let rest = within.strip_prefix('/')?;
    let named = rest.split('/').next()?;
    [Mode::Development, Mode::Production].into_iter().find(|mode| folder(*mode) == named)
}

/// Refuses a role that does not include what no key may do.
fn expect_role<P: RequiredPersonalPermissions>(role: MemberRole) -> Result<()> {
    match P::PERMISSIONS.iter().find(|needed| !role.may(**needed)) {
        Some(missing) => Err(Error::RoleForbidden(missing.name())),
        None => Ok(()),
    }
}

/// The session of a request, or the redirect to the page where one signs in.
async fn seated(
    parts: &mut Parts,
    app: &App,
    mode: Mode,
) -> Result<(Arc<RequestContext>, BrowserSession), Response> {
    let refused = IntoResponse::into_response;
    let Context(context) = Context::from_request_parts(parts, app).await.map_err(refused)?;
    let session = match find(app, &parts.headers, mode).await.map_err(refused)? {
        Seated::Session(session) => session,
        Seated::SignedOut { ended } => {
            let mut response = to_sign_in(parts, ended);
            if ended && !parts.method.is_safe() {
                let ended = ended_session(app, &parts.headers).await.map_err(refused)?;
                ended.map(|ended| response.extensions_mut().insert(ended));
            }
            return Err(response);
        }
    };
    app.check_rate_limit(&context, &AUTHENTICATED, session.member.scope).map_err(refused)?;
    if parts.method.is_safe() && parts.headers.contains_key(LIVE_PART) {
        return Ok((context, session));
    }
    if let Err(error) = browser::note_use(app, &session).await {
        // A page is read also while the disk is full.
        tracing::warn!(%error, "the use of a session could not be recorded");
    }
    Ok((context, session))
}

async fn find(app: &App, headers: &HeaderMap, mode: Mode) -> Result<Seated> {
    let given = cookies(headers, COOKIE).next().unwrap_or_default();
    let ended = !given.is_empty();
    let Some(token) = BrowserToken::parse(given) else {
        return Ok(Seated::SignedOut { ended });
    };
    let found = app.lookup(async move |tx: &Tx| browser::find(tx, &token, mode).await).await?;
    Ok(found.map_or(Seated::SignedOut { ended }, Seated::Session))
}

async fn ended_session(app: &App, headers: &HeaderMap) -> Result<Option<EndedSession>> {
    let given = cookies(headers, COOKIE).next().unwrap_or_default();
    let Some(token) = BrowserToken::parse(given) else { return Ok(None) };
    let whose = app.lookup(async move |tx: &Tx| browser::whose(tx, &token).await).await?;
    Ok(whose.map(|(merchant, person)| EndedSession(merchant, person)))
}

/// The page where one signs in, which leads back to the page that was wanted.
fn to_sign_in(parts: &Parts, ended: bool) -> Response {
    let wanted = match parts.uri.path_and_query() {
        Some(wanted) if parts.method.is_safe() => wanted.as_str(),
        // What a form posts to need not be a page.
        _ => DASHBOARD,
    };
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("next", wanted);
    if ended {
        query.append_pair("ended", "yes");
    }
    see(&format!("{SIGN_IN}?{}", query.finish()))
}

#[cfg(test)]
mod tests {
    use super::mode_of;
    use crate::platform::ids::Mode;

    #[test]
    fn the_mode_is_the_first_folder_of_the_dashboard() {
        let table = [
            ("/dashboard/dev", Some(Mode::Development)),
            ("/dashboard/prod/transactions/prod", Some(Mode::Production)),
            ("/dashboard/dev/prod", Some(Mode::Development)),
            ("/dashboard", None),
            ("/dashboard/", None),
            ("/dashboard/production", None),
            ("/dashboardprod/dev", None),
            ("/admin/prod/accounts", Some(Mode::Production)),
            ("/admin", None),
            ("/administrators/dev", None),
            ("/account/prod", None),
        ];
        for (path, mode) in table {
            assert_eq!(mode_of(path), mode, "{path}");
        }
    }
}
