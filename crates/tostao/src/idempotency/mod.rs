//! Idempotency keys: the first response is stored in the unit that produced it, and replayed.
//!
//! The key is reserved by an insert in the same unit as the effect, so both are committed or
//! neither is. A concurrent request with the same key waits for that insert (on SQLite because
//! units run one by one, on PostgreSQL by the unique index) and then finds the response. A response
//! that holds a secret is stored sealed, so that the table never reveals what is shown once to its
//! owner.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use axum::extract::{FromRequestParts, MatchedPath};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use db::tx::Tx;
use http::{HeaderName, HeaderValue};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::App;
use crate::platform::error::{Error, Refusal, Result};
use crate::platform::http::card_data;
use crate::platform::http::context::RequestContext;
use crate::platform::http::error_face;
use crate::platform::http::reply::{self, Answer};
use crate::platform::ids::Scope;
use crate::platform::openapi::describe::{Describe, DescribeReply};
use crate::platform::openapi::operation::Operation;
use crate::platform::secrets::{Secrets, sha256};

pub mod buyers;
pub mod erasing;
pub mod resealing;
mod store;

const HEADER: &str = "idempotency-key";
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// Routes that move money keep their responses longer.
const KEPT_FOR_MONEY: Duration = Duration::from_secs(7 * 24 * 3600);
const KEY_LENGTH_MAX: usize = 255;
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// The idempotency key of a request, and the request that it was sent with.
#[derive(Debug, Clone)]
pub struct Once {
    key: Option<String>,
    route: String,
    path: String,
    request_id: String,
}

/// A key in its scope, with a fingerprint of its request.
#[derive(Debug, Clone)]
pub struct Ticket {
    scope: Scope,
    key: String,
    route: String,
    path: String,
    request_id: String,
    fingerprint: [u8; 32],
    kept: Duration,
    /// Whether a final refusal is stored as well.
    keeps_refusals: bool,
}

/// The stored state of a key.
#[derive(Debug, Clone)]
struct Kept {
    fingerprint: Vec<u8>,
    answer: Option<(u16, Stored)>,
    /// The object that the first request created, where its response takes more than one unit.
    subject: Option<Uuid>,
}

/// A body as the table holds it.
#[derive(Debug, Clone)]
enum Stored {
    Plain(String),
    Sealed(Vec<u8>),
}

/// A response's status and body.
#[derive(Clone)]
struct Given {
    status: u16,
    body: String,
    /// Whether the body holds a secret, and is sealed in the table.
    secret: bool,
}

/// A response that is new, or a replay of the first one.
#[derive(Debug)]
pub struct Replayable<A> {
    given: Given,
    replayed: bool,
    kind: PhantomData<A>,
}

/// The state of a key before anything is done for the request.
#[derive(Debug)]
pub enum Claim<A> {
    Free,
    Answered(Replayable<A>),
    /// Another request with the same key has created this, and has not responded yet.
    Running(Uuid),
}

/// How work of several units started.
#[derive(Debug)]
pub enum Begun<T, A> {
    Now(T),
    Answered(Replayable<A>),
    /// Another request with the same key has created this, and has not responded yet.
    Running(Uuid),
}

impl fmt::Debug for Given {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = if self.secret { "***" } else { &self.body };
        let mut given = out.debug_struct("Given");
        given.field("status", &self.status).field("body", &body).finish()
    }
}

impl Once {
    /// The key as it was sent.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Joins the key with its scope and the request body; `None` without a key.
    pub fn ticket(&self, scope: Scope, body: &Bytes) -> Option<Ticket> {
        let key = self.key.clone()?;
        let money = ["transactions", "checkout", "withdraw", "advances", "refund"];
        let kept =
            if money.iter().any(|word| self.route.contains(word)) { KEPT_FOR_MONEY } else { KEPT };
        let canonical: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
        // Objects keep their keys sorted, so the same fields in another order are the same body.
        let fingerprint = sha256(format!("{}\n{canonical}", self.path).as_bytes());
        Some(Ticket {
            scope,
            key,
            route: self.route.clone(),
            path: self.path.clone(),
            request_id: self.request_id.clone(),
            fingerprint,
            kept,
            keeps_refusals: true,
        })
    }
}

/// Deletes expired responses; returns how many.
pub async fn forget(tx: &Tx, most: i64) -> Result<u64> {
    store::forget(tx, most).await
}

/// Deletes all responses of a scope; returns how many.
pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    store::clear(tx, scope, most).await
}

impl App {
    /// Runs a unit whose response is stored under the caller's idempotency key, if there is one.
    pub async fn transact_once<A>(
        &self,
        ticket: Option<Ticket>,
        unit: impl AsyncFn(&Tx) -> Result<A> + Send + 'static,
    ) -> Result<Replayable<A>>
    where
        A: Answer + Send + 'static,
    {
        let Some(ticket) = ticket else {
            return Replayable::fresh(&self.transact(unit).await?);
        };
        let (first, secrets) = (ticket.clone(), self.secrets.clone());
        let outcome = self.transact(async move |tx| {
            if let Some(kept) = first.reserve(tx).await.map_err(waited)? {
                return first.replay(&secrets, kept);
            }
            let answer = Replayable::fresh(&unit(tx).await?)?;
            first.keep(tx, &secrets, &answer.given).await?;
            Ok(answer)
        });
        match outcome.await {
            // After a commit with an unknown result the key's row is read; the unit is not run
            // again.
            Err(Error::Unknown(cause)) => {
                let kept = self.replay(Some(ticket)).await?;
                kept.ok_or(Error::Unknown(cause))
            }
            Err(error) if error.is_final() => self.refuse_once(Some(ticket), error).await,
            outcome => outcome,
        }
    }

    /// The stored response of a finished request, to be checked before work that need not be
    /// repeated.
    pub async fn replay<A: Send + 'static>(
        &self,
        ticket: Option<Ticket>,
    ) -> Result<Option<Replayable<A>>> {
        let Some(ticket) = ticket else { return Ok(None) };
        let secrets = self.secrets.clone();
        self.read(async move |tx| match store::find(tx, &ticket).await? {
            Some(kept) if kept.answer.is_some() => ticket.replay(&secrets, kept).map(Some),
            _ => Ok(None),
        })
        .await
    }

    /// The state of a key, to be checked before work that need not be repeated.
    pub async fn claim<A: Send + 'static>(&self, ticket: Option<Ticket>) -> Result<Claim<A>> {
        let Some(ticket) = ticket else { return Ok(Claim::Free) };
        let secrets = self.secrets.clone();
        self.read(async move |tx| {
            let Some(kept) = store::find(tx, &ticket).await? else { return Ok(Claim::Free) };
            Ok(match ticket.begun(&secrets, kept)? {
                Begun::Now(()) => Claim::Free,
                Begun::Answered(answer) => Claim::Answered(answer),
                Begun::Running(subject) => Claim::Running(subject),
            })
        })
        .await
    }

    /// Runs the first of several units, and stores the id of the object that it created with the
    /// key.
    ///
    /// [`App::remember`] or [`App::refuse_once`] stores the response once it is known; until then a
    /// request with the same key learns which object to wait for.
    pub async fn begin_once<T, A>(
        &self,
        ticket: Option<Ticket>,
        unit: impl AsyncFn(&Tx) -> Result<(Uuid, T)> + Send + 'static,
    ) -> Result<Begun<T, A>>
    where
        T: Send + 'static,
        A: Send + 'static,
    {
        let Some(ticket) = ticket else {
            let unit = async move |tx: &Tx| Ok(unit(tx).await?.1);
            return Ok(Begun::Now(self.transact(unit).await?));
        };
        let (first, secrets) = (ticket.clone(), self.secrets.clone());
        let outcome = self.transact(async move |tx| {
            if let Some(kept) = first.reserve(tx).await.map_err(waited)? {
                return match first.begun(&secrets, kept)? {
                    Begun::Now(()) => Err(in_progress()),
                    Begun::Answered(answer) => Ok(Begun::Answered(answer)),
                    Begun::Running(subject) => Ok(Begun::Running(subject)),
                };
            }
            let (subject, made) = unit(tx).await?;
            store::name_subject(tx, &first, subject).await?;
            Ok(Begun::Now(made))
        });
        match outcome.await {
            Err(Error::Unknown(cause)) => match self.claim(Some(ticket)).await? {
                Claim::Free => Err(Error::Unknown(cause)),
                Claim::Answered(answer) => Ok(Begun::Answered(answer)),
                Claim::Running(subject) => Ok(Begun::Running(subject)),
            },
            Err(error) if error.is_final() => {
                self.refuse_once(Some(ticket), error).await.map(Begun::Answered)
            }
            outcome => outcome,
        }
    }

    /// Refuses, and stores a final refusal under the caller's idempotency key.
    ///
    /// The unit that refused was rolled back; its refusal is stored by another unit, unless a
    /// concurrent request with the same key has a response already, which is then returned.
    pub async fn refuse_once<A: Send + 'static>(
        &self,
        ticket: Option<Ticket>,
        error: Error,
    ) -> Result<Replayable<A>> {
        let Some(ticket) = ticket.filter(|ticket| ticket.keeps_refusals && error.is_final()) else {
            return Err(error);
        };
        let status = error.refusal().status();
        let (id, path) = (ticket.request_id.clone(), ticket.path.clone());
        let context = RequestContext::new(id, path, [0, 0, 0, 0].into());
        let body = serde_json::to_string(&error_face::body(&error, &context, self.now()))?;
        self.keep(ticket, Given { status, body, secret: false }).await
    }

    /// Stores a response whose effects span several units, and are safe to repeat.
    ///
    /// Call [`App::replay`] first.
    pub async fn remember<A>(&self, ticket: Option<Ticket>, answer: &A) -> Result<Replayable<A>>
    where
        A: Answer + Send + 'static,
    {
        let first = Replayable::fresh(answer)?;
        let Some(ticket) = ticket else { return Ok(first) };
        self.keep(ticket, first.given).await
    }

    /// Stores a response in a unit of its own; returns a concurrent request's if that came first.
    async fn keep<A: Send + 'static>(&self, ticket: Ticket, given: Given) -> Result<Replayable<A>> {
        let secrets = self.secrets.clone();
        self.transact(async move |tx| {
            // A key that waits for its response gets this one.
            if let Some(kept) = ticket.reserve(tx).await?
                && (kept.answer.is_some() || kept.subject.is_none())
            {
                return ticket.replay(&secrets, kept);
            }
            ticket.keep(tx, &secrets, &given).await?;
            Ok(Replayable { given: given.clone(), replayed: false, kind: PhantomData })
        })
        .await
    }
}

impl Ticket {
    /// A seed that is the same for every request with this key to this path, and only for those.
    pub fn seed(&self) -> [u8; 32] {
        sha256(&[self.place().as_slice(), self.path.as_bytes()].join(&b'\n'))
    }

    /// Reserves the key, or returns its stored state.
    async fn reserve(&self, tx: &Tx) -> Result<Option<Kept>> {
        // Retries happen in real time, also where the sandbox clock runs ahead.
        let now = tx.now();
        if store::insert(tx, self, now, now.plus(self.kept)).await? {
            return Ok(None);
        }
        store::find(tx, self).await
    }

    /// Stores the response with the key.
    async fn keep(&self, tx: &Tx, secrets: &Secrets, given: &Given) -> Result<()> {
        let Given { status, body, secret } = given;
        let seal = || secrets.seal(tx.random(), &self.place(), body.as_bytes());
        let plain = (!secret).then_some(body.as_str());
        store::keep(tx, self, *status, plain, secret.then(seal).as_deref()).await
    }

    /// How far the request that reserved the key has come.
    fn begun<A>(&self, secrets: &Secrets, kept: Kept) -> Result<Begun<(), A>> {
        match kept.subject {
            _ if kept.answer.is_some() || kept.fingerprint != self.fingerprint => {
                self.replay(secrets, kept).map(Begun::Answered)
            }
            Some(subject) => Ok(Begun::Running(subject)),
            None => Ok(Begun::Now(())),
        }
    }

    /// Replays the key's response, if the fingerprint is that of this request.
    fn replay<A>(&self, secrets: &Secrets, kept: Kept) -> Result<Replayable<A>> {
        if kept.fingerprint != self.fingerprint {
            let message = "This Idempotency-Key was used with another request.";
            return Err(Error::refused(Refusal::IdempotencyKeyReused, message));
        }
        let (status, stored) = kept.answer.ok_or_else(in_progress)?;
        let given = match stored {
            Stored::Plain(body) => Given { status, body, secret: false },
            Stored::Sealed(sealed) => {
                Given { status, body: self.open(secrets, &sealed)?, secret: true }
            }
        };
        Ok(Replayable { given, replayed: true, kind: PhantomData })
    }

    /// Opens a stored response; one that cannot be decrypted is neither shown nor executed again.
    fn open(&self, secrets: &Secrets, sealed: &[u8]) -> Result<String> {
        let plain = secrets.open(&self.place(), sealed);
        let text = plain.and_then(|plain| String::from_utf8(plain).ok());
        text.ok_or_else(|| {
            let message = "The request with this Idempotency-Key was done, and its answer cannot \
                           be read any more. Look what it made, or use another key.";
            Error::refused(Refusal::IdempotencyKeyReused, message)
        })
    }

    /// The only row in which a sealed response can be opened.
    fn place(&self) -> Vec<u8> {
        erasing::place(self.scope, &self.route, &self.key)
    }

    /// The key under which the row is stored once its response is erased.
    fn digest(&self) -> String {
        erasing::digest(self.scope, &self.route, &self.key)
    }
}

impl<A: Answer> Replayable<A> {
    /// A response given for the first time.
    pub fn fresh(answer: &A) -> Result<Self> {
        let body = serde_json::to_string(answer.body())?;
        let given = Given { status: answer.status(), body, secret: A::SECRET };
        Ok(Self { given, replayed: false, kind: PhantomData })
    }

    /// Whether this is an earlier request's response.
    pub fn is_replayed(&self) -> bool {
        self.replayed
    }

    /// Changes the body of a successful response that is sent, not the one that is stored.
    pub fn changed(mut self, change: impl FnOnce(String) -> Result<String>) -> Result<Self> {
        if self.given.status < 300 {
            self.given.body = change(self.given.body)?;
        }
        Ok(self)
    }

    /// Deserializes the body.
    pub fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T> {
        Ok(serde_json::from_str(&self.given.body)?)
    }
}

impl<A> IntoResponse for Replayable<A> {
    fn into_response(self) -> Response {
        let mut response = reply::json(self.given.status, self.given.body.into_bytes());
        if self.replayed {
            response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}

impl<A: Answer> DescribeReply for Replayable<A> {
    fn describe_reply(operation: &mut Operation) {
        for status in A::STATUSES {
            operation.reply::<A::Body>(*status);
        }
    }
}

impl FromRequestParts<App> for Once {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self> {
        let key = parts.headers.get(HEADER).map(read_key).transpose()?;
        let matched = parts.extensions.get::<MatchedPath>();
        let route = matched.map_or("", MatchedPath::as_str);
        let context = parts.extensions.get::<std::sync::Arc<RequestContext>>();
        Ok(Self {
            key,
            route: format!("{} {route}", parts.method),
            path: parts.uri.path().to_owned(),
            request_id: context.map(|c| c.request_id.clone()).unwrap_or_default(),
        })
    }
}

impl Describe for Once {
    fn describe(operation: &mut Operation) {
        let description = "A unique key that makes retries safe: they get the first response.";
        let schema = json!({
            "type": "string", "maxLength": KEY_LENGTH_MAX, "pattern": "^[!-~]([ -~]*[!-~])?$",
        });
        operation.header("Idempotency-Key", description, &schema);
    }
}

fn read_key(value: &HeaderValue) -> Result<String> {
    let text = value.to_str().unwrap_or_default().trim();
    let good = (1..=KEY_LENGTH_MAX).contains(&text.len())
        && text.bytes().all(|b| (0x20..0x7f).contains(&b));
    if !good {
        let message = "An Idempotency-Key has 1 to 255 printable ASCII characters.";
        return Err(Error::refused(Refusal::InvalidIdempotencyKey, message));
    }
    // The key is stored as it is sent.
    if card_data::stands_in_value(text) {
        return Err(card_data::refused("Idempotency-Key"));
    }
    Ok(text.to_owned())
}

/// Only a concurrent request with the same key makes a reservation wait for too long.
fn waited(error: Error) -> Error {
    match error {
        Error::Refused(Refusal::ConcurrentUpdate, _) => in_progress(),
        other => other,
    }
}

/// The first request with the same key is still running.
pub fn in_progress() -> Error {
    let message = "The first request with this Idempotency-Key is still at work.";
    Error::refused(Refusal::IdempotencyKeyInProgress, message)
}

#[cfg(test)]
mod tests;
