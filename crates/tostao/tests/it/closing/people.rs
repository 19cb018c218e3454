//! What is left of buyers and of the seller once an account is closed, and for how long.

use std::cell::Cell;

use db::database::Dialect;
use db::tx::Tx;
use futures_util::future::join;
use serde_json::{Value, json};
use tostao::books;
use tostao::platform::ids::Scope;
use tostao::transactions::disputes;
use tostao::transactions::terms::PaymentTerms;

use super::{close, make_real, pay_for_real, real_key, real_scope};
use crate::banks::{confirm_pix, pix, txid};
use crate::carts::capture;
use crate::clients::erasure::{EMAIL, NAME, YEAR, customer, everything, traces};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::referrals::code;

const DOCUMENT: &str = "11144477735";

/// A merchant with a document and a phone, who followed an invitation.
async fn shop(test: &TestApp) -> Shop {
    let inviter = test.shop("Maria").await;
    let account = json!({
        "name": "Loja", "email": "loja@example.com", "password": PASSWORD, "document": DOCUMENT,
        "phone": "11912345678", "inviteCode": code(&inviter).await,
    });
    test.anyone().post("/api/auth/register", account).await.expect(201);
    test.shop_again("Loja").await
}

async fn charge(shop: &Shop) -> Value {
    let body = json!({ "amountCents": 1_000, "customer": customer() });
    shop.charge_with(body).await
}

/// Has a payment contested and given back to its buyer.
async fn lose(test: &TestApp, scope: Scope, charge: &Value) {
    let (terms, of) = (PaymentTerms::of(&test.app), id(charge).parse().expect("is an id"));
    let lose = async move |tx: &Tx| {
        disputes::open(tx, scope, &terms, of).await?;
        disputes::lose(tx, scope, &terms, of).await
    };
    test.app.transact(lose).await.expect("is lost");
}

/// Everything that is known of the merchant who is called so, or has this document.
async fn sellers(test: &TestApp) -> Vec<Vec<String>> {
    let sql = "select name, coalesce(document, ''), coalesce(phone, ''), email from merchants
                where name <> 'Maria' order by name";
    Engine::open(test).await.rows(sql).await
}

async fn available(test: &TestApp, scope: Scope) -> i64 {
    let held = async move |tx: &Tx| books::holdings(tx, scope).await;
    test.app.read(held).await.expect("is read").available.get()
}

#[story::test]
async fn no_client_is_kept_of_an_account_that_was_never_paid(test: &TestApp) {
    let shop = shop(test).await;
    let link = shop.link(2_000).await;
    capture(test, &link, EMAIL, json!({ "clientName": NAME })).await.expect(201);
    let charge = charge(&shop).await;
    shop.cancel(&charge).await;
    shop.client(json!({ "name": NAME, "email": "another@example.com" })).await;
    make_real(test).await;
    let scope = real_scope(test, &shop).await;
    assert!(traces(&everything(test).await).len() > 2, "there was something to take out");
    let reported = close(&shop.owner).await.expect(200);
    assert_eq!(reported["retainedUntil"], Value::Null);
    let id = scope.merchant.to_string();
    assert_eq!(sellers(test).await, [["", "", "", &id]]);
    test.run_jobs().await;
    assert_eq!(traces(&everything(test).await), [] as [&str; 0]);
    let referred = Engine::open(test).await.rows("select referred_name from referrals").await;
    assert!(referred.concat().iter().all(String::is_empty), "{referred:?}");
}

#[story::test]
async fn of_an_account_that_was_paid_payers_and_seller_are_kept_for_five_years(test: &TestApp) {
    let shop = shop(test).await;
    let (paid, unpaid) = (charge(&shop).await, charge(&shop).await);
    shop.cancel(&unpaid).await;
    pay_for_real(test, &paid, 1, 1_000).await;
    let scope = real_scope(test, &shop).await;
    lose(test, scope, &paid).await;
    let shown = format!("/api/v1/transactions/{}", id(&paid));
    let shown = real_key(&shop).await.get(&shown).await.expect(200)["transaction"].clone();
    let page = shown["paymentUrl"].as_str().expect("has one");
    let page = page.split_once("/pay/").expect("is a page").1;
    let receipt = format!("/pay/{}", page.replace("?token", "/receipt?token"));
    let reported = close(&shop.owner).await.expect(200);
    assert_eq!(reported["retainedUntil"], "2031-11-21T12:00:00.000Z");
    test.run_jobs().await;
    let payers = "select customer_name from transactions order by paid_at is null";
    let kept = async || Engine::open(test).await.rows(payers).await.concat();
    assert_eq!(kept().await, [NAME, ""]);
    let me = scope.merchant.to_string();
    assert_eq!(sellers(test).await, [["Loja", DOCUMENT, "", &me]]);
    let page = test.anyone().get(&receipt).await;
    assert!(page.text.contains("Loja"), "{} {}", page.status, page.text);
    for _ in 0..4 {
        test.run_jobs_after(YEAR).await;
    }
    assert_eq!(kept().await, [NAME, ""]);
    assert_eq!(sellers(test).await.len(), 1);
    test.run_jobs_after(YEAR).await;
    assert_eq!(kept().await, ["", ""]);
    assert_eq!(sellers(test).await, [["", "", "", &me]]);
    assert_eq!(traces(&everything(test).await), [] as [&str; 0]);
    let jobs = "select cast(count(*) as text) from jobs";
    assert_eq!(Engine::open(test).await.rows(jobs).await.concat(), ["0"]);
}

#[story::test(|settings| settings.retention_years = 1)]
async fn an_operator_sets_for_how_long_a_closed_account_keeps_them(test: &TestApp) {
    let shop = shop(test).await;
    let paid = charge(&shop).await;
    pay_for_real(test, &paid, 1, 1_000).await;
    lose(test, real_scope(test, &shop).await, &paid).await;
    let reported = close(&shop.owner).await.expect(200);
    assert_eq!(reported["retainedUntil"], "2027-11-21T12:00:00.000Z");
    test.run_jobs_after(YEAR).await;
    assert_eq!(sellers(test).await[0][..2], ["", ""]);
    assert_eq!(traces(&everything(test).await), [] as [&str; 0]);
}

/// Without lanes: in one a unit waits for 50 ms and is run again, and the account is closed first.
#[story::test(|settings| settings.database_lanes = 0)]
async fn an_account_cannot_be_closed_while_a_late_payment_is_being_booked(test: &TestApp) {
    let (holder, watcher) = (Engine::open(test).await, Engine::open(test).await);
    // On an embedded engine nothing happens in the middle of a unit.
    if holder.dialect() == Dialect::Sqlite {
        return;
    }
    let shop = shop(test).await;
    let link = shop.link(1_000).await;
    let late = shop.try_charge(json!({ "paymentLinkId": id(&link) })).await.expect(201);
    shop.cancel(&late["transaction"]).await;
    make_real(test).await;
    let scope = real_scope(test, &shop).await;
    // The payment is paid by the time it waits for its link.
    holder.rows("begin").await;
    holder.rows("select id::text from payment_links for update").await;
    let ended = Cell::new(None);
    let waiting = async |count: &str| {
        let waits = "select count(*)::text from pg_stat_activity
                      where datname = current_database() and wait_event_type = 'Lock'";
        while watcher.rows(waits).await != [[count]] {
            assert_eq!(ended.get(), None, "it waits for nothing");
        }
    };
    let closing = async {
        waiting("1").await;
        let meanwhile = async {
            waiting("2").await;
            holder.rows("commit").await;
        };
        join(close(&shop.owner), meanwhile).await.0
    };
    let receipt = pix(txid(&late["transaction"]), 1, 1_000, test.app.now());
    let paying = async {
        let paid = confirm_pix(test, vec![receipt]).await;
        ended.set(Some(paid.status));
        paid
    };
    let (closed, paid) = join(closing, paying).await;
    paid.expect(200);
    closed.expect_refusal(409, "ACCOUNT_IN_USE");
    assert_eq!(available(test, scope).await, 1_000);
}
