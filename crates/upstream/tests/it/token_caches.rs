//! When a token is asked for, on a clock that the test moves.

use std::cell::Cell;
use std::future::{pending, ready};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::Semaphore;
use tokio::time::{Instant, advance};
use upstream::failure::{Failure, Fault, Unsent};
use upstream::token::Token;
use upstream::token_cache::TokenCache;

const MARGIN: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_secs(12);
const SECOND: Duration = Duration::from_secs(1);

fn cache() -> TokenCache {
    TokenCache::new(MARGIN, PAUSE)
}

fn deadline() -> Instant {
    Instant::now() + Duration::from_secs(10)
}

fn token(text: &str, seconds: u64) -> Token {
    Token::new(text, Duration::from_secs(seconds), Vec::new()).unwrap()
}

fn not_sent(reason: Unsent, retry_after: Option<Duration>) -> Failure {
    Failure::NotSent { reason, cause: "x".to_owned(), retry_after }
}

fn misconfigured() -> Failure {
    Failure::Misconfigured { fault: Fault::Credentials, cause: "x".to_owned() }
}

/// Gets the token, from a service that gives this, if it is asked.
async fn get(cache: &TokenCache, given: Result<Token, Failure>) -> Result<Token, Failure> {
    cache.get(deadline(), || ready(given)).await
}

/// Whether the service is asked.
async fn asks(cache: &TokenCache) -> bool {
    let asked = Cell::new(false);
    let fetch = || {
        asked.set(true);
        ready(Ok(token("asked", 3_600)))
    };
    cache.get(deadline(), fetch).await.ok();
    asked.get()
}

#[tokio::test(start_paused = true)]
async fn a_token_is_renewed_a_minute_before_its_end_and_not_sooner() {
    let cache = cache();
    let first = token("first", 3_600);
    assert_eq!(get(&cache, Ok(first.clone())).await, Ok(first.clone()));
    advance(Duration::from_secs(3_539)).await;
    assert_eq!(get(&cache, Err(misconfigured())).await, Ok(first));
    advance(SECOND).await;
    assert!(asks(&cache).await);
}

#[tokio::test(start_paused = true)]
async fn a_token_of_a_short_life_is_renewed_at_half_of_it() {
    let cache = cache();
    get(&cache, Ok(token("first", 20))).await.unwrap();
    advance(Duration::from_millis(9_999)).await;
    assert!(!asks(&cache).await);
    advance(Duration::from_millis(1)).await;
    assert!(asks(&cache).await);
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_fails_leaves_a_token_that_is_still_valid() {
    let cache = cache();
    let first = token("first", 3_600);
    get(&cache, Ok(first.clone())).await.unwrap();
    advance(Duration::from_secs(3_550)).await;
    assert_eq!(get(&cache, Err(misconfigured())).await, Ok(first.clone()));
    assert_eq!(get(&cache, Ok(token("in the pause", 1))).await, Ok(first));
    advance(Duration::from_secs(50)).await;
    assert_eq!(get(&cache, Err(misconfigured())).await, Err(misconfigured()));
}

#[tokio::test(start_paused = true)]
async fn after_a_refusal_callers_get_it_at_once_until_the_pause_ends() {
    for (failure, pause) in [
        (misconfigured(), PAUSE),
        (not_sent(Unsent::RateLimited, None), PAUSE),
        (not_sent(Unsent::RateLimited, Some(SECOND)), PAUSE),
        (not_sent(Unsent::RateLimited, Some(PAUSE * 3)), PAUSE * 3),
        (not_sent(Unsent::NoToken, None), PAUSE),
    ] {
        let cache = cache();
        assert_eq!(get(&cache, Err(failure.clone())).await, Err(failure.clone()));
        advance(pause.saturating_sub(SECOND)).await;
        assert_eq!(get(&cache, Ok(token("a", 1))).await, Err(failure.clone()), "{failure:?}");
        advance(SECOND).await;
        assert!(asks(&cache).await, "{failure:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_request_that_did_not_arrive_the_next_caller_asks_again() {
    for reason in
        [Unsent::Unreachable, Unsent::ServerCertificate, Unsent::Busy, Unsent::BreakerOpen]
    {
        let cache = cache();
        let failure = not_sent(reason, None);
        assert_eq!(get(&cache, Err(failure.clone())).await, Err(failure));
        assert!(asks(&cache).await, "{reason:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_token_request_is_translated_for_the_call_that_needed_it() {
    let text = || "x".to_owned();
    for (failure, expected) in [
        (Failure::Unknown { cause: text() }, "not_sent"),
        (Failure::Refused { status: 400, code: text(), text: text() }, "misconfigured"),
        (Failure::Duplicate { code: text(), text: text() }, "misconfigured"),
        (Failure::NotFound { code: String::new() }, "misconfigured"),
        (misconfigured(), "misconfigured"),
        (not_sent(Unsent::Unreachable, None), "not_sent"),
    ] {
        let result = get(&cache(), Err(failure.clone())).await;
        assert_eq!(result.unwrap_err().code(), expected, "{failure:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_token_that_was_refused_is_dropped() {
    let cache = cache();
    let (old, new) = (token("old", 3_600), token("new", 3_600));
    get(&cache, Ok(new.clone())).await.unwrap();
    cache.invalidate(&old);
    cache.refuse(&old, &misconfigured());
    assert_eq!(get(&cache, Err(misconfigured())).await, Ok(new.clone()));
    cache.invalidate(&new);
    assert!(asks(&cache).await);
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_is_refused_is_its_callers_and_the_others_use_the_token_at_hand() {
    let cache = cache();
    let (old, new) = (token("old", 3_600), token("new", 3_600));
    get(&cache, Ok(old.clone())).await.unwrap();
    let limited = not_sent(Unsent::RateLimited, Some(PAUSE * 3));
    let renewed = cache.renew(&old, deadline(), || ready(Err(limited.clone()))).await;
    assert_eq!(renewed, Err(limited.clone()));
    assert_eq!(get(&cache, Ok(new.clone())).await, Ok(old.clone()));
    let renewed = cache.renew(&old, deadline(), || ready(Ok(new.clone()))).await;
    assert_eq!(renewed, Err(limited));
    advance(PAUSE * 3).await;
    let renewed = cache.renew(&old, deadline(), || ready(Ok(new.clone()))).await;
    assert_eq!(renewed, Ok(new.clone()));
    let again = cache.renew(&old, deadline(), || ready(Err(misconfigured()))).await;
    assert_eq!((again, get(&cache, Err(misconfigured())).await), (Ok(new.clone()), Ok(new)));
}

#[tokio::test(start_paused = true)]
async fn a_new_token_that_is_refused_stops_requests_for_twice_the_pause() {
    let cache = cache();
    let new = token("new", 3_600);
    get(&cache, Ok(new.clone())).await.unwrap();
    cache.refuse(&new, &misconfigured());
    advance(PAUSE + PAUSE.saturating_sub(SECOND)).await;
    assert_eq!(get(&cache, Ok(new)).await, Err(misconfigured()));
    advance(SECOND).await;
    assert!(asks(&cache).await);
}

#[tokio::test(start_paused = true)]
async fn a_request_goes_on_without_the_caller_who_started_it() {
    let (cache, gate) = (cache(), Arc::new(Semaphore::new(0)));
    let inside = Arc::clone(&gate);
    let mut first = Box::pin(cache.get(deadline(), || async move {
        inside.acquire().await.unwrap().forget();
        Ok(token("first", 3_600))
    }));
    let mut second = Box::pin(cache.get(deadline(), || async { Err(misconfigured()) }));
    assert!((&mut first).now_or_never().is_none());
    assert!((&mut second).now_or_never().is_none());
    drop(first);
    gate.add_permits(1);
    assert_eq!(second.await, Ok(token("first", 3_600)));
}

#[tokio::test(start_paused = true)]
async fn a_request_ends_with_the_last_caller_who_waits_for_it() {
    let cache = cache();
    let soon = Instant::now() + SECOND;
    let failure = cache.get(soon, pending).await.unwrap_err();
    assert!(matches!(failure, Failure::NotSent { reason: Unsent::NoToken, .. }));
    assert!(asks(&cache).await);
}
