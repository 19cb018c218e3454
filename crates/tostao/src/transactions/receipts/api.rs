//! Receipts through the API.

use axum::extract::State;

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable, WEEK};
use crate::platform::error::Result;
use crate::platform::http::body::{Empty, OptionalBody};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::path::PathParam;
use crate::platform::http::rate_limit::RECEIPTS;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::TransactionId;
use crate::platform::permissions::TransactionsWrite;
use crate::transactions::api::TransactionResponse;
use crate::transactions::receipts;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::view::TransactionView;

/// What the description says of the operation.
pub const RULES: &str = "The customer gets a mail with the address of the receipt, at most three a \
    day for each transaction. The transaction must be `PAID`. Mail of development is kept in \
    `GET /api/mails` and never leaves.";

/// POST /api/v1/transactions/{id}/receipt
pub async fn create(
    State(app): State<App>,
    caller: Caller<TransactionsWrite>,
    Context(context): Context,
    PathParam(id): PathParam<TransactionId>,
    once: IdempotencyHeader<WEEK>,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<TransactionResponse>>> {
    let (scope, key) = (caller.scope, once.key(caller.scope, &body.raw));
    let ticket = Ticket { scope, key, dry_run: DryRun::default(), by: caller.by_person() };
    ask(&app, &context, ticket, id).await
}

/// Sends the receipt of a payment to its buyer: the way in of programs and of people.
pub async fn ask(
    app: &App,
    context: &RequestContext,
    Ticket { scope, key, by, .. }: Ticket,
    id: TransactionId,
) -> Result<Replayable<Ok200<TransactionResponse>>> {
    app.check_rate_limit(context, &RECEIPTS, scope)?;
    let terms = PaymentTerms::of(app);
    app.transact_once(key, async move |tx| {
        let transaction = receipts::send(tx, scope, &terms, id).await?;
        note(tx, scope, by.as_ref(), Action::ReceiptSent, id.0).await?;
        let transaction = TransactionView::new(&terms, scope, &transaction);
        Ok(Ok200(TransactionResponse { message: "Receipt sent to the customer.", transaction }))
    })
    .await
}
