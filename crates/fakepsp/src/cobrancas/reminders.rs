//! A notice is repeated until the merchant asks what it is about.

use super::slips;
use crate::world::World;

/// Repeats what was not asked for, each time that the clock moves.
pub fn send(world: &mut World) {
    let unread = world.slips.all.iter().filter(|slip| slip.read_changes < slip.changes.len());
    let unread: Vec<u64> = unread.map(|slip| slip.id).collect();
    for id in unread {
        slips::notify(world, id);
    }
}
