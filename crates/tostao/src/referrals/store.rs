//! The tables of codes, referrals and reward withdrawals.

use db::args;
use db::tx::Tx;
use db::value::Row;
use ledger::cents::Cents;

use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::{MerchantId, ReferralId, RewardWithdrawalId, Scope};
use crate::referrals::list::Filter;
use crate::referrals::{MovedReward, Referral, Stats, Status};
use crate::store::{Sums, add_up, of_open_account, summing};

/// The columns of a referral, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, merchant_id, invited_id, referred_name, status, goal_cents, fixed_cents, basis_points,
         volume_cents, fixed_earned_cents, commissions, commission_earned_cents, created_at,
         expires_at, earns_until, completed_at"
    };
}

/// The referrals that match a filter, by the status that the scope's clock shows.
macro_rules! matching {
    () => {
        " from referrals
         where merchant_id = $1 and mode = $2
           and (cast($3 as text) is null
                or case when status = 'PENDING' and expires_at <= $4
                        then 'EXPIRED' else status end = $3)"
    };
}

pub async fn find_code(tx: &Tx, merchant: MerchantId) -> Result<Option<String>> {
    let row =
        tx.opt("select code from referral_codes where merchant_id = $1", args![merchant]).await?;
    row.map(|mut row| Ok(row.take()?)).transpose()
}

/// Stores a merchant's code, unless they have one or it is taken.
pub async fn insert_code(tx: &Tx, merchant: MerchantId, code: &str) -> Result<()> {
    tx.exec(
        "insert into referral_codes (code, merchant_id, created_at)
         values ($1, $2, $3)
             on conflict do nothing",
        args![code, merchant, tx.now()],
    )
    .await?;
    Ok(())
}

pub async fn find_inviter(tx: &Tx, code: &str) -> Result<Option<MerchantId>> {
    let sql =
        concat!("select merchant_id from referral_codes where code = $1 and", of_open_account!());
    let row = tx.opt(sql, args![code]).await?;
    row.map(|mut row| Ok(row.take()?)).transpose()
}

pub async fn insert(tx: &Tx, scope: Scope, new: &Referral) -> Result<()> {
    tx.exec(
        "insert into referrals
                (merchant_id, mode, id, invited_id, referred_name, status, goal_cents, fixed_cents,
                 basis_points, volume_cents, fixed_earned_cents, commissions,
                 commission_earned_cents, created_at, expires_at, earns_until)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, 0, 0, 0, $10, $11, $12)",
        args![
            scope.merchant,
            scope.mode,
            new.id,
            new.invited,
            new.referred_name,
            new.status.name(),
            new.goal,
            new.fixed,
            i64::from(new.basis_points),
            new.created_at,
            new.expires_at,
            new.earns_until,
        ],
    )
    .await?;
    Ok(())
}

/// Who invited a merchant, unless the referral has ended.
pub async fn inviter_of(tx: &Tx, seller: Scope) -> Result<Option<MerchantId>> {
    let row = tx
        .opt(
            "select merchant_id
               from referrals
              where invited_id = $1 and mode = $2 and status in ('PENDING', 'COMPLETED')",
            args![seller.merchant, seller.mode],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// Finds the referral that a merchant's sales count for; the unit holds its row lock from here on.
pub async fn open(tx: &Tx, seller: Scope) -> Result<Option<Referral>> {
    let row = tx
        .opt(
            concat!(
                "update referrals
                    set volume_cents = volume_cents
                  where invited_id = $1 and mode = $2 and status in ('PENDING', 'COMPLETED') and",
                of_open_account!(),
                " returning ",
                columns!()
            ),
            args![seller.merchant, seller.mode],
        )
        .await?;
    row.map(read).transpose()
}

/// Finds a referral; the unit holds its row lock from here on.
pub async fn lock(tx: &Tx, scope: Scope, id: ReferralId) -> Result<Option<Referral>> {
    let row = tx
        .opt(
            concat!(
                "update referrals
                    set volume_cents = volume_cents
                  where merchant_id = $1 and mode = $2 and id = $3
                 returning ",
                columns!()
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

/// Stores changes; the unit holds the row lock.
pub async fn update(tx: &Tx, scope: Scope, referral: &Referral) -> Result<()> {
    tx.defer(
        "update referrals
            set status = $1, volume_cents = $2, fixed_earned_cents = $3, commissions = $4,
                commission_earned_cents = $5, completed_at = $6
          where merchant_id = $7 and mode = $8 and id = $9",
        args![
            referral.status.name(),
            referral.volume,
            referral.fixed_earned,
            referral.commissions,
            referral.commission_earned,
            referral.completed_at,
            scope.merchant,
            scope.mode,
            referral.id,
        ],
    )
    .await?;
    Ok(())
}

pub async fn expire(tx: &Tx, scope: Scope, id: ReferralId) -> Result<()> {
    tx.exec(
        "update referrals
            set status = 'EXPIRED'
          where merchant_id = $1 and mode = $2 and id = $3 and status = 'PENDING'
            and expires_at <= $4",
        args![scope.merchant, scope.mode, id, scope.now(tx)],
    )
    .await?;
    Ok(())
}

pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Referral>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching!(),
                " and id < $5
                 order by id desc
                 limit $6 offset $7"
            ),
            args![
                scope.merchant,
                scope.mode,
                filter.status.map(Status::name),
                scope.now(tx),
                page.before(),
                page.fetch(),
                page.offset(),
            ],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count(tx: &Tx, scope: Scope, filter: &Filter) -> Result<i64> {
    let mut row = tx
        .one(
            concat!("select count(*)", matching!()),
            args![scope.merchant, scope.mode, filter.status.map(Status::name), scope.now(tx)],
        )
        .await?;
    Ok(row.take()?)
}

/// Sums referrals; fields from the ledger and the withdrawals are left empty.
pub async fn sums(tx: &Tx, scope: Scope) -> Result<Stats> {
    let mut row = tx
        .one(
            "select count(*),
                    count(*) filter (where status = 'COMPLETED'),
                    count(case when status = 'PENDING' and expires_at > $3 then 1 end),
                    count(case when fixed_earned_cents > 0 then 1 end),
                    cast(coalesce(sum(fixed_earned_cents), 0) as bigint),
                    cast(coalesce(sum(commissions), 0) as bigint),
                    cast(coalesce(sum(commission_earned_cents), 0) as bigint)
               from referrals
              where merchant_id = $1 and mode = $2",
            args![scope.merchant, scope.mode, scope.now(tx)],
        )
        .await?;
    Ok(Stats {
        referrals: row.take()?,
        completed: row.take()?,
        pending: row.take()?,
        fixed: row.take()?,
        fixed_amount: row.take()?,
        commissions: row.take()?,
        commission_amount: row.take()?,
        pending_rewards: Cents::ZERO,
        released_rewards: Cents::ZERO,
        withdrawn: Cents::ZERO,
        available: Cents::ZERO,
    })
}

pub async fn insert_withdrawal(
    tx: &Tx,
    scope: Scope,
    id: RewardWithdrawalId,
    amount: Cents,
) -> Result<()> {
    tx.defer(
        "insert into referral_withdrawals (merchant_id, mode, id, amount_cents, created_at)
         values ($1, $2, $3, $4, $5)",
        args![scope.merchant, scope.mode, id, amount, scope.now(tx)],
    )
    .await?;
    Ok(())
}

pub async fn list_withdrawals(tx: &Tx, scope: Scope, page: Page) -> Result<Vec<MovedReward>> {
    let rows = tx
        .all(
            "select id, amount_cents, created_at
               from referral_withdrawals
              where merchant_id = $1 and mode = $2 and id < $3
              order by id desc
              limit $4 offset $5",
            args![scope.merchant, scope.mode, page.before(), page.fetch(), page.offset()],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(MovedReward { id: row.take()?, amount: row.take()?, created_at: row.take()? })
    };
    rows.into_iter().map(read).collect()
}

pub async fn count_withdrawals(tx: &Tx, scope: Scope) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*) from referral_withdrawals where merchant_id = $1 and mode = $2",
            args![scope.merchant, scope.mode],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn withdrawn(tx: &Tx, scope: Scope) -> Result<Cents> {
    let mut row = tx
        .one(
            "select cast(coalesce(sum(amount_cents), 0) as bigint)
               from referral_withdrawals
              where merchant_id = $1 and mode = $2",
            args![scope.merchant, scope.mode],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn blank_invited(tx: &Tx, invited: MerchantId) -> Result<()> {
    tx.exec("update referrals set referred_name = '' where invited_id = $1", args![invited])
        .await?;
    Ok(())
}

/// Sums of what referrals count as earned, and as sold towards their goals.
pub async fn sums_of_referrals(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(fixed_earned_cents + commission_earned_cents), 0) as bigint),
         cast(coalesce(sum(volume_cents), 0) as bigint)",
        "referrals",
        "true"
    );
    add_up(tx, of, sums).await
}

/// Sums of what was moved to balances.
pub async fn sums_of_withdrawals(tx: &Tx, of: Option<Scope>) -> Result<Sums<1>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(amount_cents), 0) as bigint)",
        "referral_withdrawals",
        "true"
    );
    add_up(tx, of, sums).await
}

fn read(mut row: Row) -> Result<Referral> {
    Ok(Referral {
        id: row.take()?,
        merchant: row.take()?,
        invited: row.take()?,
        referred_name: row.take()?,
        status: row.take()?,
        goal: row.take()?,
        fixed: row.take()?,
        basis_points: u32::try_from(row.take::<i64>()?).unwrap_or(0),
        volume: row.take()?,
        fixed_earned: row.take()?,
        commissions: row.take()?,
        commission_earned: row.take()?,
        created_at: row.take()?,
        expires_at: row.take()?,
        earns_until: row.take()?,
        completed_at: row.take()?,
    })
}
