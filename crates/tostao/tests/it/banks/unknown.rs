//! Money under a reference that no charge has: kept once, and decided on by administrators.

use futures_util::future::join_all;
use rails::pix::PixConfirmation;
use sandbox::refunds::Outcome;
use serde_json::{Value, json};
use tostao::platform::ids::{Mode, Scope};
use tostao::transactions::unknown::count_open;

use super::{boleto_payment, confirm_boletos, confirm_pix, pix, txid};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::shop::id;

const UNMATCHED: &str = "/api/admin/unmatched";
const SUSPENSE: i64 = 2900;
const REFUNDING: i64 = 2200;
const OUTSIDE: i64 = 1000;
/// A txid that no charge has.
const NOBODYS: &str = "00000000000000000000000000000000";
/// A bank's number that no boleto has.
const NOBODYS_BOLETO: &str = "12345670000000042";
const AT_ONCE: u8 = 24;

/// The unknown payments that administrators see, newest first.
async fn listed(admin: &Client, query: &str) -> Vec<Value> {
    admin.list(&format!("{UNMATCHED}?{query}")).await
}

/// What an account of the platform holds.
async fn held(test: &TestApp, code: i64) -> i64 {
    let platform = Scope::platform(Mode::Development).merchant.0.simple();
    let sql = format!(
        "select cast(coalesce(sum(balance_cents), 0) as text)
           from ledger_accounts
          where code = {code}
            and lower(replace(cast({} as text), '-', '')) = '{platform}'",
        match Engine::open(test).await.dialect() {
            db::database::Dialect::Sqlite => "hex(owner_id)",
            db::database::Dialect::Postgres => "owner_id",
        }
    );
    Engine::open(test).await.rows(&sql).await[0][0].parse().expect("is a number")
}

/// What has come in from outside, in cents, on all accounts.
async fn booked_in_all(test: &TestApp) -> i64 {
    -crate::refunds::held(test, OUTSIDE).await
}

/// Has the bank report a PIX without a charge; returns how administrators see it.
async fn unknown(test: &TestApp, admin: &Client, number: u8, cents: i64) -> Value {
    let receipt = pix(NOBODYS, number, cents, test.app.now());
    confirm_pix(test, vec![receipt]).await.expect(200);
    listed(admin, "status=OPEN").await.remove(0)
}

#[story::test]
async fn money_for_an_unknown_reference_is_one_row_however_often_it_is_reported(test: &TestApp) {
    let admin = test.admin().await;
    let receipt = pix(NOBODYS, 1, 700, test.app.now());
    for reported in join_all((0..16).map(|_| confirm_pix(test, vec![receipt.clone()]))).await {
        reported.expect(200);
    }
    let boleto = boleto_payment(test, NOBODYS_BOLETO, "SLIP1");
    confirm_boletos(test, vec![boleto]).await.expect(200);
    let seen = listed(&admin, "").await;
    assert_eq!(seen.len(), 2, "{seen:?}");
    let (boleto, pix) = (&seen[0], &seen[1]);
    assert_eq!((&pix["rail"], &pix["amount"]), (&json!("PIX"), &json!(700)));
    assert_eq!(pix["reference"], NOBODYS);
    assert_eq!(pix["paymentId"], json!(receipt.end_to_end_id));
    assert_eq!((&pix["status"], &pix["decidedBy"]), (&json!("OPEN"), &json!(null)));
    assert_eq!((&boleto["rail"], &boleto["paymentId"]), (&json!("BOLETO"), &json!("SLIP1")));
    assert_eq!((held(test, SUSPENSE).await, held(test, OUTSIDE).await), (1_000, -1_000));
    let open = test.app.read(async |tx| count_open(tx, Mode::Development).await).await;
    assert_eq!(open.expect("can be read"), 2);
    let one = admin.get(&format!("{UNMATCHED}/{}", id(pix))).await.expect(200);
    assert_eq!(&one["data"], pix);
}

#[story::test]
async fn a_payment_that_was_booked_is_not_booked_again_under_another_reference(test: &TestApp) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let (paid, short) = (shop.charge(1_000).await, shop.charge(1_000).await);
    let booked =
        [pix(txid(&paid), 1, 1_000, test.app.now()), pix(txid(&short), 2, 400, test.app.now())];
    confirm_pix(test, booked.to_vec()).await.expect(200);
    let other = shop.charge(400).await;
    for reference in [NOBODYS, txid(&other)] {
        let again =
            booked.clone().map(|receipt| PixConfirmation { txid: reference.into(), ..receipt });
        confirm_pix(test, again.to_vec()).await.expect(200);
    }
    assert_eq!(listed(&admin, "").await, Vec::<Value>::new());
    assert_eq!(shop.transaction(&other).await["status"], "PENDING");
    assert_eq!(booked_in_all(test).await, 1_400);

    let boleto = json!({ "amountCents": 300, "method": "BOLETO" });
    shop.try_charge(boleto).await.expect(201);
    let number = "select slip_number from transactions where slip_number is not null";
    let number = Engine::open(test).await.rows(number).await.remove(0).remove(0);
    for our_number in [&number, NOBODYS_BOLETO] {
        let receipt = boleto_payment(test, our_number, "SLIP1");
        confirm_boletos(test, vec![receipt]).await.expect(200);
    }
    assert_eq!(listed(&admin, "").await, Vec::<Value>::new());
    assert_eq!(booked_in_all(test).await, 1_700);
}

#[story::test]
async fn a_payment_stored_as_unknown_stays_so_when_later_reported_for_a_charge(test: &TestApp) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let charge = shop.charge(1_000).await;
    let money = unknown(test, &admin, 1, 1_000).await;
    let again = pix(txid(&charge), 1, 1_000, test.app.now());
    confirm_pix(test, vec![again]).await.expect(200);
    assert_eq!(shop.transaction(&charge).await["status"], "PENDING");
    assert_eq!(listed(&admin, "status=OPEN").await, [money]);
    assert_eq!(booked_in_all(test).await, 1_000);
}

#[story::test]
async fn a_payment_reported_under_several_references_at_once_is_booked_once(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let mut reported = Vec::new();
    for number in 0..AT_ONCE {
        let (charge, other) = (shop.charge(1_000).await, shop.charge(1_000).await);
        let mut references = [NOBODYS, txid(&charge), txid(&other)];
        references.rotate_left(usize::from(number % 3));
        for reference in references {
            reported.push(pix(reference, number, 1_000, test.app.now()));
        }
    }
    for answer in
        join_all(reported.into_iter().map(|receipt| confirm_pix(test, vec![receipt]))).await
    {
        answer.expect(200);
    }
    assert_eq!(booked_in_all(test).await, 1_000 * i64::from(AT_ONCE));
}

#[story::test]
async fn matched_money_is_what_it_would_have_been_for_its_charge(test: &TestApp) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let table =
        [(1, 1_000, "PAID", 1_000, 0), (2, 1_200, "PAID", 1_000, 200), (3, 400, "PENDING", 0, 400)];
    for (number, cents, status, earned, aside) in table {
        let before = shop.available().await;
        let charge = shop.charge(1_000).await;
        let money = unknown(test, &admin, number, cents).await;
        let path = format!("{UNMATCHED}/{}/match", id(&money));
        let body = json!({ "transactionId": id(&charge) });
        let matched = admin.post(&path, body.clone()).await.expect(200)["data"].clone();
        assert_eq!(matched["status"], "MATCHED");
        assert_eq!(matched["transactionId"], charge["id"]);
        assert!(matched["decidedBy"].is_string() && matched["decidedAt"].is_string());
        assert_eq!(matched["decidedFrom"], "127.0.0.1");
        let charge = shop.transaction(&charge).await;
        assert_eq!(
            (&charge["status"], &charge["unmatchedAmount"]),
            (&json!(status), &json!(aside))
        );
        assert_eq!(shop.available().await, before + earned, "{cents}");
        assert_eq!((held(test, SUSPENSE).await, held(test, OUTSIDE).await), (0, 0));
        // Nothing of it happens twice: not the decision, nor what the bank says again.
        admin.post(&path, body).await.expect(200);
        let again = pix(NOBODYS, number, cents, test.app.now());
        confirm_pix(test, vec![again]).await.expect(200);
        let same = pix(txid(&charge), number, cents, test.app.now());
        confirm_pix(test, vec![same]).await.expect(200);
        assert_eq!(shop.transaction(&charge).await, charge);
        assert_eq!(shop.available().await, before + earned, "{cents}");
        let other = json!({ "transactionId": id(&shop.charge(1).await) });
        let other = admin.post(&path, other).await;
        other.expect_refusal(409, "INVALID_STATE_TRANSITION");
        let back = admin.post(&format!("{UNMATCHED}/{}/return", id(&money)), json!({})).await;
        back.expect_refusal(409, "INVALID_STATE_TRANSITION");
    }
}

#[story::test]
async fn no_administrator_matches_money_to_a_charge_of_their_own(test: &TestApp) {
    test.admin().await;
    let (own, admin) = (test.shop_again("Admin").await, test.admin().await);
    let money = unknown(test, &admin, 1, 1_000).await;
    let body = json!({ "transactionId": id(&own.charge(1_000).await) });
    let refused = admin.post(&format!("{UNMATCHED}/{}/match", id(&money)), body).await;
    refused.expect_refusal(403, "SELF_APPROVAL");
    assert_eq!((own.available().await, held(test, SUSPENSE).await), (0, 1_000));
    let body = json!({ "transactionId": id(&test.shop("Loja").await.charge(1_000).await) });
    admin.post(&format!("{UNMATCHED}/{}/match", id(&money)), body).await.expect(200);
    let log = admin.get("/api/admin/audit?action=unmatched.matched").await.expect(200);
    assert_eq!(log["data"][0]["subjectId"], money["id"]);
}

#[story::test]
async fn a_decision_that_is_repeated_does_nothing_and_is_one_entry_in_the_audit_log(
    test: &TestApp,
) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let logged = async |money: &Value| {
        let log = admin.get("/api/admin/audit?limit=100").await.expect(200);
        let log = log["data"].as_array().expect("is a list").clone();
        let about = log.into_iter().filter(|entry| entry["subjectId"] == money["id"]);
        about.map(|entry| entry["action"].clone()).collect::<Vec<_>>()
    };
    let charge = shop.charge(1_000).await;
    let money = unknown(test, &admin, 1, 1_000).await;
    let body = json!({ "transactionId": id(&charge) });
    let path = format!("{UNMATCHED}/{}/match", id(&money));
    let first = admin.post(&path, body.clone()).await.expect(200);
    let second = admin.post(&path, body).await.expect(200);
    assert_eq!(first, second);
    assert_eq!(logged(&money).await, ["unmatched.matched"]);

    let money = unknown(test, &admin, 2, 1_000).await;
    let path = format!("{UNMATCHED}/{}/return", id(&money));
    let first = admin.post(&path, json!({})).await.expect(200);
    let second = admin.post(&path, json!({})).await.expect(200);
    assert_eq!(first, second);
    test.run_jobs().await;
    admin.post(&path, json!({})).await.expect(200);
    assert_eq!(logged(&money).await, ["unmatched.returned"]);
}

#[story::test]
async fn money_is_matched_only_to_a_charge_that_it_could_have_paid(test: &TestApp) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let money = unknown(test, &admin, 1, 1_000).await;
    let path = format!("{UNMATCHED}/{}/match", id(&money));
    let unknown = json!({ "transactionId": id(&money) });
    let unknown = admin.post(&path, unknown).await;
    assert_eq!(unknown.expect_refusal(400, "VALIDATION_ERROR"), ["transactionId"]);
    let nothing = admin.post(&path, json!({})).await;
    assert_eq!(nothing.expect_refusal(400, "VALIDATION_ERROR"), ["transactionId"]);
    let engine = Engine::open(test).await;
    let charge = shop.charge(1_000).await;
    engine.rows("update transactions set provider = 'another'").await;
    let wish = json!({ "transactionId": id(&charge) });
    admin.post(&path, wish).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(listed(&admin, "status=OPEN").await.len(), 1);
    assert_eq!(held(test, SUSPENSE).await, 1_000);
}

#[story::test]
async fn unknown_money_goes_back_to_its_payer_once(test: &TestApp, admin: Client) {
    let money = unknown(test, &admin, 1, 1_000).await;
    let path = format!("{UNMATCHED}/{}/return", id(&money));
    let name = money["paymentId"].as_str().expect("has one");
    let sandbox = test.app.providers.sandbox();
    sandbox.arm_refund(name, Outcome::Refused).await.expect("is armed");
    let going = admin.post(&path, json!({})).await.expect(200);
    assert_eq!(going["data"]["status"], "RETURNING");
    assert_eq!((held(test, SUSPENSE).await, held(test, REFUNDING).await), (0, 1_000));
    test.run_jobs().await;
    let open = listed(&admin, "status=OPEN").await.remove(0);
    assert_eq!(open["failureReason"], "refused_by_issuer");
    assert_eq!(held(test, SUSPENSE).await, 1_000);
    for _ in 0..2 {
        let sent = admin.post(&path, json!({})).await.expect(200);
        assert_eq!(sent["message"], "Unmatched payment is going back.");
    }
    test.run_jobs().await;
    let back = admin.post(&path, json!({})).await.expect(200);
    assert_eq!(back["message"], "Unmatched payment was returned.");
    assert_eq!(back["data"]["status"], "RETURNED");
    assert_eq!((held(test, SUSPENSE).await, held(test, REFUNDING).await), (0, 0));
    assert_eq!(held(test, OUTSIDE).await, 0);
    let sent = "select cast(count(*) as text) from sandbox_refunds where refused_reason is null";
    assert_eq!(Engine::open(test).await.rows(sent).await, [["1"]]);
    let charge = test.shop("Loja").await.charge(1_000).await;
    let wish = json!({ "transactionId": id(&charge) });
    let late = admin.post(&format!("{UNMATCHED}/{}/match", id(&money)), wish).await;
    late.expect_refusal(409, "INVALID_STATE_TRANSITION");
}

#[story::test]
async fn a_payment_of_an_unissued_boleto_returns_to_a_key(test: &TestApp, admin: Client) {
    let boleto = boleto_payment(test, NOBODYS_BOLETO, "SLIP1");
    confirm_boletos(test, vec![boleto]).await.expect(200);
    let money = listed(&admin, "").await.remove(0);
    let path = format!("{UNMATCHED}/{}/return", id(&money));
    let keyless = admin.post(&path, json!({})).await;
    assert_eq!(keyless.expect_refusal(400, "VALIDATION_ERROR"), ["refundPixKey"]);
    let key = json!({ "refundPixKey": "529.982.247-25" });
    admin.post(&path, key.clone()).await.expect(200);
    test.run_jobs().await;
    let back = admin.post(&path, key).await.expect(200);
    assert_eq!(back["data"]["status"], "RETURNED");
    assert_eq!((held(test, SUSPENSE).await, held(test, REFUNDING).await), (0, 0));
}
