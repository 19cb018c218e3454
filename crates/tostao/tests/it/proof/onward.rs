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
use tostao::reconciliation::{LedgerVerification, proofs};
use tostao::{books, merchants, reconciliation};
use uuid::Uuid;

use super::disarm;
use super::lived_in::live;
use super::resets::scope_of;
use crate::banks::{confirm_pix, pix};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
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

/// What a proof of everything finds, as the command makes it.
async fn whole(test: &TestApp) -> LedgerVerification {
    let read = async |tx: &Tx| reconciliation::verify_watched(tx, &|_: u64| ()).await;
    test.app.scan(read).await.expect("is read")
}

/// What is stored of the positions.
async fn positions(test: &TestApp) -> Vec<Vec<String>> {
    let sql = "select cast(code as text), cast(sequence as text), cast(balance_cents as text),
                      cast(floor_cents as text), cast(chained_after as text)
                 from ledger_positions
                order by owner_id, book, code";
    Engine::open(test).await.rows(sql).await
}

/// The request and the command find so many hashes that do not match, also after full proofs, and
/// the positions stay as they are.
async fn stays_found(test: &TestApp, shop: &Shop, hashes: i64) {
    let stored = positions(test).await;
    for _ in 0..2 {
        let proof = proof_of(shop).await;
        assert_eq!(proof["success"], false, "{proof}");
        assert_eq!(proof["data"]["brokenHashes"], hashes, "{proof}");
        let whole = whole(test).await;
        assert!(!whole.is_sound(), "{whole:?}");
        assert_eq!(whole.ledger.broken_hashes, hashes, "{whole:?}");
        test.pass(DAY);
        prove_all(test).await;
        assert_eq!(positions(test).await, stored);
    }
}

/// Does what the guide for operators says once the cause is known.
async fn forget_positions(test: &TestApp, shop: &Shop) {
    change(test, "delete from ledger_positions".into()).await;
    test.pass(DAY);
    prove_all(test).await;
    let proof = proof_of(shop).await;
    assert_eq!(proof["success"], true, "{proof}");
    assert!(!positions(test).await.is_empty(), "they are stored again");
    let whole = whole(test).await;
    assert!(whole.is_sound(), "{whole:?}");
}

#[story::test]
async fn a_rewritten_history_with_matching_hashes_contradicts_the_position(test: &TestApp) {
    let (shop, scope) = open_large(test).await;
    prove_all(test).await;
    disarm(test).await;
    rewrite(test, scope, MANY - 20).await;
    for _ in 0..2 {
        let proof = proof_of(&shop).await;
        assert_eq!(proof["success"], false, "{proof}");
        assert!(proof["data"]["brokenHashes"].as_i64() > Some(0), "{proof}");
        assert!(!whole(test).await.is_sound(), "the command compares the positions, too");
        test.pass(DAY);
        prove_all(test).await;
    }
    // The chain itself cannot reveal it.
    forget_positions(test, &shop).await;
}

#[story::test]
async fn a_restarted_chain_contradicts_the_position_and_hides_no_changed_transfer(test: &TestApp) {
    let (shop, _) = open_large(test).await;
    prove_all(test).await;
    let restart = "update ledger_accounts set chained_after = sequence, chain_head = null";
    change(test, restart.into()).await;
    disarm(test).await;
    let old = "kind = 'many' and debit_code = 1000 and debit_sequence < 100";
    change(test, format!("update ledger_transfers set booked_at = booked_at + 1 where {old}"))
        .await;
    // One for each account that has entries.
    stays_found(test, &shop, 3).await;
    shop.sell(2_000).await;
    stays_found(test, &shop, 3).await;
    forget_positions(test, &shop).await;
    assert_eq!(proof_of(&shop).await["data"]["transfersBeforeChain"], MANY + 1);
}

#[story::test]
async fn deleted_last_transfers_contradict_the_position_although_the_accounts_agree(
    test: &TestApp,
) {
    let (shop, _) = open_large(test).await;
    prove_all(test).await;
    disarm(test).await;
    // The last two move a cent there and back, so both balances are what they were before them.
    let last = "(debit_code = 1000 and debit_sequence >= 5000)
                or (credit_code = 1000 and credit_sequence >= 5000)";
    change(test, format!("delete from ledger_transfers where {last}")).await;
    for (code, sequence) in [(OUTSIDE, MANY - 1), (SUSPENSE, MANY - 2)] {
        let unit = async move |tx: &Tx| {
            let head = stored_hash(tx, code, sequence).await?;
            let put_back = "update ledger_accounts set sequence = $1, chain_head = $2
                             where code = $3 and sequence > $1";
            Ok(tx.exec(put_back, db::args![sequence, head, code]).await?)
        };
        assert_eq!(test.app.transact(unit).await.expect("is possible"), 1);
    }
    stays_found(test, &shop, 2).await;
    // Nor is it hidden by what takes the places of the deleted ones.
    for cents in [1_000, 2_000, 3_000] {
        shop.sell(cents).await;
        let proof = proof_of(&shop).await;
        assert_eq!(proof["data"]["brokenHashes"], 2, "{proof}");
        assert_eq!(whole(test).await.ledger.broken_hashes, 2);
    }
    forget_positions(test, &shop).await;
}

#[story::test]
async fn what_contradicts_a_position_is_found_in_small_books_too(test: &TestApp, shop: Shop) {
    shop.sell(1_000).await;
    prove_all(test).await;
    for contradiction in [
        "update ledger_positions set sequence = sequence + 100000",
        "update ledger_positions set chained_after = chained_after + 1",
        "update ledger_positions set floor_cents = floor_cents + 1",
        "update ledger_positions set balance_cents = balance_cents + 1",
    ] {
        change(test, contradiction.into()).await;
        stays_found(test, &shop, 2).await;
        change(test, contradiction.replace(" + ", " - ")).await;
        assert!(whole(test).await.is_sound(), "{contradiction}");
    }
    forget_positions(test, &shop).await;
}

#[story::test]
async fn a_position_of_an_account_that_is_gone_is_found(test: &TestApp, shop: Shop) {
    shop.sell(1_000).await;
    prove_all(test).await;
    let moved = "update ledger_positions set code = code + 1 where code = 2000";
    change(test, moved.into()).await;
    for report in [
        proof_of(&shop).await["data"].clone(),
        serde_json::to_value(whole(test).await).expect("is JSON"),
    ] {
        assert_eq!(report["wrongAccounts"], 1, "{report}");
        assert_eq!(report["brokenHashes"], 1, "{report}");
    }
    forget_positions(test, &shop).await;
}

#[story::test]
async fn a_proof_that_a_restart_of_the_chain_overtakes_stores_no_position(
    test: &TestApp,
    shop: Shop,
) {
    shop.sell(1_000).await;
    let scope = scope_of(test, &shop).await;
    let found = test.app.scan(async move |tx| books::catch_up(tx, scope, 100).await).await;
    let moved = found.expect("is read").moved;
    assert!(!moved.is_empty());
    let restart = "update ledger_accounts set chained_after = sequence, chain_head = null";
    change(test, restart.into()).await;
    let unit = async move |tx: &Tx| books::keep_positions(tx, scope, &moved).await;
    test.app.transact(unit).await.expect("is possible");
    assert!(positions(test).await.is_empty());
    prove_all(test).await;
    assert!(!positions(test).await.is_empty());
    assert!(whole(test).await.is_sound());
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
