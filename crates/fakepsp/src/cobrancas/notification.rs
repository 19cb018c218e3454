//! What a notice's token stands for.

use serde_json::{Value, json};

use super::slips::Slip;
use crate::call::{Answer, Call};
use crate::clock::{day, local};
use crate::reply::Reply;
use crate::world::World;

/// All changes in order; reading them ends the repetition of the notice.
pub fn get(world: &mut World, call: &Call) -> Answer {
    let token = call.segment(2);
    let slip = world.slips.all.iter_mut().find(|slip| slip.token == token);
    let unknown = || {
        let error = json!({
            "code": 3_500_010,
            "error": "property_does_not_exists",
            "error_description": "A propriedade [token] informada não existe.",
        });
        Reply::json(404, &error)
    };
    let slip = slip.ok_or_else(unknown)?;
    slip.read_changes = slip.changes.len();
    Ok(Reply::json(200, &json!({ "code": 200, "data": json(slip) })))
}

fn json(slip: &Slip) -> Value {
    let previous = [None].into_iter().chain(slip.changes.iter().map(|change| Some(change.status)));
    let changes = slip.changes.iter().zip(previous).enumerate();
    let entries = changes.map(|(index, (change, previous))| {
        let mut value = json!({
            "id": index + 1,
            "type": "charge",
            "custom_id": slip.custom_id,
            "status": { "current": change.status, "previous": previous },
            "identifiers": { "charge_id": slip.id },
            "created_at": local(change.at),
        });
        if let Some(cents) = change.paid_cents {
            value["value"] = json!(cents);
            value["received_by_bank_at"] = json!(day(change.at));
        }
        value
    });
    entries.collect()
}
