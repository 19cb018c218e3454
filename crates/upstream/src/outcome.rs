//! What a call came to: the one place that decides it.
//!
//! ```text
//! not connected, not written, 429                       NotSent
//! TLS alert about our certificate, before any response  Misconfigured
//! cut, reset or late after writing; 408, 3xx, 5xx       Unknown
//! 2xx that cannot be read                               Unknown
//! 401, 403, 4xx that is not the service's own           Misconfigured
//! 409, or the service's word for a known id             Duplicate
//! 404, or the service's word for what does not exist,
//!     in its own form, when asking                      NotFound
//! 4xx in the service's own form                         Refused
//! 2xx                                                   the answer
//! ```

#[cfg(test)]
mod tests;

use std::error::Error as StdError;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use serde::de::IgnoredAny;

use crate::call::{Answer, Call, Reads};
use crate::causes::{complaint_about_our_certificate, complaint_about_their_certificate, in_words};
use crate::failure::{ErrorObject, Failure, Fault, Meaning, Unsent};
use crate::retry_after;

/// How many characters of a service's own code and text are kept.
const OWN_TEXT_MAX: usize = 200;

/// How an exchange ended.
pub(crate) enum Ending {
    /// The deadline passed before the head of a response, with the request handed to a connection
    /// or not.
    Late { handed_over: bool },
    /// There was an error before the head of a response.
    Broken { error: Box<dyn StdError + Send + Sync>, stage: Stage },
    /// There was a response, with a body that was read or not.
    Answered { status: StatusCode, headers: HeaderMap, body: Result<Bytes, Unread> },
}

/// Where a request was when its exchange ended with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Provably nothing of it was written.
    Unwritten,
    /// It may have been written, the first on its connection.
    WrittenFirst,
    /// It may have been written, on a connection that has carried a response before.
    Written,
}

/// Why a body was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    Cut(String),
    TooLarge,
    Late,
}

/// Decides what a call came to.
pub(crate) fn judge(
    call: &Call,
    ending: Ending,
    read_error: impl Fn(u16, &[u8]) -> Option<ErrorObject>,
) -> Result<Answer, Failure> {
    match ending {
        Ending::Late { handed_over: false } => {
            Err(not_sent(Unsent::Unreachable, "there was no connection in time".to_owned()))
        }
        Ending::Late { handed_over: true } => Err(unknown("there was no answer in time")),
        Ending::Broken { error, stage } => Err(judge_error(error.as_ref(), stage)),
        Ending::Answered { status, headers, body } if status.is_success() => {
            judge_success(call, status.as_u16(), headers, body)
        }
        Ending::Answered { status, headers, body } if status.is_client_error() => {
            Err(judge_refusal(call, status.as_u16(), &headers, body, read_error))
        }
        Ending::Answered { status, .. } if status.is_redirection() => {
            // A service may redirect to the page of what it has just made.
            Err(unknown(&format!("the answer is a redirect ({status}), which is not followed")))
        }
        Ending::Answered { status, .. } => Err(unknown(&format!("the answer is {status}"))),
    }
}

fn judge_error(error: &(dyn StdError + 'static), stage: Stage) -> Failure {
    let ours = complaint_about_our_certificate(error).filter(|_| stage != Stage::Written);
    if let Some(complaint) = ours {
        let cause = format!("the service {complaint}");
        return Failure::Misconfigured { fault: Fault::Certificate, cause };
    }
    if stage != Stage::Unwritten {
        return unknown(&format!("the connection broke before the answer: {}", in_words(error)));
    }
    if let Some(complaint) = complaint_about_their_certificate(error) {
        let cause = format!("the certificate of the service {complaint}");
        return not_sent(Unsent::ServerCertificate, cause);
    }
    not_sent(Unsent::Unreachable, format!("the service cannot be reached: {}", in_words(error)))
}

fn judge_success(
    call: &Call,
    status: u16,
    headers: HeaderMap,
    body: Result<Bytes, Unread>,
) -> Result<Answer, Failure> {
    let body = body.map_err(|unread| unread_answer(status, &unread))?;
    let is_readable = match call.reads {
        Reads::Anything => true,
        Reads::Json => serde_json::from_slice::<IgnoredAny>(&body).is_ok(),
    };
    if is_readable {
        Ok(Answer { status, headers, body })
    } else {
        Err(unknown(&format!("the answer is {status}, and its body is not JSON")))
    }
}

fn judge_refusal(
    call: &Call,
    status: u16,
    headers: &HeaderMap,
    body: Result<Bytes, Unread>,
    read_error: impl Fn(u16, &[u8]) -> Option<ErrorObject>,
) -> Failure {
    let object = body.as_ref().ok().and_then(|body| read_error(status, body)).map(bounded);
    let meaning = object.as_ref().map(|object| object.meaning);
    let own_words = object.as_ref().map_or_else(String::new, own_words);
    match (status, meaning) {
        (401, _) => misconfigured(
            Fault::Credentials,
            format!("the service does not accept our credentials{own_words}"),
        ),
        (408, _) => unknown("the answer is 408"),
        (429, _) | (_, Some(Meaning::RateLimited)) => Failure::NotSent {
            reason: Unsent::RateLimited,
            cause: "the service received too many requests".to_owned(),
            retry_after: retry_after::read(headers),
        },
        (409, _) | (_, Some(Meaning::Duplicate)) => {
            let (code, text) = object.map(|it| (it.code, it.text)).unwrap_or_default();
            Failure::Duplicate { code, text }
        }
        (403, _) => misconfigured(
            Fault::Permission,
            format!("the service does not permit the operation{own_words}"),
        ),
        (_, Some(Meaning::Misconfigured(fault))) => {
            misconfigured(fault, format!("the service refuses our setup{own_words}"))
        }
        (404, Some(Meaning::Refused)) | (_, Some(Meaning::NotFound)) if call.is_question() => {
            Failure::NotFound { code: object.map(|it| it.code).unwrap_or_default() }
        }
        (_, Some(Meaning::Refused | Meaning::NotFound)) => {
            let (code, text) = object.map(|it| (it.code, it.text)).unwrap_or_default();
            Failure::Refused { status, code, text }
        }
        (_, None) => match body {
            // What was not read may say that the id is known.
            Err(unread) => unread_answer(status, &unread),
            Ok(_) => misconfigured(Fault::Proxy, foreign_answer(status, headers)),
        },
    }
}

/// A proxy in front of a service refuses client certificates, methods and paths in its own form.
fn foreign_answer(status: u16, headers: &HeaderMap) -> String {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or("something");
    format!(
        "the answer is {status} with {kind} instead of an error of the service's own; proxies \
         refuse a client certificate so"
    )
}

fn unread_answer(status: u16, unread: &Unread) -> Failure {
    match unread {
        Unread::Cut(cause) => unknown(&format!("the answer is {status}, and it is cut: {cause}")),
        Unread::TooLarge => unknown(&format!("the answer is {status}, and its body is too large")),
        Unread::Late => unknown(&format!("the answer is {status}, and its end was not in time")),
    }
}

/// A service's texts are kept short, whatever it sends.
fn bounded(object: ErrorObject) -> ErrorObject {
    let cut = |text: String| text.chars().take(OWN_TEXT_MAX).collect();
    ErrorObject { code: cut(object.code), text: cut(object.text), ..object }
}

fn own_words(object: &ErrorObject) -> String {
    format!(": {}", object.code)
}

fn not_sent(reason: Unsent, cause: String) -> Failure {
    Failure::NotSent { reason, cause, retry_after: None }
}

fn unknown(cause: &str) -> Failure {
    Failure::Unknown { cause: cause.to_owned() }
}

fn misconfigured(fault: Fault, cause: String) -> Failure {
    Failure::Misconfigured { fault, cause }
}
