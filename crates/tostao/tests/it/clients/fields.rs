//! Fields: what is kept of a client, in which form, and what is not taken.

use std::time::Duration;

use serde_json::{Value, json};

use super::{CLIENTS, CNPJ_WITH_LETTERS, CPF, OTHER_CPF, listed, total};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, client_path, id, merged};

#[story::test]
async fn a_client_is_entered_shown_changed_and_deleted(test: &TestApp, shop: Shop) {
    let fields = json!({
        "name": "Ana Souza", "email": "ana@example.com", "document": CPF,
        "phone": "+5511912345678",
    });
    let made = shop.key.post(CLIENTS, fields.clone()).await.expect(201);
    assert_eq!(made["message"], "Client created.");
    let client = made["client"].clone();
    let now = json!("2026-11-21T12:00:00.000Z");
    let stamps = json!({ "id": id(&client), "createdAt": now, "updatedAt": now });
    assert_eq!(client, merged(fields, &stamps));
    let shown = shop.key.get(&client_path(&client)).await.expect(200);
    assert_eq!(shown, json!({ "message": "Client.", "client": client }));

    test.pass(Duration::from_mins(1));
    let change = json!({ "name": "Ana Lima", "email": "lima@example.com", "phone": null });
    let changed = shop.key.patch(&client_path(&client), change.clone()).await.expect(200);
    assert_eq!(changed["message"], "Client updated.");
    let later = json!({ "updatedAt": "2026-11-21T12:01:00.000Z" });
    assert_eq!(changed["client"], merged(merged(client.clone(), &change), &later));
    assert_eq!(shop.read_client(&client).await, changed["client"]);

    let path = client_path(&client);
    let deleted = shop.key.delete(&path).await.expect(200);
    assert_eq!(deleted, json!({ "message": "Client deleted.", "retainedUntil": null }));
    shop.key.get(&path).await.expect_refusal(404, "NOT_FOUND");
    shop.key.patch(&path, json!({})).await.expect_refusal(404, "NOT_FOUND");
    shop.key.delete(&path).await.expect_refusal(404, "NOT_FOUND");
    assert_eq!(total(&shop).await, 0);
    assert!(shop.events().await.is_empty(), "the contract has no events about clients");
}

#[story::test]
async fn a_clients_fields_are_kept_in_one_form(shop: Shop) {
    let table = [
        (json!({}), json!({ "document": null, "phone": null })),
        (json!({ "document": "", "phone": " " }), json!({ "document": null, "phone": null })),
        (json!({ "email": " Bia@Example.COM " }), json!({ "email": "bia@example.com" })),
        (json!({ "document": " 529.982.247-25 " }), json!({ "document": CPF })),
        (json!({ "document": "11.222.333/0001-81" }), json!({ "document": "11222333000181" })),
        (json!({ "document": "12.abc.345/01de-35" }), json!({ "document": CNPJ_WITH_LETTERS })),
        (
            json!({ "email": "c@example.com", "name": " Caio ", "phone": "(11) 91234-5678" }),
            json!({ "name": "Caio", "phone": "11912345678" }),
        ),
    ];
    for (sent, kept) in table {
        let reply = shop.try_client(sent.clone()).await;
        let client = reply.json()["client"].clone();
        assert_eq!(client, merged(client.clone(), &kept), "{sent}");
        assert_eq!(shop.read_client(&client).await, client, "{sent}");
    }
    let odd = shop.client(json!({ "email": "d@example.com", "color": "blue" })).await;
    assert_eq!(odd.get("color"), None);
}

/// What is wrong with a client, and the field that is named for it.
fn bad_fields() -> Vec<(Value, &'static str)> {
    let long_address = format!("{}@example.com", "a".repeat(250));
    vec![
        (json!({ "name": "" }), "name"),
        (json!({ "name": " " }), "name"),
        (json!({ "name": "é".repeat(256) }), "name"),
        (json!({ "name": "a".repeat(300) }), "name"),
        (json!({ "name": "a\u{0}b" }), "name"),
        (json!({ "name": "a\u{1b}[2J" }), "name"),
        (json!({ "name": 1 }), "name"),
        (json!({ "name": ["Ana"] }), "name"),
        (json!({ "email": "" }), "email"),
        (json!({ "email": "ana" }), "email"),
        (json!({ "email": "ana@localhost" }), "email"),
        (json!({ "email": "ana@example.com\r\nbcc: bia@example.com" }), "email"),
        (json!({ "email": "<script>@example.com" }), "email"),
        (json!({ "email": long_address }), "email"),
        (json!({ "email": true }), "email"),
        (json!({ "document": "529.982.247-24" }), "document"),
        (json!({ "document": "111.111.111-11" }), "document"),
        (json!({ "document": "12.ABC.345/01DE-34" }), "document"),
        (json!({ "document": "00000000000000" }), "document"),
        (json!({ "document": "5299822472" }), "document"),
        (json!({ "document": "529.982.247-25' or '1'='1" }), "document"),
        (json!({ "document": "５２９９８２２４７２５" }), "document"),
        (json!({ "document": "5".repeat(300) }), "document"),
        (json!({ "document": 52_998_224_725_i64 }), "document"),
        (json!({ "phone": "1234567" }), "phone"),
        (json!({ "phone": "1".repeat(16) }), "phone"),
        (json!({ "phone": "11 91234-5678 ramal 2" }), "phone"),
        (json!({ "phone": "javascript:alert(1)" }), "phone"),
        (json!({ "phone": 11_912_345_678_i64 }), "phone"),
    ]
}

/// A document that can be read and is none has a code of its own, if nothing else is wrong.
fn code_of(bad: &Value) -> &'static str {
    if bad["document"].is_string() { "INVALID_DOCUMENT" } else { "VALIDATION_ERROR" }
}

#[story::test]
async fn a_client_with_a_bad_field_is_not_entered(shop: Shop) {
    for (bad, field) in bad_fields() {
        let refused = shop.try_client(bad.clone()).await;
        assert_eq!(refused.expect_refusal(400, code_of(&bad)), [field], "{bad}");
    }
    for missing in ["name", "email"] {
        let mut body = json!({ "name": "Ana", "email": "ana@example.com", "document": CPF });
        body.as_object_mut().expect("are fields").remove(missing);
        let refused = shop.key.post(CLIENTS, body).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [missing]);
    }
    let worst = json!({ "name": "", "email": "x", "document": "1", "phone": "2" });
    let all = ["name", "email", "document", "phone"];
    assert_eq!(shop.try_client(worst).await.expect_refusal(400, "VALIDATION_ERROR"), all);
    for body in [json!([]), json!("Ana"), json!(null)] {
        shop.key.post(CLIENTS, body).await.expect_refusal(400, "INVALID_JSON");
    }
    assert_eq!(total(&shop).await, 0);
}

#[story::test]
async fn a_bad_change_of_a_client_changes_nothing(test: &TestApp, shop: Shop) {
    let client = shop.client(json!({ "document": CPF, "phone": "11912345678" })).await;
    test.pass(Duration::from_mins(1));
    for (bad, field) in bad_fields() {
        let mixed = merged(json!({ "name": "Outra", "phone": "1133334444" }), &bad);
        let refused = shop.key.patch(&client_path(&client), mixed).await;
        assert_eq!(refused.expect_refusal(400, code_of(&bad)), [field], "{bad}");
    }
    assert_eq!(shop.read_client(&client).await, client);
}

#[story::test]
async fn a_change_sets_clears_or_leaves_each_field(shop: Shop) {
    let fields = json!({ "document": CPF, "phone": "11912345678" });
    let mut client = shop.client(fields).await;
    let table = [
        (json!({}), json!({})),
        (json!({ "phone": "" }), json!({ "phone": null })),
        (json!({ "document": null }), json!({ "document": null })),
        (json!({ "document": "12.ABC.345/01DE-35" }), json!({ "document": CNPJ_WITH_LETTERS })),
        (json!({ "document": OTHER_CPF }), json!({ "document": OTHER_CPF })),
        (json!({ "document": OTHER_CPF }), json!({})),
        (json!({ "email": "ANA@example.com" }), json!({})),
    ];
    for (sent, difference) in table {
        let changed = shop.change_client(&client, sent.clone()).await;
        client = merged(client, &difference);
        assert_eq!(changed, client, "{sent}");
        assert_eq!(shop.read_client(&client).await, client, "{sent}");
    }
}

#[story::test]
async fn odd_names_are_kept_to_the_letter_and_found_by_any_part(shop: Shop) {
    let names = [
        ("Robert'); drop table clients; --", "DROP TABLE"),
        ("<script>alert(\"oi\")</script>", "<Script>"),
        ("100% D'Ávila_e \\Filhos", "d'ávila_E \\"),
        ("${jndi:ldap://x}{{7*7}}%n%s", "%n%s"),
        ("José\u{301} 🦜\u{200d}🔥 anA", "🦜\u{200d}🔥 a"),
        ("مريم 王芳", "王芳"),
    ];
    for (index, (name, part)) in names.into_iter().enumerate() {
        let email = format!("{index}@example.com");
        let client = shop.client(json!({ "name": name, "email": email })).await;
        assert_eq!(client["name"], name);
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let query = query.append_pair("q", part).finish();
        let found = listed(&shop, &query).await;
        assert_eq!(found, [client], "{part}");
    }
}
