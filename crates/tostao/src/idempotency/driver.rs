//! Runs an operation under an idempotency key.
//!
//! ```text
//! read ──▶ prepare ──▶ unit: begin, key reserved ──▶ ended: response stored with the key
//!                                                └─▶ started ──▶ finish ──▶ unit: response stored
//! a request with the same key: replays the response, or resumes what was started
//! ```

use std::convert::Infallible;
use std::time::Duration;

use db::tx::Tx;
use futures_util::future::{join, try_join};
use tokio::sync::OwnedSemaphorePermit;
use uuid::Uuid;

use crate::app::App;
use crate::idempotency::key::in_progress;
use crate::idempotency::operation::{BeginOutcome, IdempotentOperation, Outcome};
use crate::idempotency::{Execution, IdempotencyKey, Replayable, StoredResponse, store};
use crate::platform::error::{Error, ErrorCode, Permit, Result};
use crate::platform::http::context::RequestContext;
use crate::platform::http::error_response;
use crate::platform::http::reply::StorableReply;
use crate::platform::ids::MerchantId;
use crate::platform::secrets::Secrets;

/// How often an operation is prepared; what it read may have changed when its first unit begins.
const TRIES_MAX: u32 = 3;
/// How long a concurrent request with the same key polls for the first one's result, and how often.
const POLL_TIMEOUT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The state of a key when a request finds it.
#[derive(Debug)]
pub enum KeyState<F = ()> {
    /// No request has used it; what this one makes of that.
    Free(F),
    Completed(Replayable),
    /// Another request with the same key has created this, and has not responded yet.
    Running(Uuid),
}

/// How an operation started: with a free key it created this object, and the rest follows.
type Started<T> = KeyState<(Uuid, T)>;

/// Why the first unit was not committed.
enum NotBegun {
    /// Another request has the key.
    Taken,
    Failed(Error),
}

impl<E: Into<Error>> From<E> for NotBegun {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// An operation with its key and how its result is shown.
struct Run<'a, W, R> {
    app: &'a App,
    key: Option<IdempotencyKey>,
    operation: W,
    render: R,
}

impl KeyState {
    /// The same, with what a request makes of a free key.
    fn map<F>(self, free: impl FnOnce() -> Result<F>) -> Result<KeyState<F>> {
        Ok(match self {
            Self::Free(()) => KeyState::Free(free()?),
            Self::Completed(response) => KeyState::Completed(response),
            Self::Running(created) => KeyState::Running(created),
        })
    }
}

impl App {
    /// Runs an operation of several units, and stores what `render` makes of its result under
    /// the caller's idempotency key, if there is one.
    pub async fn run_once<W, A>(
        &self,
        key: Option<IdempotencyKey>,
        operation: W,
        render: impl Fn(W::Output) -> A + Clone + Send + Sync + 'static,
    ) -> Result<Replayable<A>>
    where
        W: IdempotentOperation,
        A: StorableReply + Send + 'static,
    {
        Run { app: self, key, operation, render }.run().await.map(Replayable::retype)
    }

    /// Runs a unit whose response is stored under the caller's idempotency key, if there is one.
    pub async fn transact_once<A>(
        &self,
        execution: impl Into<Execution> + Send,
        unit: impl AsyncFn(&Tx) -> Result<A> + Send + 'static,
    ) -> Result<Replayable<A>>
    where
        A: StorableReply + Send + 'static,
    {
        let unit = async move |tx: &Tx| Ok(BeginOutcome::<Infallible, A>::Ended(unit(tx).await?));
        match self.start(execution.into(), unit, None).await? {
            KeyState::Free((_, never)) => match never {},
            KeyState::Completed(response) => Ok(response.retype()),
            KeyState::Running(_) => Err(in_progress()),
        }
    }

    /// Runs an operation that is safe to repeat, unless a response is stored for the key, and
    /// stores its response.
    pub async fn repeat_once<A>(
        &self,
        execution: impl Into<Execution> + Send,
        operation: impl Future<Output = Result<A>> + Send,
    ) -> Result<Replayable<A>>
    where
        A: StorableReply + Send + 'static,
    {
        let Execution { key, permit } = execution.into();
        match self.permitted(key.clone(), permit).await? {
            KeyState::Free(()) => {}
            KeyState::Completed(response) => return Ok(response.retype()),
            KeyState::Running(_) => return Err(in_progress()),
        }
        let response = match operation.await {
            Ok(reply) => self.remember(key, None, Replayable::fresh(&reply)?.response).await,
            Err(refusal) => self.refuse(key, None, refusal).await,
        };
        response.map(Replayable::retype)
    }

    /// The state of a key, to be checked before an operation that need not be repeated.
    pub async fn key_state(&self, key: Option<IdempotencyKey>) -> Result<KeyState> {
        let Some(key) = key else { return Ok(KeyState::Free(())) };
        let secrets = self.secrets.clone();
        self.lookup(async move |tx| state_of(tx, &secrets, Some(&key)).await).await
    }

    /// The state of a key; it is free only for a caller who may do something new.
    pub(super) async fn permitted(
        &self,
        key: Option<IdempotencyKey>,
        permit: Permit,
    ) -> Result<KeyState> {
        let state = self.key_state(key).await?;
        let Err(refusal) = permit else { return Ok(state) };
        match state {
            KeyState::Completed(Replayable {
                response: StoredResponse { secret: true, .. },
                ..
            })
            | KeyState::Free(()) => Err(refusal()),
            state => Ok(state),
        }
    }

    /// Waits for the response of a concurrent request; `None` if it did not come in time.
    #[expect(clippy::disallowed_methods, reason = "the other request ends without a notice")]
    pub async fn follow(&self, key: Option<IdempotencyKey>) -> Result<Option<Replayable>> {
        let mut waited = Duration::ZERO;
        loop {
            if let KeyState::Completed(response) = self.key_state(key.clone()).await? {
                return Ok(Some(response));
            }
            if waited >= POLL_TIMEOUT {
                return Ok(None);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
            waited += POLL_INTERVAL;
        }
    }

    /// Runs the first unit, in a merchant's lane if one is named, and stores with the key its
    /// response or, until that is known, the id of the object that it created.
    async fn start<T, A>(
        &self,
        Execution { key, permit }: Execution,
        unit: impl AsyncFn(&Tx) -> Result<BeginOutcome<T, A>> + Send + 'static,
        lane: Option<MerchantId>,
    ) -> Result<Started<T>>
    where
        T: Send + 'static,
        A: StorableReply + Send + 'static,
    {
        if permit.is_err() {
            // Without a permit no key is free.
            return Box::pin(self.permitted(key, permit)).await?.map(|| Err(in_progress()));
        }
        let Some(key) = key else {
            let outcome = match lane {
                Some(merchant) => self.transact_for(merchant, unit).await,
                None => self.transact(unit).await,
            };
            return match outcome? {
                BeginOutcome::Ended(reply) => {
                    Ok(KeyState::Completed(Replayable::fresh(&reply)?.retype()))
                }
                BeginOutcome::Started(created, started) => Ok(KeyState::Free((created, started))),
            };
        };
        let (first, secrets) = (key.clone(), self.secrets.clone());
        let unit = async move |tx: &Tx| {
            let reserved = async {
                let is_reserved = first.reserve(tx).await.map_err(waited)?;
                if is_reserved { Ok(()) } else { Err(NotBegun::Taken) }
            };
            // In one trip to a database server: what the unit did, or refused, counts only if the
            // key was free.
            let begun = async { Ok(unit(tx).await) };
            match try_join(reserved, begun).await?.1? {
                BeginOutcome::Ended(reply) => {
                    let response = Replayable::fresh(&reply)?;
                    first.keep(tx, &secrets, &response.response).await?;
                    Ok(KeyState::Completed(response.retype()))
                }
                BeginOutcome::Started(created, started) => {
                    store::set_subject(tx, &first, created).await?;
                    Ok(KeyState::Free((created, started)))
                }
            }
        };
        let outcome = match lane {
            Some(merchant) => self.database.transact_for(merchant.0, unit).await,
            None => self.database.transact(unit).await,
        };
        match outcome {
            Ok(started) => Ok(started),
            Err(NotBegun::Taken) => self.key_state(Some(key)).await?.map(|| Err(in_progress())),
            // After a commit with an unknown result the key's row is read; the unit is not run
            // again.
            Err(NotBegun::Failed(Error::Unknown(cause))) => {
                let state = self.key_state(Some(key)).await.map_err(unknown)?;
                state.map(|| Err(Error::Unknown(cause)))
            }
            Err(NotBegun::Failed(error)) if error.is_final() => {
                self.refuse(Some(key), None, error).await.map(KeyState::Completed)
            }
            Err(NotBegun::Failed(error)) => Err(error),
        }
    }

    /// Refuses what was created, or to create anything, and stores a final refusal under the
    /// caller's idempotency key.
    ///
    /// The unit that refused was rolled back; its refusal is stored by another unit, unless a
    /// concurrent request with the same key has a response already, which is then returned.
    async fn refuse(
        &self,
        key: Option<IdempotencyKey>,
        created: Option<Uuid>,
        error: Error,
    ) -> Result<Replayable> {
        let Some(key) = key.filter(|key| key.keeps_refusals && error.is_final()) else {
            return Err(error);
        };
        let status = error.code().status();
        let (id, path) = (key.request_id.clone(), key.path.clone());
        let context = RequestContext::new(id, path, [0, 0, 0, 0].into());
        let base_url = self.settings.base_url();
        let body = error_response::body(&error, &context, self.now(), &base_url);
        let body = serde_json::to_string(&body)?;
        self.keep(key, created, StoredResponse { status, body, secret: false }).await
    }

    /// Stores the response of an operation of several units.
    async fn remember(
        &self,
        key: Option<IdempotencyKey>,
        created: Option<Uuid>,
        response: StoredResponse,
    ) -> Result<Replayable> {
        let Some(key) = key else { return Ok(Replayable::of(response, None)) };
        self.keep(key, created, response).await
    }

    /// Stores a response about what was created, if anything, in a unit of its own; returns a
    /// concurrent request's if that came first.
    async fn keep(
        &self,
        key: IdempotencyKey,
        created: Option<Uuid>,
        response: StoredResponse,
    ) -> Result<Replayable> {
        let secrets = self.secrets.clone();
        self.transact_for(key.scope.merchant, async move |tx| {
            // The key may await the response about another object, which alone is stored then.
            if !key.reserve(tx).await?
                && let Some(row) = store::find(tx, &key).await?
                && (row.response.is_some() || created.is_none() || row.subject != created)
            {
                return key.replay(&secrets, row);
            }
            key.keep(tx, &secrets, &response).await?;
            Ok(Replayable::of(response.clone(), None))
        })
        .await
    }
}

impl<W, A, R> Run<'_, W, R>
where
    W: IdempotentOperation,
    A: StorableReply + Send + 'static,
    R: Fn(W::Output) -> A + Clone + Send + Sync + 'static,
{
    async fn run(&self) -> Result<Replayable> {
        let (mut tries, mut has_started, mut has_waited, mut awaited) = (0, false, false, None);
        loop {
            let take = || self.key.as_ref().and_then(|key| self.app.take_turn(key));
            let mut turn = awaited.take().or_else(take);
            let read = match self.look().await {
                Ok(KeyState::Free(read)) => read,
                Ok(KeyState::Completed(response)) => return Ok(response),
                Ok(KeyState::Running(created)) => {
                    drop(turn);
                    return self.join(created).await;
                }
                Err(error) if has_started => return Err(unknown(error)),
                // It may be the read that failed and not the look-up, so the key is looked up again
                // before this error counts.
                Err(error) => Err(error),
            };
            if let Some(key) = self.key.as_ref().filter(|_| turn.is_none() && !has_waited) {
                // What came of the first request is read from the row of the key in either case.
                awaited = self.app.await_turn(key).await;
                has_waited = true;
                continue;
            }
            tries += 1;
            let prepared = match read {
                Ok(read) => self.operation.prepare(self.app, read).await,
                Err(error) => Err(error),
            };
            let started = match prepared {
                Ok(prepared) => self.begin(prepared).await,
                Err(error) if is_conflict(&error) && tries < TRIES_MAX => {
                    awaited = turn;
                    continue;
                }
                // A concurrent request with the same key may have started meanwhile, and be the
                // reason of the refusal.
                Err(refusal) => match self.known(&mut turn).await? {
                    Some(response) => return Ok(response),
                    None => return self.app.refuse(self.key.clone(), None, refusal).await,
                },
            };
            drop(turn);
            let (created, started) = match started {
                Ok(KeyState::Free(begun)) => begun,
                Ok(KeyState::Completed(response)) => return Ok(response),
                Ok(KeyState::Running(created)) => return self.join(created).await,
                Err(error) if is_conflict(&error) && tries < TRIES_MAX => continue,
                Err(error) => return Err(error),
            };
            has_started = true;
            let concluded = match self.operation.finish(self.app, started).await {
                Ok(outcome) => self.conclude(created, outcome).await,
                Err(error) => Err(error),
            };
            match concluded.map_err(unknown) {
                // The key names the object that was created: the next try waits for its result.
                Err(error) if is_conflict(&error) && self.key.is_some() && tries < TRIES_MAX => {}
                concluded => return concluded,
            }
        }
    }

    /// Looks the key up, and reads what the operation needs if that is free.
    async fn look(&self) -> Result<KeyState<Result<W::Read>>> {
        let (key, operation) = (self.key.clone(), self.operation.clone());
        let secrets = self.app.secrets.clone();
        let unit = async move |tx: &Tx| {
            let state = state_of(tx, &secrets, key.as_ref());
            // A database server answers both in one trip; an embedded one is spared what a repeated
            // request has no use for.
            if !tx.writes_alone() {
                let (state, read) = join(state, operation.read(tx)).await;
                return state?.map(|| Ok(read));
            }
            // Written out, because what `map` takes cannot await.
            Ok(match state.await? {
                KeyState::Free(()) => KeyState::Free(operation.read(tx).await),
                KeyState::Completed(response) => KeyState::Completed(response),
                KeyState::Running(created) => KeyState::Running(created),
            })
        };
        self.app.glance(unit).await
    }

    /// The stored or pending response to the same request; the turn ends before a wait for it.
    async fn known(&self, turn: &mut Option<OwnedSemaphorePermit>) -> Result<Option<Replayable>> {
        match self.app.key_state(self.key.clone()).await? {
            KeyState::Free(()) => Ok(None),
            KeyState::Completed(response) => Ok(Some(response)),
            KeyState::Running(created) => {
                *turn = None;
                self.join(created).await.map(Some)
            }
        }
    }

    async fn begin(&self, prepared: W::Prepared) -> Result<Started<W::Started>> {
        let (operation, render) = (self.operation.clone(), self.render.clone());
        let unit = async move |tx: &Tx| {
            Ok(match operation.begin(tx, &prepared).await? {
                BeginOutcome::Ended(output) => BeginOutcome::Ended(render(output)),
                BeginOutcome::Started(created, started) => BeginOutcome::Started(created, started),
            })
        };
        // Many buyers of a merchant may do so at once. What else has a key may take long, and would
        // hold up their lane.
        let merchant = self.operation.merchant();
        let _turn = if self.app.database.has_lanes() {
            None
        } else {
            self.app.turn_to_change(merchant).await?
        };
        self.app.start(self.key.clone().into(), unit, Some(merchant)).await
    }

    /// Waits for the result of what another request started, and responds with it.
    async fn join(&self, created: Uuid) -> Result<Replayable> {
        self.outcome_of(created).await.map_err(unknown)
    }

    async fn outcome_of(&self, created: Uuid) -> Result<Replayable> {
        let mut outcome = self.operation.resume(self.app, created).await?;
        if outcome.is_none() {
            if let Some(response) = self.app.follow(self.key.clone()).await? {
                return Ok(response);
            }
            outcome = self.operation.resume(self.app, created).await?;
        }
        // The request that started it went away, or responded before the result was known.
        self.conclude(created, outcome.ok_or_else(in_progress)?).await
    }

    async fn conclude(&self, created: Uuid, outcome: Outcome<W::Output>) -> Result<Replayable> {
        let (key, created) = (self.key.clone(), Some(created));
        let fresh = |output| Replayable::fresh(&(self.render)(output));
        match outcome {
            Outcome::Done(output) => self.app.remember(key, created, fresh(output)?.response).await,
            Outcome::Refused(refusal) => self.app.refuse(key, created, refusal).await,
            Outcome::Pending(output) => fresh(output).map(Replayable::retype),
        }
    }
}

async fn state_of(tx: &Tx, secrets: &Secrets, key: Option<&IdempotencyKey>) -> Result<KeyState> {
    let Some(key) = key else { return Ok(KeyState::Free(())) };
    match store::find(tx, key).await? {
        Some(row) => key.state(secrets, row),
        None => Ok(KeyState::Free(())),
    }
}

/// Only a concurrent request with the same key makes a reservation wait for too long.
fn waited(error: Error) -> Error {
    if is_conflict(&error) { in_progress() } else { error }
}

/// Once an operation has started, a failure does not mean that nothing was changed.
fn unknown(error: Error) -> Error {
    match error {
        Error::Unavailable(cause) | Error::NotAnswered(cause) => Error::Unknown(cause),
        error => error,
    }
}

fn is_conflict(error: &Error) -> bool {
    matches!(error, Error::Refused(ErrorCode::ConcurrentUpdate, _))
}
