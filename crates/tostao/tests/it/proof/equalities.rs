//! Rows about money that the ledger does not keep: each of them changed, added and deleted.

use std::collections::BTreeMap;

use db::database::Dialect;
use tostao::config::Settings;

use super::lived_in::live;
use super::{Outcome, count, tried};
use crate::harness::engine::Engine;
use crate::harness::{TestApp, story_where};

/// Rows that say something about money.
struct Kind {
    table: &'static str,
    key: &'static str,
    /// Which of them.
    rows: &'static str,
    /// Amounts, each of which is made a cent greater and a cent less.
    amounts: &'static [&'static str],
    /// Other changes, each with the rows that it changes.
    changes: &'static [(&'static str, &'static str)],
    /// What a copy of one differs in.
    copied: &'static [(&'static str, &'static str)],
}

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
    copied: &[("id", "$1"), ("pix_txid", "null"), ("slip_number", "null")],
};

const REFUNDS: Kind = Kind {
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
};

const DISPUTES: Kind = Kind {
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
};

const WITHDRAWALS: Kind = Kind {
    table: "withdrawals",
    key: "merchant_id, mode, id",
    rows: "status <> 'FAILED'",
    // The fee of one that waits is booked when it is paid.
    amounts: &["amount_cents"],
    changes: &[
        ("fee_cents = fee_cents + 1", "status = 'COMPLETED'"),
        ("status = 'FAILED', failed_at = created_at, failure_reason = 'x'", "status = 'PENDING'"),
        ("status = 'PENDING', completed_at = null", "status = 'COMPLETED'"),
    ],
    copied: &[("id", "$1"), ("external_id", "external_id || 'x'"), ("idempotency_key", "null")],
};

const RECEIVABLES: Kind = Kind {
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
};

const TAKES: Kind = Kind {
    table: "receivable_takes",
    key: "merchant_id, mode, transaction_id, by_id, installment",
    rows: "true",
    amounts: &["amount_cents"],
    changes: &[],
    copied: &[("by_id", "$1")],
};

const ADVANCES: Kind = Kind {
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
};

const SLICES: Kind = Kind {
    table: "advance_slices",
    key: "merchant_id, mode, advance_id, transaction_id, installment",
    rows: "true",
    amounts: &["amount_cents"],
    changes: &[],
    copied: &[("installment", "installment + 1000")],
};

const COMMISSIONS: Kind = Kind {
    table: "affiliate_commissions",
    key: "merchant_id, mode, id",
    rows: "status <> 'CANCELLED'",
    amounts: &["amount_cents", "held_cents"],
    changes: &[
        ("status = 'PAID', paid_at = created_at", "status = 'PENDING'"),
        ("status = 'PENDING', paid_at = null", "status = 'PAID'"),
    ],
    copied: &[("id", "$1"), ("transaction_id", "$1")],
};

const COMMISSION_TAKES: Kind = Kind {
    table: "affiliate_takes",
    key: "merchant_id, mode, transaction_id, by_id",
    rows: "true",
    amounts: &["amount_cents"],
    changes: &[],
    copied: &[("by_id", "$1")],
};

const LINKS: Kind = Kind {
    table: "affiliate_links",
    key: "merchant_id, mode, id",
    rows: "pending_cents > 0",
    amounts: &["pending_cents", "earned_cents"],
    changes: &[],
    copied: &[("id", "$1"), ("program_id", "$1"), ("code", "code || 'X'")],
};

const REWARDS: Kind = Kind {
    table: "referral_rewards",
    key: "merchant_id, mode, id",
    rows: "status = 'PENDING' and amount_cents > 0",
    amounts: &["amount_cents", "taken_cents"],
    changes: &[
        ("status = 'AVAILABLE', released_at = created_at", "true"),
        ("status = 'CANCELLED'", "true"),
    ],
    copied: &[("id", "$1"), ("transaction_id", "$1")],
};

/// The platform's fees, so that there are some to be changed.
pub fn with_fees(settings: &mut Settings) {
    settings.pix_fee_cents = 30;
    settings.boleto_fee_cents = 50;
    settings.card_fee_cents = 70;
}

/// The columns of a table.
async fn columns(test: &TestApp, table: &str) -> Vec<String> {
    let engine = Engine::open(test).await;
    let sql = match engine.dialect() {
        Dialect::Sqlite => format!("select name from pragma_table_info('{table}')"),
        Dialect::Postgres => format!(
            "select cast(column_name as text)
               from information_schema.columns
              where table_schema = 'public' and table_name = '{table}'
              order by ordinal_position"
        ),
    };
    engine.rows(&sql).await.into_iter().flatten().collect()
}

impl Kind {
    /// Every change of every row: what it is called, and the statement.
    async fn all(&self, test: &TestApp) -> Vec<(String, String)> {
        let Self { table, key, rows, .. } = self;
        let columns = columns(test, table).await;
        let value = |column: &String| {
            let differs = self.copied.iter().find(|(name, _)| name == column);
            differs.map_or_else(|| column.clone(), |(_, value)| (*value).to_owned())
        };
        let values: Vec<_> = columns.iter().map(value).collect();
        let (columns, values) = (columns.join(", "), values.join(", "));
        let mut all = Vec::new();
        for number in 0..count(test, table, rows).await {
            let row = format!(
                "({key}) in (select {key} from {table} where {rows} order by {key} limit 1
                             offset {number})"
            );
            for amount in self.amounts {
                for by in ["+ 1", "- 1"] {
                    let change = format!("update {table} set {amount} = {amount} {by} where {row}");
                    all.push((format!("{amount} of {table}"), change));
                }
            }
            for (change, of) in self.changes {
                let sql = format!("update {table} set {change} where {row} and ({of})");
                all.push((format!("{change} of {table}"), sql));
            }
            all.push((format!("one of {table} less"), format!("delete from {table} where {row}")));
            let copy =
                format!("insert into {table} ({columns}) select {values} from {table} where {row}");
            all.push((format!("one of {table} more"), copy));
        }
        all
    }
}

/// Tries all changes of some kinds; each of them must be found wherever the database allows it, and
/// must be possible somewhere.
async fn expect_found(test: &TestApp, kinds: &[Kind]) {
    let mut found = BTreeMap::<String, usize>::new();
    for kind in kinds {
        for (name, sql) in kind.all(test).await {
            let outcome = tried(test, std::slice::from_ref(&sql)).await;
            let times = found.entry(name).or_default();
            match outcome {
                Outcome::FOUND => *times += 1,
                Outcome::Refused | Outcome::NothingChanged => {}
                Outcome::Changed { .. } => panic!("{outcome:?}: {sql}"),
            }
        }
    }
    let never: Vec<_> = found.iter().filter(|(_, times)| **times == 0).collect();
    assert!(never.is_empty(), "nothing of this was possible: {never:#?}");
}

#[test]
fn every_change_of_a_payment_is_found() {
    story_where(with_fees, async |test| {
        live(test).await;
        expect_found(test, &[PAYMENTS]).await;
        let all = ["delete from transactions".to_owned()];
        assert_eq!(tried(test, &all).await, Outcome::FOUND);
    });
}

#[test]
fn every_change_of_what_goes_back_or_out_is_found() {
    story_where(with_fees, async |test| {
        live(test).await;
        expect_found(test, &[REFUNDS, DISPUTES, SET_ASIDE, WITHDRAWALS]).await;
    });
}

#[test]
fn every_change_of_receivables_and_advances_is_found() {
    story_where(with_fees, async |test| {
        live(test).await;
        expect_found(test, &[RECEIVABLES, TAKES, ADVANCES, SLICES]).await;
    });
}

#[test]
fn every_change_of_commissions_and_rewards_is_found() {
    story_where(with_fees, async |test| {
        live(test).await;
        expect_found(test, &[COMMISSIONS, COMMISSION_TAKES, LINKS, REWARDS]).await;
    });
}
