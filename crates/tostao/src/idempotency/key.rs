//! The idempotency key of a request: from its header, in its scope, and as a row of the table.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts, MatchedPath};
use axum::http::request::Parts;
use bytes::Bytes;
use db::time::Timestamp;
use db::tx::Tx;
use serde_json::json;
use uuid::Uuid;

use crate::app::App;
use crate::idempotency::fields::{CanonicalRequest, differing};
use crate::idempotency::{KeyState, Replayable, StoredResponse, erasing, store};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::card_data;
use crate::platform::http::context::RequestContext;
use crate::platform::http::headers::{RepeatedHeader, only};
use crate::platform::ids::Scope;
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::operation::Operation;
use crate::platform::secrets::{Secrets, sha256};

const HEADER: &str = "idempotency-key";
const DAY: Duration = Duration::from_hours(24);
const KEY_LENGTH_MAX: usize = 255;
/// For how many days the responses of routes that move money are kept.
pub const WEEK: u32 = 7;

/// The `Idempotency-Key` of a request, whose response is kept for some days.
#[derive(Clone)]
pub struct IdempotencyHeader<const DAYS: u32 = 1> {
    key: Option<String>,
    route: String,
    path: String,
    request_id: String,
    secrets: Arc<Secrets>,
}

/// A key in its scope, with a fingerprint of its request.
#[derive(Debug, Clone)]
pub struct IdempotencyKey {
    pub(super) scope: Scope,
    pub(super) key: String,
    pub(super) route: String,
    pub(super) path: String,
    pub(super) request_id: String,
    pub(super) fingerprint: [u8; 32],
    /// The hashes of the request's fields; empty if they are not compared.
    pub(super) field_hashes: Vec<u8>,
    pub(super) kept: Duration,
    /// Whether a final refusal is stored as well.
    pub(super) keeps_refusals: bool,
}

/// The row of a key.
#[derive(Debug, Clone)]
pub struct KeyRow {
    pub fingerprint: Vec<u8>,
    pub response: Option<(u16, StoredBody)>,
    /// The object that the first request created, where its response takes more than one unit.
    pub subject: Option<Uuid>,
    /// The `X-Request-Id` of the first request.
    pub request_id: Option<String>,
    /// The hashes of the first request's fields.
    pub field_hashes: Option<Vec<u8>>,
    pub expires_at: Timestamp,
}

/// A body as the table holds it.
#[derive(Debug, Clone)]
pub enum StoredBody {
    Plain(String),
    Sealed(Vec<u8>),
}

impl<const DAYS: u32> IdempotencyHeader<DAYS> {
    /// The key as it was sent.
    pub fn sent(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Joins the key with its scope and the request body; `None` without a key.
    pub fn key(&self, scope: Scope, body: &Bytes) -> Option<IdempotencyKey> {
        Some(self.stored_under(self.key.clone()?, scope, body))
    }

    /// The request under the key by which it is stored.
    pub(super) fn stored_under(&self, key: String, scope: Scope, body: &Bytes) -> IdempotencyKey {
        let request = CanonicalRequest::new(&self.path, body);
        let own = erasing::aad(scope, &self.route, &key);
        IdempotencyKey {
            scope,
            key,
            route: self.route.clone(),
            path: self.path.clone(),
            request_id: self.request_id.clone(),
            fingerprint: request.fingerprint(),
            field_hashes: request.hashes(&self.secrets, &own),
            kept: DAY * DAYS,
            keeps_refusals: true,
        }
    }
}

impl IdempotencyKey {
    /// The key of a form that must take effect once; `None` for a form without an attempt id.
    pub fn of_form(scope: Scope, route: &str, attempt: &str, what: &str) -> Option<Self> {
        if attempt.is_empty() || attempt.len() > KEY_LENGTH_MAX {
            return None;
        }
        Some(Self {
            scope,
            key: attempt.to_owned(),
            route: route.to_owned(),
            path: route.to_owned(),
            request_id: String::new(),
            // A buyer's form has none: one that has paid is not paid again with other values.
            fingerprint: sha256(what.as_bytes()),
            field_hashes: Vec::new(),
            kept: DAY * WEEK,
            // What is sold out now may be available at the next submission.
            keeps_refusals: false,
        })
    }

    /// The same key, for a request that is refused by what the state is at each repetition.
    #[must_use]
    pub fn without_refusals(self) -> Self {
        Self { keeps_refusals: false, ..self }
    }

    /// A seed that is the same for every request with this key to this path, and only for those.
    pub fn seed(&self) -> [u8; 32] {
        sha256(&[self.aad().as_slice(), self.path.as_bytes()].join(&b'\n'))
    }

    /// Reserves the key; false if another request has it.
    pub(super) async fn reserve(&self, tx: &Tx) -> Result<bool> {
        // Retries happen in real time, also where the sandbox clock runs ahead.
        let now = tx.now();
        store::insert(tx, self, now, now.plus(self.kept)).await
    }

    /// Stores the response with the key.
    pub(super) async fn keep(
        &self,
        tx: &Tx,
        secrets: &Secrets,
        response: &StoredResponse,
    ) -> Result<()> {
        let StoredResponse { status, body, secret } = response;
        let seal = || secrets.seal(tx.random(), &self.aad(), body.as_bytes());
        let plain = (!secret).then_some(body.as_str());
        store::keep(tx, self, *status, plain, secret.then(seal).as_deref()).await
    }

    /// How far the request that reserved the key has come.
    pub(super) fn state(&self, secrets: &Secrets, row: KeyRow) -> Result<KeyState> {
        match row.subject {
            _ if row.response.is_some() || row.fingerprint != self.fingerprint => {
                self.replay(secrets, row).map(KeyState::Completed)
            }
            Some(subject) => Ok(KeyState::Running(subject)),
            None => Ok(KeyState::Free(())),
        }
    }

    /// Replays the key's response, if the fingerprint is that of this request.
    pub(super) fn replay(&self, secrets: &Secrets, row: KeyRow) -> Result<Replayable> {
        if row.fingerprint != self.fingerprint {
            return Err(self.reused(row));
        }
        let (status, stored) = row.response.ok_or_else(in_progress)?;
        let response = match stored {
            StoredBody::Plain(body) => StoredResponse { status, body, secret: false },
            StoredBody::Sealed(sealed) => {
                StoredResponse { status, body: self.open(secrets, &sealed)?, secret: true }
            }
        };
        Ok(Replayable::of(response, Some(row.expires_at.minus(self.kept))))
    }

    /// The error for another request than the first one, which it names with what differs.
    fn reused(&self, first: KeyRow) -> Error {
        let id = first.request_id.filter(|id| !id.is_empty());
        let id = id.map(|id| format!(" (X-Request-Id {id})")).unwrap_or_default();
        let fields = differing(&first.field_hashes.unwrap_or_default(), &self.field_hashes);
        let differ = match fields.as_slice() {
            [] => String::new(),
            names => format!("; these fields differ: {}", names.join(", ")),
        };
        let message = format!("This Idempotency-Key was used with another request{id}{differ}.");
        Error::KeyReused { fields, message }
    }

    /// Opens a stored response; one that cannot be decrypted is neither shown nor executed again.
    fn open(&self, secrets: &Secrets, sealed: &[u8]) -> Result<String> {
        let plain = secrets.open(&self.aad(), sealed);
        let text = plain.and_then(|plain| String::from_utf8(plain).ok());
        text.ok_or_else(|| {
            let message = "The request with this Idempotency-Key succeeded, but its response can \
                           no longer be read. Look up what it created, or use another key.";
            Error::refused(ErrorCode::IdempotencyKeyReused, message)
        })
    }

    /// The only row in which a sealed response can be opened.
    fn aad(&self) -> Vec<u8> {
        erasing::aad(self.scope, &self.route, &self.key)
    }

    /// The key under which the row is stored once its response is erased.
    pub(super) fn digest(&self) -> String {
        erasing::digest(self.scope, &self.route, &self.key)
    }
}

impl<const DAYS: u32> FromRequestParts<App> for IdempotencyHeader<DAYS> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let sent = only(&parts.headers, HEADER).map_err(|RepeatedHeader| invalid())?;
        let key = sent.map(read_key).transpose()?;
        let matched = parts.extensions.get::<MatchedPath>();
        let route = matched.map_or("", MatchedPath::as_str);
        let context = parts.extensions.get::<std::sync::Arc<RequestContext>>();
        Ok(Self {
            key,
            route: format!("{} {route}", parts.method),
            path: parts.uri.path().to_owned(),
            request_id: context.map(|c| c.request_id.clone()).unwrap_or_default(),
            secrets: app.secrets.clone(),
        })
    }
}

impl<const DAYS: u32> Describe for IdempotencyHeader<DAYS> {
    fn describe(operation: &mut Operation) {
        let description = "A unique key that makes retries safe: they get the first response.";
        let schema = json!({
            "type": "string", "maxLength": KEY_LENGTH_MAX, "pattern": "^[!-~]([ -~]*[!-~])?$",
        });
        operation.header("Idempotency-Key", description, &schema);
    }
}

/// A key as it is stored, if it is one that a route accepts.
pub fn accepted_key(sent: &str) -> Option<String> {
    read_key(sent).ok()
}

fn read_key(sent: &str) -> Result<String> {
    let text = sent.trim();
    let good = (1..=KEY_LENGTH_MAX).contains(&text.len())
        && text.bytes().all(|b| (0x20..0x7f).contains(&b));
    if !good {
        return Err(invalid());
    }
    // The key is stored as it is sent.
    if card_data::stands_in_value(text) {
        return Err(card_data::refused("Idempotency-Key"));
    }
    Ok(text.to_owned())
}

fn invalid() -> Error {
    let message = "Send one Idempotency-Key of 1 to 255 printable ASCII characters.";
    Error::refused(ErrorCode::InvalidIdempotencyKey, message)
}

/// The first request with the same key is still running.
pub fn in_progress() -> Error {
    let message = "The first request with this Idempotency-Key is still being processed.";
    Error::refused(ErrorCode::IdempotencyKeyInProgress, message)
}
