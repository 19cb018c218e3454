//! Rows compared with the transfers that were booked about them, found by their subject and kind.
//!
//! Each function sums what was booked first, and the rows second. Only transfers that a row names
//! are looked up, so a development reset, which deletes rows but no transfers, keeps both sides
//! equal.

use db::args;
use db::tx::Tx;

use crate::platform::error::Result;
use crate::platform::ids::{Mode, Scope};
use crate::store::{Sums, add_up, summing};

/// What came to a provider less what left, in production; then its orders under way.
pub async fn of_provider(tx: &Tx, provider: &str) -> Result<[i64; 2]> {
    let mut row = tx
        .one(
            "select cast(
                  (select coalesce(sum(paid_cents), 0)
                     from transactions
                    where provider = $1 and mode = $2)
                + (select coalesce(sum(amount_cents), 0)
                     from unmatched_receipts
                    where provider = $1 and mode = $2)
                + (select coalesce(sum(amount_cents), 0)
                     from unknown_payments
                    where provider = $1 and mode = $2 and status <> 'MATCHED')
                + (select coalesce(sum(amount_cents), 0)
                     from withdrawal_returns
                    where provider = $1 and mode = $2)
                - (select coalesce(sum(amount_cents), 0)
                     from refunds
                    where provider = $1 and mode = $2 and status = 'COMPLETED')
                - (select coalesce(sum(amount_cents), 0)
                     from payment_returns
                    where provider = $1 and mode = $2 and status = 'COMPLETED')
                - (select coalesce(sum(amount_cents - fee_cents), 0)
                     from withdrawals
                    where provider = $1 and mode = $2 and status = 'COMPLETED')
                - (select coalesce(sum(disputes.amount_cents), 0)
                     from disputes
                     join transactions as contested
                       on contested.merchant_id = disputes.merchant_id
                      and contested.mode = disputes.mode
                      and contested.id = disputes.transaction_id
                    where contested.provider = $1 and contested.mode = $2
                      and disputes.status = 'LOST' and disputes.refund_id is null) as bigint),
                    cast(
                  (select coalesce(sum(amount_cents), 0)
                     from refunds
                    where provider = $1 and mode = $2 and status = 'PENDING'
                      and sent_at is not null)
                + (select coalesce(sum(amount_cents), 0)
                     from payment_returns
                    where provider = $1 and mode = $2 and status = 'PENDING'
                      and sent_at is not null)
                + (select coalesce(sum(amount_cents - fee_cents), 0)
                     from withdrawals
                    where provider = $1 and mode = $2 and status = 'PENDING'
                      and sent_at is not null) as bigint)",
            args![provider, Mode::Production],
        )
        .await?;
    Ok([row.take()?, row.take()?])
}

/// Whether a merchant has more payments, or brought more to others, than so many.
pub async fn has_more_than(tx: &Tx, scope: Scope, most: i64) -> Result<bool> {
    let mut row = tx
        .one(
            "select (select count(*)
                       from (select 1
                               from transactions
                              where merchant_id = $1 and mode = $2
                              limit $3) as payments),
                    (select count(*)
                       from (select 1
                               from affiliate_attributions
                              where affiliate_id = $1 and mode = $2
                              limit $3) as brought)",
            args![scope.merchant, scope.mode, most + 1],
        )
        .await?;
    let counts: [i64; 2] = [row.take()?, row.take()?];
    Ok(counts.into_iter().any(|count| count > most))
}

/// Refunds of every status; and what they deducted from unsettled receivables and did not restore.
pub async fn of_refunds(tx: &Tx, of: Option<Scope>) -> Result<Sums<3>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum((
             select sum(amount_cents)
               from ledger_transfers
              where subject_id = refunds.id and kind = 'refund_requested')), 0) as bigint),
         cast(coalesce(sum(amount_cents), 0) as bigint),
         cast(coalesce(sum(case when status <> 'FAILED' then (
             select sum(amount_cents)
               from ledger_transfers
              where subject_id = refunds.id and kind = 'refund_requested'
                and debit_owner_id = merchant_id and debit_code = 2100) end), 0) as bigint)",
        "refunds",
        "true"
    );
    add_up(tx, of, sums).await
}

/// The same for disputes; one about a part that was lost is a refund.
pub async fn of_disputes(tx: &Tx, of: Option<Scope>) -> Result<Sums<3>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum((
             select sum(amount_cents)
               from ledger_transfers
              where subject_id = disputes.id and kind = 'dispute_opened')), 0) as bigint),
         cast(coalesce(sum(amount_cents), 0) as bigint),
         cast(coalesce(sum(case when status <> 'WON' and refund_id is null then (
             select sum(amount_cents)
               from ledger_transfers
              where subject_id = disputes.id and kind = 'dispute_opened'
                and debit_owner_id = merchant_id and debit_code = 2100) end), 0) as bigint)",
        "disputes",
        "true"
    );
    add_up(tx, of, sums).await
}

/// Withdrawals of every status.
pub async fn of_withdrawals(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum((
             select sum(amount_cents)
               from ledger_transfers
              where subject_id = withdrawals.id and kind = 'withdrawal_requested')), 0)
              as bigint),
         cast(coalesce(sum(amount_cents), 0) as bigint)",
        "withdrawals",
        "true"
    );
    add_up(tx, of, sums).await
}

/// Returns of every status.
pub async fn of_returns(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum((
             select sum(amount_cents)
               from ledger_transfers
              where subject_id = payment_returns.id and kind = 'return_requested')), 0)
              as bigint),
         cast(coalesce(sum(amount_cents), 0) as bigint)",
        "payment_returns",
        "true"
    );
    add_up(tx, of, sums).await
}

/// Rewards of every status.
pub async fn of_rewards(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum((
             select sum(amount_cents)
               from ledger_transfers
              where subject_id = referral_rewards.id and kind = 'referral_earned')), 0)
              as bigint),
         cast(coalesce(sum(amount_cents), 0) as bigint)",
        "referral_rewards",
        "true"
    );
    add_up(tx, of, sums).await
}

/// The part of sales that was not returned to buyers, by the referrers of their merchants.
pub async fn of_rewarded_sales(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(stays), 0) as bigint), cast(coalesce(sum(base_cents), 0) as bigint)",
        "(select rewards.merchant_id, rewards.mode, base_cents,
                 paid_cents - refunded_cents
                 - (select coalesce(sum(disputes.amount_cents), 0)
                      from disputes
                     where disputes.merchant_id = sales.merchant_id
                       and disputes.mode = sales.mode
                       and disputes.transaction_id = sales.id
                       and disputes.status = 'LOST'
                       and disputes.refund_id is null) as stays
            from referral_rewards as rewards
            join referrals
              on referrals.merchant_id = rewards.merchant_id and referrals.mode = rewards.mode
             and referrals.id = rewards.referral_id
            join transactions as sales
              on sales.merchant_id = referrals.invited_id and sales.mode = rewards.mode
             and sales.id = rewards.transaction_id) as rewarded",
        "true"
    );
    add_up(tx, of, sums).await
}

/// Settled parts.
pub async fn of_settled(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum((
             select sum(amount_cents)
               from ledger_transfers
              where subject_id = receivables.id and kind = 'receivable_settled')), 0) as bigint),
         cast(coalesce(sum(amount_cents - fee_cents - commission_cents - taken_cents), 0)
              as bigint)",
        "receivables",
        "status = 'SETTLED'"
    );
    add_up(tx, of, sums).await
}

/// Commissions captured with payments, where the attribution is known, and the part of that which
/// has its commission row.
pub async fn of_captured(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "affiliate_id",
        "cast(coalesce(sum(captured), 0) as bigint),
         cast(coalesce(sum(case when known then captured end), 0) as bigint)",
        "(select affiliate_id, mode,
                 (select sum(amount_cents)
                    from ledger_transfers
                   where subject_id = of_id and kind = 'payment_captured'
                     and credit_owner_id = affiliate_id) as captured,
                 exists (
                     select 1
                       from affiliate_commissions as commissions
                      where commissions.merchant_id = attributions.merchant_id
                        and commissions.mode = attributions.mode
                        and transaction_id = of_id and type <> 'CLAWBACK') as known
            from affiliate_attributions as attributions) as brought",
        "true"
    );
    add_up(tx, of, sums).await
}

/// Released commissions; then the part of them that repaid their merchants.
pub async fn of_released(tx: &Tx, of: Option<Scope>) -> Result<Sums<4>> {
    let sums = summing!(
        "affiliate_id",
        "cast(coalesce(sum((
             select sum(transfers.amount_cents)
               from ledger_transfers as transfers
              where subject_id = commissions.id and kind = 'commission_released'
                and debit_owner_id = affiliate_id)), 0) as bigint),
         cast(coalesce(sum(amount_cents), 0) as bigint),
         cast(coalesce(sum((
             select sum(transfers.amount_cents)
               from ledger_transfers as transfers
              where subject_id = commissions.id and kind = 'commission_released'
                and debit_owner_id = affiliate_id and credit_owner_id <> affiliate_id)), 0)
              as bigint),
         cast(coalesce(sum(repaid_cents), 0) as bigint)",
        "affiliate_commissions as commissions",
        "status = 'PAID' and type <> 'CLAWBACK'"
    );
    add_up(tx, of, sums).await
}

/// What affiliates gave for undecided refunds and disputes; then the part of it that was already
/// released to them.
pub async fn of_held(tx: &Tx, of: Option<Scope>) -> Result<Sums<3>> {
    let sums = summing!(
        "affiliate_id",
        "cast(coalesce(sum((
             select sum(transfers.amount_cents)
               from ledger_transfers as transfers
              where subject_id = by_id and kind in ('refund_requested', 'dispute_opened')
                and debit_owner_id = affiliate_id)), 0) as bigint),
         cast(coalesce(sum(amount_cents - unpaid_cents), 0) as bigint),
         cast(coalesce(sum(amount_cents - unpaid_cents) filter (where released), 0) as bigint)",
        "affiliate_takes",
        "true"
    );
    add_up(tx, of, sums).await
}

/// What affiliates gave of released commissions for refunds that did not fail.
pub async fn of_given_for_refunds(tx: &Tx, of: Option<Scope>) -> Result<Sums<1>> {
    let sums = summing!(
        "affiliate_id",
        "cast(coalesce(sum(given), 0) as bigint)",
        "(select affiliate_id, commissions.mode,
                 (select sum(transfers.amount_cents)
                    from ledger_transfers as transfers
                   where subject_id = refunds.id and kind = 'refund_requested'
                     and debit_owner_id = affiliate_id and debit_code = 2000) as given
            from affiliate_commissions as commissions
            join refunds
              on refunds.merchant_id = commissions.merchant_id
             and refunds.mode = commissions.mode
             and refunds.transaction_id = commissions.transaction_id
           where type <> 'CLAWBACK' and refunds.status <> 'FAILED') as given_back",
        "true"
    );
    add_up(tx, of, sums).await
}

/// The same for disputes that were not won.
pub async fn of_given_for_disputes(tx: &Tx, of: Option<Scope>) -> Result<Sums<1>> {
    let sums = summing!(
        "affiliate_id",
        "cast(coalesce(sum(given), 0) as bigint)",
        "(select affiliate_id, commissions.mode,
                 (select sum(transfers.amount_cents)
                    from ledger_transfers as transfers
                   where subject_id = disputes.id and kind = 'dispute_opened'
                     and debit_owner_id = affiliate_id and debit_code = 2000) as given
            from affiliate_commissions as commissions
            join disputes
              on disputes.merchant_id = commissions.merchant_id
             and disputes.mode = commissions.mode
             and disputes.transaction_id = commissions.transaction_id
           where commissions.type <> 'CLAWBACK' and disputes.status <> 'WON'
             and disputes.refund_id is null) as given_back",
        "true"
    );
    add_up(tx, of, sums).await
}

/// What affiliates gave themselves for clawbacks: all but what they owe for them, and what later
/// commissions repaid. Then what sales with a known attribution earned, and what all sales earned.
pub async fn of_commissions(tx: &Tx, of: Option<Scope>) -> Result<Sums<3>> {
    let sums = summing!(
        "affiliate_id",
        "cast(coalesce(sum(case when type = 'CLAWBACK' then -amount_cents else 0 end
                           - owed_cents - repaid_cents), 0) as bigint),
         cast(coalesce(sum(case when exists (
             select 1
               from affiliate_attributions as attributions
              where attributions.merchant_id = commissions.merchant_id
                and attributions.mode = commissions.mode
                and attributions.of_id = commissions.transaction_id)
                                then earned_cents end), 0) as bigint),
         cast(coalesce(sum(earned_cents), 0) as bigint)",
        "affiliate_commissions as commissions",
        "true"
    );
    add_up(tx, of, sums).await
}
