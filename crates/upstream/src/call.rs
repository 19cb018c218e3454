//! One call: what is asked, what is answered, and what is reported of it.

use std::fmt::{self, Write as _};
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::form_urlencoded;

use crate::breaker::Kind;
use crate::failure::Failure;

/// The time that a call has unless it says otherwise.
pub(crate) const WITHIN: Duration = Duration::from_secs(10);

/// The longest time that a call may have.
const WITHIN_MAX: Duration = Duration::from_secs(3600);

/// A request to the service.
#[derive(Clone)]
pub struct Call {
    pub(crate) operation: &'static str,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) reads: Reads,
    pub(crate) within: Duration,
    pub(crate) kind: Kind,
    /// Why the request cannot be sent.
    pub(crate) flaw: Option<String>,
}

/// What the body of a successful response must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    Json,
    Anything,
}

/// A response of a status from 200 to 299.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// What became of a call, with what logs and metrics need.
#[derive(Debug)]
pub struct Report {
    /// The caller's name for what it asked.
    pub operation: &'static str,
    pub result: Result<Answer, Failure>,
    /// The status of the last response, if there was one.
    pub status: Option<u16>,
    /// The headers of the last response, for the service's own id of the request.
    pub headers: HeaderMap,
    /// From the call to its outcome, with all waiting.
    pub elapsed: Duration,
}

impl Call {
    /// Asks for something that exists: a response of status 404 is an answer.
    pub fn get(operation: &'static str, path: &str) -> Self {
        Self::new(operation, Method::GET, path)
    }

    pub fn post(operation: &'static str, path: &str) -> Self {
        Self::new(operation, Method::POST, path)
    }

    pub fn put(operation: &'static str, path: &str) -> Self {
        Self::new(operation, Method::PUT, path)
    }

    pub fn patch(operation: &'static str, path: &str) -> Self {
        Self::new(operation, Method::PATCH, path)
    }

    pub fn delete(operation: &'static str, path: &str) -> Self {
        Self::new(operation, Method::DELETE, path)
    }

    fn new(operation: &'static str, method: Method, path: &str) -> Self {
        let kind = if method == Method::GET { Kind::Question } else { Kind::Order };
        Self {
            operation,
            method,
            path: path.to_owned(),
            headers: HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]),
            body: Bytes::new(),
            reads: Reads::Json,
            within: WITHIN,
            kind,
            flaw: None,
        }
    }

    /// Appends a segment to the path, with every character escaped that could end it.
    #[must_use]
    pub fn segment(mut self, text: &str) -> Self {
        self.path.push('/');
        for byte in text.bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    self.path.push(char::from(byte));
                }
                _ => write!(self.path, "%{byte:02X}").expect("writing to a string does not fail"),
            }
        }
        // A server would take such a segment as the folder above, or as none.
        if matches!(text, "" | "." | "..") {
            self.flaw = Some("a segment of the path is empty or only dots".to_owned());
        }
        self
    }

    /// Appends a parameter to the query.
    #[must_use]
    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.path.push(if self.path.contains('?') { '&' } else { '?' });
        self.path.extend(form_urlencoded::byte_serialize(name.as_bytes()));
        self.path.push('=');
        self.path.extend(form_urlencoded::byte_serialize(value.as_bytes()));
        self
    }

    /// Sets a header, and hides its value when it is printed.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: &str) -> Self {
        match HeaderValue::from_str(value) {
            Ok(mut value) => {
                value.set_sensitive(true);
                self.headers.insert(name, value);
            }
            Err(_) => self.flaw = Some(format!("the value of the header {name} is not valid")),
        }
        self
    }

    /// Sets the body, as JSON.
    #[must_use]
    pub fn json(mut self, body: &impl Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(bytes) => self.body = Bytes::from(bytes),
            Err(_) => self.flaw = Some("the body cannot be written as JSON".to_owned()),
        }
        self.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self
    }

    /// Sets the body, as a form.
    #[must_use]
    pub fn form(mut self, fields: &[(&str, &str)]) -> Self {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.body = Bytes::from(body);
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        self.headers.insert(CONTENT_TYPE, kind);
        self
    }

    /// Sets the time from the call to the last byte of the response.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.within = time.min(WITHIN_MAX);
        self
    }

    /// Has the call say nothing of the service's other calls, however it ends.
    #[must_use]
    pub fn aside(mut self) -> Self {
        self.kind = Kind::Aside;
        self
    }

    /// Sets what the body of a successful response must be.
    #[must_use]
    pub fn reads(mut self, reads: Reads) -> Self {
        self.reads = reads;
        self
    }

    /// Whether the call only asks, so that "there is no such thing" is an answer.
    pub(crate) fn is_question(&self) -> bool {
        self.method == Method::GET
    }
}

impl Answer {
    /// Reads the body. One that is not as expected leaves unknown what the service did.
    ///
    /// The failure names the place in the body, and never what stands there.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        let mut source = serde_json::Deserializer::from_slice(&self.body);
        serde_path_to_error::deserialize(&mut source).map_err(|error| {
            let cause = format!("the answer cannot be read at `{}`", error.path());
            Failure::Unknown { cause }
        })
    }
}

impl Report {
    /// Returns the name under which the outcome is counted.
    pub fn outcome(&self) -> &'static str {
        self.result.as_ref().map_or_else(Failure::code, |_| "ok")
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Call")
            .field("operation", &self.operation)
            .field("method", &self.method)
            .field("within", &self.within)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Answer")
            .field("status", &self.status)
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use http::header::{AUTHORIZATION, HeaderMap};
    use serde::Deserialize;

    use super::{Answer, Call};
    use crate::failure::Failure;

    #[test]
    fn ids_in_paths_and_queries_cannot_leave_their_place() {
        let call = Call::get("find", "/v2/pix").segment("E1/../x?y#z é").query("a b", "1&c=2");
        assert_eq!(call.path, "/v2/pix/E1%2F..%2Fx%3Fy%23z%20%C3%A9?a+b=1%26c%3D2");
        assert_eq!(
            call.query("d", "").path.rsplit_once('&'),
            Some(("/v2/pix/E1%2F..%2Fx%3Fy%23z%20%C3%A9?a+b=1%26c%3D2", "d="))
        );
        for segment in ["", ".", ".."] {
            assert!(Call::get("find", "/v2/pix").segment(segment).flaw.is_some(), "{segment}");
        }
    }

    #[test]
    fn a_header_or_body_that_cannot_be_sent_is_a_flaw_of_the_call() {
        assert!(Call::post("pay", "/").header(AUTHORIZATION, "a\r\nb: c").flaw.is_some());
        let nameless = std::collections::BTreeMap::from([(vec![1], 1)]);
        assert!(Call::post("pay", "/").json(&nameless).flaw.is_some());
    }

    #[test]
    fn printing_shows_neither_bodies_nor_headers_nor_paths() {
        let call =
            Call::post("pay", "/secret").header(AUTHORIZATION, "Basic secret").json(&"secret");
        let answer = Answer { status: 200, headers: call.headers.clone(), body: call.body.clone() };
        assert!(!format!("{call:?} {answer:?} {:?}", call.headers).contains("secret"));
    }

    #[test]
    fn a_body_of_another_form_is_of_unknown_outcome_and_not_quoted() {
        #[derive(Debug, Deserialize)]
        struct Pix {
            #[expect(dead_code, reason = "only its place is looked at")]
            valor: u64,
        }
        let body = "[{\"valor\":\"secret\"}]".into();
        let answer = Answer { status: 200, headers: HeaderMap::new(), body };
        let cause = "the answer cannot be read at `[0].valor`".to_owned();
        assert_eq!(answer.json::<Vec<Pix>>().unwrap_err(), Failure::Unknown { cause });
    }
}
