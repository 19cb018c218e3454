//! Where the hash chain begins, and what the proof says of an account in debt.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use anyhow::anyhow;
use db::tx::Tx;
use ledger::account::{Account, Floor};
use ledger::cents::Cents;
use ledger::posting::{Posting, Transfer, post};
use ledger::verify::{Rechained, verify};
use serde_json::{Value, json};
use tostao::platform::error::Error;
use tostao::{books, reconciliation};
use uuid::Uuid;

use super::disarm;
use crate::harness::TestApp;
use crate::harness::shop::Shop;

async fn proof_of(shop: &Shop) -> Value {
    shop.key.get("/api/ledger/verify").await.expect(200)
}

async fn change(test: &TestApp, sql: &'static str) {
    let unit = async move |tx: &Tx| Ok(tx.exec(sql, &[]).await?);
    assert!(test.app.transact(unit).await.expect("is possible") > 0, "{sql}");
}

#[story::test]
async fn what_was_booked_before_the_chain_is_counted_and_what_follows_is_chained(test: &TestApp) {
    let shop = test.shop("Loja").await;
    shop.sell(1_000).await;
    // What the migration finds: balances, sequences, and no hashes.
    change(test, "update ledger_accounts set chained_after = sequence, chain_head = null").await;
    let proof = proof_of(&shop).await;
    assert_eq!(proof["success"], true);
    assert_eq!(proof["data"]["transfersBeforeChain"], 1);
    shop.sell(1_000).await;
    let proof = proof_of(&shop).await;
    assert_eq!(proof["success"], true, "{proof}");
    assert_eq!(proof["data"]["transfers"], 2);
    assert_eq!(proof["data"]["transfersBeforeChain"], 1);
    assert_eq!(proof["data"]["brokenHashes"], 0);
}

#[story::test]
async fn chains_that_an_earlier_release_bypassed_are_restarted_on_request(test: &TestApp) {
    let shop = test.shop("Loja").await;
    shop.sell(1_000).await;
    shop.sell(2_000).await;
    leave_unchained(test, 1_000, 2_000).await;
    shop.sell(3_000).await;
    let broken = proof_of(&shop).await["data"]["brokenHashes"].clone();
    assert!(broken.as_i64().is_some_and(|count| count > 0), "{broken}");
    let rechain = async || reconciliation::rechain(&test.app.database).await.expect("runs");
    change(test, "update transactions set amount_cents = 2001 where amount_cents = 2000").await;
    assert_eq!(rechain().await, None, "more than the hashes is wrong");
    change(test, "update transactions set amount_cents = 2000 where amount_cents = 2001").await;
    assert_eq!(rechain().await, Some(2));
    assert_eq!(rechain().await, Some(0));
    shop.sell(4_000).await;
    let proof = proof_of(&shop).await;
    assert_eq!(proof["success"], true, "{proof}");
    assert_eq!(proof["data"]["transfersBeforeChain"], 3);
}

#[story::test]
async fn chains_are_restarted_in_small_units_and_the_proof_counts_the_remaining_ones(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    for cents in [1_000, 2_000, 3_000, 4_000] {
        shop.sell(cents).await;
    }
    leave_unchained(test, 3_000, 4_000).await;
    let mut at = Rechained::NOTHING;
    let mut seen = Vec::new();
    while !at.is_over {
        let unit = async move |tx: &Tx| books::rechain(tx, at, 3).await;
        at = test.app.transact(unit).await.expect("runs");
        let proof = proof_of(&shop).await["data"].clone();
        let left = proof["brokenHashes"].as_i64().expect("is a number");
        assert_eq!((&proof["wrongAccounts"], &proof["brokenLegs"]), (&json!(0), &json!(0)));
        assert_eq!(left == 0, at.chains == 2, "{proof}");
        seen.push(at.chains);
        if at.chains == 1 {
            break;
        }
    }
    // It was broken off, and begins again.
    assert_eq!(seen, [0, 1]);
    assert_eq!(reconciliation::rechain(&test.app.database).await.expect("runs"), Some(1));
    assert_eq!(proof_of(&shop).await["success"], true);
}

/// Makes the last payment one that an earlier release booked: without hashes, and with the heads as
/// they were after the payment before it.
async fn leave_unchained(test: &TestApp, before: i64, last: i64) {
    disarm(test).await;
    let transfer = format!(
        "update ledger_transfers set debit_hash = null, credit_hash = null
          where amount_cents = {last}"
    );
    let heads = format!(
        "update ledger_accounts
            set chain_head = case code
                when 1000 then (select debit_hash from ledger_transfers
                                 where amount_cents = {before})
                else (select credit_hash from ledger_transfers
                       where amount_cents = {before}) end"
    );
    change(test, Box::leak(transfer.into_boxed_str())).await;
    change(test, Box::leak(heads.into_boxed_str())).await;
}

#[story::test]
async fn a_merchant_sees_which_sums_differ(test: &TestApp, shop: Shop, other: Shop) {
    for shop in [&shop, &other] {
        shop.sell(1_000).await;
    }
    let restored = "update transactions set amount_cents = 1000, paid_cents = 1000";
    let doubled = "update transactions set amount_cents = 2000, paid_cents = 2000";
    change(test, doubled).await;
    let unequal = |proof: &Value| {
        let all = proof["data"]["equalities"].as_array().expect("is a list").clone();
        let wrong = all.into_iter().filter(|equality| equality["unequal"] != 0);
        wrong.collect::<Vec<_>>()
    };
    let proof = proof_of(&shop).await;
    assert_eq!(proof["success"], false);
    let expected =
        json!({ "name": "outside", "bookedCents": 1_000, "storedCents": 2_000, "unequal": 1 });
    assert_eq!(unequal(&proof), [expected]);
    let all =
        test.app.scan(async |tx| reconciliation::verify(tx, None).await).await.expect("is read");
    let outside = all.equalities.iter().find(|equality| equality.name == "outside");
    assert_eq!(outside.map(|equality| equality.unequal), Some(2));
    change(test, restored).await;
    assert_eq!(proof_of(&shop).await["success"], true);
}

#[story::test]
async fn a_debt_that_was_forced_and_paid_back_excuses_no_later_one(test: &TestApp, shop: Shop) {
    let contested = shop.sell(1_000).await;
    shop.withdraw(1_000).await;
    shop.simulate(&contested, json!({ "outcome": "DISPUTED" })).await;
    assert_eq!(shop.available().await, -1_000);
    assert_eq!(proof_of(&shop).await["data"]["overdrawnAccounts"], 0);
    shop.sell(1_500).await;
    assert_eq!(shop.available().await, 500);
    for (forced, faults) in [(true, 0), (false, 1)] {
        assert_eq!(overdrawn_after(test, forced).await, faults);
    }
}

/// Takes more from the only account of its kind than it holds, past its floor, and pays it back;
/// answers how many accounts count as overdrawn. All of it is undone.
async fn overdrawn_after(test: &TestApp, forced: bool) -> i64 {
    let counted = Arc::new(AtomicI64::new(-1));
    let reported = counted.clone();
    let unit = async move |tx: &Tx| -> Result<(), Error> {
        tx.exec("update ledger_accounts set floor_cents = -1000 where code = 2000", &[]).await?;
        let mut row = tx.one("select owner_id from ledger_accounts where code = 2000", &[]).await?;
        let owner: Uuid = row.take()?;
        let account = |code| Account { owner, code, floor: Floor::None };
        for (kind, debit, credit, cents, forced) in
            [("taken", 2000, 1000, 1_000, forced), ("came", 1000, 2000, 5_000, false)]
        {
            let (debit, credit) = (account(debit), account(credit));
            let moved = Transfer { debit, credit, amount: Cents::new(cents), forced };
            let posting = Posting {
                subject: tx.new_id(),
                kind,
                book: 0,
                booked_at: tx.now(),
                transfers: vec![moved],
                held: Vec::new(),
            };
            post(tx, &posting).await?;
        }
        tx.exec("update ledger_accounts set floor_cents = 0 where code = 2000", &[]).await?;
        let report = verify(tx, None).await?;
        reported.store(report.overdrawn_accounts, Ordering::SeqCst);
        Err(Error::Internal(anyhow!("it is undone")))
    };
    test.app.transact(unit).await.expect_err("it is undone");
    counted.load(Ordering::SeqCst)
}
