//! Withdrawals through the API.

use axum::extract::State;
use db::tx::Tx;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::ticket::{Ticket, note};
use crate::audit::{Action, ActorContext};
use crate::auth::caller::Caller;
use crate::auth::elevation::{Matter, Payees};
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{Execution, IdempotencyHeader, Replayable, WEEK};
use crate::platform::error::{Permit, Result};
use crate::platform::http::body::{Body, Empty, OptionalBody};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::{WITHDRAW_DEVELOPMENT, WITHDRAW_PRODUCTION};
use crate::platform::http::reply::{CreatedOrExisting, Ok200};
use crate::platform::ids::{Scope, WithdrawalId};
use crate::platform::permissions::{WithdrawalsRead, WithdrawalsWrite};
use crate::withdrawals::list::{ListQuery, list as list_withdrawals};
use crate::withdrawals::terms::WithdrawalTerms;
use crate::withdrawals::validation::{self, CreateWithdrawalRequest, NewWithdrawal};
use crate::withdrawals::view::WithdrawalView;
use crate::withdrawals::{self, Requested, approval, payout_keys, request};

/// The withdrawal to quote.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuoteWithdrawalRequest {
    /// The amount that would be debited from the balance, including the fee.
    #[schemars(range(min = 100, max = 10_000_000))]
    amount_cents: i64,
}

/// The cost of a withdrawal.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WithdrawalQuote {
    amount_cents: Cents,
    fee_cents: Cents,
    /// The amount that would be paid out, after the fee.
    net_amount: Cents,
}

/// A response with one withdrawal.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WithdrawalResponse {
    message: &'static str,
    data: WithdrawalView,
}

/// A page of withdrawals, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WithdrawalList {
    message: &'static str,
    data: Vec<WithdrawalView>,
    pagination: Pagination,
}

/// A response with the quote of a withdrawal.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WithdrawalQuoteResponse {
    message: &'static str,
    data: WithdrawalQuote,
}

/// Who asks for a withdrawal.
#[derive(Debug, Clone, Copy)]
pub struct Requester {
    /// Whether they may withdraw now.
    pub permit: Permit,
    /// Where they withdraw real money to.
    pub payees: Payees,
}

/// POST /api/withdraws
pub async fn create(
    State(app): State<App>,
    caller: Caller<WithdrawalsWrite>,
    Context(context): Context,
    dry_run: DryRun,
    once: IdempotencyHeader<WEEK>,
    body: Body<CreateWithdrawalRequest>,
) -> Result<Replayable<CreatedOrExisting<WithdrawalResponse>>> {
    let (scope, key) = (caller.scope, once.key(caller.scope, &body.raw));
    let ticket = Ticket { scope, key, dry_run, by: caller.by_person() };
    let (permit, payees) = (caller.permit(Matter::Withdrawal), caller.payees());
    let requester = Requester { permit, payees };
    ask(&app, &context, ticket, requester, (once.sent(), &body.value)).await
}

/// Requests a withdrawal: the way in of programs and of people. A program may send an
/// `Idempotency-Key`, which has to agree with the body's.
pub async fn ask(
    app: &App,
    context: &RequestContext,
    Ticket { scope, key, dry_run, by }: Ticket,
    Requester { permit, payees }: Requester,
    (sent, body): (Option<&str>, &CreateWithdrawalRequest),
) -> Result<Replayable<CreatedOrExisting<WithdrawalResponse>>> {
    // What may not be carried out uses up nothing of the account's limit.
    if !dry_run.is_wanted() && permit.is_ok() {
        slow_down(app, context, scope)?;
    }
    let terms = WithdrawalTerms::of(app);
    let new = validation::read(body, sent, terms.fee)?;
    let rails = app.clone();
    let permit = known_or(app, scope, permit, new.clone()).await?;
    app.change_once(dry_run, scope, Execution::permitted(key, permit), async move |tx| {
        if payees == Payees::PayoutKeys {
            expect_payout_key(tx, scope, &new).await?;
        }
        let provider = || rails.providers.payout_bank(scope.mode);
        let show = |message, withdrawal| {
            let data = WithdrawalView::new(&terms, scope.mode, withdrawal);
            WithdrawalResponse { message, data }
        };
        Ok(match request(tx, scope, &terms, provider, &new).await? {
            Requested::New(withdrawal) => {
                let action = Action::WithdrawalRequested;
                note(tx, scope, by.as_ref(), action, withdrawal.id.0).await?;
                CreatedOrExisting::Created(show("Withdrawal requested.", withdrawal))
            }
            Requested::Known(withdrawal) => {
                CreatedOrExisting::Existing(show("Withdrawal requested before.", withdrawal))
            }
        })
    })
    .await
}

/// GET /api/withdraws
pub async fn list(
    State(app): State<App>,
    caller: Caller<WithdrawalsRead>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery>,
) -> Result<Ok200<WithdrawalList>> {
    let (scope, filter) = (caller.scope, query.read(&page)?);
    let page = filter.page;
    let listed = app
        .scan_for(scope.merchant, async move |tx| list_withdrawals(tx, scope, &filter).await)
        .await?;
    let pagination = page.pagination(&listed);
    let terms = WithdrawalTerms::of(&app);
    let show = |withdrawal| WithdrawalView::new(&terms, scope.mode, withdrawal);
    let data = listed.rows.into_iter().map(show).collect();
    Ok(Ok200(WithdrawalList { message: "Withdrawals.", data, pagination }))
}

/// GET /api/withdraws/{id}
pub async fn show(
    State(app): State<App>,
    caller: Caller<WithdrawalsRead>,
    PathParam(id): PathParam<WithdrawalId>,
) -> Result<Ok200<WithdrawalResponse>> {
    let scope = caller.scope;
    let found = app.read(async move |tx| withdrawals::find(tx, scope, id).await).await?;
    let data = WithdrawalView::new(&WithdrawalTerms::of(&app), scope.mode, found);
    Ok(Ok200(WithdrawalResponse { message: "Withdrawal.", data }))
}

/// POST /api/withdraws/quote
pub async fn quote(
    State(app): State<App>,
    caller: Caller<WithdrawalsWrite>,
    once: IdempotencyHeader<WEEK>,
    body: Body<QuoteWithdrawalRequest>,
) -> Result<Replayable<Ok200<WithdrawalQuoteResponse>>> {
    app.repeat_once(once.key(caller.scope, &body.raw), async {
        let (sent, fee) = (body.value.amount_cents, WithdrawalTerms::of(&app).fee);
        let amount = validation::amount(sent, fee).map_err(|fault| fault.of("amountCents"))?;
        let net_amount = amount.minus(fee).unwrap_or(Cents::ZERO);
        let data = WithdrawalQuote { amount_cents: amount, fee_cents: fee, net_amount };
        Ok(Ok200(WithdrawalQuoteResponse { message: "Quote.", data }))
    })
    .await
}

/// POST /api/withdraws/{id}/cancel
pub async fn cancel(
    State(app): State<App>,
    caller: Caller<WithdrawalsWrite>,
    PathParam(id): PathParam<WithdrawalId>,
    dry_run: DryRun,
    once: IdempotencyHeader<WEEK>,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<WithdrawalResponse>>> {
    let (scope, by) = (caller.scope, caller.by());
    let ticket = Ticket::of_program(scope, once.key(scope, &body.raw), dry_run);
    ask_to_cancel(&app, ticket, by, id).await
}

/// Cancels a withdrawal: the way in of programs and of people.
pub async fn ask_to_cancel(
    app: &App,
    Ticket { scope, key, dry_run, .. }: Ticket,
    by: ActorContext,
    id: WithdrawalId,
) -> Result<Replayable<Ok200<WithdrawalResponse>>> {
    let terms = WithdrawalTerms::of(app);
    app.change_once(dry_run, scope, key, async move |tx| {
        let cancelled = approval::cancel(tx, scope, &by, &terms, id).await?;
        let data = WithdrawalView::new(&terms, scope.mode, cancelled);
        Ok(Ok200(WithdrawalResponse { message: "Withdrawal cancelled.", data }))
    })
    .await
}

/// Whether the caller may request a withdrawal; a repetition by the body's key only asks what
/// happened, as one by the header's does.
async fn known_or(app: &App, scope: Scope, permit: Permit, new: NewWithdrawal) -> Result<Permit> {
    if permit.is_ok() {
        return Ok(permit);
    }
    let known = app.read(async move |tx| withdrawals::known(tx, scope, &new).await).await?;
    Ok(if known.is_some() { Ok(()) } else { permit })
}

/// Refuses a withdrawal to a key that is no usable payout key; one that was requested before by the
/// body's key is only asked for.
async fn expect_payout_key(tx: &Tx, scope: Scope, new: &NewWithdrawal) -> Result<()> {
    if withdrawals::known(tx, scope, new).await?.is_some() {
        return Ok(());
    }
    payout_keys::expect_usable(tx, scope, &new.key).await
}

/// Limits a user to the few withdrawals a minute that are ever needed.
fn slow_down(app: &App, context: &RequestContext, scope: Scope) -> Result<()> {
    let zone =
        if scope.mode.is_development() { &WITHDRAW_DEVELOPMENT } else { &WITHDRAW_PRODUCTION };
    app.check_rate_limit(context, zone, scope)
}
