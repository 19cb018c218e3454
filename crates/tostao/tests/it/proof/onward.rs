//! Books of any size: a request proves what followed the last proof, and a job everything again.

use std::time::Duration;

use db::tx::Tx;
use futures_util::future::join;
use ledger::account::{Account, Floor};
use ledger::cents::Cents;
use ledger::chain::{Hash, Side, link};
use ledger::posting::{Posting, Transfer, post};
use ledger::verify::onward::{Progress, keep, step};
use ledger::verify::verify;
use serde_json::Value;
use tostao::platform::ids::{Mode, Scope};
use tostao::reconciliation::proofs;
use tostao::{merchants, reconciliation};
use uuid::Uuid;

use super::disarm;
use super::lived_in::live;
use super::resets::scope_of;
use crate::banks::{confirm_pix, pix};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

/// More transfers than a request proves: each has two entries.
const MANY: i64 = 5_000;
/// The accounts that they are between.
const OUTSIDE: i64 = 1000;
const SUSPENSE: i64 = 2900;
const DAY: Duration = Duration::from_hours(24);

/// Posts transfers that leave every balance as it was.
async fn post_many(test: &TestApp, scope: Scope, transfers: i64) {
    let account = |code, floor| Account { owner: scope.merchant.0, code, floor };
    let (outside, suspense) = (account(OUTSIDE, Floor::None), account(SUSPENSE, Floor::Zero));
    let moved = |from: Account, to: Account| Transfer {
        debit: from,
        credit: to,
        amount: Cents::new(1),
        forced: false,
    };
    for _ in 0..transfers / 100 {
        let pairs = (0..50).flat_map(|_| [moved(outside, suspense), moved(suspense, outside)]);
        let transfers: Vec<_> = pairs.collect();
        let unit = async move |tx: &Tx| {
            let posting = Posting {
                subject: tx.new_id(),
                kind: "many",
                book: scope.mode.book(),
                booked_at: tx.now(),
                transfers: transfers.clone(),
                held: Vec::new(),
            };
            Ok(post(tx, &posting).await?)
        };
        test.app.transact(unit).await.expect("is posted");
    }
}

async fn proof_of(shop: &Shop) -> Value {
    shop.key.get("/api/ledger/verify").await.expect(200)
}

/// Begins the proofs that are due, and runs their steps to the end.
async fn prove_all(test: &TestApp) {
    proofs::jobs::begin_due(&test.app).await.expect("begins");
    test.run_jobs().await;
}

async fn change(test: &TestApp, sql: String) {
    let sql: &'static str = Box::leak(sql.into_boxed_str());
    let unit = async move |tx: &Tx| Ok(tx.exec(sql, &[]).await?);
    assert!(test.app.transact(unit).await.expect("is possible") > 0, "{sql}");
}

async fn open_large(test: &TestApp) -> (Shop, Scope) {
    let shop = test.shop("Loja").await;
    shop.sell(1_000).await;
    let scope = scope_of(test, &shop).await;
    post_many(test, scope, MANY).await;
    (shop, scope)
}

#[story::test]
async fn books_too_large_for_a_request_are_proved_in_part_and_completed_by_the_job(test: &TestApp) {
    let (shop, scope) = open_large(test).await;
    let first = proof_of(&shop).await;
    let data = &first["data"];
    assert_eq!((&first["success"], &data["complete"]), (&false.into(), &false.into()), "{first}");
    let left = data["entriesLeft"].as_i64().expect("is a number");
    assert!((1..2 * MANY).contains(&left), "{left}");
    assert_eq!((&data["comparedAt"], &data["fullProof"]), (&Value::Null, &Value::Null), "{first}");
    // The request has started the proof.
    test.run_jobs().await;
    let second = proof_of(&shop).await;
    let data = &second["data"];
    assert_eq!((&second["success"], &data["complete"]), (&true.into(), &true.into()), "{second}");
    assert_eq!(data["entriesLeft"], 0);
    let whole = test.app.scan(async move |tx| reconciliation::verify(tx, Some(scope)).await).await;
    let whole = serde_json::to_value(whole.expect("is read")).expect("is JSON");
    for field in ["accounts", "transfers", "transfersBeforeChain", "equalities"] {
        assert_eq!(data[field], whole[field], "{field}");
    }
    let full = &data["fullProof"];
    assert_eq!(full["entriesChecked"], full["entriesTotal"], "{full}");
    assert!(full["startedAt"].is_string() && full["completedAt"].is_string(), "{full}");
}

#[story::test]
async fn a_fault_after_the_proven_position_is_found_at_once(test: &TestApp) {
    let (shop, _) = open_large(test).await;
    prove_all(test).await;
    assert_eq!(proof_of(&shop).await["success"], true);
    shop.sell(2_000).await;
    assert_eq!(proof_of(&shop).await["success"], true);
    disarm(test).await;
    let later = |micros: i64| {
        format!(
            "update ledger_transfers set booked_at = booked_at + {micros}
              where amount_cents = 2000"
        )
    };
    change(test, later(1)).await;
    let proof = proof_of(&shop).await;
    assert_eq!((&proof["success"], &proof["data"]["complete"]), (&false.into(), &true.into()));
    assert_eq!(proof["data"]["brokenHashes"], 2, "{proof}");
    // Moving the positions on stops before it.
    prove_all(test).await;
    assert_eq!(proof_of(&shop).await["data"]["brokenHashes"], 2);
    change(test, later(-1)).await;
    assert_eq!(proof_of(&shop).await["success"], true);
}

#[story::test]
async fn a_fault_before_the_proven_position_is_found_by_the_full_proof_and_stays_reported(
    test: &TestApp,
) {
    let (shop, _) = open_large(test).await;
    prove_all(test).await;
    disarm(test).await;
    let tampered = "where debit_code = 1000 and kind = 'many' and debit_sequence = 702";
    change(test, format!("update ledger_transfers set booked_at = booked_at + 1 {tampered}")).await;
    assert_eq!(proof_of(&shop).await["success"], true, "its entries are not read again at once");
    for _ in 0..2 {
        test.pass(DAY);
        prove_all(test).await;
        let proof = proof_of(&shop).await;
        assert_eq!(proof["success"], false);
        assert_eq!(proof["data"]["brokenHashes"], 2, "{proof}");
    }
    let unsound = test.app.scan(async |tx| proofs::count_unsound(tx).await).await;
    assert_eq!(unsound.expect("is read"), 1);
    // Once the transfer is what it was, the next full proof says so.
    change(test, format!("update ledger_transfers set booked_at = booked_at - 1 {tampered}")).await;
    test.pass(DAY);
    prove_all(test).await;
    assert_eq!(proof_of(&shop).await["success"], true);
}

#[story::test]
async fn unknown_payments_are_part_of_the_platforms_proof(test: &TestApp) {
    let receipt = pix("00000000000000000000000000000000", 1, 700, test.app.now());
    confirm_pix(test, vec![receipt]).await.expect(200);
    prove_all(test).await;
    let proof =
        test.app.scan(async |tx| proofs::find(tx, Scope::platform(Mode::Development)).await);
    let proof = proof.await.expect("is read").expect("was made");
    assert!(proof.is_sound(), "{proof:#?}");
}

/// Changes a transfer before the last ones, and calculates all hashes from there on again.
async fn rewrite(test: &TestApp, scope: Scope, from: i64) {
    let unit = async move |tx: &Tx| {
        let owner = scope.merchant.0;
        let rows = tx
            .all(
                "select subject_id, line, debit_code, debit_sequence, debit_balance_cents,
                        credit_code, credit_sequence, credit_balance_cents, booked_at
                   from ledger_transfers
                  where kind = 'many' and debit_sequence >= $1
                  order by debit_sequence, debit_code",
                db::args![from],
            )
            .await?;
        let mut heads: std::collections::BTreeMap<i64, Hash> = std::collections::BTreeMap::new();
        for mut row in rows {
            let (subject, line): (Uuid, i64) = (row.take()?, row.take()?);
            let mut end = || -> db::error::Result<ledger::chain::End> {
                let (code, sequence, balance) = (row.take()?, row.take()?, row.take()?);
                Ok(ledger::chain::End { owner, code, sequence, balance })
            };
            let (debit, credit) = (end()?, end()?);
            let booked_at: db::time::Timestamp = row.take()?;
            let entry = ledger::chain::Entry {
                subject,
                kind: "many",
                line,
                book: scope.mode.book(),
                amount: Cents::new(1),
                booked_at: booked_at.plus(Duration::from_secs(1)),
                debit,
                credit,
                forced: false,
            };
            let mut hashes = Vec::new();
            for (side, end) in [(Side::Debit, debit), (Side::Credit, credit)] {
                let before = match heads.get(&end.code) {
                    Some(head) => *head,
                    None => stored_hash(tx, end.code, end.sequence - 1).await?,
                };
                let hash = link(&before, side, &entry.encode());
                heads.insert(end.code, hash);
                hashes.push(hash);
            }
            tx.exec(
                "update ledger_transfers
                    set booked_at = $1, debit_hash = $2, credit_hash = $3
                  where subject_id = $4 and kind = 'many' and line = $5",
                db::args![entry.booked_at, hashes[0], hashes[1], subject, line],
            )
            .await?;
        }
        for (code, head) in &heads {
            tx.exec(
                "update ledger_accounts set chain_head = $1 where owner_id = $2 and code = $3",
                db::args![*head, owner, *code],
            )
            .await?;
        }
        Ok(())
    };
    test.app.transact(unit).await.expect("is possible");
}

async fn stored_hash(tx: &Tx, code: i64, sequence: i64) -> db::error::Result<Hash> {
    let mut row = tx
        .one(
            "select case when debit_code = $1 then debit_hash else credit_hash end
               from ledger_transfers
              where (debit_code = $1 and debit_sequence = $2)
                 or (credit_code = $1 and credit_sequence = $2)",
            db::args![code, sequence],
        )
        .await?;
    row.take()
}

#[story::test]
async fn a_rewritten_history_with_matching_hashes_contradicts_the_position(test: &TestApp) {
    let (shop, scope) = open_large(test).await;
    prove_all(test).await;
    disarm(test).await;
    rewrite(test, scope, MANY - 20).await;
    let whole = test.app.scan(async move |tx| reconciliation::verify(tx, Some(scope)).await).await;
    assert!(whole.expect("is read").is_sound(), "the chain itself cannot reveal it");
    for _ in 0..2 {
        let proof = proof_of(&shop).await;
        assert_eq!(proof["success"], false, "{proof}");
        assert!(proof["data"]["brokenHashes"].as_i64() > Some(0), "{proof}");
        test.pass(DAY);
        prove_all(test).await;
    }
}

#[story::test]
async fn a_position_beyond_what_a_restored_account_has_is_thrown_away(test: &TestApp) {
    let (shop, _) = open_large(test).await;
    prove_all(test).await;
    change(test, "update ledger_positions set sequence = sequence + 100000".into()).await;
    let proof = proof_of(&shop).await;
    assert_eq!((&proof["success"], &proof["data"]["complete"]), (&false.into(), &false.into()));
    let faults = ["wrongAccounts", "brokenLegs", "overdrawnAccounts", "brokenHashes"];
    assert!(faults.iter().all(|fault| proof["data"][fault] == 0), "{proof}");
    test.pass(DAY);
    prove_all(test).await;
    assert_eq!(proof_of(&shop).await["success"], true);
}

#[story::test]
async fn a_restarted_chain_is_proved_from_its_first_entry(test: &TestApp) {
    let (shop, _) = open_large(test).await;
    prove_all(test).await;
    change(test, "update ledger_accounts set chained_after = sequence, chain_head = null".into())
        .await;
    shop.sell(2_000).await;
    assert_eq!(proof_of(&shop).await["data"]["brokenHashes"], 0);
    test.pass(DAY);
    prove_all(test).await;
    let proof = proof_of(&shop).await;
    assert_eq!(proof["success"], true, "{proof}");
    assert_eq!(proof["data"]["transfersBeforeChain"], MANY + 1);
}

#[story::test]
async fn what_is_posted_between_the_steps_of_a_proof_is_part_of_it_or_of_the_next_one(
    test: &TestApp,
) {
    let (shop, scope) = open_large(test).await;
    let sales = async {
        for _ in 0..10 {
            shop.sell(1_000).await;
            post_many(test, scope, 100).await;
        }
    };
    join(prove_all(test), sales).await;
    prove_all(test).await;
    let proof = proof_of(&shop).await;
    assert_eq!(proof["data"]["complete"], true, "{proof}");
    assert_eq!(proof["success"], true, "{proof}");
    assert_eq!(proof["data"]["transfers"], MANY + 11 + 1_000);
}

#[story::test]
async fn steps_of_any_size_find_what_one_pass_finds(test: &TestApp) {
    live(test).await;
    disarm(test).await;
    let tampered = "update ledger_transfers set booked_at = booked_at + 1 where line = 1";
    for sql in [None, Some(tampered)] {
        if let Some(sql) = sql {
            change(test, sql.into()).await;
        }
        for most in [1, 3, 50] {
            for merchant in
                test.app.scan(async |tx| merchants::all(tx).await).await.expect("is read")
            {
                let of = (merchant.0, Mode::Development.book());
                let unit = async move |tx: &Tx| {
                    let mut progress = Progress::default();
                    loop {
                        let done = step(tx, of, progress, most).await?;
                        keep(tx, of, &done.moved).await?;
                        progress = done.result;
                        if done.is_over {
                            return Ok((progress.report, verify(tx, Some(of)).await?));
                        }
                    }
                };
                let (steps, pass) = test.app.transact(unit).await.expect("is possible");
                assert_eq!(steps, pass, "{merchant:?} by {most}");
            }
        }
    }
    change(test, tampered.replace("+ 1", "- 1")).await;
}
