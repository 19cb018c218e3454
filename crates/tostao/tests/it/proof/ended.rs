//! Rows about money that came to nothing, was settled or repaid, or has no owner yet.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::anyhow;
use db::tx::Tx;
use sandbox::refunds::Outcome as Answer;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};
use tostao::platform::error::Error;
use tostao::platform::ids::Mode;
use tostao::reconciliation;

use super::equalities::{TAKES, with_fees};
use super::kinds::{Kind, expect_found, expect_found_of_the_platform};
use super::{disarm, equalities};
use crate::advances::live_with_an_advance;
use crate::affiliates::Scene;
use crate::banks::{confirm_pix, pix, txid};
use crate::harness::client::Client;
use crate::harness::shop::{Shop, id};
use crate::harness::{TestApp, story};
use crate::methods::days_pass;
use crate::referrals::{code, invited};
use crate::refunds::refund;

/// All that are tried here.
pub const KINDS: [Kind; 13] = [
    REFUNDS,
    DISPUTES,
    WITHDRAWALS,
    RETURNS,
    CANCELLED_COMMISSIONS,
    CANCELLED_REWARDS,
    REWARDS,
    REWARD_WITHDRAWALS,
    RECEIVABLES,
    ADVANCES,
    COMMISSIONS,
    COMMISSION_TAKES,
    UNKNOWN,
];

const REFUNDS: Kind = Kind {
    rows: "status = 'FAILED'",
    changes: &[("status = 'PENDING', failed_at = null, failure_reason = null", "true")],
    missed: false,
    ..equalities::REFUNDS
};

const DISPUTES: Kind = Kind {
    rows: "status = 'WON'",
    changes: &[("status = 'LOST'", "true")],
    copied: &[("id", "$1")],
    missed: false,
    ..equalities::DISPUTES
};

const WITHDRAWALS: Kind =
    Kind { rows: "status = 'FAILED'", changes: &[], missed: false, ..equalities::WITHDRAWALS };

const RETURNS: Kind = Kind {
    table: "payment_returns",
    key: "id",
    rows: "true",
    amounts: &["amount_cents"],
    changes: &[],
    copied: &[("id", "$1"), ("of_id", "$1")],
    missed: false,
};

const CANCELLED_COMMISSIONS: Kind = Kind {
    rows: "status = 'CANCELLED'",
    // What one was worth before it was cancelled is not money.
    amounts: &["earned_cents", "returned_cents"],
    changes: &[],
    ..equalities::COMMISSIONS
};

const CANCELLED_REWARDS: Kind =
    Kind { rows: "status = 'CANCELLED'", changes: &[], missed: false, ..equalities::REWARDS };

const REWARDS: Kind = Kind {
    rows: "status = 'AVAILABLE' and amount_cents > taken_cents",
    amounts: &["amount_cents", "taken_cents"],
    changes: &[
        ("status = 'PENDING', released_at = null", "true"),
        ("status = 'CANCELLED'", "true"),
    ],
    ..equalities::REWARDS
};

const REWARD_WITHDRAWALS: Kind = Kind {
    table: "referral_withdrawals",
    key: "merchant_id, mode, id",
    rows: "true",
    amounts: &["amount_cents"],
    changes: &[],
    copied: &[("id", "$1")],
    missed: true,
};

const RECEIVABLES: Kind = Kind {
    rows: "status = 'SETTLED'",
    // A part that was taken whole brought nothing when it settled.
    changes: &[(
        "status = 'PENDING', settled_at = null",
        "fee_cents + commission_cents + taken_cents < amount_cents",
    )],
    ..equalities::RECEIVABLES
};

const ADVANCES: Kind = Kind {
    rows: "status = 'SETTLED'",
    amounts: &["amount_cents", "fee_cents", "debited_cents"],
    changes: &[],
    copied: &[("id", "$1")],
    ..equalities::ADVANCES
};

const COMMISSIONS: Kind = Kind {
    rows: "true",
    amounts: &[
        "amount_cents",
        "earned_cents",
        "returned_cents",
        "held_cents",
        "unfunded_cents",
        "owed_cents",
        "repaid_cents",
    ],
    changes: &[],
    ..equalities::COMMISSIONS
};

const COMMISSION_TAKES: Kind =
    Kind { amounts: &["amount_cents", "unpaid_cents"], ..equalities::COMMISSION_TAKES };

const UNKNOWN: Kind = Kind {
    table: "unknown_payments",
    key: "provider, payment_id",
    rows: "true",
    amounts: &["amount_cents"],
    changes: &[],
    copied: &[("id", "$1"), ("payment_id", "payment_id || 'x'")],
    missed: true,
};

async fn request(shop: &Shop, cents: i64, key: &str) -> Value {
    let wanted = json!({ "amountCents": cents, "pixKey": key, "pixKeyType": "email" });
    shop.key.post("/api/withdraws", wanted).await.expect(201)["data"].clone()
}

/// Money that is no charge's goes back, and the bank refuses once.
async fn fail_to_return(test: &TestApp, shop: &Shop) {
    let charge = shop.sell(1_000).await;
    let receipt = pix(txid(&charge), 9, 1_000, test.app.now());
    let name = receipt.end_to_end_id.clone();
    confirm_pix(test, vec![receipt]).await.expect(200);
    let listed = format!("/api/v1/transactions/{}/unmatched", id(&charge));
    let money = shop.key.get(&listed).await.expect(200)["data"][0].clone();
    test.app.providers.sandbox().arm_refund(&name, Answer::Refused).await.expect("is armed");
    for _ in 0..2 {
        let path = format!("{listed}/{}/return", id(&money));
        shop.key.post(&path, json!({})).await.expect(200);
        test.run_jobs().await;
    }
}

/// A refund, a dispute, a withdrawal, a return, a commission and a reward that come to nothing.
async fn come_to_nothing(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    let shop = &scene.shop;
    let guest = invited(test, "Carla", &code(shop).await).await;
    // What the fees leave is not enough to give all of one payment back.
    for shop in [shop, &guest] {
        shop.sell(3_000).await;
    }
    let sale = guest.sell(20_000).await;
    refund(&guest, &sale, json!({})).await;
    let back = scene.sell(json!({})).await;
    refund(shop, &back, json!({})).await;
    let refused = scene.by_card(test, Scenario::RefusesRefunds, 1).await;
    refund(shop, &refused, json!({ "amountCents": 400 })).await;
    let stands = shop.sell(5_000).await;
    for outcome in ["DISPUTED", "PAID"] {
        shop.simulate(&stands, json!({ "outcome": outcome })).await;
    }
    let refused = request(shop, 1_500, "key-not-found@example.com").await;
    let path = format!("/api/withdraws/{}/process", id(&refused));
    test.admin().await.post(&path, json!({})).await.expect(200);
    test.run_jobs().await;
    fail_to_return(test, shop).await;
}

/// Parts that settled, with something taken of one and an advance on others.
async fn settle(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    let shop = &scene.shop;
    // Nothing is available, so the refund takes from what is not settled.
    let card = scene.by_card(test, Scenario::Approves, 2).await;
    refund(shop, &card, json!({ "amountCents": 7_000 })).await;
    test.run_jobs().await;
    live_with_an_advance(test, shop).await;
}

/// Commissions that sellers and affiliates could not pay when they were due.
async fn owe(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    let (shop, affiliate) = (&scene.shop, &scene.affiliate);
    let first = scene.sell(json!({})).await;
    days_pass(shop, 7).await;
    affiliate.withdraw(900).await;
    shop.sell(5_000).await;
    refund(shop, &first, json!({})).await;
    test.run_jobs().await;
    // This one repays the 900 that the affiliate owes.
    scene.sell(json!({})).await;
    days_pass(shop, 7).await;
    let third = scene.sell(json!({})).await;
    days_pass(shop, 7).await;
    affiliate.withdraw(1_000).await;
    refund(shop, &third, json!({ "amountCents": 5_000 })).await;
    test.run_jobs().await;
    scene.sell(json!({})).await;
    shop.simulate(&third, json!({ "outcome": "DISPUTED" })).await;
}

/// A commission that the seller's sale could not pay, and some of it going back.
async fn lack(test: &TestApp) {
    let scene = Scene::open(test, json!({ "commissionValue": 10_000 })).await;
    let shop = &scene.shop;
    let contested = shop.sell(4_000).await;
    shop.withdraw(4_000).await;
    for outcome in ["DISPUTED", "CHARGED_BACK"] {
        shop.simulate(&contested, json!({ "outcome": outcome })).await;
    }
    let sold = scene.sell(json!({})).await;
    shop.sell(9_000).await;
    refund(shop, &sold, json!({ "amountCents": 6_000 })).await;
}

/// Rewards that were released, of which one was taken back and some were moved to the balance.
async fn reward(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let guest = invited(test, "Ana", &code(&shop).await).await;
    guest.sell(100_000).await;
    let sale = guest.sell(20_000).await;
    test.run_jobs_after(Duration::from_hours(91 * 24)).await;
    for outcome in ["DISPUTED", "CHARGED_BACK"] {
        guest.simulate(&sale, json!({ "outcome": outcome })).await;
    }
    let some = json!({ "amountCents": 5_000 });
    shop.key.post("/api/referral/withdraw", some).await.expect(201);
}

/// Has the bank report a PIX without a charge, and an administrator decide.
async fn decide(test: &TestApp, admin: &Client, number: u8, decision: &str, body: Value) {
    let receipt = pix("00000000000000000000000000000000", number, 1_000, test.app.now());
    confirm_pix(test, vec![receipt]).await.expect(200);
    let list = admin.get("/api/admin/unmatched?status=OPEN").await.expect(200);
    let path = format!("/api/admin/unmatched/{}/{decision}", id(&list["data"][0]));
    admin.post(&path, body).await.expect(200);
    test.run_jobs().await;
}

#[story::test(with_fees)]
async fn every_change_of_what_came_to_nothing_is_found(test: &TestApp) {
    come_to_nothing(test).await;
    let kinds = [REFUNDS, DISPUTES, WITHDRAWALS, RETURNS, CANCELLED_COMMISSIONS, CANCELLED_REWARDS];
    expect_found(test, &kinds).await;
}

#[story::test(with_fees)]
async fn every_change_of_what_was_settled_is_found(test: &TestApp) {
    settle(test).await;
    expect_found(test, &[RECEIVABLES, TAKES, ADVANCES]).await;
}

#[test]
fn every_change_of_an_unfunded_commission_is_found() {
    story(async |test| {
        owe(test).await;
        expect_found(test, &[COMMISSIONS, COMMISSION_TAKES]).await;
    });
    story(async |test| {
        lack(test).await;
        let commissions = Kind {
            amounts: &[
                "amount_cents",
                "earned_cents",
                "returned_cents",
                "held_cents",
                "unfunded_cents",
            ],
            ..COMMISSIONS
        };
        let takes = Kind { changes: &[("released = not released", "true")], ..COMMISSION_TAKES };
        expect_found(test, &[commissions, takes]).await;
    });
}

#[story::test]
async fn every_change_of_rewards_that_were_released_is_found(test: &TestApp) {
    reward(test).await;
    expect_found(test, &[REWARDS, REWARD_WITHDRAWALS]).await;
}

#[story::test]
async fn every_change_of_an_unknown_payment_is_found(test: &TestApp, shop: Shop, admin: Client) {
    let charge = shop.charge(1_000).await;
    decide(test, &admin, 1, "match", json!({ "transactionId": id(&charge) })).await;
    decide(test, &admin, 2, "return", json!({})).await;
    let receipt = pix("00000000000000000000000000000000", 3, 700, test.app.now());
    confirm_pix(test, vec![receipt]).await.expect(200);
    expect_found_of_the_platform(test, &[UNKNOWN, Kind { missed: true, ..RETURNS }]).await;
}

#[story::test(with_fees)]
async fn what_came_to_nothing_is_missed_in_production(test: &TestApp) {
    come_to_nothing(test).await;
    disarm(test).await;
    assert_eq!(unequal_in_production(test, None).await, [] as [&str; 0]);
    for (kind, name) in [
        (REFUNDS, "refundsRequested"),
        (DISPUTES, "disputesOpened"),
        (WITHDRAWALS, "withdrawalsRequested"),
        (Kind { rows: "status = 'FAILED'", ..RETURNS }, "returnsRequested"),
        (CANCELLED_REWARDS, "rewardsEarned"),
    ] {
        assert_eq!(unequal_in_production(test, Some(kind)).await, [name]);
    }
}

/// What would be unequal if all that happened were real and some rows were missing; no test can
/// make real sales. All of it is undone.
async fn unequal_in_production(test: &TestApp, missing: Option<Kind>) -> Vec<String> {
    let real = Mode::Production.book();
    let tables = equalities::KINDS.iter().chain(&KINDS).map(|kind| kind.table);
    let mut tables: BTreeSet<_> = tables.chain(["affiliate_attributions"]).collect();
    tables.remove(UNKNOWN.table);
    let mut statements = Vec::new();
    for table in tables {
        statements.push(format!("delete from {table} where mode = {real}"));
        statements.push(format!("update {table} set mode = {real}"));
    }
    for table in ["ledger_accounts", "ledger_transfers"] {
        statements.push(format!("update {table} set book = {real}"));
    }
    statements
        .extend(missing.map(|kind| format!("delete from {} where {}", kind.table, kind.rows)));
    let leaked = statements.into_iter().map(|sql| &*Box::leak(sql.into_boxed_str()));
    let statements: Vec<&'static str> = leaked.collect();
    let names = Arc::new(Mutex::new(None));
    let reported = names.clone();
    let unit = async move |tx: &Tx| -> Result<(), Error> {
        for sql in &statements {
            tx.exec(sql, &[]).await?;
        }
        let proof = reconciliation::verify(tx, None).await?;
        let wrong = proof.equalities.into_iter().filter(|equality| equality.unequal != 0);
        let wrong = wrong.map(|equality| equality.name.into_owned()).collect();
        *reported.lock().expect("the lock is not poisoned") = Some(wrong);
        Err(Error::Internal(anyhow!("it is undone")))
    };
    let undone = test.app.transact(unit).await.expect_err("it is undone");
    let names = names.lock().expect("the lock is not poisoned").take();
    names.unwrap_or_else(|| panic!("{undone:?}"))
}
