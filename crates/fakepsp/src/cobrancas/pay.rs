//! Payers of slips.

use serde_json::{Value, json};

use super::slips::change;
use crate::world::World;

/// Pays a slip, or gives it a status that a bank may give it without money.
pub fn slip(
    world: &mut World,
    wanted: &str,
    cents: Option<i64>,
    times: u32,
    by: &str,
) -> Result<Value, String> {
    let slip = world.slips.find(wanted).ok_or("there is no such slip")?;
    let (id, total) = (slip.id, slip.total_cents);
    let cents = cents.unwrap_or(total);
    match by {
        "boleto" | "pix" => {
            for _ in 0..times {
                change(world, id, "paid", Some(cents));
            }
        }
        "identified" => change(world, id, "identified", None),
        "approved" => change(world, id, "approved", None),
        "unpaid" => change(world, id, "unpaid", None),
        "settled" => change(world, id, "settled", None),
        "expired" => change(world, id, "expired", None),
        "refunded" => change(world, id, "refunded", None),
        "contested" => change(world, id, "contested", None),
        _ => return Err(format!("no slip is paid by {by}")),
    }
    Ok(json!({ "charge_id": id }))
}
