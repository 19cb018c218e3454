//! Referrals through the API.

use axum::extract::State;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::books;
use crate::books::chart::AccountKind;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable, WEEK};
use crate::platform::error::Result;
use crate::platform::fields;
use crate::platform::http::body::Body;
use crate::platform::http::page::{Listed, Page, Pagination};
use crate::platform::http::query::Query;
use crate::platform::http::reply::{Created, Ok200};
use crate::platform::ids::{ReferralId, RewardId, RewardWithdrawalId};
use crate::platform::permissions::{ReferralsRead, ReferralsWrite};
use crate::referrals::list::{HistoryQuery, MovedQuery};
use crate::referrals::rewards::list::RewardsQuery;
use crate::referrals::rewards::{self, Kind, Reward};
use crate::referrals::{self, MovedReward, Referral, Stats, Status};

/// The merchant's referral code.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReferralCode {
    /// The code: eight letters and digits, accepted as `inviteCode` when an account is created.
    code: String,
    /// The sign-up URL with the code.
    url: String,
}

/// An invited merchant.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Referral")]
pub struct HistoryItem {
    id: ReferralId,
    /// The first name and an initial of the invited merchant.
    referred_name: String,
    status: Status,
    created_at: Timestamp,
    /// Everything earned from the referral, net of reversals, in cents.
    commission_cents: Cents,
}

/// A page of referrals, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReferralList {
    referrals: Vec<HistoryItem>,
    pagination: Pagination,
}

/// The totals of a merchant's referrals.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReferralStats {
    total_referrals: i64,
    completed_referrals: i64,
    pending_referrals: i64,
    /// The number of fixed rewards.
    total_fixed_rewards: i64,
    total_fixed_reward_amount_cents: Cents,
    /// The number of commissions.
    total_commissions: i64,
    total_commission_amount_cents: Cents,
    /// The number of all rewards.
    total_rewards: i64,
    total_reward_amount_cents: Cents,
    /// What remains of the rewards not yet available, in cents.
    pending_reward_amount_cents: Cents,
    /// What remains of the released rewards, in cents, withdrawn or not.
    released_reward_amount_cents: Cents,
    total_withdrawn_cents: Cents,
    /// The released amount not yet withdrawn, in cents; negative after reversals.
    available_balance_cents: Cents,
}

/// A referral reward.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReferralReward")]
pub struct RewardView {
    id: RewardId,
    referral_id: ReferralId,
    /// The first name and an initial of the invited merchant.
    referred_name: String,
    #[serde(rename = "type")]
    kind: Kind,
    status: rewards::Status,
    /// The remaining amount in cents.
    amount_cents: Cents,
    /// The amount reversed with the sale, in cents.
    taken_back_cents: Cents,
    created_at: Timestamp,
    /// When the reward becomes available.
    available_at: Timestamp,
    released_at: Option<Timestamp>,
}

/// A page of referral rewards, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReferralRewardList {
    rewards: Vec<RewardView>,
    pagination: Pagination,
}

/// The amount to move to the balance.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WithdrawReferralRewardsRequest {
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub amount_cents: i64,
}

/// Rewards that were moved to the balance.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReferralWithdrawal")]
pub struct MovedRewardView {
    id: RewardWithdrawalId,
    amount_cents: Cents,
    created_at: Timestamp,
}

/// A page of moved rewards, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReferralWithdrawalList {
    withdrawals: Vec<MovedRewardView>,
    pagination: Pagination,
}

/// A transfer of referral rewards to the balance.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReferralRewardWithdrawal")]
pub struct RewardWithdrawalView {
    id: RewardWithdrawalId,
    amount_cents: Cents,
    /// The remaining amount available to withdraw, in cents.
    available_balance_cents: Cents,
    created_at: Timestamp,
}

/// A response with the transfer to the balance.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReferralRewardWithdrawalResponse {
    message: &'static str,
    data: RewardWithdrawalView,
}

/// GET /api/referral/code
pub async fn code(
    State(app): State<App>,
    caller: Caller<ReferralsRead>,
) -> Result<Ok200<ReferralCode>> {
    let merchant = caller.scope.merchant;
    let known = app.read(async move |tx| referrals::find_code(tx, merchant).await).await?;
    let code = match known {
        Some(code) => code,
        None => app.transact(async move |tx| referrals::take_code(tx, merchant).await).await?,
    };
    Ok(Ok200(ReferralCode::new(&app.settings.base_url(), code)))
}

/// Makes the merchant's code, unless there is one, for a person: a page that is read changes
/// nothing.
pub async fn ask_for_code(
    app: &App,
    Ticket { scope, key, by, .. }: Ticket,
) -> Result<Replayable<Ok200<ReferralCode>>> {
    let base_url = app.settings.base_url();
    app.transact_once(key, async move |tx| {
        let code = referrals::take_code(tx, scope.merchant).await?;
        let about = scope.merchant.0;
        note(tx, scope, by.as_ref(), Action::ReferralCodeCreated, about).await?;
        Ok(Ok200(ReferralCode::new(&base_url, code)))
    })
    .await
}

/// GET /api/referral/history
pub async fn history(
    State(app): State<App>,
    caller: Caller<ReferralsRead>,
    Query(query): Query<HistoryQuery>,
) -> Result<Ok200<ReferralList>> {
    let (scope, filter) = (caller.scope, query.read()?);
    let page = filter.page;
    let listed = app
        .scan_for(scope.merchant, async move |tx| referrals::list(tx, scope, &filter).await)
        .await?;
    let pagination = pagination(page, &listed);
    let referrals = listed.rows.into_iter().map(HistoryItem::from).collect();
    Ok(Ok200(ReferralList { referrals, pagination }))
}

/// GET /api/referral/stats
pub async fn stats(
    State(app): State<App>,
    caller: Caller<ReferralsRead>,
) -> Result<Ok200<ReferralStats>> {
    let scope = caller.scope;
    let unit = async move |tx: &db::tx::Tx| referrals::stats(tx, scope).await;
    Ok(Ok200(app.scan_for(scope.merchant, unit).await?.into()))
}

/// GET /api/referral/rewards
pub async fn rewards(
    State(app): State<App>,
    caller: Caller<ReferralsRead>,
    Query(query): Query<RewardsQuery>,
) -> Result<Ok200<ReferralRewardList>> {
    let (scope, filter) = (caller.scope, query.read()?);
    let page = filter.page;
    let read = async move |tx: &Tx| rewards::list(tx, scope, &filter).await;
    let listed = app.scan_for(scope.merchant, read).await?;
    let pagination = pagination(page, &listed);
    let rewards = listed.rows.into_iter().map(RewardView::from).collect();
    Ok(Ok200(ReferralRewardList { rewards, pagination }))
}

/// GET /api/referral/withdrawals
pub async fn withdrawals(
    State(app): State<App>,
    caller: Caller<ReferralsRead>,
    Query(query): Query<MovedQuery>,
) -> Result<Ok200<ReferralWithdrawalList>> {
    let (scope, page) = (caller.scope, query.read()?);
    let read = async move |tx: &Tx| referrals::list_withdrawals(tx, scope, page).await;
    let listed = app.scan_for(scope.merchant, read).await?;
    let pagination = pagination(page, &listed);
    let withdrawals = listed.rows.into_iter().map(MovedRewardView::from).collect();
    Ok(Ok200(ReferralWithdrawalList { withdrawals, pagination }))
}

/// POST /api/referral/withdraw
pub async fn withdraw(
    State(app): State<App>,
    caller: Caller<ReferralsWrite>,
    dry_run: DryRun,
    once: IdempotencyHeader<WEEK>,
    body: Body<WithdrawReferralRewardsRequest>,
) -> Result<Replayable<Created<ReferralRewardWithdrawalResponse>>> {
    let (scope, key) = (caller.scope, once.key(caller.scope, &body.raw));
    let ticket = Ticket { scope, key, dry_run, by: caller.by_person() };
    ask(&app, ticket, &body.value).await
}

/// Moves rewards to the balance: the way in of programs and of people.
pub async fn ask(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    body: &WithdrawReferralRewardsRequest,
) -> Result<Replayable<Created<ReferralRewardWithdrawalResponse>>> {
    let amount = fields::amount(body.amount_cents).map_err(|fault| fault.of("amountCents"))?;
    app.change_once(dry_run, scope, key, async move |tx| {
        let id = referrals::withdraw(tx, scope, amount).await?;
        note(tx, scope, by.as_ref(), Action::ReferralRewardsWithdrawn, id.0).await?;
        let data = RewardWithdrawalView {
            id,
            amount_cents: amount,
            available_balance_cents: books::held(tx, scope, AccountKind::ReferralAvailable).await?,
            created_at: scope.now(tx),
        };
        Ok(Created(ReferralRewardWithdrawalResponse {
            message: "Rewards moved to the balance.",
            data,
        }))
    })
    .await
}

/// The public API pages these lists by number only.
fn pagination<T>(page: Page, listed: &Listed<T>) -> Pagination {
    Pagination { next_cursor: None, ..page.pagination(listed) }
}

impl ReferralCode {
    fn new(base_url: &str, code: String) -> Self {
        Self { url: referrals::code_url(base_url, &code), code }
    }
}

impl From<MovedReward> for MovedRewardView {
    fn from(moved: MovedReward) -> Self {
        Self { id: moved.id, amount_cents: moved.amount, created_at: moved.created_at }
    }
}

impl From<Referral> for HistoryItem {
    fn from(referral: Referral) -> Self {
        Self {
            id: referral.id,
            commission_cents: referral.earned(),
            referred_name: referral.referred_name,
            status: referral.status,
            created_at: referral.created_at,
        }
    }
}

impl From<Stats> for ReferralStats {
    fn from(stats: Stats) -> Self {
        let both = stats.fixed_amount.plus(stats.commission_amount);
        Self {
            total_referrals: stats.referrals,
            completed_referrals: stats.completed,
            pending_referrals: stats.pending,
            total_fixed_rewards: stats.fixed,
            total_fixed_reward_amount_cents: stats.fixed_amount,
            total_commissions: stats.commissions,
            total_commission_amount_cents: stats.commission_amount,
            total_rewards: stats.fixed + stats.commissions,
            total_reward_amount_cents: both.unwrap_or(stats.commission_amount),
            pending_reward_amount_cents: stats.pending_rewards,
            released_reward_amount_cents: stats.released_rewards,
            total_withdrawn_cents: stats.withdrawn,
            available_balance_cents: stats.available,
        }
    }
}

impl From<(Reward, String)> for RewardView {
    fn from((reward, referred_name): (Reward, String)) -> Self {
        Self {
            id: reward.id,
            referral_id: reward.referral,
            referred_name,
            kind: reward.kind,
            status: reward.status,
            amount_cents: reward.amount.minus(reward.taken).unwrap_or_default(),
            taken_back_cents: reward.taken,
            created_at: reward.created_at,
            available_at: reward.available_at,
            released_at: reward.released_at,
        }
    }
}
