//! Money that comes once an account is closed: it is the platform's, and goes back to its payer.

use std::pin::pin;
use std::time::Duration;

use db::database::Dialect;
use sandbox::refunds::Outcome;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};
use tostao::platform::ids::Mode;
use tostao::transactions::unknown::count_open;

use super::{close, make_real, real_scope};
use crate::banks::{boleto_payment, confirm_boletos, confirm_pix, pix, txid};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::crashes::{WAITS_MAX, breaks_off};
use crate::harness::engine::Engine;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};
use crate::sandbox::card_sale;

const UNMATCHED: &str = "/api/admin/unmatched";
const DAY: Duration = Duration::from_hours(24);

/// The only money that administrators see, newest first.
async fn kept(admin: &Client) -> Value {
    let list = admin.get(UNMATCHED).await.expect(200);
    assert_eq!(list["pagination"]["total"], 1, "{list}");
    list["data"][0].clone()
}

async fn send_back(admin: &Client, money: &Value, body: Value) -> Reply {
    admin.post(&format!("{UNMATCHED}/{}/return", id(money)), body).await
}

/// Closes an account; answers whose it was.
async fn closed(shop: &Shop) -> String {
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    close(&shop.owner).await.expect(200);
    id(&me["user"]).to_owned()
}

#[story::test]
async fn money_that_comes_after_closing_is_the_houses_and_goes_back_to_its_payer(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let (late, unwanted) = (shop.charge(1_000).await, shop.charge(700).await);
    let cancel = format!("/api/v1/transactions/{}/cancel", id(&unwanted));
    shop.key.post(&cancel, json!({})).await.expect(200);
    make_real(test).await;
    test.pass(DAY * 8);
    let shop = test.shop_again("Loja").await;
    let scope = real_scope(test, &shop).await;
    close(&shop.owner).await.expect(200);
    test.run_jobs().await;
    let reported = [(&late, 1, 1_200), (&unwanted, 2, 700)];
    let reported =
        reported.map(|(charge, number, cents)| pix(txid(charge), number, cents, test.app.now()));
    // A bank may report twice.
    for _ in 0..2 {
        confirm_pix(test, reported.to_vec()).await.expect(200);
    }
    let rows = async |sql: &str| Engine::open(test).await.rows(sql).await;
    let money = "select cast(amount_cents as text), status from unknown_payments
                  where mode = 1 order by id";
    assert_eq!(rows(money).await, [["1200", "RETURNING"], ["700", "RETURNING"]]);
    test.run_jobs().await;
    assert_eq!(rows(money).await, [["1200", "RETURNED"], ["700", "RETURNED"]]);
    let given = "select cast(count(*) as text), cast(sum(amount_cents) as text)
                   from sandbox_refunds where refused_reason is null";
    assert_eq!(rows(given).await, [["2", "1900"]]);
    let owner = scope.merchant.0;
    let owner = match Engine::open(test).await.dialect() {
        Dialect::Sqlite => format!("x'{}'", owner.simple()),
        Dialect::Postgres => format!("'{owner}'"),
    };
    let booked = format!(
        "select cast(count(*) as text) from ledger_accounts
          where owner_id = {owner} and book = 1"
    );
    assert_eq!(rows(&booked).await, [["0"]]);
    let paid = "select cast(count(*) as text) from transactions where paid_at is not null";
    assert_eq!(rows(paid).await, [["0"]]);
}

#[story::test]
async fn a_payment_that_a_request_on_its_way_began_goes_back_once_it_is_paid(test: &TestApp) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let response = shop.charge(1_000).await;
    let merchant = closed(&shop).await;
    let receipt = pix(txid(&response), 1, 1_000, test.app.now());
    confirm_pix(test, vec![receipt]).await.expect(200);
    let money = kept(&admin).await;
    assert_eq!((&money["status"], &money["amount"]), (&json!("RETURNING"), &json!(1_000)));
    assert_eq!(money["closedUserId"], json!(merchant));
    // It is not decided yet.
    assert_eq!((&money["decidedBy"], &money["decidedAt"]), (&Value::Null, &Value::Null));
    let log = admin.get("/api/admin/audit?action=unmatched.returned").await.expect(200);
    assert_eq!(log["data"][0]["actor"]["kind"], "system", "{log}");
    test.run_jobs().await;
    assert_eq!(kept(&admin).await["status"], "RETURNED");
}

#[story::test]
async fn what_its_bank_does_not_take_back_waits_for_an_administrator(test: &TestApp) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let charge = shop.charge(1_000).await;
    closed(&shop).await;
    let receipt = pix(txid(&charge), 1, 1_000, test.app.now());
    let bank = test.app.providers.sandbox();
    bank.arm_refund(&receipt.end_to_end_id, Outcome::Refused).await.expect("is armed");
    confirm_pix(test, vec![receipt]).await.expect(200);
    test.run_jobs().await;
    let money = kept(&admin).await;
    assert_eq!(money["status"], "OPEN");
    assert_eq!(money["failureReason"], "refused_by_issuer");
    let open = test.app.read(async |tx| count_open(tx, Mode::Development).await).await;
    assert_eq!(open.expect("can be read"), 1, "the operator's alarm rings");
    let sent = send_back(&admin, &money, json!({})).await.expect(200);
    assert_eq!(sent["data"]["status"], "RETURNING");
    assert!(sent["data"]["decidedBy"].is_string(), "{sent}");
    test.run_jobs().await;
    assert_eq!(kept(&admin).await["status"], "RETURNED");
}

#[story::test]
async fn a_boleto_that_is_paid_after_closing_goes_to_a_key_that_an_administrator_names(
    test: &TestApp,
) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let boleto = json!({ "amountCents": 300, "method": "BOLETO" });
    shop.try_charge(boleto).await.expect(201);
    let number = "select slip_number from transactions";
    let number = Engine::open(test).await.rows(number).await.concat().concat();
    let merchant = closed(&shop).await;
    confirm_boletos(test, vec![boleto_payment(test, &number, "SLIP1")]).await.expect(200);
    test.run_jobs().await;
    let money = kept(&admin).await;
    assert_eq!((&money["status"], &money["rail"]), (&json!("OPEN"), &json!("BOLETO")));
    assert_eq!(money["closedUserId"], json!(merchant));
    let nowhere = send_back(&admin, &money, json!({})).await;
    assert_eq!(nowhere.expect_refusal(400, "VALIDATION_ERROR"), ["refundPixKey"]);
    let key = json!({ "refundPixKey": "529.982.247-25" });
    send_back(&admin, &money, key).await.expect(200);
    test.run_jobs().await;
    assert_eq!(kept(&admin).await["status"], "RETURNED");
}

#[story::test]
async fn what_is_too_old_for_its_rail_to_take_back_waits_for_an_administrator(test: &TestApp) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let charge = shop.charge(1_000).await;
    closed(&shop).await;
    let receipt = pix(txid(&charge), 1, 1_000, test.app.now().minus(DAY * 91));
    confirm_pix(test, vec![receipt]).await.expect(200);
    assert_eq!(kept(&admin).await["status"], "OPEN");
}

#[story::test]
async fn no_administrator_matches_money_to_a_charge_of_a_closed_account(test: &TestApp) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let charge = shop.charge(1_000).await;
    let unknown = pix(&"0".repeat(32), 1, 1_000, test.app.now());
    confirm_pix(test, vec![unknown]).await.expect(200);
    closed(&shop).await;
    let money = kept(&admin).await;
    assert_eq!(money["closedUserId"], Value::Null);
    let path = format!("{UNMATCHED}/{}/match", id(&money));
    let matched = admin.post(&path, json!({ "transactionId": id(&charge) })).await;
    matched.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(kept(&admin).await, money);
}

#[story::test]
async fn no_card_is_charged_at_an_account_that_was_closed_meanwhile(test: &TestApp) {
    for number in 0..WAITS_MAX {
        let shop = test.shop("Loja").await;
        let sale = card_sale(test, 1_000, Scenario::Approves).await;
        let mut charging = pin!(shop.try_charge(sale));
        let waits = breaks_off(charging.as_mut(), number).await;
        close(&shop.owner).await.expect(200);
        if !waits {
            return;
        }
        let charged = async || {
            let sql = "select cast(count(*) as text) from transactions";
            Engine::open(test).await.rows(sql).await
        };
        let before = charged().await;
        charging.await;
        assert_eq!(charged().await, before, "{number}");
        test.run_jobs().await;
    }
    panic!("a request waits less often");
}
