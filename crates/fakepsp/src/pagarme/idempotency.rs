//! The same key within a day gets the same answer, whatever that was.

use jiff::{SignedDuration, Timestamp};

use crate::call::{Answer, Call};
use crate::reply::Reply;
use crate::route::Handler;
use crate::world::World;

const LIVES_FOR: SignedDuration = SignedDuration::from_hours(24);

#[derive(Debug, Clone)]
pub struct Stored {
    at: Timestamp,
    reply: Reply,
}

/// The header's value is case-sensitive and names the request, whatever its path and body are.
pub fn once(world: &mut World, call: &Call, handle: Handler) -> Answer {
    let Some(key) = call.header("idempotency-key").map(str::to_owned) else {
        return handle(world, call);
    };
    let now = world.now();
    if let Some(stored) = world.pagarme.answers.get(&key)
        && now.duration_since(stored.at) < LIVES_FOR
    {
        return Ok(stored.reply.clone());
    }
    let reply = handle(world, call).unwrap_or_else(|refusal| refusal);
    world.pagarme.answers.insert(key, Stored { at: now, reply: reply.clone() });
    Ok(reply)
}
