//! Closing an account: the third process that involves every feature.
//!
//! ```text
//! POST ──▶ does anything prevent it? ──yes──▶ 409, and nothing has changed
//!             └──no──▶ one unit: closed; sessions, keys and webhooks end, the email is free
//!                         └──▶ a job: development data, events and responses, buyers, the seller
//! ```
//!
//! Links, plans, programs and codes are not disabled one by one: each lookup also checks whether
//! the account is closed. This takes effect for any number of them at once, and also for whatever a
//! running request or job still writes. Money that arrives later belongs to the platform, as money
//! for an unknown charge does (`transactions::unknown`), and is returned to its payer: a closed
//! account has no owner to decide about it.

use db::text_enum;
use db::tx::Tx;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::account_closure::jobs::{CloseAccount, Step};
use crate::affiliates::commissions;
use crate::affiliates::links;
use crate::audit::{self, Action, ActorContext, Entry};
use crate::books;
use crate::books::chart::AccountKind;
use crate::credentials;
use crate::merchants::{self, Merchant};
use crate::people::{self, SignedIn};
use crate::platform::error::{Error, Obstacle, Result};
use crate::platform::ids::{Mode, Scope};
use crate::platform::role::Role;
use crate::referrals;
use crate::transactions::list;
use crate::{advances, subscriptions, webhooks};

pub mod api;
pub mod jobs;

/// The balances and debts that keep an account open, with their names.
const BALANCES: [(AccountKind, ObstacleName); 9] = [
    (AccountKind::Available, ObstacleName::AvailableBalance),
    (AccountKind::Pending, ObstacleName::PendingBalance),
    (AccountKind::Refunding, ObstacleName::RefundingBalance),
    (AccountKind::Disputed, ObstacleName::DisputedBalance),
    (AccountKind::Withdrawing, ObstacleName::WithdrawingBalance),
    (AccountKind::Suspense, ObstacleName::UnmatchedBalance),
    (AccountKind::Advanced, ObstacleName::AdvancedBalance),
    (AccountKind::ReferralPending, ObstacleName::ReferralPendingBalance),
    (AccountKind::ReferralAvailable, ObstacleName::ReferralAvailableBalance),
];

text_enum! {
    /// What keeps an account open, by its name in the error.
    pub enum ObstacleName {
        AvailableBalance = "availableBalance",
        PendingBalance = "pendingBalance",
        RefundingBalance = "refundingBalance",
        DisputedBalance = "disputedBalance",
        WithdrawingBalance = "withdrawingBalance",
        UnmatchedBalance = "unmatchedBalance",
        AdvancedBalance = "advancedBalance",
        ReferralPendingBalance = "referralPendingBalance",
        ReferralAvailableBalance = "referralAvailableBalance",
        PendingCommissions = "pendingCommissions",
        OwedCommissions = "owedCommissions",
        ContestedCommissions = "contestedCommissions",
        OpenPayments = "openPayments",
        OpenAdvances = "openAdvances",
        RunningSubscriptions = "runningSubscriptions",
        AdministratorRole = "administratorRole",
    }
}

/// How much, or how many, keeps an account open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Amount(Cents),
    Count(i64),
}

/// Whether the seller's personal data is erased at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SellerData {
    /// Receipts of payments name the seller.
    Kept,
    Blanked,
}

/// Refuses to close an account that has money or unfinished objects; payments are checked from an
/// id on.
pub async fn expect_closable(
    tx: &Tx,
    merchant: &Merchant,
    withdrawable: Cents,
    first: Uuid,
) -> Result<()> {
    let found = obstacles(tx, merchant, withdrawable, first).await?;
    if found.is_empty() {
        return Ok(());
    }
    Err(Error::InUse(found.into_iter().map(named).collect()))
}

/// What keeps an account open: its money and its unfinished objects; payments are checked from an
/// id on.
///
/// Less than the minimum withdrawal stays in the ledger.
pub async fn obstacles(
    tx: &Tx,
    merchant: &Merchant,
    withdrawable: Cents,
    first: Uuid,
) -> Result<Vec<(ObstacleName, Extent)>> {
    let scope = merchants::scope(tx, merchant.id, Mode::Production).await?;
    let mut found = Vec::new();
    for (account, name) in BALANCES {
        let amount = books::held(tx, scope, account).await?;
        let is_rest =
            account == AccountKind::Available && amount > Cents::ZERO && amount < withdrawable;
        let amount = if is_rest { Cents::ZERO } else { amount };
        found.push((name, Extent::Amount(amount)));
    }
    let commissions = [
        (ObstacleName::PendingCommissions, links::sum_pending_commissions(tx, scope).await?),
        (ObstacleName::OwedCommissions, commissions::owed(tx, scope).await?),
        (ObstacleName::ContestedCommissions, commissions::contested(tx, scope).await?),
    ];
    for (name, amount) in commissions {
        found.push((name, Extent::Amount(amount)));
    }
    let counts = [
        (ObstacleName::OpenPayments, list::count_open(tx, scope, first).await?),
        (ObstacleName::OpenAdvances, i64::from(advances::open(tx, scope).await?.is_some())),
        (ObstacleName::RunningSubscriptions, subscriptions::count_running(tx, scope).await?),
        (ObstacleName::AdministratorRole, i64::from(merchant.role == Role::Admin)),
    ];
    for (name, count) in counts {
        found.push((name, Extent::Count(count)));
    }
    found.retain(|(_, extent)| match extent {
        Extent::Amount(amount) => !amount.is_zero(),
        Extent::Count(count) => *count > 0,
    });
    Ok(found)
}

/// An obstacle, as the API names it.
pub fn named((name, extent): (ObstacleName, Extent)) -> Obstacle {
    let (amount_cents, count) = match extent {
        Extent::Amount(amount) => (Some(amount), None),
        Extent::Count(count) => (None, Some(count)),
    };
    Obstacle { name: name.name(), amount_cents, count }
}

/// Closes an account for an owner whose password was verified; a job does the rest.
///
/// The account is closed and its ledger accounts are locked before anything is checked; a refusal
/// rolls the closing back. The money of a payment that a running request still creates is returned
/// when it arrives.
pub async fn close(
    tx: &Tx,
    by: &ActorContext,
    SignedIn { person, merchant, .. }: &SignedIn,
    (seller, withdrawable): (SellerData, Cents),
    first: Uuid,
) -> Result<()> {
    let ended = people::close(tx, person, merchant.id).await?;
    merchants::close(tx, merchant.id).await?;
    let revoked = credentials::revoke_all(tx, merchant.id).await?;
    let entry = Entry::new(Action::AccountClosed, merchant.id).with("sessionsEnded", ended);
    audit::record(tx, by, entry.with("keysRevoked", revoked)).await?;
    let scope = merchants::scope(tx, merchant.id, Mode::Production).await?;
    if seller == SellerData::Blanked {
        blank(tx, scope).await?;
    }
    books::lock(tx, scope).await?;
    expect_closable(tx, merchant, withdrawable, first).await?;
    webhooks::delete_all(tx, merchant.id).await?;
    merchants::begin_clearing(tx, merchant.id).await?;
    let job = CloseAccount { merchant: merchant.id, since: tx.now(), step: Step::Development };
    Ok(queue::job::push(tx, merchant.id.0, scope.due(tx.now()), &job).await?)
}

/// Erases the owner's personal data from a closed account, and from the invitation that it
/// followed.
async fn blank(tx: &Tx, scope: Scope) -> Result<()> {
    merchants::blank(tx, scope.merchant).await?;
    referrals::blank_invited(tx, scope.merchant).await
}
