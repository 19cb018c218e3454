//! What a buyer has typed, on its way between two pages.
//!
//! It travels in URLs, past the acquirer's own page, so it is sealed: it cannot be read or changed,
//! and is valid for one page and for a limited time. The acquirer learns the URL of a card page, so
//! that opens only in the browser which was led there.

use std::time::Duration;

use db::time::Timestamp;
use ledger::cents::Cents;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::checkout::form::FormFields;
use crate::platform::signed_tokens;

const VALID_FOR: Duration = Duration::from_secs(60 * 60);

/// A validated form, and the total that the page showed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SealedForm {
    pub posted: FormFields,
    pub total: i64,
}

impl SealedForm {
    pub fn new(posted: &FormFields, total: Cents) -> Self {
        let posted = FormFields { kept: String::new(), ..posted.clone() };
        Self { posted, total: total.get() }
    }
}

/// Seals a value, with associated data that names where it opens.
pub fn seal_for(app: &App, aad: &str, content: &impl Serialize) -> String {
    // A struct of texts and numbers is always valid JSON.
    let content = serde_json::to_vec(content).unwrap_or_default();
    let (nonce, expires_at) = (app.database.sources().random(), app.now().plus(VALID_FOR));
    signed_tokens::seal(&app.secrets, nonce, aad, &content, expires_at)
}

/// Opens a value with the associated data of its sealing; `None` if it is invalid or has expired.
pub fn open_for<T: DeserializeOwned>(app: &App, aad: &str, sealed: &str) -> Option<T> {
    open_as_of(app, app.now(), aad, sealed)
}

/// Opens it even if it has expired.
pub fn open_expired_for<T: DeserializeOwned>(app: &App, aad: &str, sealed: &str) -> Option<T> {
    open_as_of(app, Timestamp::from_micros(0), aad, sealed)
}

fn open_as_of<T: DeserializeOwned>(
    app: &App,
    now: Timestamp,
    aad: &str,
    sealed: &str,
) -> Option<T> {
    let content = signed_tokens::open(&app.secrets, now, aad, sealed)?;
    serde_json::from_slice(&content).ok()
}
