//! The table of outcomes, row by row.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use rustls::{AlertDescription, CertificateError, Error as TlsError};

use super::{Ending, Stage, Unread, judge};
use crate::call::{Answer, Call, Reads};
use crate::failure::{ErrorObject, Failure, Fault, Meaning, Unsent};

#[path = "../../../tostao/tests/it/documented.rs"]
mod documented;

const OBJECT: &str = r#"{"code":"e1","text":"no"}"#;

/// A service whose errors are JSON objects, and whose codes say what they mean.
fn read_error(_: u16, body: &[u8]) -> Option<ErrorObject> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    let code = body.get("code")?.as_str()?.to_owned();
    let meaning = match code.as_str() {
        "known" => Meaning::Duplicate,
        "slow down" => Meaning::RateLimited,
        "none such" => Meaning::NotFound,
        "no funds" => Meaning::Misconfigured(Fault::Permission),
        _ => Meaning::Refused,
    };
    Some(ErrorObject { code, text: body.get("text")?.as_str()?.to_owned(), meaning })
}

fn order() -> Call {
    Call::post("pay", "/pay")
}

fn question() -> Call {
    Call::get("find", "/pay/1")
}

fn answered(status: u16, body: &str) -> Ending {
    with_body(status, Ok(Bytes::from(body.to_owned())))
}

fn with_body(status: u16, body: Result<Bytes, Unread>) -> Ending {
    let status = StatusCode::from_u16(status).unwrap();
    Ending::Answered { status, headers: HeaderMap::new(), body }
}

fn broken(error: impl StdError + Send + Sync + 'static, stage: Stage) -> Ending {
    Ending::Broken { error: Box::new(error), stage }
}

fn reset() -> io::Error {
    io::ErrorKind::ConnectionReset.into()
}

fn tls(error: TlsError) -> io::Error {
    io::Error::other(error)
}

/// A short form of the outcome, which a row can hold.
fn short(result: Result<Answer, Failure>) -> String {
    match result {
        Ok(answer) => format!("ok {}", answer.status),
        Err(Failure::NotSent { reason, retry_after, .. }) => match retry_after {
            Some(time) => format!("not sent {reason:?} {time:?}"),
            None => format!("not sent {reason:?}"),
        },
        Err(Failure::Unknown { .. }) => "unknown".to_owned(),
        Err(Failure::Misconfigured { fault, .. }) => format!("misconfigured {fault:?}"),
        Err(Failure::Refused { status, code, text }) => format!("refused {status} {code} {text}"),
        Err(Failure::Duplicate { code, .. }) => format!("duplicate {code}"),
        Err(Failure::NotFound { .. }) => "not found".to_owned(),
    }
}

fn outcome(call: &Call, ending: Ending) -> String {
    short(judge(call, ending, read_error))
}

#[test]
fn what_was_provably_not_written_is_not_sent_and_all_else_that_broke_is_unknown() {
    let expired = || tls(TlsError::InvalidCertificate(CertificateError::Expired));
    for (name, ending, expected) in [
        ("no connection in time", Ending::Late { handed_over: false }, "not sent Unreachable"),
        ("no answer in time", Ending::Late { handed_over: true }, "unknown"),
        ("refused", broken(reset(), Stage::Unwritten), "not sent Unreachable"),
        ("their certificate", broken(expired(), Stage::Unwritten), "not sent ServerCertificate"),
        ("reset", broken(reset(), Stage::WrittenFirst), "unknown"),
        ("reset later", broken(reset(), Stage::Written), "unknown"),
    ] {
        assert_eq!(outcome(&order(), ending), expected, "{name}");
    }
}

#[test]
fn an_alert_about_our_certificate_is_misconfigured_before_the_first_response_only() {
    let required = AlertDescription::CertificateRequired;
    for (alert, stage, expected) in [
        (required, Stage::Unwritten, "misconfigured Certificate"),
        (required, Stage::WrittenFirst, "misconfigured Certificate"),
        (required, Stage::Written, "unknown"),
        (AlertDescription::InternalError, Stage::Unwritten, "not sent Unreachable"),
        (AlertDescription::InternalError, Stage::WrittenFirst, "unknown"),
    ] {
        let ending = broken(tls(TlsError::AlertReceived(alert)), stage);
        assert_eq!(outcome(&order(), ending), expected, "{alert:?} {stage:?}");
    }
}

#[test]
fn a_status_with_a_readable_body_has_one_outcome() {
    let html = "<html>";
    let known = r#"{"code":"known","text":""}"#;
    let slow_down = r#"{"code":"slow down","text":""}"#;
    let no_funds = r#"{"code":"no funds","text":""}"#;
    for (status, body, expected) in [
        (200, "{}", "ok 200"),
        (201, "[]", "ok 201"),
        (200, html, "unknown"),
        (200, "", "unknown"),
        (204, "", "unknown"),
        (301, "{}", "unknown"),
        (303, "{}", "unknown"),
        (400, OBJECT, "refused 400 e1 no"),
        (400, html, "misconfigured Proxy"),
        (400, "{}", "misconfigured Proxy"),
        (400, known, "duplicate known"),
        (400, slow_down, "not sent RateLimited"),
        (400, no_funds, "misconfigured Permission"),
        (401, OBJECT, "misconfigured Credentials"),
        (401, known, "misconfigured Credentials"),
        (401, html, "misconfigured Credentials"),
        (403, OBJECT, "misconfigured Permission"),
        (403, html, "misconfigured Permission"),
        (403, known, "duplicate known"),
        (404, OBJECT, "refused 404 e1 no"),
        (404, html, "misconfigured Proxy"),
        (408, OBJECT, "unknown"),
        (409, OBJECT, "duplicate e1"),
        (409, html, "duplicate "),
        (422, OBJECT, "refused 422 e1 no"),
        (429, OBJECT, "not sent RateLimited"),
        (429, html, "not sent RateLimited"),
        (429, known, "not sent RateLimited"),
        (499, OBJECT, "refused 499 e1 no"),
        (500, OBJECT, "unknown"),
        (502, html, "unknown"),
        (503, OBJECT, "unknown"),
        (504, "", "unknown"),
        (600, OBJECT, "unknown"),
    ] {
        assert_eq!(outcome(&order(), answered(status, body)), expected, "{status} {body}");
    }
}

#[test]
fn only_a_question_may_be_answered_with_404() {
    assert_eq!(outcome(&question(), answered(404, OBJECT)), "not found");
    assert_eq!(outcome(&question(), answered(404, "<html>")), "misconfigured Proxy");
    assert_eq!(outcome(&question(), answered(400, OBJECT)), "refused 400 e1 no");
    for call in
        [order(), Call::put("put", "/"), Call::patch("patch", "/"), Call::delete("end", "/")]
    {
        assert_eq!(outcome(&call, answered(404, OBJECT)), "refused 404 e1 no", "{call:?}");
    }
}

#[test]
fn a_services_own_word_for_what_does_not_exist_counts_under_any_status() {
    let none = r#"{"code":"none such","text":"no"}"#;
    assert_eq!(outcome(&question(), answered(400, none)), "not found");
    assert_eq!(outcome(&question(), answered(404, none)), "not found");
    assert_eq!(outcome(&order(), answered(400, none)), "refused 400 none such no");
}

#[test]
fn a_body_that_was_not_read_leaves_unknown_what_only_it_could_say() {
    for unread in [Unread::Cut("reset".to_owned()), Unread::TooLarge, Unread::Late] {
        for (status, expected) in [
            (200, "unknown"),
            (400, "unknown"),
            (404, "unknown"),
            (401, "misconfigured Credentials"),
            (403, "misconfigured Permission"),
            (409, "duplicate "),
            (429, "not sent RateLimited"),
            (500, "unknown"),
        ] {
            let ending = with_body(status, Err(unread.clone()));
            assert_eq!(outcome(&order(), ending), expected, "{status} {unread:?}");
        }
    }
}

#[test]
fn a_body_that_need_not_be_json_may_be_anything_that_was_read() {
    let call = Call::delete("end", "/pay/1").reads(Reads::Anything);
    assert_eq!(outcome(&call, answered(204, "")), "ok 204");
    assert_eq!(outcome(&call, answered(200, "<html>")), "ok 200");
    assert_eq!(outcome(&call, with_body(200, Err(Unread::TooLarge))), "unknown");
}

#[test]
fn the_wait_that_the_service_asks_for_is_passed_on() {
    let mut headers = HeaderMap::new();
    headers.insert(RETRY_AFTER, HeaderValue::from_static("3"));
    let (status, body) = (StatusCode::TOO_MANY_REQUESTS, Ok(Bytes::new()));
    let result = judge(&order(), Ending::Answered { status, headers, body }, read_error);
    let Err(Failure::NotSent { reason, retry_after, .. }) = result else {
        panic!("{result:?}");
    };
    assert_eq!((reason, retry_after), (Unsent::RateLimited, Some(Duration::from_secs(3))));
}

#[test]
fn causes_are_sentences_for_the_operator() {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html"));
    let body = Ok(Bytes::from_static(b"<html>"));
    let proxy = Ending::Answered { status: StatusCode::BAD_REQUEST, headers, body };
    let required = tls(TlsError::AlertReceived(AlertDescription::CertificateRequired));
    let named = tls(TlsError::InvalidCertificate(CertificateError::NotValidForName));
    for (ending, expected) in [
        (
            proxy,
            "The connection is misconfigured: the answer is 400 with text/html instead of an error \
             of the service's own; proxies refuse a client certificate so.",
        ),
        (
            broken(required, Stage::WrittenFirst),
            "The connection is misconfigured: the service requires a client certificate.",
        ),
        (
            broken(named, Stage::Unwritten),
            "The request was not processed: the certificate of the service is for another name.",
        ),
        (
            broken(reset(), Stage::Written),
            "It is unknown whether the request was processed: the connection broke before the \
             answer: connection reset.",
        ),
        (
            answered(403, OBJECT),
            "The connection is misconfigured: the service does not permit the operation: e1.",
        ),
        (answered(422, OBJECT), "The service refused with 422 e1."),
    ] {
        let failure = judge(&order(), ending, read_error).unwrap_err();
        assert_eq!(failure.to_string(), expected);
    }
}

/// What becomes of an exchange, or comes of a body, in the words of the documents.
type Case<T> = (&'static str, fn() -> T);
type Body = Result<Bytes, Unread>;
/// What an order and a question come to.
type Outcomes = [&'static str; 2];
type Group = (Outcomes, Vec<u16>);

/// Exchanges without a response.
fn without_a_response() -> [Case<Ending>; 6] {
    fn alert() -> io::Error {
        tls(TlsError::AlertReceived(AlertDescription::CertificateRequired))
    }
    [
        ("no connection in time", || Ending::Late { handed_over: false }),
        ("no connection, or nothing written", || broken(reset(), Stage::Unwritten)),
        ("cut after writing", || broken(reset(), Stage::WrittenFirst)),
        ("no response in time", || Ending::Late { handed_over: true }),
        ("a TLS alert about our certificate, before any response of the connection", || {
            broken(alert(), Stage::WrittenFirst)
        }),
        ("the same alert later", || broken(alert(), Stage::Written)),
    ]
}

/// Bodies of responses.
fn bodies() -> [Case<Body>; 8] {
    const fn body(text: &'static str) -> Bytes {
        Bytes::from_static(text.as_bytes())
    }
    [
        ("JSON that is no error of the provider's", || Ok(body("{}"))),
        ("the provider's own error", || Ok(body(OBJECT))),
        ("its word for a known id", || Ok(body(r#"{"code":"known","text":""}"#))),
        ("its word for what does not exist", || Ok(body(r#"{"code":"none such","text":""}"#))),
        ("its word for too many requests", || Ok(body(r#"{"code":"slow down","text":""}"#))),
        ("its word for a fault of our setup", || Ok(body(r#"{"code":"no funds","text":""}"#))),
        ("what is not JSON", || Ok(body("<html>"))),
        ("a body that is cut, late or too large", || Err(Unread::TooLarge)),
    ]
}

/// The outcome's name, as the documents have it.
fn name(call: &Call, ending: Ending) -> &'static str {
    match judge(call, ending, read_error) {
        Ok(_) => "the response",
        Err(Failure::NotSent { .. }) => "`NotSent`",
        Err(Failure::Unknown { .. }) => "`Unknown`",
        Err(Failure::Misconfigured { .. }) => "`Misconfigured`",
        Err(Failure::Refused { .. }) => "`Refused`",
        Err(Failure::Duplicate { .. }) => "`Duplicate`",
        Err(Failure::NotFound { .. }) => "`NotFound`",
    }
}

/// Statuses by their class, such as `3xx, 4xx but 401 and 403`.
fn classes(statuses: &[u16]) -> String {
    let list = |statuses: Vec<u16>| {
        statuses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let class = |class: u16| {
        let all = class * 100..class * 100 + 100;
        let (inside, outside): (Vec<_>, Vec<_>) = all.partition(|it| statuses.contains(it));
        match (inside.len(), outside.len()) {
            (0, _) => None,
            (_, 0) => Some(format!("{class}xx")),
            (inside, outside_count) if inside > outside_count => {
                Some(format!("{class}xx but {}", list(outside)))
            }
            _ => Some(list(inside)),
        }
    };
    (2..6).filter_map(class).collect::<Vec<_>>().join("; ")
}

/// What comes of a response.
fn both(status: u16, body: fn() -> Body) -> Outcomes {
    [order(), question()].map(|call| name(&call, with_body(status, body())))
}

/// Statuses by what they come to, in the order of their first one.
fn grouped(statuses: impl Iterator<Item = u16>, outcome: impl Fn(u16) -> Outcomes) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for status in statuses {
        let outcome = outcome(status);
        match groups.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, statuses)) => statuses.push(status),
            None => groups.push((outcome, vec![status])),
        }
    }
    groups
}

/// Every status with every body: first those whose body does not matter.
fn responses() -> Vec<(String, Outcomes)> {
    let first = bodies()[0].1;
    let is_alike = |status: &u16| {
        bodies().iter().all(|(_, body)| both(*status, *body) == both(*status, first))
    };
    let (alike, others): (Vec<u16>, Vec<u16>) = (200..600).partition(is_alike);
    let mut rows: Vec<_> = grouped(alike.into_iter(), |status| both(status, first))
        .into_iter()
        .map(|(outcomes, statuses)| (classes(&statuses), outcomes))
        .collect();
    let mut by_body: Vec<(Group, Vec<&str>)> = Vec::new();
    for (what, body) in bodies() {
        for group in grouped(others.iter().copied(), |status| both(status, body)) {
            match by_body.iter_mut().find(|(known, _)| *known == group) {
                Some((_, bodies)) => bodies.push(what),
                None => by_body.push((group, vec![what])),
            }
        }
    }
    rows.extend(by_body.into_iter().map(|((outcomes, statuses), bodies)| {
        (format!("{}, with {}", classes(&statuses), bodies.join(", or ")), outcomes)
    }));
    rows
}

#[test]
fn the_table_of_outcomes_in_the_documents_is_what_is_decided() {
    let mut rows: Vec<_> = without_a_response()
        .into_iter()
        .map(|(what, ending)| {
            let outcomes = [order(), question()].map(|call| name(&call, ending()));
            (what.to_owned(), outcomes)
        })
        .collect();
    rows.extend(responses());
    let row = |(what, [order, question]): (String, Outcomes)| {
        format!("| {what} | {order} | {question} |\n")
    };
    let rows: Vec<_> = rows.into_iter().map(row).collect();
    let head = "| What happened | To an order | To a question |\n|---|---|---|\n";
    let table = format!("{head}{}", rows.concat());
    documented::check("connectors", "outcomes", &table);
}
