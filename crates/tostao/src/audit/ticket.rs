//! How an operation is asked for, by a program or by a person at a page.

use db::tx::Tx;
use uuid::Uuid;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{Execution, IdempotencyKey};
use crate::platform::error::Result;
use crate::platform::ids::{Mode, Scope};

/// What an operation takes of its request beside the body: the account and mode, the idempotency
/// key, whether it is a dry run, and who asks.
#[derive(Debug, Clone)]
pub struct Ticket {
    pub scope: Scope,
    pub key: Option<IdempotencyKey>,
    pub dry_run: DryRun,
    /// The person, who is noted in the audit log: at a page, or of the access token that moves
    /// money. API keys are in the request log.
    pub by: Option<ActorContext>,
}

/// What an administrator's decision takes of its request beside the body: the mode, whether it may
/// happen now and how it happens once, and who decides.
#[derive(Debug, Clone)]
pub struct DecisionTicket {
    pub mode: Mode,
    pub execution: Execution,
    pub by: ActorContext,
}

impl Ticket {
    /// A program's, which has an API key or a token; what moves money names the token's person
    /// instead.
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
