//! Charging a card: the acquirer is called between two units.
//!
//! ```text
//! unit: PROCESSING, key reserved ──▶ acquirer ──▶ unit: PAID or FAILED, response stored
//!                                        └ no answer: stays PROCESSING, `resolve` asks again
//! ```
//!
//! An unknown outcome is not a failure: the acquirer is queried by our own reference, and the
//! result is never guessed. A concurrent request with the same key waits for that result.

use std::time::Duration;

use db::tx::Tx;

use crate::app::App;
use crate::idempotency::{Begun, Replayable, Ticket, in_progress};
use crate::merchants;
use crate::platform::error::{Error, Result};
use crate::platform::http::reply::Answer;
use crate::platform::ids::{Scope, TransactionId};
use crate::providers::ProviderError;
use crate::providers::card::{CardOrder, CardSource, CardVerdict};
use crate::transactions::arrival::{Arrival, Rail};
use crate::transactions::close::fail;
use crate::transactions::confirm::confirm;
use crate::transactions::create::{Means, NewTransaction, Reply, insert};
use crate::transactions::issue::{Issued, closed};
use crate::transactions::jobs::Resolve;
use crate::transactions::status::{Status, Trigger, Verdict};
use crate::transactions::terms::Terms;
use crate::transactions::{Transaction, find};

/// The acquirer has answered by then; otherwise it is asked for the charge's outcome.
const RESOLVED_AFTER: Duration = Duration::from_secs(60);
/// How long a concurrent request with the same key polls for the first one's result, and how often.
const TWIN_WAITS: Duration = Duration::from_secs(3);
const TWIN_LOOKS_EVERY: Duration = Duration::from_millis(100);

/// Failure reason of a payment whose charge the acquirer did not accept.
const REFUSED: &str = "refused_by_acquirer";
/// Failure reason of a payment whose token had just been used by another or had just expired.
pub const UNUSABLE_TOKEN: &str = "card_token_unusable";

/// A card charge that is stored but not sent yet.
#[derive(Debug, Clone)]
pub struct Order {
    pub transaction: Transaction,
    source: CardSource,
    statement: String,
}

/// The acquirer's reply to a charge.
enum Said {
    Verdict(CardVerdict),
    /// The acquirer did not accept the charge and did nothing; the reason is a stable code.
    Refused(&'static str),
}

/// Charges a card and responds with what `reply` makes of the payment; a decline is an error.
pub async fn charge<A>(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    new: &NewTransaction,
    issued: Issued,
    reply: impl Reply<A>,
) -> Result<Replayable<A>>
where
    A: Answer + Send + 'static,
{
    let (terms, wanted) = (Terms::of(app), new.clone());
    let begun = app.begin_once(ticket.clone(), async move |tx| {
        let order = begin(tx, scope, &terms, &wanted, &issued).await?;
        Ok((order.transaction.id.0, order))
    });
    let order = match begun.await? {
        Begun::Now(begun) => begun,
        Begun::Answered(answer) => return Ok(answer),
        Begun::Running(id) => return join(app, scope, ticket, TransactionId(id), reply).await,
    };
    let settled = carry_out(app, scope, order).await?;
    conclude(app, scope, ticket, settled, reply).await
}

/// Stores a card charge before it is sent, so its outcome is always resolved.
///
/// If the account is being closed, either the closing sees this charge, which keeps the account
/// open, or the account is closed before anything is charged.
pub async fn begin(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    new: &NewTransaction,
    issued: &Issued,
) -> Result<Order> {
    let source = match &new.means {
        Means::Card { token: Some(token), .. } => CardSource::Token(token.clone()),
        Means::Stored(card) => CardSource::Stored(card.id.clone()),
        Means::Card { token: None, .. } | Means::Pix { .. } | Means::Boleto { .. } => {
            return Err(Error::Internal(anyhow::anyhow!("only a card is charged at an acquirer")));
        }
    };
    if !merchants::is_open(tx, scope.merchant).await? {
        return Err(closed());
    }
    let transaction = insert(tx, scope, terms, new, issued).await?;
    let (merchant, mode) = (scope.merchant, scope.mode);
    let resolve = Resolve { merchant, mode, id: transaction.id, sent_at: Some(tx.now()) };
    push_resolve(tx, scope, &resolve, RESOLVED_AFTER).await?;
    let statement = merchants::find(tx, scope.merchant).await?.name;
    Ok(Order { transaction, source, statement })
}

/// Sends the charge to the acquirer and stores its reply.
pub async fn carry_out(app: &App, scope: Scope, order: Order) -> Result<Transaction> {
    let id = order.transaction.id;
    match authorize(app, scope, order).await? {
        Said::Verdict(verdict) => decide(app, scope, id, verdict).await,
        Said::Refused(reason) => refuse(app, scope, id, reason).await,
    }
}

/// Waits for the result of a charge that another request started, and responds with it.
pub async fn join<A>(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    id: TransactionId,
    reply: impl Reply<A>,
) -> Result<Replayable<A>>
where
    A: Answer + Send + 'static,
{
    let look = || app.read(async move |tx| find(tx, scope, id).await);
    let mut transaction = look().await?;
    if transaction.status == Status::Processing {
        if let Some(answer) = follow(app, ticket.clone()).await? {
            return Ok(answer);
        }
        transaction = look().await?;
    }
    if transaction.status == Status::Processing {
        return Err(in_progress());
    }
    // The request that started the charge went away, or responded before the result was known.
    conclude(app, scope, ticket, transaction, reply).await
}

/// Waits for the response of a concurrent request; `None` if it did not come in time.
#[expect(clippy::disallowed_methods, reason = "the other request ends without a notice")]
pub async fn follow<A>(app: &App, ticket: Option<Ticket>) -> Result<Option<Replayable<A>>>
where
    A: Answer + Send + 'static,
{
    let mut waited = Duration::ZERO;
    loop {
        if let Some(answer) = app.replay(ticket.clone()).await? {
            return Ok(Some(answer));
        }
        if waited >= TWIN_WAITS {
            return Ok(None);
        }
        tokio::time::sleep(TWIN_LOOKS_EVERY).await;
        waited += TWIN_LOOKS_EVERY;
    }
}

/// Stores the acquirer's reply; a repeated reply is not an error.
pub async fn settle(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    id: TransactionId,
    verdict: &CardVerdict,
) -> Result<Transaction> {
    let before = find(tx, scope, id).await?;
    match verdict {
        CardVerdict::Processing => Ok(before),
        CardVerdict::Declined { code } => {
            fail(tx, scope, terms, before, Some(*code), code.name()).await
        }
        CardVerdict::Approved { authorization_code } => match before.status.after(Trigger::Pay) {
            Verdict::Becomes(_) => {
                let arrival = Arrival {
                    rail: Rail::Card,
                    name: authorization_code.clone(),
                    amount: before.amount,
                    paid_at: scope.now(tx),
                };
                confirm(tx, scope, terms, &before, &arrival).await
            }
            Verdict::Already => Ok(before),
            Verdict::Refused => Err(Error::conflict(before.status, Status::Paid)),
        },
    }
}

/// Schedules a query to the acquirer for a charge's outcome, after a delay.
pub async fn push_resolve(tx: &Tx, scope: Scope, job: &Resolve, after: Duration) -> Result<()> {
    let due = scope.due(scope.now(tx).plus(after));
    Ok(queue::job::push(tx, tx.new_id(), due, job).await?)
}

/// Our reference for a charge at the acquirer.
pub fn reference(id: TransactionId) -> String {
    id.0.simple().to_string()
}

async fn authorize(app: &App, scope: Scope, order: Order) -> Result<Said> {
    let Order { transaction, source, statement } = order;
    let order = CardOrder {
        reference: reference(transaction.id),
        source,
        amount: transaction.amount,
        installments: transaction.installments,
        statement,
    };
    let provider = app.providers.card(scope.mode)?;
    match provider.authorize(&order).await {
        Ok(verdict) => Ok(Said::Verdict(verdict)),
        Err(error) => {
            tracing::warn!(transaction = %transaction.id, "{error}");
            Ok(match error {
                ProviderError::Refused(_) => Said::Refused(REFUSED),
                ProviderError::UnusableToken => Said::Refused(UNUSABLE_TOKEN),
                _ => Said::Verdict(CardVerdict::Processing),
            })
        }
    }
}

/// Records that the acquirer did not accept the charge, so that it will have no effect.
async fn refuse(
    app: &App,
    scope: Scope,
    id: TransactionId,
    reason: &'static str,
) -> Result<Transaction> {
    let terms = Terms::of(app);
    let failed = app.transact(async move |tx| {
        let before = find(tx, scope, id).await?;
        fail(tx, scope, &terms, before, None, reason).await
    });
    failed.await
}

/// Stores the acquirer's reply, in a unit of its own.
pub async fn decide(
    app: &App,
    scope: Scope,
    id: TransactionId,
    verdict: CardVerdict,
) -> Result<Transaction> {
    let terms = Terms::of(app);
    app.transact(async move |tx| settle(tx, scope, &terms, id, &verdict).await).await
}

/// Responds with a charge's state; the idempotency key stores it only when it is final.
async fn conclude<A>(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    transaction: Transaction,
    reply: impl Reply<A>,
) -> Result<Replayable<A>>
where
    A: Answer + Send + 'static,
{
    if transaction.status == Status::Failed {
        return app.refuse_once(ticket, transaction.declined()).await;
    }
    let answer = reply(&Terms::of(app), scope, &transaction);
    if transaction.status == Status::Processing {
        return Replayable::fresh(&answer);
    }
    app.remember(ticket, &answer).await
}
