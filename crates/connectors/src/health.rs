//! What the test of a connection finds.

use rails::connection::{Health, Lack};

/// Compares what is granted and registered with what a profile needs.
pub fn of(granted: Vec<String>, needed: &[&str], notices_to: Option<String>) -> Health {
    let lacks = |scope: &&&str| !permits(&granted, scope);
    let permission = |scope: &&str| Lack::Permission((*scope).to_owned());
    let missing = needed.iter().filter(lacks).map(permission).collect();
    Health { granted, missing, notices_to }
}

/// Whether a permission is granted.
pub fn permits(granted: &[String], scope: &str) -> bool {
    granted.iter().any(|granted| granted == scope)
}
