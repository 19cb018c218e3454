//! Payments through the API.

use std::time::Duration;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::affiliates::attribution::AttributionBasis;
use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::clients::{self, CustomerDetails, lookups};
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, IdempotencyKey, Replayable, WEEK};
use crate::platform::error::{FieldErrors, FieldFault, Result};
use crate::platform::fields;
use crate::platform::http::body::{Body, Empty, OptionalBody};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::{Created, Ok200};
use crate::platform::ids::{ClientId, PaymentLinkId, PersonId, ProductId, Scope, TransactionId};
use crate::platform::masked::Documents;
use crate::platform::permissions::{TransactionsRead, TransactionsWrite};
use crate::products::items::{self, LineItemRequest};
use crate::transactions::close::cancel as cancel_transaction;
use crate::transactions::create::CreateTransaction;
use crate::transactions::list::{ListQuery, list as list_transactions};
use crate::transactions::metadata::{self, Metadata};
use crate::transactions::qr_code::QrCodeQuery;
use crate::transactions::request::{ChargeFor, NewTransaction};
use crate::transactions::simulate::{SimulatedOutcome, Simulation, simulate as simulate_outcome};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::validation::{self, CustomerRequest, MethodParams, RequiredFields};
use crate::transactions::view::{TimelineStep, TransactionView, history};
use crate::transactions::{
    Address, PaymentMethod, Transaction, current, disputes, refunds, unmatched,
};

/// How long a description may be.
pub const DESCRIPTION_LENGTH_MAX: usize = 255;

const CALLS_MAX: u32 = 5;
const DELAY_SECONDS_MAX: u64 = 30 * 24 * 3600;

/// The parameters of a new transaction; exactly one of `amountCents`, `paymentLinkId` and `items`
/// is required.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateTransactionRequest {
    /// The amount to pay, in cents.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub amount_cents: Option<i64>,
    /// What it is for, which the buyer sees; with `amountCents` alone.
    #[schemars(length(max = 255))]
    pub description: Option<String>,
    /// The payment link to pay, which sets the amount.
    pub payment_link_id: Option<PaymentLinkId>,
    /// The products to pay for; their prices make the amount.
    #[schemars(length(min = 1, max = 100))]
    pub items: Option<Vec<LineItemRequest>>,
    pub method: PaymentMethod,
    /// The payer; required unless `customerId` is given.
    pub customer: Option<CustomerRequest>,
    /// The ID of an existing customer who pays.
    pub customer_id: Option<ClientId>,
    /// Seconds until the payment expires, 60 to 2592000. Defaults to one hour.
    #[schemars(range(min = 60, max = 2_592_000))]
    pub expires_in: Option<i64>,
    /// The due date of a boleto, for example 2026-12-24. Defaults to three days from now.
    #[schemars(extend("format" = "date"))]
    pub due_date: Option<String>,
    /// The number of installments of a card payment. Defaults to 1.
    #[schemars(range(min = 1, max = 12))]
    pub installments: Option<i64>,
    /// The card token from the tokenizer; required to pay by card.
    #[schemars(length(min = 1, max = 255))]
    pub card_token: Option<String>,
    /// The code of a coupon, which lowers the amount.
    #[schemars(length(max = 40))]
    pub coupon_code: Option<String>,
    /// The code of the referring affiliate; unknown codes are ignored.
    #[schemars(length(max = 40))]
    pub affiliate_code: Option<String>,
    /// The merchant's own reference for the transaction.
    #[schemars(length(max = 255))]
    pub external_id: Option<String>,
    #[schemars(with = "Option<Metadata>")]
    pub metadata: Option<Map<String, Value>>,
}

/// The outcome that the sandbox simulates.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("examples" = [{ "outcome": "PAID" }]))]
pub struct SimulateTransactionRequest {
    pub outcome: SimulatedOutcome,
    /// The amount that is paid, in cents. Defaults to the transaction's amount.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub paid_amount_cents: Option<i64>,
    /// The number of confirmations, 1 to 5.
    #[schemars(range(min = 1, max = 5))]
    pub times: Option<u32>,
    /// Seconds between the payment and its confirmation, at most 30 days.
    #[schemars(range(max = 2_592_000))]
    pub delay_seconds: Option<u64>,
}

/// A response with one transaction.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TransactionResponse {
    pub message: &'static str,
    pub transaction: TransactionView,
}

/// A page of transactions, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TransactionList {
    message: &'static str,
    data: Vec<TransactionView>,
    pagination: Pagination,
}

/// The timeline of a transaction, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TransactionTimeline {
    message: &'static str,
    data: Vec<TimelineStep>,
}

/// POST /api/v1/transactions
pub async fn create(
    State(app): State<App>,
    caller: Caller<TransactionsWrite>,
    Context(context): Context,
    Query(qr_code): Query<QrCodeQuery>,
    dry_run: DryRun,
    once: IdempotencyHeader<WEEK>,
    body: Body<CreateTransactionRequest>,
) -> Result<Replayable<Created<TransactionResponse>>> {
    let scope = caller.scope;
    let ticket = Ticket::of_program(scope, once.key(scope, &body.raw), dry_run);
    let sees = (caller.person(), caller.documents());
    qr_code.draw(ask(&app, &context, ticket, sees, body.value).await?)
}

/// Issues a payment: the way in of programs and of people.
pub async fn ask(
    app: &App,
    context: &RequestContext,
    Ticket { scope, key, dry_run, by }: Ticket,
    (person, documents): (Option<PersonId>, Documents),
    body: CreateTransactionRequest,
) -> Result<Replayable<Created<TransactionResponse>>> {
    // The response names the client who has the document already.
    if body.customer.as_ref().is_some_and(|customer| customer.document.is_some()) {
        lookups::count(app, context, person, documents)?;
    }
    let new = check(app, scope, body).await?;
    let (terms, work) = (PaymentTerms::of(app), CreateTransaction { scope, new, by });
    app.charge_once(dry_run, scope, key, work, move |transaction| {
        let transaction = TransactionView::to_pay(&terms, scope, &transaction);
        Created(TransactionResponse { message: "Transaction created.", transaction })
    })
    .await
}

/// GET /api/v1/transactions
pub async fn list(
    State(app): State<App>,
    caller: Caller<TransactionsRead>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery>,
) -> Result<Ok200<TransactionList>> {
    let (scope, filter, counts) = (caller.scope, query.read(&page)?, app.payment_counts.clone());
    let page = filter.page;
    let scanned = app.scan_for(scope.merchant, async move |tx| {
        list_transactions(tx, scope, &filter, &counts).await
    });
    let listed = scanned.await?;
    let pagination = page.pagination(&listed);
    let terms = PaymentTerms::of(&app);
    let show = |transaction: &Transaction| TransactionView::new(&terms, scope, transaction);
    let data = listed.rows.iter().map(show).collect();
    Ok(Ok200(TransactionList { message: "Transactions.", data, pagination }))
}

/// GET /api/v1/transactions/{id}
pub async fn show(
    State(app): State<App>,
    caller: Caller<TransactionsRead>,
    PathParam(id): PathParam<TransactionId>,
    Query(qr_code): Query<QrCodeQuery>,
) -> Result<Replayable<Ok200<TransactionResponse>>> {
    let transaction = current(&app, caller.scope, id).await?;
    let shown = reply(&app, caller.scope, "Transaction.", &transaction);
    qr_code.draw(Replayable::fresh(&shown)?)
}

/// GET /api/v1/transactions/{id}/timeline
pub async fn timeline(
    State(app): State<App>,
    caller: Caller<TransactionsRead>,
    PathParam(id): PathParam<TransactionId>,
) -> Result<Ok200<TransactionTimeline>> {
    let scope = caller.scope;
    let transaction = current(&app, scope, id).await?;
    let (unmatched, refunds, disputes) = app
        .read(async move |tx| {
            let refunds = refunds::of(tx, scope, id).await?;
            let disputes = disputes::of(tx, scope, id).await?;
            Ok((unmatched::all(tx, scope, id).await?, refunds, disputes))
        })
        .await?;
    let data = history(&transaction, &unmatched, &refunds, &disputes);
    Ok(Ok200(TransactionTimeline { message: "Timeline.", data }))
}

/// POST /api/v1/transactions/{id}/cancel
pub async fn cancel(
    State(app): State<App>,
    caller: Caller<TransactionsWrite>,
    PathParam(id): PathParam<TransactionId>,
    dry_run: DryRun,
    once: IdempotencyHeader<WEEK>,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<TransactionResponse>>> {
    let (scope, key) = (caller.scope, once.key(caller.scope, &body.raw));
    ask_to_cancel(&app, Ticket::of_program(scope, key, dry_run), id).await
}

/// Cancels an unpaid payment: the way in of programs and of people.
pub async fn ask_to_cancel(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: TransactionId,
) -> Result<Replayable<Ok200<TransactionResponse>>> {
    let terms = PaymentTerms::of(app);
    app.change_once(dry_run, scope, key, async move |tx| {
        let transaction = cancel_transaction(tx, scope, &terms, id).await?;
        note(tx, scope, by.as_ref(), Action::TransactionCancelled, id.0).await?;
        let transaction = TransactionView::new(&terms, scope, &transaction);
        Ok(Ok200(TransactionResponse { message: "Transaction cancelled.", transaction }))
    })
    .await
}

/// POST /api/v1/transactions/{id}/simulate
pub async fn simulate(
    State(app): State<App>,
    caller: Caller<TransactionsWrite>,
    PathParam(id): PathParam<TransactionId>,
    Query(qr_code): Query<QrCodeQuery>,
    once: IdempotencyHeader<WEEK>,
    body: Body<SimulateTransactionRequest>,
) -> Result<Replayable<Ok200<TransactionResponse>>> {
    let key = once.key(caller.scope, &body.raw);
    let ticket = Ticket::of_program(caller.scope, key, DryRun::default());
    qr_code.draw(ask_to_simulate(&app, ticket, id, &body.value).await?)
}

/// Simulates an outcome: the way in of programs and of people.
///
/// It takes several units, as the bank's confirmation of a payment does; who asked is noted once
/// they are done.
pub async fn ask_to_simulate(
    app: &App,
    Ticket { scope, key, by, .. }: Ticket,
    id: TransactionId,
    body: &SimulateTransactionRequest,
) -> Result<Replayable<Ok200<TransactionResponse>>> {
    let scope = scope.expect_development()?;
    let simulation = check_simulation(body)?;
    // Whether an outcome can be simulated depends on the payment's state at each repetition.
    let key = key.map(IdempotencyKey::without_refusals);
    let seed = key.as_ref().map(IdempotencyKey::seed);
    app.repeat_once(key, async {
        let transaction = simulate_outcome(app, scope, id, simulation, seed).await?;
        if by.is_some() {
            let action = Action::TransactionSimulated;
            app.transact(async move |tx| note(tx, scope, by.as_ref(), action, id.0).await).await?;
        }
        Ok(reply(app, scope, "Simulated.", &transaction))
    })
    .await
}

async fn check(app: &App, scope: Scope, body: CreateTransactionRequest) -> Result<NewTransaction> {
    let mut wrong = FieldErrors::new();
    let charge_for = charge_for(&mut wrong, &body);
    let instrument =
        validation::instrument(&mut wrong, body.method_params(), scope.today(app.now()));
    let coupon_code =
        wrong.read("couponCode", validation::coupon_code(body.coupon_code.as_deref()));
    let affiliate_code = validation::affiliate_code(body.affiliate_code.as_deref());
    let affiliate_code = wrong.read("affiliateCode", affiliate_code).flatten();
    let description = wrong.read("description", description(&body));
    let external_id = validation::external_id(body.external_id.as_deref());
    let external_id = wrong.read("externalId", external_id);
    let metadata = wrong.read("metadata", metadata::check(body.metadata));
    let customer = customer(app, scope, &mut wrong, body.customer, body.customer_id).await?;
    let (Some(charge_for), Some(instrument), Some(coupon_code), Some(external_id), Some(metadata)) =
        (charge_for, instrument, coupon_code, external_id, metadata)
    else {
        return Err(wrong.into_error());
    };
    let Some((customer, address)) = customer else { return Err(wrong.into_error()) };
    wrong.finish()?;
    Ok(NewTransaction {
        charge_for,
        instrument,
        customer,
        address,
        coupon_code,
        attribution: AttributionBasis::given(affiliate_code.as_deref()),
        description: description.flatten(),
        external_id,
        metadata,
        at_most: None,
        buyer_ip: None,
        replaces: None,
    })
}

impl CreateTransactionRequest {
    fn method_params(&self) -> MethodParams<'_> {
        MethodParams {
            method: self.method,
            expires_in: self.expires_in,
            due_date: self.due_date.as_deref(),
            installments: self.installments,
            card_token: self.card_token.as_deref(),
            coupon_code: self.coupon_code.as_deref(),
        }
    }
}

fn charge_for(wrong: &mut FieldErrors, body: &CreateTransactionRequest) -> Option<ChargeFor> {
    match (body.amount_cents, body.payment_link_id, &body.items) {
        (Some(cents), None, None) => {
            wrong.read("amountCents", fields::amount(cents)).map(ChargeFor::Amount)
        }
        (None, Some(link), None) => Some(ChargeFor::Link(link)),
        (None, None, Some(items)) => sold_items(wrong, items).map(ChargeFor::Items),
        _ => {
            let message = "send exactly one of amountCents, paymentLinkId and items";
            wrong.add("amountCents", FieldFault::new("REQUIRED", message));
            None
        }
    }
}

/// What a payment of an amount is for; links and products say it themselves.
fn description(body: &CreateTransactionRequest) -> Result<Option<String>, FieldFault> {
    let description = fields::optional_text(body.description.as_deref(), DESCRIPTION_LENGTH_MAX)?;
    if description.is_some() && body.amount_cents.is_none() {
        return Err(FieldFault::new("INVALID_VALUE", "can be sent with amountCents alone"));
    }
    Ok(description)
}

fn sold_items(wrong: &mut FieldErrors, sent: &[LineItemRequest]) -> Option<Vec<(ProductId, i64)>> {
    if sent.is_empty() {
        wrong.add("items", FieldFault::new("INVALID_LENGTH", "must have at least one entry"));
        return None;
    }
    Some(items::read(wrong, "items", sent))
}

async fn customer(
    app: &App,
    scope: Scope,
    wrong: &mut FieldErrors,
    body: Option<CustomerRequest>,
    id: Option<ClientId>,
) -> Result<Option<(CustomerDetails, Option<Address>)>> {
    match (body, id) {
        (Some(body), None) => Ok(validation::customer(wrong, &body, RequiredFields::default())),
        (None, Some(id)) => {
            let known = app.read(async move |tx| clients::customer(tx, scope, id).await).await?;
            if known.is_none() {
                wrong.add(
                    "customerId",
                    FieldFault::new("UNKNOWN_CUSTOMER", "is not a client of yours"),
                );
            }
            Ok(known.map(|known| (known, None)))
        }
        _ => {
            let message = "send exactly one of customer and customerId";
            wrong.add("customer", FieldFault::new("REQUIRED", message));
            Ok(None)
        }
    }
}

fn check_simulation(body: &SimulateTransactionRequest) -> Result<Simulation> {
    let mut wrong = FieldErrors::new();
    let amount = body.paid_amount_cents.map(fields::amount).transpose();
    let amount = wrong.read("paidAmountCents", amount).flatten();
    let calls = body.times.unwrap_or(1);
    if !(1..=CALLS_MAX).contains(&calls) {
        wrong.add("times", FieldFault::new("OUT_OF_RANGE", "must be from 1 to 5"));
    }
    let delay = body.delay_seconds.unwrap_or(0);
    if delay > DELAY_SECONDS_MAX {
        wrong.add("delaySeconds", FieldFault::new("OUT_OF_RANGE", "must be at most 2592000"));
    }
    wrong.finish()?;
    let delay = Duration::from_secs(delay);
    Ok(Simulation { outcome: body.outcome, amount, calls, delay })
}

fn reply(
    app: &App,
    scope: Scope,
    message: &'static str,
    transaction: &Transaction,
) -> Ok200<TransactionResponse> {
    let transaction = TransactionView::to_pay(&PaymentTerms::of(app), scope, transaction);
    Ok200(TransactionResponse { message, transaction })
}
