//! A connection is added once its bank answers that it works, and its secrets are never shown.

use serde_json::{Value, json};

use super::{Bank, CONNECTIONS, SECRET, administrator, entered, fake};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, id};

#[story::test]
async fn wrong_values_are_refused_by_their_names_and_nothing_is_stored(test: &TestApp) {
    let (fake, admin) = (fake().await, administrator(test).await);
    let authority = fake.authority();
    let foreign_key = format!("{}\n{}", authority.client.certificate, authority.bank.key);
    let table = [
        (json!({ "client_id": "" }), "values.client_id"),
        (json!({ "certificate": "no PEM" }), "values.certificate"),
        (json!({ "certificate": foreign_key }), "values.certificate"),
        (json!({ "address": "http://pix.example.com" }), "values.address"),
        (json!({ "colour": "red" }), "values.colour"),
    ];
    for (more, field) in table {
        let refused = admin.post(CONNECTIONS, entered(&fake, &more)).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{}", refused.text);
    }
    for (change, field) in [("name", "name"), ("profile", "profile")] {
        let mut body = entered(&fake, &json!({}));
        body[change] = json!("sandbox");
        let refused = admin.post(CONNECTIONS, body).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{}", refused.text);
    }
    assert_eq!(admin.list(CONNECTIONS).await, Vec::<Value>::new());
}

#[story::test]
async fn what_the_bank_refuses_is_refused_in_its_words_and_nothing_is_stored(test: &TestApp) {
    let (fake, admin) = (fake().await, administrator(test).await);
    let expired = &fake.authority().client_expired;
    let expired = format!("{}\n{}", expired.certificate, expired.key);
    let table = [
        (json!({ "client_secret": "wrong" }), "not set up"),
        (json!({ "certificate": expired }), "not set up"),
        (json!({ "address": "https://localhost:1" }), "cannot be reached"),
    ];
    for (more, word) in table {
        let refused = admin.post(CONNECTIONS, entered(&fake, &more)).await;
        refused.expect_refusal(409, "CONNECTION_REFUSED");
        assert!(refused.text.contains(word), "{}", refused.text);
    }
    let scopes = json!({ "efi_scopes": "cob.read cob.write pix.read" });
    fake.admin("POST", "/__settings", &scopes).await.expect("answers");
    let refused = admin.post(CONNECTIONS, entered(&fake, &json!({}))).await;
    refused.expect_refusal(409, "CONNECTION_REFUSED");
    assert!(refused.text.contains("no permission pix.send"), "{}", refused.text);
    assert_eq!(admin.list(CONNECTIONS).await, Vec::<Value>::new());
}

#[story::test]
async fn a_secret_is_sealed_and_never_shown_again(test: &TestApp) {
    let bank = Bank::connected(test).await;
    let path = format!("{CONNECTIONS}/{}", id(&bank.connection));
    let shown = bank.admin.get(&path).await;
    let view = shown.expect(200)["data"].clone();
    assert_eq!(view["settings"]["client_id"], "the client");
    assert_eq!(view["secrets"], json!(["client_secret", "certificate"]));
    assert_eq!(view["certificate"]["fingerprint"].as_str().map(str::len), Some(64));
    let audit = bank.admin.get("/api/admin/audit").await;
    assert!(audit.text.contains("connection.added"), "{}", audit.text);
    let rows = Engine::open(test).await.rows("select settings from connections").await;
    let rows = format!("{rows:?}");
    for text in [&shown.text, &audit.text, &rows] {
        assert!(!text.contains(SECRET) && !text.contains("PRIVATE KEY"), "{text}");
    }
    let sealed = Engine::open(test).await;
    let sealed = sealed.rows("select field from connection_secrets order by field").await;
    assert_eq!(sealed, [["certificate"], ["client_secret"]]);
}

#[story::test]
async fn a_merchant_sees_no_connection_and_changes_none(test: &TestApp, shop: Shop) {
    let bank = Bank::connected(test).await;
    let path = format!("{CONNECTIONS}/{}", id(&bank.connection));
    shop.owner.get(CONNECTIONS).await.expect_refusal(403, "ADMIN_REQUIRED");
    shop.owner.get(&path).await.expect_refusal(403, "ADMIN_REQUIRED");
    let disable = format!("{path}/disable");
    shop.owner.post(&disable, json!({})).await.expect_refusal(403, "ADMIN_REQUIRED");
    shop.key.get(CONNECTIONS).await.expect_refusal(401, "UNAUTHORIZED");
}

#[story::test]
async fn a_name_stands_for_one_connection_for_ever(test: &TestApp) {
    let bank = Bank::connected(test).await;
    let again = entered(&bank.fake, &json!({}));
    let refused = bank.admin.post(CONNECTIONS, again).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["values.client_id"]);
    let mut other = entered(&bank.fake, &json!({ "client_id": "b", "pix_key": "b@c.com" }));
    other["name"] = json!("efi-main");
    bank.admin.post(CONNECTIONS, other).await.expect_refusal(409, "ALREADY_EXISTS");
    assert_eq!(bank.admin.list(CONNECTIONS).await.len(), 1);
}

#[story::test]
async fn an_account_has_one_connection_for_another_would_report_its_money_again(test: &TestApp) {
    let bank = Bank::connected(test).await;
    for (field, another) in [("client_id", "pix_key"), ("pix_key", "client_id")] {
        let mut body = entered(&bank.fake, &json!({ another: "other@example.com" }));
        body["name"] = json!("efi-second");
        let refused = bank.admin.post(CONNECTIONS, body).await;
        let fields = refused.expect_refusal(400, "VALIDATION_ERROR");
        assert_eq!(fields, [format!("values.{field}")], "{}", refused.text);
    }
    assert_eq!(bank.admin.list(CONNECTIONS).await.len(), 1);
}

#[story::test]
async fn a_test_shows_what_the_bank_grants_and_stores_what_is_wrong(test: &TestApp) {
    let bank = Bank::connected(test).await;
    bank.at("/__balance", json!({ "dialect": "efi", "cents": 12_345 })).await;
    let path = format!("{CONNECTIONS}/{}", id(&bank.connection));
    let tested = bank.admin.post(&format!("{path}/test"), json!({})).await.expect(200);
    assert_eq!(tested["data"]["balance"], 12_345);
    assert_eq!(tested["data"]["noticesUrl"], Value::Null);
    let shown = bank.admin.get(&path).await.expect(200);
    assert_eq!(shown["data"]["problem"], "no address for notices is registered");
}
