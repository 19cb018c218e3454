//! Faults, the clock, settings; the log and the state to read.

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Done, read};
use crate::call::Call;
use crate::clock::{Clock, instant};
use crate::cobrancas::reminders;
use crate::fault::{Rule, matches};
use crate::route::Dialect;
use crate::world::World;

/// A rule, or tokens that end at once.
pub fn fault(world: &mut World, call: &Call) -> Done {
    if call.text_at("/fault") == Some("expire_tokens") {
        let operation = call.text_at("/operation").unwrap_or("*");
        let dialects = [
            ("efi.token", Dialect::Efi),
            ("cobrancas.token", Dialect::Cobrancas),
            ("inter.token", Dialect::Inter),
        ];
        let named = dialects.iter().filter(|(name, _)| matches(operation, name));
        let expired: usize = named.map(|(_, dialect)| world.tokens.expire(*dialect)).sum();
        return Ok(json!({ "expired": expired }));
    }
    let rule: Rule = read(call)?;
    world.faults.rules.push(rule);
    Ok(json!({ "rules": world.faults.rules.len() }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Moves {
    /// Stops the clock here.
    now: Option<String>,
    advance_seconds: Option<i64>,
    /// Lets it run, so many seconds ahead of the machine's.
    offset_seconds: Option<i64>,
}

pub fn clock(world: &mut World, call: &Call) -> Done {
    let moves: Moves = read(call)?;
    if let Some(now) = moves.now {
        let now = now.parse::<Timestamp>().map_err(|error| error.to_string())?;
        world.clock = Clock::Stopped(now);
    }
    if let Some(seconds) = moves.offset_seconds {
        world.clock = Clock::Running { offset: SignedDuration::from_secs(seconds) };
    }
    if let Some(seconds) = moves.advance_seconds {
        world.clock.advance(SignedDuration::from_secs(seconds));
    }
    reminders::send(world);
    Ok(json!({ "now": instant(world.now()) }))
}

/// Changes the settings that the body names.
pub fn settings(world: &mut World, call: &Call) -> Done {
    let changes = call.json.clone().unwrap_or_default();
    world.settings = world.settings.with(changes).map_err(|error| error.to_string())?;
    Ok(json!({}))
}

/// The entries from `?from=` on, of `?operation=` (a name or a prefix with a star).
pub fn log(world: &World, call: &Call) -> Value {
    let from = call.parameter("from").and_then(|text| text.parse().ok()).unwrap_or(0);
    let pattern = call.parameter("operation").unwrap_or("*");
    let entries = world.log.iter().enumerate().skip(from);
    let wanted = entries.filter(|(_, entry)| matches(pattern, &entry.operation));
    wanted.map(|(number, entry)| entry.json(number)).collect()
}

pub fn state(world: &World) -> Value {
    let payouts = world.efi_payouts.all.iter().map(crate::efi::sent::json);
    json!({
        "now": instant(world.now()),
        "efi": {
            "pix": world.efi_pix.json(),
            "payouts": payouts.collect::<Vec<_>>(),
        },
        "cobrancas": world.slips.json(),
        "inter": {
            "pix": world.inter_pix.json(),
            "slips": world.titles.json(),
            "payouts": world.transfers.json(),
        },
        "pagarme": world.pagarme.json(),
    })
}
