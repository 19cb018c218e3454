//! What the test of a connection finds.

use ledger::cents::Cents;
use rails::connection::Health;

/// Compares what is granted and registered with what a profile needs.
pub fn of(
    granted: Vec<String>,
    needed: &[&str],
    notices_to: Option<String>,
    balance: Option<Cents>,
) -> Health {
    let lacks = |scope: &&&str| !granted.iter().any(|granted| granted == **scope);
    let permission = |scope: &&str| format!("the application has no permission {scope}");
    let mut missing: Vec<String> = needed.iter().filter(lacks).map(permission).collect();
    if notices_to.is_none() {
        missing.push("no address for notices is registered".to_owned());
    }
    Health { granted, missing, balance, notices_to }
}
