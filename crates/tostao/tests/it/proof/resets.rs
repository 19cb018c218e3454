//! Starting over in development leaves everything equal, also between merchants, and while it runs.

use db::database::Dialect;
use futures_util::future::join;
use serde_json::{Value, json};
use tostao::housekeeping::BATCH;
use tostao::platform::ids::{Mode, Scope};
use tostao::{development, merchants, reconciliation};

use super::lived_in::live;
use super::{Outcome, disarm, tried};
use crate::affiliates::Scene;
use crate::harness::engine::Engine;
use crate::harness::shop::Shop;
use crate::harness::{TestApp, story};
use crate::methods::days_pass;

pub(super) async fn scope_of(test: &TestApp, shop: &Shop) -> Scope {
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let user = me.get("user").or(me.get("data")).unwrap_or(&me);
    let merchant = user["id"].as_str().expect("has an id").parse().expect("is an id");
    let unit = async move |tx: &db::tx::Tx| merchants::scope(tx, merchant, Mode::Development).await;
    test.app.read(unit).await.expect("is there")
}

async fn proved(test: &TestApp) -> Value {
    let proof = test.app.scan(async |tx| reconciliation::verify(tx, None).await).await;
    let proof = proof.expect("can be read");
    assert!(proof.is_sound(), "{proof:#?}");
    serde_json::to_value(proof).expect("is JSON")
}

#[test]
fn the_books_balance_after_resets_of_a_seller_and_an_affiliate() {
    for affiliate_first in [true, false] {
        story(async |test| {
            let Scene { shop, affiliate, .. } = live(test).await;
            let order = if affiliate_first { [&affiliate, &shop] } else { [&shop, &affiliate] };
            for shop in order {
                shop.start_over().await;
                proved(test).await;
                shop.sell(1_000).await;
                proved(test).await;
            }
        });
    }
}

#[story::test]
async fn a_sellers_reset_leaves_what_was_released_to_others(test: &TestApp) {
    let scene = Scene::open(test, json!({ "commissionValue": 10_000 })).await;
    scene.sell(json!({})).await;
    days_pass(&scene.shop, 8).await;
    assert_eq!(scene.affiliate.available().await, 10_000);
    scene.shop.start_over().await;
    proved(test).await;
    assert_eq!(scene.affiliate.available().await, 10_000);
    scene.affiliate.start_over().await;
    proved(test).await;
    assert_eq!(scene.affiliate.available().await, 0);
}

/// Makes the books those of a release that knew neither chains nor `cleared`: what others have of
/// deleted payments is still outside. Nothing may have been booked after the reset.
async fn make_old(test: &TestApp) {
    disarm(test).await;
    for sql in [
        "update ledger_accounts
            set sequence = sequence - 1,
                balance_cents = balance_cents
                    + (select coalesce(sum(balance_cents), 0)
                         from ledger_accounts as cleared
                        where cleared.owner_id = ledger_accounts.owner_id
                          and cleared.book = ledger_accounts.book and cleared.code = 1900)
          where code = 1000
            and exists (
                select 1
                  from ledger_accounts as cleared
                 where cleared.owner_id = ledger_accounts.owner_id
                   and cleared.book = ledger_accounts.book and cleared.code = 1900)",
        "delete from ledger_transfers where debit_code = 1900 or credit_code = 1900",
        "delete from ledger_accounts where code = 1900",
        "update ledger_transfers set debit_hash = null, credit_hash = null",
        "update ledger_accounts set chained_after = sequence, chain_head = null",
    ] {
        let unit = async move |tx: &db::tx::Tx| Ok(tx.exec(sql, &[]).await?);
        assert!(test.app.transact(unit).await.expect("is possible") > 0, "{sql}");
    }
}

#[story::test]
async fn what_a_reset_of_an_earlier_release_left_outside_is_no_fault(test: &TestApp, scene: Scene) {
    let Scene { shop, affiliate, .. } = &scene;
    scene.sell(json!({})).await;
    days_pass(shop, 8).await;
    let released = affiliate.available().await;
    assert!(released > 0);
    shop.start_over().await;
    affiliate.start_over().await;
    make_old(test).await;
    let old = proved(test).await;
    assert!(old["transfersBeforeChain"].as_i64() > Some(0), "{old}");
    for shop in [shop, affiliate] {
        let own = shop.key.get("/api/ledger/verify").await.expect(200);
        assert_eq!(own["success"], true, "{own}");
        shop.sell(1_000).await;
        proved(test).await;
    }
    shop.start_over().await;
    proved(test).await;
    // What is missing outside is found as before.
    let lost = "update ledger_accounts set balance_cents = balance_cents + 1 where code = 1000";
    assert_eq!(tried(test, &[lost.to_owned()]).await, Outcome::FOUND);
    let lost = "delete from transactions";
    assert_eq!(tried(test, &[lost.to_owned()]).await, Outcome::FOUND);
}

#[story::test]
async fn an_unfinished_reset_is_reported_and_is_no_fault(test: &TestApp) {
    let scene = live(test).await;
    let scope = scope_of(test, &scene.shop).await;
    let mut steps = 0;
    loop {
        let unit = async move |tx: &db::tx::Tx| development::step(tx, scope, 7).await;
        let over = test.app.transact(unit).await.expect("is deleted");
        let proof = proved(test).await;
        assert_eq!(proof["resetsInProgress"], i64::from(!over), "{proof:#?}");
        steps += 1;
        if over {
            break;
        }
    }
    assert!(steps > 5 && BATCH > 7, "{steps}");
    let own = scene.affiliate.key.get("/api/ledger/verify").await.expect(200);
    assert_eq!(own["success"], true, "{own}");
}

#[story::test]
async fn what_is_booked_while_a_reset_ends_is_deleted_with_the_rest(test: &TestApp) {
    let (holder, watcher) = (Engine::open(test).await, Engine::open(test).await);
    // On an embedded engine nothing happens in the middle of a unit.
    if holder.dialect() == Dialect::Sqlite {
        return;
    }
    let shop = test.shop("Loja").await;
    shop.sell(1_000).await;
    shop.product(json!({})).await;
    // The reset has deleted the payments by the time it waits for the product.
    holder.rows("begin").await;
    holder.rows("select id::text from products for update").await;
    let meanwhile = async {
        let waits = "select count(*)::text from pg_stat_activity
                      where datname = current_database() and wait_event_type = 'Lock'";
        while watcher.rows(waits).await != [["1"]] {}
        shop.sell(2_000).await;
        holder.rows("commit").await;
    };
    join(shop.start_over(), meanwhile).await;
    let left = shop.key.get("/api/v1/transactions").await.expect(200);
    assert_eq!(left["pagination"]["total"], 0, "{left}");
    assert_eq!(shop.available().await, 0);
    proved(test).await;
}
