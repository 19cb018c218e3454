//! Sends notices, one after another, and tries again a bounded number of times beside them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use tokio::sync::watch;
use tokio::task::JoinSet;
use url::Url;

use crate::fake::Shared;
use crate::net::client::{Message, Shown};
use crate::notices::{Content, Fate};
use crate::pagarme::signature;
use crate::route::Dialect;
use crate::settings::Signature;

/// The real banks begin with five minutes; the doubling is theirs.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

pub async fn run(shared: Arc<Shared>, mut stop: watch::Receiver<bool>) {
    let mut retries = JoinSet::new();
    loop {
        while let Some(number) = next(&shared) {
            let delivered = tokio::select! {
                delivered = attempt(&shared, number) => delivered,
                _ = stop.changed() => return,
            };
            if delivered || shared.notice_tries == 1 {
                end(&shared, number, delivered);
            } else {
                retries.spawn(retry(Arc::clone(&shared), number));
            }
        }
        tokio::select! {
            () = shared.new_notices.notified() => {}
            Some(_) = retries.join_next() => {}
            _ = stop.changed() => return,
        }
    }
}

fn next(shared: &Shared) -> Option<usize> {
    let mut world = shared.world();
    let number = world.notices.queue.pop_front()?;
    world.notices.busy += 1;
    Some(number)
}

async fn retry(shared: Arc<Shared>, number: usize) {
    let mut pause = FIRST_PAUSE;
    let mut delivered = false;
    for _ in 1..shared.notice_tries {
        wait(pause).await;
        pause *= 2;
        delivered = attempt(&shared, number).await;
        if delivered {
            break;
        }
    }
    end(&shared, number, delivered);
}

fn end(shared: &Shared, number: usize, delivered: bool) {
    let mut world = shared.world();
    // The state may have been forgotten meanwhile, and the notice with it.
    world.notices.busy = world.notices.busy.saturating_sub(1);
    world.notices.end(number, if delivered { Fate::Delivered } else { Fate::GivenUp });
    drop(world);
    shared.settled.notify_waiters();
}

/// Returns whether the receiver took it.
async fn attempt(shared: &Shared, number: usize) -> bool {
    let (result, delivered) = match message(shared, number) {
        None => return false,
        Some(Err(error)) => (error, false),
        Some(Ok(message)) => match shared.client.send(message, Shown::Certificate).await {
            Ok(answer) => (answer.status.to_string(), (200..300).contains(&answer.status)),
            Err(error) => (format!("{error:#}"), false),
        },
    };
    shared.world().notices.tried(number, result);
    delivered
}

fn message(shared: &Shared, number: usize) -> Option<Result<Message, String>> {
    let (notice, signed) = {
        let world = shared.world();
        let notice = world.notices.get(number)?.clone();
        (notice, world.settings.pagarme_signature)
    };
    let url = match Url::parse(&notice.url) {
        Ok(url) => url,
        Err(error) => return Some(Err(error.to_string())),
    };
    let (kind, body) = match &notice.content {
        Content::Json(value) => ("application/json", value.to_string()),
        Content::Form(fields) => (
            "application/x-www-form-urlencoded",
            serde_urlencoded::to_string(fields).unwrap_or_default(),
        ),
    };
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static(kind));
    if notice.dialect == Dialect::Pagarme && signed != Signature::None {
        let text = if signed == Signature::Good { body.as_str() } else { "another body" };
        let value = signature::header(text.as_bytes());
        if let Ok(value) = value.parse() {
            headers.insert(signature::HEADER, value);
        }
    }
    Some(Ok(Message { method: "POST".to_owned(), url, headers, body: Bytes::from(body) }))
}

#[expect(clippy::disallowed_methods, reason = "a receiver recovers without a notice to this one")]
async fn wait(pause: Duration) {
    tokio::time::sleep(pause).await;
}
