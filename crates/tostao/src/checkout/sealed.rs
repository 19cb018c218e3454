//! What a buyer has typed, on its way between two pages.
//!
//! It travels in addresses, past the acquirer's own page, so it is sealed: nobody can read or
//! change it, and it is good for one link and for a while.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ledger::cents::Cents;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::checkout::form::Posted;

const GOOD_FOR: Duration = Duration::from_secs(60 * 60);

/// A form that was found good, and what its buyer was told it comes to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Purchase {
    pub posted: Posted,
    pub total: i64,
    until: i64,
}

/// Seals a form for the next page.
pub fn seal(app: &App, slug: &str, posted: &Posted, total: Cents) -> String {
    let until = app.now().plus(GOOD_FOR).micros();
    let purchase = Purchase { posted: posted.clone(), total: total.get(), until };
    // A struct of texts and numbers is always JSON.
    let plain = serde_json::to_vec(&purchase).unwrap_or_default();
    let nonce = app.database.sources().random();
    URL_SAFE_NO_PAD.encode(app.secrets.seal(nonce, &place(slug), &plain))
}

/// Opens what was sealed for a link; `None` if it was not, or its time is over.
pub fn open(app: &App, slug: &str, sealed: &str) -> Option<Purchase> {
    let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let plain = app.secrets.open(&place(slug), &sealed)?;
    let purchase: Purchase = serde_json::from_slice(&plain).ok()?;
    (app.now().micros() < purchase.until).then_some(purchase)
}

fn place(slug: &str) -> Vec<u8> {
    format!("purchase\n{slug}").into_bytes()
}
