//! What a buyer has typed, on its way between two pages.
//!
//! It travels in URLs, past the acquirer's own page, so it is sealed: it cannot be read or changed,
//! and is valid for one place and for a limited time.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ledger::cents::Cents;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::checkout::form::Posted;

const GOOD_FOR: Duration = Duration::from_secs(60 * 60);

/// A validated form, and the total that the page showed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Purchase {
    pub posted: Posted,
    pub total: i64,
}

/// The sealed content, and how long it is valid.
#[derive(Serialize, Deserialize)]
struct Sealed<T> {
    #[serde(flatten)]
    content: T,
    until: i64,
}

/// Seals a form of a link for the next page.
pub fn seal(app: &App, slug: &str, posted: &Posted, total: Cents) -> String {
    let posted = Posted { kept: String::new(), ..posted.clone() };
    let purchase = Purchase { posted, total: total.get() };
    seal_for(app, &place(slug), &purchase)
}

/// Opens what was sealed for a link; `None` if it is invalid or has expired.
pub fn open(app: &App, slug: &str, sealed: &str) -> Option<Purchase> {
    open_for(app, &place(slug), sealed)
}

/// Seals a value for the next page of one place.
pub fn seal_for(app: &App, place: &str, content: &impl Serialize) -> String {
    let until = app.now().plus(GOOD_FOR).micros();
    // A struct of texts and numbers is always valid JSON.
    let plain = serde_json::to_vec(&Sealed { content, until }).unwrap_or_default();
    let nonce = app.database.sources().random();
    URL_SAFE_NO_PAD.encode(app.secrets.seal(nonce, place.as_bytes(), &plain))
}

/// Opens what was sealed for a place; `None` if it is invalid or has expired.
pub fn open_for<T: DeserializeOwned>(app: &App, place: &str, sealed: &str) -> Option<T> {
    let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let plain = app.secrets.open(place.as_bytes(), &sealed)?;
    let Sealed { content, until } = serde_json::from_slice(&plain).ok()?;
    (app.now().micros() < until).then_some(content)
}

fn place(slug: &str) -> String {
    format!("purchase\n{slug}")
}
