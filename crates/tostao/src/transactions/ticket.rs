//! How an operation on a payment is asked for, by a program or by a person.

use db::tx::Tx;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::idempotency::IdempotencyKey;
use crate::idempotency::dry_run::DryRun;
use crate::platform::error::Result;
use crate::platform::ids::{Scope, TransactionId};

/// The scope of a request, with the idempotency key that lets it happen once, whether it is a dry run,
/// and who asks.
#[derive(Debug, Clone)]
pub struct Ticket {
    pub scope: Scope,
    pub key: Option<IdempotencyKey>,
    pub dry_run: DryRun,
    /// The person at a page, who is noted in the audit log; programs are in the request log.
    pub by: Option<ActorContext>,
}

impl Ticket {
    /// A program's, which has an API key or a token.
    pub fn of_program(scope: Scope, key: Option<IdempotencyKey>, dry_run: DryRun) -> Self {
        Self { scope, key, dry_run, by: None }
    }
}

/// Notes what a person does with a payment, in the unit that does it.
pub async fn note(
    tx: &Tx,
    scope: Scope,
    by: Option<&ActorContext>,
    action: Action,
    about: TransactionId,
) -> Result<()> {
    let Some(by) = by else { return Ok(()) };
    let entry = Entry::new(action, scope.merchant).in_mode(scope.mode).on(about.0);
    audit::record(tx, by, entry).await
}
