//! Charging a card: the acquirer must be asked between two units.
//!
//! ```text
//! unit: PROCESSING, key reserved ──▶ acquirer ──▶ unit: PAID or FAILED, answer kept
//!                                        └ no answer: stays PROCESSING, `resolve` asks again
//! ```
//!
//! Unknown is not failed: what became of a charge is asked of the acquirer by our own reference,
//! and never guessed. Whoever asks again with the same key meanwhile waits for that.

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

/// The acquirer has answered by then, or it is asked what became of the charge.
const RESOLVED_AFTER: Duration = Duration::from_secs(60);
/// How long a twin waits for the first, and how often he looks.
const TWIN_WAITS: Duration = Duration::from_secs(3);
const TWIN_LOOKS_EVERY: Duration = Duration::from_millis(100);

/// Why a payment failed whose order the acquirer did not take.
const REFUSED: &str = "refused_by_acquirer";
/// Why a payment failed whose token another one had just used, or that had just expired.
pub const UNUSABLE_TOKEN: &str = "card_token_unusable";

/// A card's charge that is written down and not asked for yet.
#[derive(Debug, Clone)]
pub struct Order {
    pub transaction: Transaction,
    source: CardSource,
    statement: String,
}

/// What the acquirer said to an order.
enum Said {
    Verdict(CardVerdict),
    /// It did not take it, and did nothing; why, in a stable word.
    Refused(&'static str),
}

/// Charges a card and answers with what `reply` makes of the payment; declined is an error.
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

/// Writes down that a card is about to be charged; whatever happens next, it is asked about.
///
/// Of an account that is being closed either this is seen, which keeps it open, or it is closed
/// before anything is charged.
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

/// Asks the acquirer to do it, and writes down what it says.
pub async fn carry_out(app: &App, scope: Scope, order: Order) -> Result<Transaction> {
    let id = order.transaction.id;
    match authorize(app, scope, order).await? {
        Said::Verdict(verdict) => decide(app, scope, id, verdict).await,
        Said::Refused(reason) => refuse(app, scope, id, reason).await,
    }
}

/// Waits for the end of a charge that another request has begun, and answers as it does.
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
    // Whoever began it went away, or answered, before the end was known.
    conclude(app, scope, ticket, transaction, reply).await
}

/// Waits a while for the answer of a request that has begun; `None` if it did not come.
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

/// Writes down what the acquirer says; being told twice is not an error.
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

/// Has the acquirer asked what became of a charge, after a while.
pub async fn push_resolve(tx: &Tx, scope: Scope, job: &Resolve, after: Duration) -> Result<()> {
    let due = scope.due(scope.now(tx).plus(after));
    Ok(queue::job::push(tx, tx.new_id(), due, job).await?)
}

/// Our name for a charge at the acquirer.
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

/// Writes down that the acquirer did not take the order, so that nothing will come of it.
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

/// Writes down what the acquirer says, in a unit of its own.
pub async fn decide(
    app: &App,
    scope: Scope,
    id: TransactionId,
    verdict: CardVerdict,
) -> Result<Transaction> {
    let terms = Terms::of(app);
    app.transact(async move |tx| settle(tx, scope, &terms, id, &verdict).await).await
}

/// Answers how a charge stands; the key keeps that only when it is the end.
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
    let answer = reply(&Terms::of(app), scope, &transaction, None)?;
    if transaction.status == Status::Processing {
        return Replayable::fresh(&answer);
    }
    app.remember(ticket, &answer).await
}
