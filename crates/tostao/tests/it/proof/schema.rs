//! No column of money without a proof: each is tried, or listed with the reason why it is not.

use std::collections::BTreeSet;

use db::database::Dialect;

use super::{ended, equalities, returned};
use crate::harness::TestApp;
use crate::harness::engine::Engine;

/// Columns whose change no proof finds, or another test tries, and why.
const OTHERS: [(&str, &[&str], &str); 22] = [
    (
        "ledger_accounts",
        &["floor_cents", "balance_cents"],
        "`every_column_of_every_account_is_proved`",
    ),
    (
        "ledger_transfers",
        &["amount_cents", "debit_balance_cents", "credit_balance_cents"],
        "`every_column_of_every_transfer_is_proved`",
    ),
    (
        "ledger_positions",
        &["floor_cents", "balance_cents"],
        "What a proof found; the entries after it, and the next full proof, contradict a change.",
    ),
    ("products", &["price_cents"], "A price; what is paid for it is a payment's."),
    ("payment_links", &["amount_cents"], "A price."),
    ("plans", &["amount_cents"], "A price."),
    ("subscriptions", &["amount_cents", "annual_cents"], "A price, and what a year of it is."),
    ("subscription_changes", &["annual_cents"], "A measure of what recurs."),
    ("coupons", &["min_purchase_cents", "max_discount_cents"], "Limits of a discount."),
    ("coupon_uses", &["discount_cents"], "How a payment's amount came about."),
    ("transactions", &["discount_cents", "interest_cents"], "How the amount came about."),
    ("referrals", &["goal_cents", "fixed_cents"], "What was promised."),
    ("affiliate_attributions", &["base_cents", "amount_cents"], "What was promised."),
    (
        "affiliate_commissions",
        &["base_cents", "sale_cents"],
        "From what a commission was worked out, as it was promised.",
    ),
    ("sandbox_charges", &["amount_cents", "refunded_cents"], "The simulated bank's own books."),
    ("sandbox_refunds", &["amount_cents"], "The simulated bank's own books."),
    ("sandbox_slips", &["amount_cents"], "The simulated bank's own books."),
    ("connection_differences", &["amount_cents"], "A bank's statement, which books nothing."),
    ("pix_infractions", &["amount_cents"], "A bank's report; its dispute holds the money."),
    ("refunds", &["refunded_before_cents"], "Compared with an acquirer's total; books nothing."),
    (
        "boleto_totals",
        &["booked_cents", "unclaimed_cents"],
        "What a bank's next total is compared with; the payments hold the money.",
    ),
    ("sandbox_payouts", &["amount_cents"], "The simulated bank's own books."),
];

#[story::test]
async fn no_column_of_money_is_without_a_proof(test: &TestApp) {
    let engine = Engine::open(test).await;
    let sql = match engine.dialect() {
        Dialect::Sqlite => {
            "select tables.name, columns.name
               from sqlite_master as tables
               join pragma_table_info(tables.name) as columns
              where tables.type = 'table' and columns.name like '%cents'"
        }
        Dialect::Postgres => {
            "select cast(table_name as text), cast(column_name as text)
               from information_schema.columns
               join information_schema.tables using (table_schema, table_name)
              where table_schema = 'public' and table_type = 'BASE TABLE'
                and column_name like '%cents'"
        }
    };
    let of = |(table, columns): (&str, &[&str])| -> Vec<String> {
        columns.iter().map(|column| format!("{table}.{column}")).collect()
    };
    let stored: BTreeSet<String> = engine.rows(sql).await.iter().map(|row| row.join(".")).collect();
    let kinds = equalities::KINDS.iter().chain(&ended::KINDS).chain(&returned::KINDS);
    let tried: BTreeSet<String> = kinds.flat_map(|kind| of((kind.table, kind.amounts))).collect();
    let others: BTreeSet<String> =
        OTHERS.iter().flat_map(|(table, columns, _)| of((table, columns))).collect();
    assert!(stored.len() > 60, "{stored:?}");
    let known: BTreeSet<String> = tried.union(&others).cloned().collect();
    assert_eq!(stored, known, "each column of money is tried, or listed once with its reason");
    assert_eq!(tried.intersection(&others).count(), 0, "what is tried needs no reason");
}
