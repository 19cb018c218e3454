//! The table of rewards.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;

use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, ReferralId, RewardId, Scope, TransactionId};
use crate::referrals::Referral;
use crate::referrals::rewards::list::RewardFilter;
use crate::referrals::rewards::{Reward, Status};
use crate::store::{Sums, add_up, summing};

/// The columns of a reward, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, referral_id, kind, status, transaction_id, base_cents, counted, amount_cents,
         taken_cents, created_at, available_at, released_at"
    };
}

/// The rewards that match a filter and are not zero.
macro_rules! matching {
    () => {
        " where merchant_id = $1 and mode = $2 and amount_cents > 0
            and (cast($3 as text) is null or status = $3)
            and ($4 or referral_id = $5)"
    };
}

/// Whether a sale is contested or going back.
macro_rules! contested {
    () => {
        "(transactions.status = 'DISPUTED' or transactions.refunding_cents > 0)"
    };
}

pub async fn insert(tx: &Tx, scope: Scope, new: &Reward) -> Result<()> {
    tx.defer(
        "insert into referral_rewards
                (merchant_id, mode, id, referral_id, kind, status, transaction_id, base_cents,
                 counted, amount_cents, taken_cents, created_at, available_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, $11, $12)",
        args![
            scope.merchant,
            scope.mode,
            new.id,
            new.referral,
            new.kind.name(),
            new.status.name(),
            new.transaction,
            new.base,
            new.counted,
            new.amount,
            new.created_at,
            new.available_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn find(tx: &Tx, scope: Scope, id: RewardId) -> Result<Option<Reward>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from referral_rewards
                 where merchant_id = $1 and mode = $2 and id = $3"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

pub async fn find_by_sale(tx: &Tx, scope: Scope, sale: TransactionId) -> Result<Option<Reward>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from referral_rewards
                 where transaction_id = $1 and merchant_id = $2 and mode = $3"
            ),
            args![sale, scope.merchant, scope.mode],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

pub async fn find_fixed(tx: &Tx, scope: Scope, of: ReferralId) -> Result<Option<Reward>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from referral_rewards
                 where merchant_id = $1 and mode = $2 and referral_id = $3 and kind = 'FIXED'"
            ),
            args![scope.merchant, scope.mode, of],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

/// Whether a sale of an invited merchant is contested or going back.
pub async fn is_contested(tx: &Tx, invited: Scope, sale: TransactionId) -> Result<bool> {
    let mut row = tx
        .one(
            concat!(
                "select count(*)
                   from transactions
                  where merchant_id = $1 and mode = $2 and id = $3 and ",
                contested!()
            ),
            args![invited.merchant, invited.mode, sale],
        )
        .await?;
    Ok(row.take::<i64>()? > 0)
}

/// When sales that count and can no longer be refunded reach the goal, with or without those that
/// are contested or going back; `None` if all of them do not.
pub async fn goal_settles_at(
    tx: &Tx,
    scope: Scope,
    referral: &Referral,
    with_contested: bool,
) -> Result<Option<Timestamp>> {
    let row = tx
        .opt(
            concat!(
                "select available_at
                   from (select available_at,
                                sum(base_cents) over (order by available_at, id) as volume
                           from referral_rewards
                          where merchant_id = $1 and mode = $2 and referral_id = $3 and counted
                            and ($5 or not exists (
                                select 1
                                  from transactions
                                 where transactions.merchant_id = $6 and transactions.mode = $2
                                   and transactions.id = referral_rewards.transaction_id
                                   and ",
                contested!(),
                ")))
                     as settled
                  where cast(volume as bigint) >= $4
                  order by available_at
                  limit 1"
            ),
            args![
                scope.merchant,
                scope.mode,
                referral.id,
                referral.goal,
                with_contested,
                referral.invited,
            ],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

pub async fn postpone(tx: &Tx, scope: Scope, id: RewardId, until: Timestamp) -> Result<()> {
    tx.defer(
        "update referral_rewards
            set available_at = $1
          where merchant_id = $2 and mode = $3 and id = $4",
        args![until, scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// A sale belongs to another merchant, so its reward is found by the sale's id alone.
pub async fn referral_of(tx: &Tx, sale: TransactionId) -> Result<Option<(MerchantId, ReferralId)>> {
    let row = tx
        .opt(
            "select merchant_id, referral_id
               from referral_rewards
              where transaction_id = $1",
            args![sale],
        )
        .await?;
    row.map(|mut row| Ok((row.take()?, row.take()?))).transpose()
}

/// Lists rewards that are not zero, each with the name of the invited merchant.
pub async fn list(tx: &Tx, scope: Scope, filter: &RewardFilter) -> Result<Vec<(Reward, String)>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select (select referred_name
                           from referrals
                          where referrals.merchant_id = $1 and referrals.mode = $2
                            and referrals.id = referral_id), ",
                columns!(),
                " from referral_rewards",
                matching!(),
                " and id < $6
                 order by id desc
                 limit $7 offset $8"
            ),
            args![
                scope.merchant,
                scope.mode,
                filter.status.map(Status::name),
                filter.referral.is_none(),
                filter.referral,
                page.before(),
                page.fetch(),
                page.offset(),
            ],
        )
        .await?;
    let read = |mut row: Row| {
        let name = row.take::<Option<String>>()?.unwrap_or_default();
        Ok((read(&mut row)?, name))
    };
    rows.into_iter().map(read).collect()
}

pub async fn count(tx: &Tx, scope: Scope, filter: &RewardFilter) -> Result<i64> {
    let mut row = tx
        .one(
            concat!("select count(*) from referral_rewards", matching!()),
            args![
                scope.merchant,
                scope.mode,
                filter.status.map(Status::name),
                filter.referral.is_none(),
                filter.referral,
            ],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn release(tx: &Tx, scope: Scope, id: RewardId) -> Result<()> {
    tx.defer(
        "update referral_rewards
            set status = 'AVAILABLE', released_at = $1
          where merchant_id = $2 and mode = $3 and id = $4",
        args![scope.now(tx), scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// Stores what was taken back.
pub async fn record_clawback(tx: &Tx, scope: Scope, reward: &Reward) -> Result<()> {
    tx.defer(
        "update referral_rewards
            set status = $1, base_cents = $2, taken_cents = $3
          where merchant_id = $4 and mode = $5 and id = $6",
        args![
            reward.status.name(),
            reward.base,
            reward.taken,
            scope.merchant,
            scope.mode,
            reward.id,
        ],
    )
    .await?;
    Ok(())
}

/// Sums of what is left of rewards: of pending ones, of released ones, and of all; and what counts
/// towards goals.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<4>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(amount_cents - taken_cents)
                       filter (where status = 'PENDING'), 0) as bigint),
         cast(coalesce(sum(amount_cents - taken_cents)
                       filter (where status = 'AVAILABLE'), 0) as bigint),
         cast(coalesce(sum(amount_cents - taken_cents), 0) as bigint),
         cast(coalesce(sum(base_cents) filter (where counted), 0) as bigint)",
        "referral_rewards",
        "true"
    );
    add_up(tx, of, sums).await
}

fn read(row: &mut Row) -> Result<Reward> {
    Ok(Reward {
        id: row.take()?,
        referral: row.take()?,
        kind: row.take()?,
        status: row.take()?,
        transaction: row.take()?,
        base: row.take()?,
        counted: row.take()?,
        amount: row.take()?,
        taken: row.take()?,
        created_at: row.take()?,
        available_at: row.take()?,
        released_at: row.take()?,
    })
}
