//! The access token of a connection: asked for once, however many calls need it.
//!
//! Services limit token requests to a few a minute, and a refused one counts. So one request is in
//! flight at most, its result is every waiting caller's, and after a refusal the next one waits.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{Shared, WeakShared};
use tokio::time::{Instant, timeout_at};

use crate::failure::{Failure, Unsent};
use crate::token::Token;

/// The longest life of a token that is believed.
const LIFETIME_MAX: Duration = Duration::from_secs(24 * 3600);

type Fetch = Pin<Box<dyn Future<Output = Result<Token, Failure>> + Send>>;

/// The token of a connection, kept in memory.
pub struct TokenCache {
    margin: Duration,
    pause: Duration,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    held: Option<Held>,
    refused: Option<Refused>,
    /// The request in flight. Its callers drive it, so that it ends with the last of them.
    fetching: Option<WeakShared<Fetch>>,
}

struct Held {
    token: Token,
    renew_at: Instant,
    ends_at: Instant,
}

struct Refused {
    failure: Failure,
    until: Instant,
}

/// How a caller comes to its token.
enum Turn {
    Now(Result<Token, Failure>),
    Wait(Shared<Fetch>),
}

impl TokenCache {
    /// Renews a token `margin` before its end, and leaves `pause` after a refused request.
    pub fn new(margin: Duration, pause: Duration) -> Self {
        Self { margin, pause, state: Arc::default() }
    }

    /// Returns the token, asking for one if there is none or the one there is ends soon.
    ///
    /// `fetch` is called at most once, and not at all while another caller's is in flight. Its
    /// failure is the caller's, unless the token that it should have replaced is still valid.
    pub async fn get<F, Fut>(&self, deadline: Instant, fetch: F) -> Result<Token, Failure>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<Token, Failure>> + Send + 'static,
    {
        let fetched = self.fresh(deadline, fetch).await;
        fetched.or_else(|failure| self.still_valid().ok_or(failure))
    }

    /// Returns another token than this one. Where none is granted, that failure is this caller's,
    /// and all others use the token for as long as it lives.
    pub async fn renew<F, Fut>(
        &self,
        token: &Token,
        deadline: Instant,
        fetch: F,
    ) -> Result<Token, Failure>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<Token, Failure>> + Send + 'static,
    {
        if let Some(held) = lock(&self.state).held.as_mut().filter(|held| held.token == *token) {
            held.renew_at = Instant::now();
        }
        self.fresh(deadline, fetch).await
    }

    /// Drops the token unless it has been replaced meanwhile: another caller may have met the same
    /// refusal first.
    pub fn invalidate(&self, token: &Token) {
        let mut state = lock(&self.state);
        if state.held.as_ref().is_some_and(|held| held.token == *token) {
            state.held = None;
        }
    }

    /// Drops a token that was refused although it was new, and returns `failure` to every caller
    /// for a while: the next token would be refused too.
    ///
    /// Two requests were made for it, so the pause is twice as long.
    pub fn refuse(&self, token: &Token, failure: &Failure) {
        self.invalidate(token);
        let mut state = lock(&self.state);
        if state.held.is_none() {
            let until = Instant::now() + self.pause * 2;
            state.refused = Some(Refused { failure: failure.clone(), until });
        }
    }

    /// A token that is not to be renewed yet.
    async fn fresh<F, Fut>(&self, deadline: Instant, fetch: F) -> Result<Token, Failure>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<Token, Failure>> + Send + 'static,
    {
        match self.turn(fetch) {
            Turn::Now(result) => result,
            Turn::Wait(fetching) => timeout_at(deadline, fetching).await.unwrap_or_else(|_| {
                Err(Failure::NotSent {
                    reason: Unsent::NoToken,
                    cause: "there was no token in time".to_owned(),
                    retry_after: None,
                })
            }),
        }
    }

    fn turn<F, Fut>(&self, fetch: F) -> Turn
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<Token, Failure>> + Send + 'static,
    {
        let now = Instant::now();
        let mut state = lock(&self.state);
        if let Some(held) = state.held.as_ref().filter(|held| now < held.renew_at) {
            return Turn::Now(Ok(held.token.clone()));
        }
        if let Some(fetching) = state.fetching.as_ref().and_then(WeakShared::upgrade) {
            return Turn::Wait(fetching);
        }
        if let Some(refused) = state.refused.as_ref().filter(|refused| now < refused.until) {
            return Turn::Now(Err(refused.failure.clone()));
        }
        let fetching = self.fetch(fetch(), now).shared();
        state.fetching = fetching.downgrade();
        Turn::Wait(fetching)
    }

    /// Counts the token's life from before it was asked for, which errs on the safe side.
    fn fetch<Fut>(&self, fetch: Fut, asked_at: Instant) -> Fetch
    where
        Fut: Future<Output = Result<Token, Failure>> + Send + 'static,
    {
        let (shared, margin, pause) = (Arc::clone(&self.state), self.margin, self.pause);
        Box::pin(async move {
            let result = fetch.await.map_err(Failure::of_token_request);
            let mut state = lock(&shared);
            state.fetching = None;
            match &result {
                Ok(token) => {
                    state.held = Some(Held::new(token.clone(), margin, asked_at));
                    state.refused = None;
                }
                Err(failure) => {
                    let until = Instant::now() + pause_after(failure, pause);
                    state.refused = Some(Refused { failure: failure.clone(), until });
                }
            }
            result
        })
    }

    fn still_valid(&self) -> Option<Token> {
        let state = lock(&self.state);
        let held = state.held.as_ref().filter(|held| Instant::now() < held.ends_at);
        held.map(|held| held.token.clone())
    }
}

impl Held {
    /// A token that lives shorter than twice the margin is renewed at half its life.
    fn new(token: Token, margin: Duration, asked_at: Instant) -> Self {
        let lifetime = token.lifetime().min(LIFETIME_MAX);
        let fresh = lifetime.saturating_sub(margin).max(lifetime / 2);
        Self { token, renew_at: asked_at + fresh, ends_at: asked_at + lifetime }
    }
}

/// A request that the service did not receive does not count against its limit.
fn pause_after(failure: &Failure, pause: Duration) -> Duration {
    match failure {
        Failure::NotSent { reason: Unsent::RateLimited, retry_after, .. } => {
            retry_after.map_or(pause, |asked| asked.max(pause))
        }
        Failure::NotSent { reason: Unsent::NoToken, .. } => pause,
        Failure::NotSent { .. } => Duration::ZERO,
        _ => pause,
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
