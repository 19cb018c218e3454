//! The printable boleto of a payment: as a page and as a PDF.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use brazil::calendar::sao_paulo_date;
use documents::pdf::pdf;
use documents::qr::Qr;
use http::{HeaderValue, StatusCode, header};

use crate::app::App;
use crate::checkout::pages::{PaymentPath, Token, by_url, title};
use crate::merchants;
use crate::platform::boleto_document::page::BoletoDocumentPage;
use crate::platform::boleto_document::{BoletoDocument, BoletoPix, Party};
use crate::platform::error::Result;
use crate::platform::http::html::{page_of, see};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PagePath;
use crate::platform::http::query::Query;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;
use crate::transactions::status::Status;
use crate::transactions::{Boleto, Transaction};

/// GET /pay/{slug}/t/{id}/boleto
pub async fn page(
    State(app): State<App>,
    language: RequestLanguage,
    PagePath(PaymentPath { slug, id }): PagePath<PaymentPath>,
    Query(Token { token }): Query<Token>,
) -> Result<Response> {
    let (scope, transaction) = by_url(&app, &slug, id, &token).await?;
    let lang = language.lang;
    let place = format!("/pay/{slug}/t/{id}");
    let Some(boleto) = payable(&app, scope, lang, &transaction).await? else {
        return Ok(see(&format!("{place}?token={token}")));
    };
    let other = format!("{place}/boleto?token={token}&lang={}", lang.other().tag());
    let page = BoletoDocumentPage::new(boleto, other, format!("{place}/boleto.pdf?token={token}"));
    page_of(&page, StatusCode::OK, language, false)
}

/// GET /pay/{slug}/t/{id}/boleto.pdf
pub async fn file(
    State(app): State<App>,
    language: RequestLanguage,
    PagePath(PaymentPath { slug, id }): PagePath<PaymentPath>,
    Query(Token { token }): Query<Token>,
) -> Result<Response> {
    let (scope, transaction) = by_url(&app, &slug, id, &token).await?;
    let Some(boleto) = payable(&app, scope, language.lang, &transaction).await? else {
        return Ok(see(&format!("/pay/{slug}/t/{id}?token={token}")));
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static("inline; filename=\"boleto.pdf\"")),
    ];
    Ok((headers, pdf(&boleto.sheet())).into_response())
}

/// The boleto of a payment; `None` while its bank makes it.
pub async fn boleto_document(
    app: &App,
    scope: Scope,
    lang: Lang,
    transaction: &Transaction,
) -> Result<Option<BoletoDocument>> {
    let Some(Boleto { due_on, made: Some(made), .. }) = &transaction.boleto else {
        return Ok(None);
    };
    let id = scope.merchant;
    let seller = app.read(async move |tx| merchants::find(tx, id).await).await?;
    let pix = match &transaction.pix {
        None => None,
        Some(pix) => Some(BoletoPix { br_code: pix.code.clone(), qr: Qr::encode(&pix.code)? }),
    };
    let customer = &transaction.customer;
    Ok(Some(BoletoDocument {
        lang,
        test_mode: scope.mode.is_development(),
        beneficiary: Party { name: seller.name, document: seller.document },
        payer: Party { name: customer.name.clone(), document: customer.document.clone() },
        description: title(app, scope, transaction).await?,
        number: transaction.id.to_string(),
        our_number: made.number.clone(),
        issued_on: sao_paulo_date(transaction.created_at.micros()),
        due_on: *due_on,
        amount: transaction.amount,
        barcode: made.barcode.clone(),
        pix,
    }))
}

/// A boleto is shown only while it can be paid, so that an expired one is not printed.
async fn payable(
    app: &App,
    scope: Scope,
    lang: Lang,
    transaction: &Transaction,
) -> Result<Option<BoletoDocument>> {
    if transaction.status != Status::Pending {
        return Ok(None);
    }
    boleto_document(app, scope, lang, transaction).await
}
