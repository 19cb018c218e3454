//! How an operation is asked for, by a program or by a person at a page.

use db::tx::Tx;
use uuid::Uuid;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::idempotency::IdempotencyKey;
use crate::idempotency::dry_run::DryRun;
use crate::platform::error::Result;
use crate::platform::ids::Scope;

/// Whose object it is about, and that it is done once, or not at all.
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

    /// A person's, whose form takes effect once.
    pub fn of_person(scope: Scope, key: IdempotencyKey, by: ActorContext) -> Self {
        Self { scope, key: Some(key), dry_run: DryRun::default(), by: Some(by) }
    }
}

/// Notes what a person does with an object, in the unit that does it.
pub async fn note(
    tx: &Tx,
    scope: Scope,
    by: Option<&ActorContext>,
    action: Action,
    about: Uuid,
) -> Result<()> {
    let Some(by) = by else { return Ok(()) };
    let entry = Entry::new(action, scope.merchant).in_mode(scope.mode).on(about);
    audit::record(tx, by, entry).await
}
