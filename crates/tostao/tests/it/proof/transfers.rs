//! The ledger's own rows: every column, every transfer, every account.

use super::lived_in::live;
use super::{Outcome, count, disarm, tried};
use crate::harness::TestApp;
use crate::proof::equalities::with_fees;

/// Every column of a transfer, and another value for it.
const COLUMNS: [(&str, &str); 17] = [
    ("subject_id", "$1"),
    ("kind", "kind || 'x'"),
    ("line", "line + 100"),
    ("book", "1 - book"),
    ("amount_cents", "amount_cents + 1"),
    ("booked_at", "booked_at + 1"),
    ("debit_owner_id", "$1"),
    ("debit_code", "debit_code + 1"),
    ("debit_sequence", "debit_sequence + 100000"),
    ("debit_balance_cents", "debit_balance_cents + 1"),
    ("credit_owner_id", "$1"),
    ("credit_code", "credit_code + 1"),
    ("credit_sequence", "credit_sequence + 100000"),
    ("credit_balance_cents", "credit_balance_cents + 1"),
    ("forced", "not forced"),
    ("debit_hash", "credit_hash"),
    ("credit_hash", "null"),
];

/// The transfers that are the last ones of both their accounts, with what is stored of those.
const LAST: &str = "
    create temporary table ends as
    select transfers.subject_id, transfers.kind, transfers.line, transfers.book,
           transfers.amount_cents, transfers.booked_at,
           transfers.debit_owner_id, transfers.debit_code,
           transfers.credit_owner_id, transfers.credit_code,
           debits.balance_cents as debit_balance, debits.sequence as debit_last,
           credits.balance_cents as credit_balance, credits.sequence as credit_last
      from ledger_transfers as transfers
      join ledger_accounts as debits
        on debits.owner_id = transfers.debit_owner_id and debits.book = transfers.book
       and debits.code = transfers.debit_code and debits.sequence = transfers.debit_sequence
      join ledger_accounts as credits
        on credits.owner_id = transfers.credit_owner_id and credits.book = transfers.book
       and credits.code = transfers.credit_code and credits.sequence = transfers.credit_sequence";

fn numbered(table: &str, key: &str, order: &str, rows: &str, number: usize) -> String {
    format!(
        "({key}) in (select {key} from {table} where {rows} order by {order} limit 1
                     offset {number})"
    )
}

fn transfer(number: usize) -> String {
    let key = "subject_id, kind, line";
    numbered("ledger_transfers", key, "booked_at, subject_id, kind, line", "true", number)
}

async fn expect_found(test: &TestApp, statements: &[String]) {
    assert_eq!(tried(test, statements).await, Outcome::FOUND, "{statements:#?}");
}

#[story::test(with_fees)]
async fn every_column_of_every_transfer_is_proved(test: &TestApp) {
    live(test).await;
    disarm(test).await;
    let transfers = count(test, "ledger_transfers", "true").await;
    assert!(transfers > 40, "{transfers}");
    for (column, value) in COLUMNS {
        for number in (0..transfers).step_by(7).chain([transfers - 1]) {
            let row = transfer(number);
            let change = format!("update ledger_transfers set {column} = {value} where {row}");
            expect_found(test, &[change]).await;
        }
    }
}

#[story::test(with_fees)]
async fn every_transfer_that_is_deleted_is_missed(test: &TestApp) {
    live(test).await;
    disarm(test).await;
    for number in 0..count(test, "ledger_transfers", "true").await {
        let row = transfer(number);
        expect_found(test, &[format!("delete from ledger_transfers where {row}")]).await;
    }
}

#[story::test(with_fees)]
async fn the_last_transfer_is_missed_although_both_balances_are_put_back(test: &TestApp) {
    live(test).await;
    disarm(test).await;
    let put_back = |side: &str, by: &str| {
        let own = format!("{side}_owner_id, book, {side}_code");
        format!(
            "update ledger_accounts
                set balance_cents = balance_cents {by} (select amount_cents from ends),
                    sequence = sequence - 1
              where (owner_id, book, code) in (select {own} from ends)"
        )
    };
    let heads = |side: &str| {
        let own = format!("{side}_owner_id, book, {side}_code");
        format!(
            "update ledger_accounts
                set chain_head = coalesce(
                    (select debit_hash from ledger_transfers
                      where debit_owner_id = ledger_accounts.owner_id
                        and ledger_transfers.book = ledger_accounts.book
                        and debit_code = ledger_accounts.code
                        and debit_sequence = ledger_accounts.sequence),
                    (select credit_hash from ledger_transfers
                      where credit_owner_id = ledger_accounts.owner_id
                        and ledger_transfers.book = ledger_accounts.book
                        and credit_code = ledger_accounts.code
                        and credit_sequence = ledger_accounts.sequence))
              where (owner_id, book, code) in (select {own} from ends)"
        )
    };
    let only = "delete from ends
                 where (subject_id, kind, line) not in (
                       select subject_id, kind, line from ends
                        order by booked_at, subject_id limit 1)";
    let mut steps = vec![
        LAST.to_owned(),
        only.to_owned(),
        put_back("debit", "+"),
        put_back("credit", "-"),
        "delete from ledger_transfers
          where (subject_id, kind, line) in (select subject_id, kind, line from ends)"
            .to_owned(),
    ];
    expect_found(test, &steps).await;
    // A forger who also restores the heads of the chains is found by the rows.
    steps.extend([heads("debit"), heads("credit")]);
    expect_found(test, &steps).await;
}

#[story::test(with_fees)]
async fn a_transfer_that_is_added_is_found_although_both_balances_follow(test: &TestApp) {
    live(test).await;
    disarm(test).await;
    let follow = |side: &str, by: &str| {
        let own = format!("{side}_owner_id, book, {side}_code");
        format!(
            "update ledger_accounts
                set balance_cents = balance_cents {by} (select amount_cents from ends),
                    sequence = sequence + 1
              where (owner_id, book, code) in (select {own} from ends)"
        )
    };
    let only = "delete from ends
                 where (subject_id, kind, line) not in (
                       select subject_id, kind, line from ends
                        order by booked_at, subject_id limit 1)";
    let added = "insert into ledger_transfers
                        (subject_id, kind, line, book, amount_cents, booked_at,
                         debit_owner_id, debit_code, debit_sequence, debit_balance_cents,
                         credit_owner_id, credit_code, credit_sequence, credit_balance_cents)
                 select $1, kind, line, book, amount_cents, booked_at,
                        debit_owner_id, debit_code, debit_last + 1,
                        debit_balance - amount_cents,
                        credit_owner_id, credit_code, credit_last + 1,
                        credit_balance + amount_cents
                   from ends";
    let steps = [
        LAST.to_owned(),
        only.to_owned(),
        follow("debit", "-"),
        follow("credit", "+"),
        added.to_owned(),
    ];
    expect_found(test, &steps).await;
}

#[story::test(with_fees)]
async fn every_column_of_every_account_is_proved(test: &TestApp) {
    live(test).await;
    let table = [
        ("balance_cents", "balance_cents + 1"),
        ("sequence", "sequence + 1"),
        ("floor_cents", "floor_cents + 1"),
        ("chained_after", "chained_after + 1"),
        ("chain_head", "null"),
        ("code", "code + 1"),
        ("owner_id", "$1"),
    ];
    let rows = "sequence > 0";
    let key = "owner_id, book, code";
    for number in 0..count(test, "ledger_accounts", rows).await {
        let row = numbered("ledger_accounts", key, key, rows, number);
        for (column, value) in table {
            let change = format!("update ledger_accounts set {column} = {value} where {row}");
            expect_found(test, &[change]).await;
        }
        expect_found(test, &[format!("delete from ledger_accounts where {row}")]).await;
    }
}
