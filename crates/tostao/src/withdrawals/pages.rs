//! The receipt of a withdrawal, for anyone who has its URL.

use std::time::Duration;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::merchants;
use crate::platform::assets;
use crate::platform::error::{Error, Result};
use crate::platform::http::html::page_of;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PagePath;
use crate::platform::http::query::Query;
use crate::platform::ids::WithdrawalId;
use crate::platform::masked;
use crate::platform::messages::Lang;
use crate::withdrawals::settle::find_sent;
use crate::withdrawals::terms::WithdrawalTerms;

/// The id of the withdrawal.
#[derive(Debug, Deserialize)]
pub struct ReceiptPath {
    id: WithdrawalId,
}

/// Proof that we issued the URL.
#[derive(Debug, Deserialize)]
pub struct Token {
    /// Without a token the page is not found.
    #[serde(default)]
    token: String,
}

/// How long after the payment a receipt's URL is valid.
const GOOD_AFTER_PAYMENT: Duration = Duration::from_hours(180 * 24);

/// The page.
#[derive(Template)]
#[template(path = "withdrawals/receipt.html")]
struct ReceiptPage {
    lang: Lang,
    test_mode: bool,
    merchant: String,
    /// This page in the other language, token included.
    language_url: String,
    /// The amount that arrived.
    amount: String,
    paid_at: String,
    key: String,
    withdrawal: String,
    end_to_end_id: String,
}

/// GET /receipts/withdrawals/{id}
pub async fn receipt(
    State(app): State<App>,
    language: RequestLanguage,
    PagePath(ReceiptPath { id }): PagePath<ReceiptPath>,
    Query(Token { token }): Query<Token>,
) -> Result<Response> {
    let unknown = || Error::NotFound("Receipt");
    if !WithdrawalTerms::of(&app).opens(id, &token) {
        return Err(unknown());
    }
    let found = app.read(async move |tx| {
        let Some((scope, withdrawal)) = find_sent(tx, id).await? else { return Ok(None) };
        let merchant = merchants::find(tx, scope.merchant).await?.name;
        Ok(Some((merchant, scope.mode, scope.now(tx), withdrawal)))
    });
    let (merchant, mode, now, withdrawal) = found.await?.ok_or_else(unknown)?;
    let ended = withdrawal.completed_at.zip(withdrawal.end_to_end_id.clone());
    let (paid_at, end_to_end_id) = ended.ok_or_else(unknown)?;
    if now.since(paid_at) > GOOD_AFTER_PAYMENT {
        return Err(unknown());
    }
    let lang = language.lang;
    let page = ReceiptPage {
        lang,
        test_mode: mode.is_development(),
        merchant,
        language_url: format!(
            "/receipts/withdrawals/{id}?token={token}&lang={}",
            lang.other().tag()
        ),
        amount: lang.money(withdrawal.net().get()),
        paid_at: lang.date_time(paid_at.micros()),
        key: masked::pix_key(&withdrawal.key),
        withdrawal: id.to_string(),
        end_to_end_id,
    };
    page_of(&page, StatusCode::OK, language, false)
}
