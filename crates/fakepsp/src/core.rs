//! What happens to a request: logged, perhaps spoiled, answered.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use url::Url;

use crate::call::{Call, Listener};
use crate::fake::Shared;
use crate::fault::Fault;
use crate::log::Entry;
use crate::pagarme::signature;
use crate::reply::Reply;
use crate::route::{Access, Dialect, Route};
use crate::world::World;
use crate::{admin, probe, route, through, tokens};

/// How an answer leaves.
#[derive(Debug)]
pub enum Outcome {
    Whole(Reply),
    Half(Reply),
    /// One byte after each pause of so many milliseconds.
    Drip(Reply, u64),
    Cut,
    Never,
}

pub async fn answer(shared: &Arc<Shared>, call: Call) -> Outcome {
    let is_admin = call.path.starts_with("/__");
    if call.listener == Listener::Plain && is_admin {
        let reply = admin::answer(shared, &call).await;
        shared.wake();
        return Outcome::Whole(reply);
    }
    let dialect = Dialect::of(&call).filter(|dialect| dialect.is_served_by(call.listener));
    let Some(dialect) = dialect else {
        return Outcome::Whole(Reply::html(404, "404 Not Found"));
    };
    if call.listener == Listener::Plain && call.headers.contains_key(through::MARK) {
        return Outcome::Whole(process(shared, call, dialect).await);
    }
    let operation = route::find(&call).map_or("unknown", |route| route.operation);
    let (number, fault) = {
        let mut world = shared.world();
        let mut entry = Entry::of(&call, operation, world.now());
        let fault = world.faults.take(operation);
        entry.fault = fault.and_then(|fault| serde_json::to_value(fault).ok());
        world.log.push(entry);
        (world.log.len() - 1, fault)
    };
    let outcome = play(shared, call, dialect, number, fault).await;
    if let Outcome::Whole(reply) | Outcome::Half(reply) | Outcome::Drip(reply, _) = &outcome
        && let Some(entry) = shared.world().log.get_mut(number)
    {
        entry.status = Some(reply.status);
    }
    outcome
}

async fn play(
    shared: &Arc<Shared>,
    call: Call,
    dialect: Dialect,
    number: usize,
    fault: Option<Fault>,
) -> Outcome {
    if fault == Some(Fault::CutBefore) {
        return Outcome::Cut;
    }
    if let Some(reply) = fault.and_then(|fault| fault.instead(dialect)) {
        return Outcome::Whole(reply);
    }
    let reply = match &shared.through {
        Some(base) if call.listener != Listener::Plain && through::is_standard(&call) => {
            forwarded(shared, base, &call, number).await
        }
        _ => process(shared, call, dialect).await,
    };
    match fault {
        Some(Fault::NoAnswer) => Outcome::Never,
        Some(Fault::CutAfter) => Outcome::Cut,
        Some(Fault::CutInHalf) => Outcome::Half(reply),
        Some(Fault::Drip { ms }) => Outcome::Drip(reply, ms),
        Some(Fault::Slow { ms }) => {
            wait(ms).await;
            Outcome::Whole(reply)
        }
        Some(fault) => Outcome::Whole(fault.spoil(reply)),
        None => Outcome::Whole(reply),
    }
}

async fn forwarded(shared: &Shared, base: &Url, call: &Call, number: usize) -> Reply {
    match through::forward(&shared.client, base, call).await {
        Ok((reply, violations)) => {
            if let Some(entry) = shared.world().log.get_mut(number) {
                entry.violations = violations;
            }
            reply
        }
        Err(error) => {
            let violation = json!({ "location": ["proxy"], "message": format!("{error:#}") });
            if let Some(entry) = shared.world().log.get_mut(number) {
                entry.violations = vec![violation];
            }
            Reply::html(502, "502 Bad Gateway")
        }
    }
}

/// Does what the request asks for, once.
async fn process(shared: &Arc<Shared>, mut call: Call, dialect: Dialect) -> Reply {
    if call.path == signature::KEYS_PATH {
        return Reply::json(200, &signature::keys());
    }
    let Some(route) = route::find(&call) else { return dialect.not_found() };
    if let Err(reply) = authorize(&mut shared.world(), &call, route) {
        return reply;
    }
    if route.probes
        && let Some(url) = call.text_at("/webhookUrl").map(str::to_owned)
    {
        call.probe = Some(probe::address(shared, &url, &call).await);
    }
    let answer = (route.handle)(&mut shared.world(), &call);
    shared.wake();
    answer.unwrap_or_else(|refusal| refusal)
}

fn authorize(world: &mut World, call: &Call, route: Route) -> Result<(), Reply> {
    let dialect = route.dialect;
    match route.access {
        Access::Open => Ok(()),
        Access::Scope(_) if tokens::is_attacker(call) => Ok(()),
        Access::Scope(scope) => {
            let scopes = world.scopes(dialect, call).ok_or_else(|| dialect.unauthorized())?;
            let has = scope.is_empty() || scopes.iter().any(|it| it == scope);
            has.then_some(()).ok_or_else(insufficient)
        }
        Access::SecretKey => {
            let known = call.basic().is_some_and(|(key, password)| {
                key.starts_with("sk_") && key != "sk_wrong" && password.is_empty()
            });
            known.then_some(()).ok_or_else(|| dialect.unauthorized())
        }
    }
}

fn insufficient() -> Reply {
    let error: Value = json!({
        "error": "insufficient_scope",
        "error_description": "Access token has insufficient scope",
    });
    Reply::json(403, &error)
}

#[expect(clippy::disallowed_methods, reason = "a slow bank is a matter of time, not of events")]
async fn wait(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}
