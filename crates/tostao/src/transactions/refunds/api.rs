//! Refunds through the API.

use axum::extract::State;
use brazil::pix_key::{PixKey, PixKeyType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::auth::elevation::PayeePermit;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{Execution, IdempotencyHeader, Replayable, WEEK};
use crate::platform::error::{ErrorCode, FieldErrors, FieldFault, Result};
use crate::platform::fields;
use crate::platform::http::body::Body;
use crate::platform::http::path::PathParam;
use crate::platform::http::reply::{Created, Ok200};
use crate::platform::ids::TransactionId;
use crate::platform::permissions::{TransactionsRead, TransactionsWrite};
use crate::transactions::payees::mail_named;
use crate::transactions::refunds;
use crate::transactions::refunds::request::{NewRefund, request};
use crate::transactions::refunds::view::RefundView;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::view::TransactionView;
use crate::transactions::{find, validation};

const REASON_LENGTH_MAX: usize = 500;

/// The parameters of a refund.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("examples" = [{ "reason": "Returned by the customer" }]))]
pub struct RefundTransactionRequest {
    /// The amount in cents. Defaults to everything not yet refunded.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub amount_cents: Option<i64>,
    /// The reason, included in `transaction.refunded`.
    #[schemars(length(min = 1, max = 500))]
    pub reason: String,
    /// The PIX key to refund to; only for a boleto paid by its barcode. Other payments are refunded
    /// to their source. A person also needs `withdrawals:write` to name one.
    #[schemars(length(min = 1, max = 77))]
    pub refund_pix_key: Option<String>,
    /// The type of the PIX key; required if the key is ambiguous.
    #[schemars(extend("enum" = ["cpf", "cnpj", "email", "phone", "random", null]))]
    pub pix_key_type: Option<String>,
    /// Whether to restock the items once the refund is full.
    pub restock: Option<bool>,
    /// The merchant's own reference, unique among the transaction's refunds.
    #[schemars(length(max = 255))]
    pub external_id: Option<String>,
}

/// The refund and its transaction.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RefundResponse {
    message: &'static str,
    refund: RefundView,
    transaction: TransactionView,
}

/// The refunds of a transaction, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RefundList {
    message: &'static str,
    data: Vec<RefundView>,
}

/// POST /api/v1/transactions/{id}/refund
pub async fn create(
    State(app): State<App>,
    caller: Caller<TransactionsWrite>,
    PathParam(id): PathParam<TransactionId>,
    dry_run: DryRun,
    once: IdempotencyHeader<WEEK>,
    body: Body<RefundTransactionRequest>,
) -> Result<Replayable<Created<RefundResponse>>> {
    let (scope, key) = (caller.scope, once.key(caller.scope, &body.raw));
    let ticket = Ticket { scope, key, dry_run, by: caller.by_person() };
    ask(&app, ticket, caller.permit_payee(), id, &body.value).await
}

/// Asks for a refund: the way in of programs and of people; a permit lets them name a key that the
/// money goes to.
pub async fn ask(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    names_payee: PayeePermit,
    id: TransactionId,
    body: &RefundTransactionRequest,
) -> Result<Replayable<Created<RefundResponse>>> {
    let (new, rails) = (check(body)?, app.clone());
    let permit = if new.key.is_some() { names_payee.permit } else { Ok(()) };
    let execution = Execution::permitted(key, permit);
    app.change_once(dry_run, scope, execution, async move |tx| {
        let payouts = || rails.providers.payout_bank(scope.mode);
        let (transaction, refund) = request(tx, scope, id, &new, payouts).await?;
        note(tx, scope, by.as_ref(), Action::RefundRequested, id.0).await?;
        if let Some(key) = refund.method.key() {
            mail_named(tx, scope, id, (key, names_payee.named_by), refund.amount).await?;
        }
        Ok(Created(RefundResponse {
            message: "Refund requested.",
            refund: RefundView::new(&refund),
            transaction: TransactionView::new(&PaymentTerms::of(&rails), scope, &transaction),
        }))
    })
    .await
}

/// GET /api/v1/transactions/{id}/refunds
pub async fn list(
    State(app): State<App>,
    caller: Caller<TransactionsRead>,
    PathParam(id): PathParam<TransactionId>,
) -> Result<Ok200<RefundList>> {
    let scope = caller.scope;
    let refunds = app.read(async move |tx| {
        find(tx, scope, id).await?;
        refunds::of(tx, scope, id).await
    });
    let data = refunds.await?.iter().map(RefundView::new).collect();
    Ok(Ok200(RefundList { message: "Refunds.", data }))
}

fn check(body: &RefundTransactionRequest) -> Result<NewRefund> {
    let mut wrong = FieldErrors::new();
    let amount = body.amount_cents.map(fields::amount).transpose();
    let amount = wrong.read("amountCents", amount);
    let reason = wrong.read("reason", fields::text(&body.reason, 1, REASON_LENGTH_MAX));
    let key = read_key(&mut wrong, body.refund_pix_key.as_deref(), body.pix_key_type.as_deref());
    let external_id = validation::external_id(body.external_id.as_deref());
    let external_id = wrong.read("externalId", external_id);
    let (Some(amount), Some(reason), Some(external_id)) = (amount, reason, external_id) else {
        return Err(wrong.into_error());
    };
    wrong.finish()?;
    let restock = body.restock.unwrap_or_default();
    Ok(NewRefund { amount, reason, key, restock, external_id })
}

/// Reads the PIX key that the refund is paid to, if one is given.
pub fn payout_key(key: Option<&str>, key_type: Option<&str>) -> Result<Option<PixKey>> {
    let mut wrong = FieldErrors::new();
    let key = read_key(&mut wrong, key, key_type);
    wrong.finish()?;
    Ok(key)
}

/// The key, or `None` if none is given or it is invalid, which is noted.
fn read_key(wrong: &mut FieldErrors, key: Option<&str>, given: Option<&str>) -> Option<PixKey> {
    let given = wrong.read("pixKeyType", given.map(key_type).transpose()).flatten();
    wrong.read("refundPixKey", key.map(|text| pix_key(text, given)).transpose()).flatten()
}

fn key_type(name: &str) -> Result<PixKeyType, FieldFault> {
    PixKeyType::parse(name).map_err(|error| FieldFault::new("INVALID_VALUE", error.to_string()))
}

/// A key of the given type or, without one, of the only type that it fits.
fn pix_key(text: &str, given: Option<PixKeyType>) -> Result<PixKey, FieldFault> {
    let given = given.or(is_written_as_cpf(text).then_some(PixKeyType::Cpf));
    let types = given.map_or(PixKeyType::ALL.to_vec(), |given| vec![given]);
    let fit = types.iter().filter_map(|key_type| PixKey::parse(*key_type, text).ok());
    let fault = |message: &str| Err(FieldFault::new(ErrorCode::InvalidPixKey.name(), message));
    match fit.collect::<Vec<_>>().as_slice() {
        [key] => Ok(key.clone()),
        [] => fault("must be a valid PIX key"),
        _ => fault("could be of several types; say which in pixKeyType"),
    }
}

/// A telephone number is never written like `529.982.247-25`, although its digits may be one.
fn is_written_as_cpf(text: &str) -> bool {
    let marks = [(3, b'.'), (7, b'.'), (11, b'-')];
    let written = |(place, mark): (usize, u8)| text.as_bytes().get(place) == Some(&mark);
    text.len() == 14 && marks.into_iter().all(written)
}
