//! Outermost middleware: request id, global rate limit, body size, response headers, error
//! rendering, compression.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use anyhow::anyhow;
use axum::extract::{FromRef, MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use db::hex::hex;
use db::time::Timestamp;
use http::header::Entry;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Version, header};

use crate::app::App;
use crate::auth::caller::note_caller;
use crate::checkout::closed_pages::error_page;
use crate::checkout::redirect_pages::from_foreign;
use crate::dashboard::account::look_pages::UPLOAD;
use crate::dashboard::unframed_pages;
use crate::idempotency::dry_run::{self, Wish};
use crate::openapi::deprecation::{DEPRECATION, SUNSET};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::body::{BODY_BYTES_MAX, expect_size};
use crate::platform::http::card_data;
use crate::platform::http::context::{Context, RateState, RequestContext};
use crate::platform::http::deadline::{self, REQUEST_TIME_MAX};
use crate::platform::http::error_response::{self, RenderedError, UnrenderedError};
use crate::platform::http::hosts::PublicUrls;
use crate::platform::http::html::{html_response, see};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::own_forms::is_foreign;
use crate::platform::http::rate_limit::{LOGGED, PUBLIC};
use crate::platform::http::server::Peer;
use crate::platform::http::{gzip, reply};
use crate::platform::telemetry;
use crate::providers::CALLBACKS;
use crate::providers::callback::{CALLBACK_BYTES_MAX, for_bank};
use crate::requests::recording_api::Arrival;

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
/// Browser features that no page uses; writing to the clipboard is not listed, because pages do.
const NOTHING_PERMITTED: &str = "accelerometer=(), browsing-topics=(), camera=(), \
    display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), \
    payment=(), usb=()";
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("ratelimit-reset");
/// How many headers [`finish`] adds at most, with the length that the router adds.
const FINISHING_HEADERS: usize = 12;

/// Wraps every route.
pub async fn handle(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let started = app.now();
    let context = Arc::new(context(&app, &request, started));
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    let wish = dry_run::wish(request.method(), request.uri().query());
    let arrival = Arrival::of(&request, route, wish == Wish::Dry, started);
    let reader = Reader::of(&request);
    let is_callback = is_callback(&request);
    // The response to a POST may hold a secret beside the caller's input, and the compressed length
    // would reveal it.
    let takes_gzip = method == Method::GET && gzip::is_accepted(request.headers());
    request.extensions_mut().insert(context.clone());
    let mut response = match admit(&app, &context, &mut request, wish, started).await {
        Err(error) => error.into_response(),
        Ok(()) => deadline::enforce(REQUEST_TIME_MAX, request, next).await,
    };
    if let Some(UnrenderedError(error)) = unrendered(&mut response) {
        let error = if is_callback { for_bank(error) } else { error };
        log_error(&error, &context, route);
        let now = (started, app.settings.base_url());
        let page = response.extensions_mut().remove::<RenderedError>();
        response = render(&error, &context, (reader, page), now, response.headers());
    }
    let took = app.now().since(started);
    let (answered, observed) =
        arrival.answered(app.settings.request_log, &context, response, took).await;
    response = answered;
    if let Some(observed) = observed {
        let (merchant, mode, is_refused) = observed.log();
        let log = format!("{merchant} {} {is_refused}", mode.name());
        if app.limits.bound(&LOGGED, &log, started) {
            app.requests.add(observed);
        } else {
            telemetry::request_log_dropped(1);
        }
    }
    if takes_gzip {
        response = gzip::compress_response(response).await;
    }
    finish(&mut response, &context, app.urls.checkout().starts_with("https://"));
    log(&method, route, &response, &context, app.now().since(started).as_secs_f64());
    response
}

/// Wraps the buyers' pages: a form that another site posts in a buyer's browser changes nothing.
///
/// Otherwise that site could choose the attempt of a form that the buyer fills in next, and so
/// share the buyer's payment. A form that starts a purchase leads to a fresh one.
pub async fn own_forms(
    State(app): State<App>,
    Context(context): Context,
    request: Request,
    next: Next,
) -> Response {
    if request.method() != Method::POST || !is_foreign(request.headers(), app.urls.all()) {
        return next.run(request).await;
    }
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    if matches!(route, Some("/pay/{slug}" | "/subscribe/{planId}")) {
        return see(request.uri().path());
    }
    context.note_form_page(from_foreign(&app, request).await);
    let message = "Another site posted this form. Open the page again.";
    Error::refused(ErrorCode::CrossSiteForm, message).into_response()
}

/// The fallback for unknown routes.
pub async fn not_found() -> Error {
    Error::NotFound("Route")
}

/// The fallback for a known path with another method.
pub async fn method_not_allowed() -> Error {
    Error::refused(ErrorCode::MethodNotAllowed, "This path does not support this method.")
}

/// The reader of the response: a program, or a person with a language.
#[derive(Debug, Clone, Copy)]
enum Reader {
    Program,
    Person(RequestLanguage),
}

impl Reader {
    fn of(request: &Request) -> Self {
        let (address, headers) = (request.uri(), request.headers());
        let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
        let page = accept.is_some_and(|accept| accept.contains("text/html"));
        if page && !address.path().starts_with("/api/") {
            Self::Person(RequestLanguage::of(address, headers))
        } else {
            Self::Program
        }
    }
}

impl FromRef<App> for PublicUrls {
    fn from_ref(app: &App) -> Self {
        app.urls.clone()
    }
}

fn context(app: &App, request: &Request, now: Timestamp) -> RequestContext {
    let peer = request.extensions().get::<Peer>();
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0);
    let client_ip = app.proxies.client(peer, request.headers());
    app.unbelieved.note(&app.proxies, request.headers(), now);
    let given = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok());
    let request_id = match given.filter(|id| is_request_id(id)) {
        Some(id) => id.to_owned(),
        None => hex(&app.database.sources().random::<16>()),
    };
    let context = RequestContext::new(request_id, request.uri().path().to_owned(), client_ip);
    let query = request.uri().query().filter(|_| request.method().is_safe());
    context.with_query(query)
}

fn is_request_id(text: &str) -> bool {
    (8..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && !card_data::stands_in_value(text)
}

/// Takes the error out of a response. A plain-text server error was not rendered by us and becomes
/// an internal error, so that it is logged and has a body like every other.
fn unrendered(response: &mut Response) -> Option<UnrenderedError> {
    let error = response.extensions_mut().remove::<UnrenderedError>();
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if error.is_some() || !status.is_server_error() || kind.is_some_and(is_face) {
        return error;
    }
    let cause = anyhow!("a handler returned {status} without an error");
    Some(UnrenderedError(Arc::new(Error::Internal(cause))))
}

/// Whether it is a content type of pages and errors.
fn is_face(kind: &str) -> bool {
    kind.starts_with("text/html") || kind.starts_with("application/json")
}

/// Refuses an HTTP/1.1 request without a host, or with several: a proxy in front and this server
/// might each choose another one.
fn expect_host(request: &Request) -> Result<()> {
    let lines = request.headers().get_all(header::HOST).iter().count();
    let old = request.version() == Version::HTTP_10;
    if lines == 1 || old && lines == 0 {
        return Ok(());
    }
    Err(Error::field("Host", "INVALID_VALUE", "must be sent once"))
}

/// Refuses a dry run of a route that has none, instead of doing what the caller only wants to see.
fn expect_supported_dry_run(request: &Request, wish: Wish) -> Result<()> {
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    if dry_run::is_unsupported(wish, request.method(), route) {
        let message = "This route has no dry run. Nothing was done.";
        return Err(Error::refused(ErrorCode::DryRunNotSupported, message));
    }
    Ok(())
}

/// Counts the request, and refuses a body that is too large, before authentication.
async fn admit(
    app: &App,
    context: &Arc<RequestContext>,
    request: &mut Request,
    wish: Wish,
    now: Timestamp,
) -> Result<()> {
    context.note_rate(app.limits.check_address(&PUBLIC, context.client_ip, "", now)?);
    expect_host(request)?;
    if let Err(refused) = expect_supported_dry_run(request, wish) {
        note_caller(app, request.headers(), context).await?;
        return Err(refused);
    }
    if request.uri().path() == UPLOAD {
        // Its page reads no more than it takes, and says in its form that a file is too large.
        return Ok(());
    }
    let most = if is_callback(request) { CALLBACK_BYTES_MAX } else { BODY_BYTES_MAX };
    expect_size(request, most).await
}

fn is_callback(request: &Request) -> bool {
    request.uri().path().starts_with(CALLBACKS)
}

/// Logs an internal error with its route, because the path may hold a buyer's token.
fn log_error(error: &Error, context: &RequestContext, route: &str) {
    if let Error::Internal(cause) = error {
        tracing::error!(request_id = context.request_id, route, "{cause:#}");
    }
    if let Error::Unavailable(cause)
    | Error::NotAnswered(cause)
    | Error::Partial(cause)
    | Error::NotConfigured(cause)
    | Error::OutOfService(cause)
    | Error::Unknown(cause) = error
    {
        tracing::warn!(request_id = context.request_id, route, "{cause}");
    }
}

fn render(
    error: &Error,
    context: &RequestContext,
    (reader, page): (Reader, Option<RenderedError>),
    (now, base_url): (Timestamp, String),
    given: &HeaderMap,
) -> Response {
    context.note_refusal(error);
    let status = error_response::status(error);
    let mut response = match (reader, page) {
        (Reader::Person(language), Some(RenderedError(page))) => {
            html_response(page.to_string(), status, language, false)
        }
        (Reader::Program, _) => {
            let body = error_response::body(error, context, now, &base_url);
            reply::json(status.as_u16(), serde_json::to_vec(&body).unwrap_or_default())
        }
        (Reader::Person(language), None) => unframed_pages::page(error, context, language)
            .unwrap_or_else(|| error_page(error, context, language, &base_url)),
    };
    for name in [header::ALLOW, DEPRECATION, SUNSET, header::LINK] {
        if let Some(value) = given.get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response.headers_mut().extend(error_response::headers(error));
    response
}

fn finish(response: &mut Response, context: &RequestContext, https: bool) {
    let headers = response.headers_mut();
    headers.reserve(FINISHING_HEADERS);
    if https {
        secure_cookies(headers);
    }
    if let Ok(id) = HeaderValue::from_str(&context.request_id) {
        headers.insert(REQUEST_ID, id);
    }
    // Constants are checked when the program is compiled, not at each response.
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, const { HeaderValue::from_static("nosniff") });
    headers.insert(header::REFERRER_POLICY, const { HeaderValue::from_static("no-referrer") });
    headers.insert(OPENER_POLICY, const { HeaderValue::from_static("same-origin") });
    headers.insert(PERMISSIONS_POLICY, const { HeaderValue::from_static(NOTHING_PERMITTED) });
    // Responses that are not pages must not be framed either; pages set their own policy.
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(const { HeaderValue::from_static("frame-ancestors 'none'") });
    headers.insert(
        header::STRICT_TRANSPORT_SECURITY,
        const { HeaderValue::from_static("max-age=31536000; includeSubDomains") },
    );
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, const { HeaderValue::from_static("no-store") });
    }
    if let Some(RateState { limit, remaining, reset_seconds }) = context.noted().rate {
        headers.insert(LIMIT, HeaderValue::from(limit));
        headers.insert(REMAINING, HeaderValue::from(remaining));
        headers.insert(RESET, HeaderValue::from(reset_seconds));
    }
}

/// Marks cookies as `Secure`; only called if the public URL is https.
fn secure_cookies(headers: &mut HeaderMap) {
    let given = match headers.entry(header::SET_COOKIE) {
        Entry::Vacant(_) => return,
        Entry::Occupied(cookies) => cookies.remove_entry_mult().1.collect::<Vec<_>>(),
    };
    for cookie in given {
        let text = cookie.to_str().unwrap_or_default();
        let marked = text.split(';').any(|part| part.trim().eq_ignore_ascii_case("secure"));
        let secure = HeaderValue::from_str(&format!("{text}; Secure")).ok();
        headers.append(header::SET_COOKIE, secure.filter(|_| !marked).unwrap_or(cookie));
    }
}

fn log(method: &Method, route: &str, response: &Response, context: &RequestContext, seconds: f64) {
    let status = response.status().as_u16();
    telemetry::request_served(method.as_str(), route, status, seconds);
    tracing::debug!(
        request_id = context.request_id,
        merchant = context.noted().caller.map(|caller| tracing::field::display(caller.merchant)),
        %method,
        route,
        status,
        seconds,
        "request served"
    );
}

#[cfg(test)]
mod tests {
    use axum::response::{IntoResponse, Response};
    use http::{HeaderMap, StatusCode, header};

    use super::{secure_cookies, unrendered};
    use crate::platform::error::{Error, ErrorCode};
    use crate::platform::http::error_response::UnrenderedError;

    #[test]
    fn a_fault_without_an_error_becomes_one() {
        let kind = |status: StatusCode, kind: &'static str| -> Response {
            (status, [(header::CONTENT_TYPE, kind)], "text").into_response()
        };
        let fault = StatusCode::INTERNAL_SERVER_ERROR;
        let table = [
            (fault.into_response(), true),
            ((fault, "failed to parse").into_response(), true),
            (StatusCode::SERVICE_UNAVAILABLE.into_response(), true),
            (kind(fault, "text/html; charset=utf-8"), false),
            (kind(fault, "application/json"), false),
            (kind(StatusCode::OK, "text/plain"), false),
            (StatusCode::NOT_FOUND.into_response(), false),
        ];
        for (number, (mut response, becomes_one)) in table.into_iter().enumerate() {
            let made = unrendered(&mut response);
            let internal =
                made.is_some_and(|UnrenderedError(error)| matches!(*error, Error::Internal(_)));
            assert_eq!(internal, becomes_one, "row {number}");
        }
        let mut refused = Error::refused(ErrorCode::NotFound, "no").into_response();
        assert!(
            unrendered(&mut refused)
                .is_some_and(|UnrenderedError(e)| !matches!(*e, Error::Internal(_)))
        );
    }

    #[test]
    fn every_cookie_is_marked_once() {
        let mut headers = HeaderMap::new();
        for cookie in ["a=b; Path=/", "c=d; secure; HttpOnly", "e=secure"] {
            headers.append(header::SET_COOKIE, cookie.parse().unwrap());
        }
        secure_cookies(&mut headers);
        let cookies: Vec<_> = headers.get_all(header::SET_COOKIE).iter().collect();
        assert_eq!(cookies, ["a=b; Path=/; Secure", "c=d; secure; HttpOnly", "e=secure; Secure"]);
        let mut none = HeaderMap::new();
        secure_cookies(&mut none);
        assert!(none.is_empty());
    }
}
