//! Referrals: a merchant who refers another one earns a part of that merchant's sales.
//!
//! ```text
//! PENDING ──sold enough──▶ COMPLETED
//!    └────expired────────▶ EXPIRED          REJECTED from the start: a self-referral
//! ```
//!
//! A referral belongs to the referrer, uses their clock and keeps the terms it was created with.
//! Each sale of the invited merchant earns a commission, the goal a fixed reward; both are held
//! before they are released (`rewards`). There is a referral for each mode, so that simulated sales
//! show what real ones would earn. Every unit about a referral locks its row first, then its
//! rewards, the accounts last.

use std::time::Duration;

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::books;
use crate::books::chart::AccountKind;
use crate::books::movements::Movement;
use crate::merchants::{self, Merchant};
use crate::platform::error::{Error, Result};
use crate::platform::http::page::{Listed, Page};
use crate::platform::ids::{
    MerchantId, Mode, ReferralId, RewardWithdrawalId, Scope, TransactionId,
};
use crate::referrals::jobs::Expire;
use crate::referrals::list::Filter;
use crate::referrals::terms::ReferralTerms;
use crate::store::Sums;

pub mod api;
mod code;
pub mod jobs;
pub mod list;
pub mod rewards;
pub mod sales;
mod store;
pub mod terms;

/// How long an invited merchant has to reach the goal.
const TIME_FOR_GOAL: Duration = Duration::from_hours(90 * 24);
/// How long their sales earn a commission: twelve months.
const EARNS_FOR: Duration = Duration::from_hours(365 * 24);
/// Two equal codes in a row are beyond all odds; more means a broken source of randomness.
const CODE_TRIES_MAX: u32 = 4;
/// The reason of the balance change in `balance.updated`.
const WITHDRAWN: &str = "referral.withdrawn";

text_enum! {
    /// The status of a referral.
    pub enum Status as "ReferralStatus" {
        /// The invited merchant signed up.
        Pending = "PENDING",
        /// The invited merchant reached the sales target in time.
        Completed = "COMPLETED",
        /// The invited merchant missed the sales target.
        Expired = "EXPIRED",
        /// The invited merchant is the inviter.
        Rejected = "REJECTED",
    }
}

/// A referral of one merchant by another.
#[derive(Debug, Clone)]
pub struct Referral {
    pub id: ReferralId,
    /// The referrer.
    pub merchant: MerchantId,
    pub invited: MerchantId,
    /// The invited merchant's first name and an initial.
    pub referred_name: String,
    pub status: Status,
    /// The sales volume to reach in time.
    pub goal: Cents,
    /// The reward for reaching it, once.
    pub fixed: Cents,
    /// The share of each sale that is earned.
    pub basis_points: u32,
    /// The sales volume reached in time, less what was returned to buyers.
    pub volume: Cents,
    pub fixed_earned: Cents,
    /// How many sales earned something.
    pub commissions: i64,
    pub commission_earned: Cents,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub earns_until: Timestamp,
    pub completed_at: Option<Timestamp>,
}

/// A merchant's referral statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    pub referrals: i64,
    pub completed: i64,
    pub pending: i64,
    pub fixed: i64,
    pub fixed_amount: Cents,
    pub commissions: i64,
    pub commission_amount: Cents,
    /// What is left of rewards that are held.
    pub pending_rewards: Cents,
    /// What is left of those that were released, whether or not it was moved.
    pub released_rewards: Cents,
    pub withdrawn: Cents,
    pub available: Cents,
}

/// Rewards that were moved to the balance.
#[derive(Debug, Clone, Copy)]
pub struct MovedReward {
    pub id: RewardWithdrawalId,
    pub amount: Cents,
    pub created_at: Timestamp,
}

/// Finds a merchant's code; `None` while they have none.
pub async fn find_code(tx: &Tx, merchant: MerchantId) -> Result<Option<String>> {
    store::find_code(tx, merchant).await
}

/// The address at which somebody signs up with a code.
pub fn code_url(base_url: &str, code: &str) -> String {
    format!("{base_url}/?inviteCode={code}")
}

/// Creates a merchant's code, or returns the existing one.
pub async fn take_code(tx: &Tx, merchant: MerchantId) -> Result<String> {
    for _ in 0..CODE_TRIES_MAX {
        if let Some(code) = store::find_code(tx, merchant).await? {
            return Ok(code);
        }
        store::insert_code(tx, merchant, &code::make(tx.random())).await?;
    }
    Err(Error::Internal(anyhow::anyhow!("no code is free")))
}

/// Records the referrer of a merchant who has just opened an account; false for an unknown code.
pub async fn invite(
    tx: &Tx,
    terms: &ReferralTerms,
    code: &str,
    newcomer: &Merchant,
) -> Result<bool> {
    let code = code::normal(code);
    let Some(inviter) = store::find_inviter(tx, &code).await? else { return Ok(false) };
    let inviter = merchants::find(tx, inviter).await?;
    let himself = merchants::is_same_person(&inviter, newcomer);
    let status = if himself { Status::Rejected } else { Status::Pending };
    for mode in [Mode::Development, Mode::Production] {
        let scope = merchants::scope(tx, inviter.id, mode).await?;
        let referral = Referral::new(tx, scope, terms, newcomer, status);
        store::insert(tx, scope, &referral).await?;
        if status == Status::Pending {
            let job = Expire { merchant: scope.merchant, mode, id: referral.id };
            queue::job::push(tx, referral.id.0, scope.due(referral.expires_at), &job).await?;
        }
    }
    if status == Status::Pending {
        merchants::record_invited(tx, newcomer.id).await?;
    }
    Ok(true)
}

/// The merchant who earns a reward on a sale, because they invited its seller; while it is not
/// paid, the one who would.
pub async fn earner_of(tx: &Tx, seller: Scope, sale: TransactionId) -> Result<Option<MerchantId>> {
    match rewards::referral_of(tx, sale).await? {
        Some((earner, _)) => Ok(Some(earner)),
        None => store::inviter_of(tx, seller).await,
    }
}

/// Expires a referral whose goal was not reached in time; leaves every other one unchanged.
pub async fn expire(tx: &Tx, scope: Scope, id: ReferralId) -> Result<()> {
    store::expire(tx, scope, id).await
}

/// Lists referrals, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Listed<Referral>> {
    let now = scope.now(tx);
    let rows = store::list(tx, scope, filter).await?;
    let rows = rows.into_iter().map(|referral| referral.at(now)).collect();
    let total = store::count(tx, scope, filter).await?;
    Ok(filter.page.listed(rows, total, |referral: &Referral| referral.id.0))
}

/// Sums a merchant's referrals.
pub async fn stats(tx: &Tx, scope: Scope) -> Result<Stats> {
    let available = books::held(tx, scope, AccountKind::ReferralAvailable).await?;
    let withdrawn = store::withdrawn(tx, scope).await?;
    let of_scope = rewards::sums(tx, Some(scope)).await?;
    let sum = |at: usize| Cents::new(of_scope.values().map(|sums| sums[at]).sum());
    let (pending_rewards, released_rewards) = (sum(0), sum(1));
    let sums = store::sums(tx, scope).await?;
    Ok(Stats { pending_rewards, released_rewards, withdrawn, available, ..sums })
}

/// Lists what was moved to the balance, newest first.
pub async fn list_withdrawals(tx: &Tx, scope: Scope, page: Page) -> Result<Listed<MovedReward>> {
    let rows = store::list_withdrawals(tx, scope, page).await?;
    let total = store::count_withdrawals(tx, scope).await?;
    Ok(page.listed(rows, total, |moved| moved.id.0))
}

/// Moves rewards to the balance; refuses more than is available.
pub async fn withdraw(tx: &Tx, scope: Scope, amount: Cents) -> Result<RewardWithdrawalId> {
    let of = RewardWithdrawalId::new(tx);
    store::insert_withdrawal(tx, scope, of, amount).await?;
    books::record(tx, Movement::referral_withdrawn(of, scope, amount)).await?;
    books::emit_balance_updated(tx, scope, WITHDRAWN).await?;
    Ok(of)
}

/// Sums of what referrals count as earned, and as sold towards their goals.
pub async fn sums_of_referrals(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    store::sums_of_referrals(tx, of).await
}

/// Erases the invited merchant's personal data from a referral.
pub async fn blank_invited(tx: &Tx, invited: MerchantId) -> Result<()> {
    store::blank_invited(tx, invited).await
}

/// Sums of what was moved to balances.
pub async fn sums_of_withdrawals(tx: &Tx, of: Option<Scope>) -> Result<Sums<1>> {
    store::sums_of_withdrawals(tx, of).await
}

impl Status {
    /// Whether the transition is allowed.
    pub fn may_become(self, next: Self) -> bool {
        matches!((self, next), (Self::Pending, Self::Completed | Self::Expired))
    }
}

impl Referral {
    /// All its earnings.
    pub fn earned(&self) -> Cents {
        self.fixed_earned.plus(self.commission_earned).unwrap_or(self.commission_earned)
    }

    fn new(
        tx: &Tx,
        scope: Scope,
        terms: &ReferralTerms,
        newcomer: &Merchant,
        status: Status,
    ) -> Self {
        let now = scope.now(tx);
        Self {
            id: ReferralId::new(tx),
            merchant: scope.merchant,
            invited: newcomer.id,
            referred_name: short_name(&newcomer.name),
            status,
            goal: terms.goal,
            fixed: terms.fixed,
            basis_points: terms.basis_points,
            volume: Cents::ZERO,
            fixed_earned: Cents::ZERO,
            commissions: 0,
            commission_earned: Cents::ZERO,
            created_at: now,
            expires_at: now.plus(TIME_FOR_GOAL),
            earns_until: now.plus(EARNS_FOR),
            completed_at: None,
        }
    }

    /// The referral as of a given time: expired after its deadline, even if its row does not say so
    /// yet.
    fn at(self, now: Timestamp) -> Self {
        let over = self.status.may_become(Status::Expired) && self.expires_at <= now;
        let status = if over { Status::Expired } else { self.status };
        Self { status, ..self }
    }
}

/// A first name and the initial of the last one, so that a list does not identify a person.
fn short_name(name: &str) -> String {
    let mut words = name.split_whitespace();
    let first = words.next().unwrap_or_default();
    match words.next_back().and_then(|last| last.chars().next()) {
        Some(initial) => format!("{first} {}.", initial.to_uppercase()),
        None => first.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Status, short_name};

    #[test]
    fn a_name_is_shortened_to_a_first_name_and_an_initial() {
        let table = [
            ("Fulano de Tal", "Fulano T."),
            ("Fulano", "Fulano"),
            ("  Loja   azul ", "Loja A."),
            ("Ana água", "Ana Á."),
            ("", ""),
        ];
        for (name, short) in table {
            assert_eq!(short_name(name), short);
        }
    }

    #[test]
    fn only_what_is_pending_becomes_something_else() {
        for (from, next) in Status::ALL.iter().flat_map(|a| Status::ALL.iter().map(move |b| (a, b)))
        {
            let may =
                *from == Status::Pending && matches!(next, Status::Completed | Status::Expired);
            assert_eq!(from.may_become(*next), may, "{from:?} {next:?}");
        }
    }
}
