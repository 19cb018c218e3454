//! Rows about money as a merchant's day leaves them: each of them changed, added and deleted.

use tostao::platform::config::Settings;

use super::kinds::{Kind, expect_found};
use super::lived_in::live;
use super::{Outcome, tried};
use crate::harness::TestApp;

/// All that are tried here.
pub const KINDS: [Kind; 16] = [
    PAYMENTS,
    REFUNDS,
    DISPUTES,
    SET_ASIDE,
    WITHDRAWALS,
    PAYOUTS,
    RECEIVABLES,
    TAKES,
    ADVANCES,
    SLICES,
    COMMISSIONS,
    COMMISSION_TAKES,
    LINKS,
    REWARDS,
    REFERRALS,
    DAILY_FIGURES,
];

const PAYMENTS: Kind = Kind {
    table: "transactions",
    key: "merchant_id, mode, id",
    rows: "paid_cents > 0",
    amounts: &[
        "amount_cents",
        "paid_cents",
        "fee_cents",
        "refunding_cents",
        "refunded_cents",
        "unmatched_cents",
    ],
    changes: &[
        ("amount_cents = 2 * amount_cents", "true"),
        ("amount_cents = 2 * amount_cents, paid_cents = 2 * paid_cents", "true"),
        ("status = 'PENDING'", "true"),
        ("status = 'PENDING', paid_cents = null", "refunded_cents + refunding_cents = 0"),
        ("status = 'PAID'", "status <> 'PAID'"),
        ("status = 'REFUNDED'", "status <> 'REFUNDED'"),
        ("status = 'DISPUTED'", "status <> 'DISPUTED'"),
        ("status = 'CHARGED_BACK'", "status <> 'CHARGED_BACK'"),
    ],
    copied: &[("id", "$1"), ("pix_txid", "null"), ("slip_bank_code", "null")],
    missed: true,
};

pub const REFUNDS: Kind = Kind {
    table: "refunds",
    key: "merchant_id, mode, transaction_id, id",
    rows: "status <> 'FAILED'",
    amounts: &["amount_cents"],
    changes: &[
        ("status = 'COMPLETED', completed_at = created_at", "status = 'PENDING'"),
        ("status = 'PENDING', completed_at = null", "status = 'COMPLETED'"),
        (
            "status = 'FAILED', completed_at = null, failed_at = created_at, failure_reason = 'x'",
            "true",
        ),
    ],
    copied: &[("id", "$1"), ("external_id", "null")],
    missed: true,
};

pub const DISPUTES: Kind = Kind {
    table: "disputes",
    key: "merchant_id, mode, transaction_id, id",
    rows: "status <> 'WON'",
    amounts: &["amount_cents"],
    changes: &[
        ("status = 'WON', decided_at = opened_at", "true"),
        ("status = 'LOST', decided_at = opened_at", "status = 'OPEN'"),
        ("status = 'OPEN', decided_at = null", "status = 'LOST'"),
    ],
    copied: &[("id", "$1"), ("transaction_id", "$1")],
    missed: true,
};

const SET_ASIDE: Kind = Kind {
    table: "unmatched_receipts",
    key: "provider, payment_id",
    rows: "true",
    amounts: &["amount_cents"],
    changes: &[
        ("status = 'ACCEPTED', decided_at = received_at", "status = 'OPEN'"),
        ("status = 'OPEN', decided_at = null", "status = 'ACCEPTED'"),
    ],
    copied: &[("id", "$1"), ("payment_id", "payment_id || 'x'")],
    missed: true,
};

pub const WITHDRAWALS: Kind = Kind {
    table: "withdrawals",
    key: "merchant_id, mode, id",
    rows: "status <> 'FAILED'",
    // The fee of one that waits is booked when it is paid.
    amounts: &["amount_cents"],
    changes: &[
        ("status = 'FAILED', failed_at = created_at, failure_reason = 'x'", "status = 'PENDING'"),
        ("status = 'PENDING', completed_at = null", "status = 'COMPLETED'"),
    ],
    copied: &[("id", "$1"), ("external_id", "external_id || 'x'"), ("idempotency_key", "null")],
    missed: true,
};

const PAYOUTS: Kind = Kind {
    rows: "status = 'COMPLETED'",
    amounts: &["amount_cents", "fee_cents"],
    changes: &[],
    ..WITHDRAWALS
};

pub const RECEIVABLES: Kind = Kind {
    table: "receivables",
    key: "merchant_id, mode, transaction_id, installment",
    rows: "status = 'PENDING'",
    amounts: &["amount_cents", "fee_cents", "commission_cents", "taken_cents", "pledged_cents"],
    // A part that was taken whole brings nothing when it settles.
    changes: &[(
        "status = 'SETTLED', settled_at = due_at",
        "fee_cents + commission_cents + taken_cents < amount_cents",
    )],
    copied: &[("id", "$1"), ("installment", "installment + 1000")],
    missed: true,
};

pub const TAKES: Kind = Kind {
    table: "receivable_takes",
    key: "merchant_id, mode, transaction_id, by_id, installment",
    rows: "true",
    amounts: &["amount_cents"],
    changes: &[],
    copied: &[("by_id", "$1")],
    missed: true,
};

pub const ADVANCES: Kind = Kind {
    table: "advances",
    key: "merchant_id, mode, id",
    rows: "status = 'APPROVED'",
    amounts: &["amount_cents", "fee_cents", "outstanding_cents", "debited_cents"],
    changes: &[("status = 'SETTLED', settled_at = created_at, outstanding_cents = 0", "true")],
    copied: &[
        ("id", "$1"),
        ("status", "'SETTLED'"),
        ("settled_at", "created_at"),
        ("outstanding_cents", "0"),
    ],
    missed: true,
};

const SLICES: Kind = Kind {
    table: "advance_slices",
    key: "merchant_id, mode, advance_id, transaction_id, installment",
    rows: "true",
    amounts: &["amount_cents", "fee_cents"],
    changes: &[],
    copied: &[("installment", "installment + 1000")],
    missed: true,
};

pub const COMMISSIONS: Kind = Kind {
    table: "affiliate_commissions",
    key: "merchant_id, mode, id",
    rows: "status <> 'CANCELLED'",
    amounts: &["amount_cents", "earned_cents", "returned_cents", "held_cents"],
    changes: &[
        ("status = 'PAID', paid_at = created_at", "status = 'PENDING'"),
        ("status = 'PENDING', paid_at = null", "status = 'PAID'"),
    ],
    copied: &[("id", "$1"), ("transaction_id", "$1")],
    missed: true,
};

pub const COMMISSION_TAKES: Kind = Kind {
    table: "affiliate_takes",
    key: "merchant_id, mode, transaction_id, by_id",
    rows: "true",
    amounts: &["amount_cents"],
    changes: &[],
    copied: &[("by_id", "$1")],
    missed: true,
};

const LINKS: Kind = Kind {
    table: "affiliate_links",
    key: "merchant_id, mode, id",
    rows: "pending_cents > 0",
    amounts: &["pending_cents", "earned_cents"],
    changes: &[],
    copied: &[("id", "$1"), ("program_id", "$1"), ("code", "code || 'X'")],
    missed: true,
};

pub const REWARDS: Kind = Kind {
    table: "referral_rewards",
    key: "merchant_id, mode, id",
    rows: "status = 'PENDING' and amount_cents > 0",
    amounts: &["amount_cents", "taken_cents", "base_cents"],
    changes: &[
        ("status = 'AVAILABLE', released_at = created_at", "true"),
        ("status = 'CANCELLED'", "true"),
    ],
    copied: &[("id", "$1"), ("transaction_id", "$1")],
    missed: true,
};

const REFERRALS: Kind = Kind {
    table: "referrals",
    key: "merchant_id, mode, id",
    rows: "commissions > 0",
    amounts: &["volume_cents", "fixed_earned_cents", "commission_earned_cents"],
    changes: &[],
    copied: &[("id", "$1"), ("invited_id", "$1")],
    missed: true,
};

const DAILY_FIGURES: Kind = Kind {
    table: "daily_figures",
    key: "merchant_id, mode, day",
    rows: "sold_cents > 0",
    amounts: &["sold_cents", "refunded_cents", "charged_back_cents", "fees_cents"],
    changes: &[("from_sequence = from_sequence + 1", "true")],
    copied: &[("day", "'9999-12-31'")],
    // The last day may not be kept yet.
    missed: false,
};

/// The platform's fees, so that there are some to be changed.
pub fn with_fees(settings: &mut Settings) {
    settings.pix_fee_cents = 30;
    settings.boleto_fee_cents = 50;
    settings.card_fee_cents = 70;
}

#[story::test(with_fees)]
async fn every_change_of_a_kept_day_is_found(test: &TestApp) {
    live(test).await;
    expect_found(test, &[DAILY_FIGURES]).await;
}

#[story::test(with_fees)]
async fn every_change_of_a_payment_is_found(test: &TestApp) {
    live(test).await;
    expect_found(test, &[PAYMENTS]).await;
    let all = ["delete from transactions".to_owned()];
    assert_eq!(tried(test, &all).await, Outcome::FOUND);
}

#[story::test(with_fees)]
async fn every_change_of_what_goes_back_or_out_is_found(test: &TestApp) {
    live(test).await;
    expect_found(test, &[REFUNDS, DISPUTES, SET_ASIDE, WITHDRAWALS, PAYOUTS]).await;
}

#[story::test(with_fees)]
async fn every_change_of_receivables_and_advances_is_found(test: &TestApp) {
    live(test).await;
    expect_found(test, &[RECEIVABLES, TAKES, ADVANCES, SLICES]).await;
}

#[story::test(with_fees)]
async fn every_change_of_commissions_and_rewards_is_found(test: &TestApp) {
    live(test).await;
    expect_found(test, &[COMMISSIONS, COMMISSION_TAKES, LINKS, REWARDS, REFERRALS]).await;
}
