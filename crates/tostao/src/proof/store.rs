//! Rows beside the transfers that were booked about them, found by their subject and kind.
//!
//! Each sums what was booked first, and what rows say second. Only what a row itself names is
//! looked for, so starting over in development, which deletes rows and no transfers, leaves them
//! equal.

use db::tx::Tx;

use crate::error::Result;
use crate::ids::Scope;
use crate::store::{Sums, add_up, summing, total};

/// What was booked about a row under one kind, in those transfers only that meet more conditions.
macro_rules! booked {
    ($row:expr, $kind:literal $(, $condition:literal)*) => {
        concat!(
            "(select sum(transfers.amount_cents)
                from ledger_transfers as transfers
               where subject_id = ", $row, ".id and kind = '", $kind, "'"
            $(, " and ", $condition)*,
            ")"
        )
    };
}

/// The statements that add up what was booked when each row of a table began, and what the rows
/// say; with the status of those that came to nothing, also what the others took of receivables
/// that are not settled.
macro_rules! beginnings {
    ($table:literal, $kind:literal $(, unless $undone:literal)?) => {
        summing!(
            "merchant_id",
            [
                total!(booked!($table, $kind)),
                total!("amount_cents"),
                $(
                    total!(
                        booked!(
                            $table,
                            $kind,
                            "debit_owner_id = merchant_id",
                            "debit_code = 2100"
                        ),
                        if concat!("status <> '", $undone, "'")
                    ),
                )?
            ],
            $table
        )
    };
}

/// The statements that add up what affiliates gave of released commissions, for those refunds or
/// disputes of their sales that did not come to nothing.
macro_rules! given_back {
    ($table:literal, $kind:literal, unless $undone:literal) => {
        summing!(
            "affiliate_id",
            [total!("given")],
            concat!(
                "(select affiliate_id, commissions.mode, ",
                booked!("causes", $kind, "debit_owner_id = affiliate_id", "debit_code = 2000"),
                " as given
                    from affiliate_commissions as commissions
                    join ",
                $table,
                " as causes
                      on causes.merchant_id = commissions.merchant_id
                     and causes.mode = commissions.mode
                     and causes.transaction_id = commissions.transaction_id
                   where commissions.type <> 'CLAWBACK'
                     and causes.status <> '",
                $undone,
                "') as given_back"
            )
        )
    };
}

/// Refunds, whatever became of them; and what they took of parts that are not settled, and did not
/// give back.
pub async fn of_refunds(tx: &Tx, of: Option<Scope>) -> Result<Sums<3>> {
    add_up(tx, of, beginnings!("refunds", "refund_requested", unless "FAILED")).await
}

/// The same of disputes.
pub async fn of_disputes(tx: &Tx, of: Option<Scope>) -> Result<Sums<3>> {
    add_up(tx, of, beginnings!("disputes", "dispute_opened", unless "WON")).await
}

/// Withdrawals, whatever became of them.
pub async fn of_withdrawals(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    add_up(tx, of, beginnings!("withdrawals", "withdrawal_requested")).await
}

/// Returns, whatever became of them.
pub async fn of_returns(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    add_up(tx, of, beginnings!("payment_returns", "return_requested")).await
}

/// Rewards, whatever became of them.
pub async fn of_rewards(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    add_up(tx, of, beginnings!("referral_rewards", "referral_earned")).await
}

/// What of sales was not given back, by those who invited their sellers.
pub async fn of_rewarded_sales(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "merchant_id",
        [total!("stays"), total!("base_cents")],
        "(select rewards.merchant_id, rewards.mode, base_cents,
                 paid_cents - refunded_cents
                 - (select coalesce(sum(disputes.amount_cents), 0)
                      from disputes
                     where disputes.merchant_id = sales.merchant_id
                       and disputes.mode = sales.mode
                       and disputes.transaction_id = sales.id
                       and disputes.status = 'LOST') as stays
            from referral_rewards as rewards
            join referrals
              on referrals.merchant_id = rewards.merchant_id and referrals.mode = rewards.mode
             and referrals.id = rewards.referral_id
            join transactions as sales
              on sales.merchant_id = referrals.invited_id and sales.mode = rewards.mode
             and sales.id = rewards.transaction_id) as rewarded"
    );
    add_up(tx, of, sums).await
}

/// Parts that are settled.
pub async fn of_settled(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "merchant_id",
        [
            total!(booked!("receivables", "receivable_settled")),
            total!("amount_cents - fee_cents - commission_cents - taken_cents"),
        ],
        "receivables",
        "status = 'SETTLED'"
    );
    add_up(tx, of, sums).await
}

/// What payments gave affiliates, as long as it is known who brought their buyers, and what of that
/// has its commission.
pub async fn of_captured(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "affiliate_id",
        [total!("captured"), total!("captured", if "known")],
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
            from affiliate_attributions as attributions) as brought"
    );
    add_up(tx, of, sums).await
}

/// Commissions that were released; then what of them repaid their sellers.
pub async fn of_released(tx: &Tx, of: Option<Scope>) -> Result<Sums<4>> {
    let sums = summing!(
        "affiliate_id",
        [
            total!(booked!("commissions", "commission_released", "debit_owner_id = affiliate_id")),
            total!("amount_cents"),
            total!(booked!(
                "commissions",
                "commission_released",
                "debit_owner_id = affiliate_id",
                "credit_owner_id <> affiliate_id"
            )),
            total!("repaid_cents"),
        ],
        "affiliate_commissions as commissions",
        "status = 'PAID' and type <> 'CLAWBACK'"
    );
    add_up(tx, of, sums).await
}

/// What affiliates gave for refunds and disputes that are not decided; then what of it they could
/// have withdrawn.
pub async fn of_held(tx: &Tx, of: Option<Scope>) -> Result<Sums<3>> {
    let sums = summing!(
        "affiliate_id",
        [
            total!(
                "(select sum(transfers.amount_cents)
                    from ledger_transfers as transfers
                   where subject_id = by_id and kind in ('refund_requested', 'dispute_opened')
                     and debit_owner_id = affiliate_id)"
            ),
            total!("amount_cents - unpaid_cents"),
            total!("amount_cents - unpaid_cents", if "released"),
        ],
        "affiliate_takes"
    );
    add_up(tx, of, sums).await
}

/// What affiliates gave of released commissions for refunds that did not fail.
pub async fn of_given_for_refunds(tx: &Tx, of: Option<Scope>) -> Result<Sums<1>> {
    add_up(tx, of, given_back!("refunds", "refund_requested", unless "FAILED")).await
}

/// The same for disputes that were not won.
pub async fn of_given_for_disputes(tx: &Tx, of: Option<Scope>) -> Result<Sums<1>> {
    add_up(tx, of, given_back!("disputes", "dispute_opened", unless "WON")).await
}

/// What of clawbacks affiliates gave themselves: all but what they owe for them, and what later
/// commissions repaid. Then what sales brought of which it is known who brought the buyer, and what
/// all did.
pub async fn of_commissions(tx: &Tx, of: Option<Scope>) -> Result<Sums<3>> {
    let sums = summing!(
        "affiliate_id",
        [
            total!(
                "case when type = 'CLAWBACK' then -amount_cents else 0 end
                 - owed_cents - repaid_cents"
            ),
            total!(
                "earned_cents",
                if "exists (
                    select 1
                      from affiliate_attributions as attributions
                     where attributions.merchant_id = commissions.merchant_id
                       and attributions.mode = commissions.mode
                       and attributions.of_id = commissions.transaction_id)"
            ),
            total!("earned_cents"),
        ],
        "affiliate_commissions as commissions"
    );
    add_up(tx, of, sums).await
}
