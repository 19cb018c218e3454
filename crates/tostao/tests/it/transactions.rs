//! Payments: issued, paid, late, cancelled, expired, and money that fits no charge.

use std::time::Duration;

use brazil::calendar::sao_paulo_date;
use serde_json::{Value, json};
use tostao::merchants;
use tostao::platform::ids::{MerchantId, Mode, TransactionId};
use tostao::transactions::find;
use tostao::transactions::request::{NewTransaction, PaymentInstrument};

use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id, merged};
use crate::webhooks::subscribe;

#[story::test]
async fn a_number_in_metadata_comes_back_to_the_last_bit(shop: Shop) {
    let numbers =
        json!({ "a": 0.1 + 0.2, "b": f64::MAX, "c": 5e-324, "d": i64::MIN, "e": u64::MAX });
    let wanted = json!({
        "amountCents": 1_000, "method": "PIX", "metadata": numbers,
        "customer": { "name": "Ana", "email": "ana@example.com" },
    });
    let charge = shop.key.post("/api/v1/transactions", wanted).await.expect(201);
    assert_eq!(charge["transaction"]["metadata"], numbers);
    assert_eq!(shop.transaction(&charge["transaction"]).await["metadata"], numbers);
}

#[story::test]
async fn a_paid_pix_reaches_the_balance_the_link_and_the_events(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let link = shop.link(4_990).await;
    let charge = shop
        .key
        .post(
            "/api/v1/transactions",
            json!({
                "paymentLinkId": id(&link), "method": "PIX", "externalId": "pedido-1",
                "customer": { "name": "Ana", "email": "ana@example.com" },
                "metadata": { "cor": "azul" },
            }),
        )
        .await
        .expect(201)["transaction"]
        .clone();
    assert_eq!(charge["status"], "PENDING");
    assert_eq!(charge["amount"], 4_990);
    assert_eq!(charge["devMode"], true);
    assert_eq!(charge["expiresAt"], "2026-11-21T13:00:00.000Z");
    let code = charge["pix"]["brCode"].as_str().expect("has a code");
    brazil::brcode::parse(code).expect("is a valid BR Code");
    assert_eq!(shop.available().await, 0);

    let paid = shop.pay(&charge).await;
    assert_eq!(paid["status"], "PAID");
    assert_eq!(paid["paidAmount"], 4_990);
    assert_eq!(paid["netAmount"], 4_990);
    assert_eq!(paid["paidLate"], false);
    assert_eq!(paid["externalId"], "pedido-1");
    assert_eq!(paid["metadata"]["cor"], "azul");
    assert!(paid["receiptUrl"].as_str().expect("has one").contains("/receipt?token="));
    assert_eq!(shop.available().await, 4_990);
    let path = format!("/api/v1/payment-links/{}", id(&link));
    let link = shop.key.get(&path).await.expect(200)["paymentLink"].clone();
    assert_eq!((&link["timesUsed"], &link["salesCount"]), (&json!(1), &json!(1)));
    let names = [
        "payment_link.created",
        "transaction.created",
        "transaction.paid",
        "payment_link.paid",
        "balance.updated",
    ];
    assert_eq!(shop.events().await, names);
}

#[story::test]
async fn a_bank_that_confirms_twice_pays_once(shop: Shop) {
    let charge = shop.charge(1_000).await;
    let paid = shop.simulate(&charge, json!({ "outcome": "PAID", "times": 3 })).await;
    assert_eq!(paid["status"], "PAID");
    assert_eq!(shop.available().await, 1_000);
    let paid_events = shop.events().await.iter().filter(|n| *n == "transaction.paid").count();
    assert_eq!(paid_events, 1);
}

#[story::test]
async fn a_second_payment_of_a_paid_charge_is_set_aside(shop: Shop) {
    let charge = shop.charge(1_000).await;
    shop.pay(&charge).await;
    let again = shop.pay(&charge).await;
    assert_eq!(again["paidAmount"], 1_000);
    assert_eq!(shop.available().await, 1_000);
    assert_eq!(set_aside(&shop, &charge).await, [(1_000, "PAID_TWICE".to_owned())]);
}

#[story::test]
async fn a_wrong_amount_is_never_taken_for_the_right_one(shop: Shop) {
    let little = shop.charge(1_000).await;
    let paid = json!({ "outcome": "PAID", "paidAmountCents": 999 });
    assert_eq!(shop.simulate(&little, paid).await["status"], "PENDING");
    assert_eq!(set_aside(&shop, &little).await, [(999, "TOO_LITTLE".to_owned())]);
    assert_eq!(shop.available().await, 0);

    let much = shop.charge(1_000).await;
    let paid = json!({ "outcome": "PAID", "paidAmountCents": 1_001 });
    assert_eq!(shop.simulate(&much, paid).await["status"], "PAID");
    assert_eq!(set_aside(&shop, &much).await, [(1, "TOO_MUCH".to_owned())]);
    assert_eq!(shop.available().await, 1_000);
}

#[story::test]
async fn a_charge_expires_by_the_clock_and_a_late_payment_is_honored(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    test.run_jobs_after(Duration::from_secs(3_599)).await;
    assert_eq!(shop.transaction(&charge).await["status"], "PENDING");
    test.run_jobs_after(Duration::from_secs(1)).await;
    let expired = shop.transaction(&charge).await;
    assert_eq!(expired["status"], "EXPIRED");
    assert_eq!(expired["expiredAt"], "2026-11-21T13:00:00.000Z");

    let paid = shop.pay(&charge).await;
    assert_eq!((&paid["status"], &paid["paidLate"]), (&json!("PAID"), &json!(true)));
    assert_eq!(shop.available().await, 1_000);
    let names =
        ["transaction.created", "transaction.expired", "transaction.paid", "balance.updated"];
    assert_eq!(shop.events().await, names);
}

#[story::test]
async fn an_expired_charge_is_never_shown_pending_even_before_its_job_ran(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let charge = shop.charge(1_000).await;
    test.pass(Duration::from_secs(3_600));
    assert_eq!(shop.transaction(&charge).await["status"], "EXPIRED");
    test.run_jobs().await;
    assert_eq!(shop.events().await, ["transaction.created", "transaction.expired"]);
}

#[story::test]
async fn a_payment_reported_after_its_charge_expired_is_late(test: &TestApp, shop: Shop) {
    for (confirmed_after, late) in [(30, false), (90, true)] {
        let charge = shop.try_charge(json!({ "amountCents": 1_000, "expiresIn": 60 })).await;
        let charge = charge.expect(201)["transaction"].clone();
        let reported = json!({ "outcome": "PAID", "delaySeconds": confirmed_after });
        assert_eq!(shop.simulate(&charge, reported).await["status"], "PENDING");
        for _ in 0..3 {
            test.run_jobs_after(Duration::from_secs(30)).await;
        }
        let paid = shop.transaction(&charge).await;
        assert_eq!((&paid["status"], &paid["paidLate"]), (&json!("PAID"), &json!(late)));
    }
}

#[story::test]
async fn cancelling_ends_a_charge_once_and_a_payment_on_its_way_still_counts(shop: Shop) {
    let charge = shop.charge(1_000).await;
    let path = format!("/api/v1/transactions/{}/cancel", id(&charge));
    for _ in 0..2 {
        let cancelled = shop.key.post(&path, json!({})).await.expect(200);
        assert_eq!(cancelled["transaction"]["status"], "CANCELLED");
    }
    assert_eq!(shop.events().await, ["transaction.created", "transaction.cancelled"]);
    let paid = shop.pay(&charge).await;
    assert_eq!((&paid["status"], &paid["paidLate"]), (&json!("PAID"), &json!(true)));
    let refusal = shop.key.post(&path, json!({})).await;
    refusal.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(refusal.json()["currentStatus"], "PAID");
}

#[story::test]
async fn real_money_without_a_provider_is_refused_and_never_simulated(shop: Shop) {
    let key = shop.key_for("production", &["transactions:write", "transactions:read"]).await;
    let body = json!({
        "amountCents": 1_000, "method": "PIX",
        "customer": { "name": "Ana", "email": "ana@example.com" },
    });
    let refusal = key.post("/api/v1/transactions", body).await;
    refusal.expect_refusal(503, "UNAVAILABLE");
    let reported = "No PIX provider is connected for production; use a development key.";
    assert_eq!(refusal.json()["message"], reported);
    assert_eq!(key.total("/api/v1/transactions").await, 0);
    let charge = shop.charge(1_000).await;
    let path = format!("/api/v1/transactions/{}/simulate", id(&charge));
    key.post(&path, json!({ "outcome": "PAID" })).await.expect_refusal(403, "DEV_MODE_ONLY");
}

#[story::test]
async fn a_wrong_field_is_refused_by_every_method_even_by_those_that_have_no_use_for_it(
    shop: Shop,
) {
    let faults = [
        ("expiresIn", json!(59)),
        ("dueDate", json!("")),
        ("dueDate", json!("2020-01-01")),
        ("cardToken", json!("")),
    ];
    for method in ["PIX", "BOLETO", "CREDIT_CARD"] {
        for (field, value) in &faults {
            let token = if method == "CREDIT_CARD" { json!("a token") } else { Value::Null };
            let mut sale = json!({ "amountCents": 500, "method": method, "cardToken": token });
            sale[field] = value.clone();
            let refused = shop.try_charge(sale).await;
            let wrong = refused.expect_refusal(400, "VALIDATION_ERROR");
            assert_eq!(wrong, [*field], "{method}");
        }
    }
}

#[story::test]
async fn only_the_bank_can_confirm(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    let forged = json!({ "pix": [{
        "endToEndId": "E0000000020261121120000000000001", "valor": "10.00",
        "txid": charge["pix"]["txid"], "horario": "2026-11-21T12:00:00Z",
    }] });
    let anyone = test.anyone();
    let door = "/providers/sandbox/pix";
    anyone.post(door, forged.clone()).await.expect_refusal(401, "UNAUTHORIZED");
    let signed = anyone.with("x-sandbox-signature", "bm90IHRoZSBiYW5r");
    signed.post(door, forged.clone()).await.expect_refusal(401, "UNAUTHORIZED");
    anyone.post("/providers/nobody/pix", forged).await.expect_refusal(404, "NOT_FOUND");
    assert_eq!(shop.transaction(&charge).await["status"], "PENDING");
}

#[story::test]
async fn payments_are_found_by_amount_and_buyer(shop: Shop) {
    let mut made = Vec::new();
    for cents in 1..=5 {
        made.push(id(&shop.charge(cents * 100).await).to_owned());
    }
    made.reverse();
    let path = |query: &str| format!("/api/v1/transactions?{query}");
    let ids = |body: &Value| -> Vec<String> {
        body["data"].as_array().expect("is a list").iter().map(|t| id(t).to_owned()).collect()
    };
    let large = shop.key.get(&path("amountFrom=400")).await.expect(200);
    assert_eq!(ids(&large), made[..2]);
    assert_eq!(shop.key.total(&path("q=ANA%40example")).await, 5);
    assert_eq!(shop.key.total(&path("q=%25")).await, 0);
}

#[story::test]
async fn a_list_shows_and_counts_an_overdue_payment_as_expired_before_any_job_ran(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let overdue = shop.charge(1_000).await;
    test.pass(Duration::from_mins(30));
    let waiting = shop.charge(2_000).await;
    test.pass(Duration::from_mins(30));
    for (status, shown) in [("PENDING", &waiting), ("EXPIRED", &overdue)] {
        let path = format!("/api/v1/transactions?status={status}");
        let listed = shop.key.get(&path).await.expect(200);
        assert_eq!(listed["pagination"]["total"], 1, "{status}");
        assert_eq!(
            (id(&listed["data"][0]), &listed["data"][0]["status"]),
            (id(shown), &json!(status))
        );
    }
    let listed = shop.key.get("/api/v1/transactions").await.expect(200);
    assert_eq!(listed["data"][1]["expiredAt"], "2026-11-21T13:00:00.000Z");
    // A later writer emits the same.
    test.pass(Duration::from_mins(10));
    let shown = shop.transaction(&overdue).await;
    assert_eq!(
        (&shown["status"], &shown["expiredAt"]),
        (&json!("EXPIRED"), &listed["data"][1]["expiredAt"])
    );
    test.run_jobs().await;
}

#[story::test]
async fn a_search_finds_capital_letters_with_accents(shop: Shop) {
    let customer = json!({ "name": "ÂNGELA ÇELIK", "email": "angela@example.com" });
    let charge = json!({ "amountCents": 1_000, "customer": customer, "externalId": "PEDIDO-Ã" });
    shop.try_charge(charge).await.expect(201);
    shop.product(json!({ "name": "CAFÉ", "description": "TORRAÇÃO média" })).await;
    let product = shop.product(json!({ "name": "CHÁ" })).await;
    shop.change_product(&product, json!({ "name": "MATE GELADO", "description": "ÁGUA" })).await;
    shop.link_with(json!({ "amountCents": 500, "title": "PROMOÇÃO" })).await;
    let table = [
        ("transactions?q=%C3%A2ngela", 1),
        ("transactions?q=%C3%82NGELA+%C3%A7elik", 1),
        ("transactions?q=pedido-%C3%A3", 1),
        ("transactions?q=elika", 0),
        ("products?q=caf%C3%A9", 1),
        ("products?q=torra%C3%A7%C3%A3o", 1),
        ("products?q=ch%C3%A1", 0),
        ("products?q=%C3%A1gua", 1),
        ("payment-links?q=promo%C3%A7%C3%A3o", 1),
    ];
    for (query, found) in table {
        let listed = shop.key.get(&format!("/api/v1/{query}")).await.expect(200);
        assert_eq!(listed["pagination"]["total"], found, "{query}");
        assert_eq!(listed["data"].as_array().map(Vec::len), usize::try_from(found).ok(), "{query}");
    }
}

#[story::test]
async fn the_same_purchase_once_more_gives_the_buyer_as_much_time(test: &TestApp, shop: Shop) {
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let merchant: MerchantId = id(&me["user"]).parse().expect("is an id");
    for (sent, given) in [(json!({}), 3_600), (json!({ "expiresIn": 90 }), 90)] {
        let sale = merged(json!({ "amountCents": 1_000 }), &sent);
        let charge = shop.charge_with(sale).await;
        test.pass(Duration::from_hours(2));
        assert_eq!(shop.transaction(&charge).await["status"], "EXPIRED");
        let id: TransactionId = id(&charge).parse().expect("is an id");
        let again = test.app.read(async move |tx| {
            let scope = merchants::scope(tx, merchant, Mode::Development).await?;
            let today = sao_paulo_date(scope.now(tx).micros());
            Ok(NewTransaction::again(&find(tx, scope, id).await?, today))
        });
        let again = again.await.expect("can be read").instrument;
        let PaymentInstrument::Pix { seconds_to_pay } = again else { panic!("is a PIX") };
        assert_eq!(seconds_to_pay, given);
    }
    test.run_jobs().await;
}

#[story::test]
async fn an_event_has_the_same_object_as_the_api(test: &TestApp, shop: Shop) {
    let product = shop.product(json!({})).await;
    let link = json!({
        "products": [{ "productId": id(&product), "quantity": 2 }], "description": "Duas.",
        "redirectUrl": "https://example.com/", "stockEnabled": true, "stockQuantity": 3,
    });
    let link = shop.link_with(link).await;
    let receiver = Receiver::start().await;
    subscribe(&shop.key, &receiver.url, &["payment_link.paid"]).await;
    let charge = shop.try_charge(json!({ "paymentLinkId": id(&link) })).await.expect(201);
    let paid = shop.pay(&charge["transaction"]).await;
    test.run_jobs().await;
    let reported = receiver.take_one().json()["data"].clone();
    assert_eq!(reported["transaction"], paid);
    assert_eq!(reported["customer"], paid["customer"]);
    let named = merged(shop.read_link(&link).await, &json!({ "name": link["title"] }));
    assert_eq!(reported["paymentLink"], named);
}

#[story::test]
async fn a_timeline_lists_a_payments_history(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    test.run_jobs_after(Duration::from_secs(3_600)).await;
    test.pass(Duration::from_secs(60));
    shop.pay(&charge).await;
    assert_eq!(shop.steps(&charge).await, ["CREATED", "EXPIRED", "PAID"]);
    assert_eq!(shop.timeline(&charge).await[2]["reason"], "PAID_LATE");
}

async fn set_aside(shop: &crate::harness::shop::Shop, charge: &Value) -> Vec<(i64, String)> {
    let steps = shop.timeline(charge).await;
    steps
        .iter()
        .filter(|step| step["kind"] == "SET_ASIDE")
        .map(|step| {
            let amount = step["amount"].as_i64().expect("is a number");
            (amount, step["reason"].as_str().expect("has a reason").to_owned())
        })
        .collect()
}

#[story::test]
async fn money_set_aside_is_counted_once_if_the_bank_repeats_it_after_the_payment(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let charge = shop.charge(1_000).await;
    let short = json!({
        "outcome": "PAID", "paidAmountCents": 999, "times": 2, "delaySeconds": 60,
    });
    shop.simulate(&charge, short).await;
    let short = json!({ "outcome": "PAID", "paidAmountCents": 998, "delaySeconds": 30 });
    shop.simulate(&charge, short).await;
    test.run_jobs_after(Duration::from_secs(30)).await;
    let txid = charge["pix"]["txid"].as_str().expect("has one").to_owned();
    let receipt = rails::pix::PixConfirmation {
        txid,
        end_to_end_id: "E0000000020261121120000000000001".to_owned(),
        amount: ledger::cents::Cents::new(997),
        paid_at: test.app.now(),
    };
    let (headers, body) = test.app.providers.sandbox().confirmation(&[receipt]);
    let callback =
        tostao::providers::callback::Callback { provider: "sandbox".into(), headers, body };
    let report = || async {
        let deliver = tostao::transactions::callback_api::deliver_pix;
        deliver(&test.app, &callback).await.expect("is understood");
    };
    report().await;
    shop.pay(&charge).await;
    report().await;
    test.run_jobs_after(Duration::from_secs(30)).await;
    let aside = set_aside(&shop, &charge).await;
    let mut amounts: Vec<_> = aside.iter().map(|(amount, _)| *amount).collect();
    amounts.sort_unstable();
    assert_eq!(amounts, [997, 998, 999]);
    assert_eq!(shop.available().await, 1_000);
}
