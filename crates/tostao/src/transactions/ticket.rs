//! How an operation on a payment is asked for, by a program or by a person.

use db::tx::Tx;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::idempotency::IdempotencyKey;
use crate::idempotency::dry_run::DryRun;
use crate::platform::error::{Permit, Result};
use crate::platform::ids::{Scope, TransactionId};

/// What an operation on a payment takes of its request beside the body: the account and mode, the
/// idempotency key, whether it is a dry run, and what the one who asks may do.
#[derive(Debug, Clone)]
pub struct Ticket {
    pub scope: Scope,
    pub key: Option<IdempotencyKey>,
    pub dry_run: DryRun,
    /// Whether the one who asks may name where money goes.
    pub names_payee: Permit,
    /// The person at a page, who is noted in the audit log; programs are in the request log.
    pub by: Option<ActorContext>,
}

impl Ticket {
    /// A program's, which has an API key or a token.
    pub fn of_program(
        scope: Scope,
        key: Option<IdempotencyKey>,
        dry_run: DryRun,
        names_payee: Permit,
    ) -> Self {
        Self { scope, key, dry_run, names_payee, by: None }
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
