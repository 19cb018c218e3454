//! Unmatched receipts through the API.

use axum::extract::State;
use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::auth::elevation::PayeePermit;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{Execution, IdempotencyHeader, Replayable, WEEK};
use crate::platform::error::Result;
use crate::platform::http::body::{Empty, OptionalBody};
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::{ParentParam, PathParam};
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{TransactionId, UnmatchedId};
use crate::platform::permissions::{TransactionsRead, TransactionsWrite};
use crate::transactions::find;
use crate::transactions::returns::api::ReturnPaymentRequest;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::unmatched::{self, Reason, Status, UnmatchedPayment};
use crate::transactions::view::TransactionView;

/// A payment that does not match its transaction.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UnmatchedPayment")]
pub struct UnmatchedView {
    id: UnmatchedId,
    /// The transaction that the payment refers to.
    transaction_id: TransactionId,
    /// Amount in cents.
    amount: Cents,
    reason: Reason,
    status: Status,
    /// The PIX end-to-end ID.
    payment_id: String,
    received_at: Timestamp,
    accepted_at: Option<Timestamp>,
    /// When it was returned to the payer.
    returned_at: Option<Timestamp>,
    /// A stable code for why the provider did not return it.
    failure_reason: Option<String>,
}

/// Unmatched payments: of one transaction the open and returning ones, oldest first; of all of them
/// a page of those that await a decision, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnmatchedPaymentList {
    message: &'static str,
    data: Vec<UnmatchedView>,
    /// The position of the page; absent in the list of one transaction, which is whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pagination: Option<Pagination>,
}

/// The unmatched payment after the decision, and its transaction.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnmatchedPaymentResponse {
    message: &'static str,
    unmatched: UnmatchedView,
    transaction: TransactionView,
}

/// GET /api/v1/transactions/{id}/unmatched
pub async fn list(
    State(app): State<App>,
    caller: Caller<TransactionsRead>,
    PathParam(id): PathParam<TransactionId>,
) -> Result<Ok200<UnmatchedPaymentList>> {
    let scope = caller.scope;
    let open = app.read(async move |tx| {
        find(tx, scope, id).await?;
        unmatched::open(tx, scope, id).await
    });
    let data = open.await?.into_iter().map(|unmatched| UnmatchedView::new(id, unmatched));
    let (message, data) = ("Unmatched payments.", data.collect());
    Ok(Ok200(UnmatchedPaymentList { message, data, pagination: None }))
}

/// GET /api/v1/unmatched-payments
pub async fn list_waiting(
    State(app): State<App>,
    caller: Caller<TransactionsRead>,
    Query(page): Query<PageQuery>,
) -> Result<Ok200<UnmatchedPaymentList>> {
    let (scope, page) = (caller.scope, page.read()?);
    let unit = async move |tx: &_| unmatched::waiting(tx, scope, page).await;
    let open = app.scan_for(scope.merchant, unit).await?;
    let pagination = Some(page.pagination(&open));
    let view = |(of, unmatched)| UnmatchedView::new(of, unmatched);
    let data = open.rows.into_iter().map(view).collect();
    let message = "Open unmatched payments.";
    Ok(Ok200(UnmatchedPaymentList { message, data, pagination }))
}

/// POST /api/v1/transactions/{id}/unmatched/{unmatchedId}/accept
pub async fn accept(
    State(app): State<App>,
    caller: Caller<TransactionsWrite>,
    ParentParam(id): ParentParam<TransactionId>,
    PathParam(unmatched): PathParam<UnmatchedId>,
    dry_run: DryRun,
    once: IdempotencyHeader<WEEK>,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<UnmatchedPaymentResponse>>> {
    let (scope, key) = (caller.scope, once.key(caller.scope, &body.raw));
    let ticket = Ticket { scope, key, dry_run, by: caller.by_person() };
    ask_to_accept(&app, ticket, (id, unmatched)).await
}

/// Accepts money that was set aside: the way in of programs and of people.
pub async fn ask_to_accept(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    (id, money): (TransactionId, UnmatchedId),
) -> Result<Replayable<Ok200<UnmatchedPaymentResponse>>> {
    let terms = PaymentTerms::of(app);
    app.change_once(dry_run, scope, key, async move |tx| {
        let (transaction, accepted) = unmatched::accept(tx, scope, &terms, id, money).await?;
        note(tx, scope, by.as_ref(), Action::SetAsideAccepted, id.0).await?;
        Ok(Ok200(UnmatchedPaymentResponse {
            message: "Unmatched payment accepted.",
            unmatched: UnmatchedView::new(id, accepted),
            transaction: TransactionView::new(&terms, scope, &transaction),
        }))
    })
    .await
}

/// POST /api/v1/transactions/{id}/unmatched/{unmatchedId}/return
pub async fn return_to_payer(
    State(app): State<App>,
    caller: Caller<TransactionsWrite>,
    ParentParam(id): ParentParam<TransactionId>,
    PathParam(unmatched): PathParam<UnmatchedId>,
    dry_run: DryRun,
    once: IdempotencyHeader<WEEK>,
    body: OptionalBody<ReturnPaymentRequest>,
) -> Result<Replayable<Ok200<UnmatchedPaymentResponse>>> {
    let (scope, key) = (caller.scope, once.key(caller.scope, &body.raw));
    let ticket = Ticket { scope, key, dry_run, by: caller.by_person() };
    ask_to_return(&app, ticket, caller.permit_payee(), (id, unmatched), &body.value).await
}

/// Returns money that was set aside: the way in of programs and of people; a permit lets them name
/// a key that it goes to.
pub async fn ask_to_return(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    names_payee: PayeePermit,
    (id, money): (TransactionId, UnmatchedId),
    body: &ReturnPaymentRequest,
) -> Result<Replayable<Ok200<UnmatchedPaymentResponse>>> {
    let (payee, rails) = (body.key()?, app.clone());
    let permit = if payee.is_some() { names_payee.permit } else { Ok(()) };
    app.change_once(dry_run, scope, Execution::permitted(key, permit), async move |tx| {
        let payouts = || rails.providers.payout_bank(scope.mode);
        let (which, terms) = ((id, money), PaymentTerms::of(&rails));
        let named = payee.as_ref().map(|key| (key, names_payee.named_by));
        let (transaction, returning) =
            unmatched::return_to_payer(tx, scope, &terms, which, named, payouts).await?;
        note(tx, scope, by.as_ref(), Action::SetAsideReturned, id.0).await?;
        let message = match returning.status {
            unmatched::Status::Returned => "Unmatched payment was returned.",
            _ => "Unmatched payment is going back.",
        };
        Ok(Ok200(UnmatchedPaymentResponse {
            message,
            unmatched: UnmatchedView::new(id, returning),
            transaction: TransactionView::new(&terms, scope, &transaction),
        }))
    })
    .await
}

impl UnmatchedView {
    fn new(transaction_id: TransactionId, unmatched: UnmatchedPayment) -> Self {
        Self {
            id: unmatched.id,
            transaction_id,
            amount: unmatched.amount,
            reason: unmatched.reason,
            status: unmatched.status,
            payment_id: unmatched.payment_id,
            received_at: unmatched.received_at,
            returned_at: unmatched.returned_at,
            failure_reason: unmatched.failure_reason,
            accepted_at: unmatched.decided_at.filter(|_| unmatched.status == Status::Accepted),
        }
    }
}
