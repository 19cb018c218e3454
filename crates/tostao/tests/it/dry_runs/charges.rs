//! Dry runs of requests for which a bank or an acquirer would be asked.

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{by_pix, rehearse};
use crate::connections::{Bank, real};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, client_path, id, merged};
use crate::sandbox::token_that;
use crate::subscriptions::{self, active, by_card, coupon, days, done, plan};

const PATH: &str = "/api/v1/transactions";

/// The names of the events, or the kinds of the jobs, that a dry run would have caused.
fn caused(shown: &Value, what: &str, name: &str) -> Vec<String> {
    let all = shown["wouldChange"][what].as_array().expect("is a list");
    let text = |one: &Value| one.get(name).unwrap_or(one).as_str().expect("is text").to_owned();
    all.iter().map(text).collect()
}

#[story::test]
async fn a_dry_run_of_a_payment_is_priced_and_lacks_what_only_its_provider_says(
    test: &TestApp,
    shop: Shop,
) {
    coupon(&shop, json!({})).await;
    let boleto = json!({ "method": "BOLETO" });
    let token = token_that(test, Scenario::Approves).await;
    let card = json!({ "method": "CREDIT_CARD", "cardToken": token });
    for (more, status, job) in [
        (json!({}), "PENDING", "expire_transaction"),
        (boleto, "PENDING", "expire_transaction"),
        (card, "PROCESSING", "resolve_charge"),
    ] {
        let wanted = merged(by_pix(), &merged(more, &json!({ "couponCode": "METADE" })));
        let shown = rehearse(test, &shop.key, "POST", PATH, wanted).await;
        assert_eq!(shown["provider"], "not asked");
        let payment = &shown["transaction"];
        let priced = (&payment["amount"], &payment["discountAmount"], &payment["status"]);
        assert_eq!(priced, (&json!(500), &json!(500), &json!(status)));
        for of_provider in ["pix", "boleto", "card"] {
            assert_eq!(payment[of_provider], Value::Null, "{of_provider}");
        }
        assert_eq!(caused(&shown, "jobs", "kind"), [job], "{shown}");
        let events = if job == "resolve_charge" { vec![] } else { vec!["transaction.created"] };
        assert_eq!(caused(&shown, "events", ""), events, "{shown}");
    }
}

#[story::test]
async fn a_dry_run_of_a_payment_is_refused_for_what_the_payment_is_refused_for(shop: Shop) {
    let product = shop.product(json!({ "stockEnabled": true, "stockQuantity": 1 })).await;
    let items = json!([{ "productId": id(&product), "quantity": 2 }]);
    let sold_out = json!({ "amountCents": null, "items": items });
    let table = [
        json!({ "couponCode": "NENHUM" }),
        json!({ "method": "BOLETO", "customer": { "name": "Ana", "email": "ana@example.com" } }),
        json!({ "method": "CREDIT_CARD" }),
        json!({ "method": "CREDIT_CARD", "cardToken": "" }),
        json!({ "amountCents": 0 }),
        sold_out,
    ];
    for more in table {
        let wanted = merged(by_pix(), &more);
        let refused = shop.key.post(PATH, wanted.clone()).await;
        assert!((400..410).contains(&refused.status), "{}", refused.json());
        let rehearsed = shop.key.post(&format!("{PATH}?dryRun=true"), wanted).await;
        assert_eq!(rehearsed.status, refused.status, "{more}");
        for part in ["code", "message", "errors"] {
            assert_eq!(rehearsed.json()[part], refused.json()[part], "{more}");
        }
    }
    assert_eq!(shop.key.total(PATH).await, 0);
}

#[story::test]
async fn a_dry_run_of_a_free_payment_names_no_provider(test: &TestApp, shop: Shop) {
    coupon(&shop, json!({ "discountValue": 100 })).await;
    let wanted = merged(by_pix(), &json!({ "couponCode": "METADE" }));
    let shown = rehearse(test, &shop.key, "POST", PATH, wanted).await;
    assert_eq!(shown.get("provider"), None);
    assert_eq!(shown["transaction"]["status"], "PAID");
}

#[story::test]
async fn a_dry_run_of_real_money_calls_no_bank_and_says_when_none_is_connected(test: &TestApp) {
    let shop = real(test.shop("Loja").await).await;
    let nothing = shop.owner.post(&format!("{PATH}?dryRun=true"), by_pix()).await;
    nothing.expect_refusal(503, "UNAVAILABLE");
    let bank = Bank::routed(test).await;
    test.run_jobs().await;
    let shown = rehearse(test, &shop.owner, "POST", PATH, by_pix()).await;
    assert_eq!(shown["provider"], "not asked");
    assert_eq!(bank.count("/efi/pix/charges").await, 0);
    shop.owner.post(PATH, by_pix()).await.expect(201);
    assert_eq!(bank.count("/efi/pix/charges").await, 1);
}

#[story::test]
async fn a_dry_run_of_a_subscriptions_payment_shows_it_and_charges_no_card(
    test: &TestApp,
    shop: Shop,
) {
    let paused = active(test, &shop).await;
    done(&shop, &paused, "pause", json!({})).await;
    let trial = plan(&shop, json!({ "trialDays": 31 })).await;
    let owing = by_card(test, &trial, Scenario::DeclinesOnceKept).await["subscription"].clone();
    let path = |of: &Value, action: &str| format!("/api/subscriptions/{}/{action}", id(of));
    let within = rehearse(test, &shop.key, "POST", &path(&paused, "resume"), json!({})).await;
    assert_eq!(within.get("provider"), None, "the period is paid");
    assert_eq!(within["data"]["status"], "ACTIVE");
    days(&shop, 31).await;
    let payments = subscriptions::payments(&shop).await;
    for (of, action) in [(&paused, "resume"), (&owing, "retry")] {
        let shown = rehearse(test, &shop.key, "POST", &path(of, action), json!({})).await;
        assert_eq!(shown["provider"], "not asked", "{action}");
        assert!(caused(&shown, "jobs", "kind").contains(&"resolve_charge".to_owned()), "{shown}");
    }
    assert_eq!(subscriptions::payments(&shop).await, payments);
}

#[story::test]
async fn a_dry_run_shows_no_customer_to_a_key_that_may_not_read_them(test: &TestApp, shop: Shop) {
    let ana = json!({ "name": "Ana", "email": "ana@example.com", "document": "52998224725" });
    let client = shop.client(ana.clone()).await;
    let paid = shop.charge(1_000).await;
    let permissions = ["transactions:write", "customers:write"];
    let writer = shop.key_for("development", &permissions).await;
    let by_id = merged(by_pix(), &json!({ "customer": null, "customerId": id(&client) }));
    let cancel = format!("{PATH}/{}/cancel", id(&paid));
    let of_client = client_path(&client);
    for (method, path, body, field) in [
        ("POST", PATH, by_id, "/transaction/customer"),
        ("POST", cancel.as_str(), json!({}), "/transaction/customer"),
        ("PATCH", of_client.as_str(), json!({}), "/client"),
        ("POST", "/api/clients", ana, "/client"),
    ] {
        let shown = rehearse(test, &writer, method, path, body.clone()).await;
        let hidden = shown.pointer(field).expect("is there");
        assert_eq!((&hidden["name"], &hidden["email"]), (&json!(""), &json!("")), "{shown}");
        for personal in ["taxId", "document", "phone", "address"] {
            let value = hidden.get(personal);
            assert!(value.is_none_or(Value::is_null), "{path} {personal}: {shown}");
        }
        let shown = rehearse(test, &shop.key, method, path, body).await;
        let whole = shown.pointer(field).expect("is there");
        assert!(whole["email"].as_str().is_some_and(|email| email.contains('@')), "{shown}");
    }
}
