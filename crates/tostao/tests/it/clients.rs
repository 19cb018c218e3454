//! Clients: who is the same buyer again, and what is left of one who is deleted.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::harness::engine::Engine;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, client_path, id, merged};
use crate::harness::{logs, story};

const CLIENTS: &str = "/api/clients";
const CPF: &str = "52998224725";
const OTHER_CPF: &str = "11144477735";
const CNPJ_WITH_LETTERS: &str = "12ABC34501DE35";
const NOBODYS: &str = "00000000-0000-7000-8000-000000000001";

async fn listed(shop: &Shop, query: &str) -> Vec<Value> {
    let listed = shop.key.get(&format!("{CLIENTS}?{query}")).await.expect(200);
    listed["data"].as_array().expect("is a list").clone()
}

async fn total(shop: &Shop) -> i64 {
    let listed = shop.key.get(CLIENTS).await.expect(200);
    listed["pagination"]["total"].as_i64().expect("is a number")
}

/// Issues a PIX to a customer; answers the id of the client that he was taken for.
async fn payer(shop: &Shop, customer: Value) -> Value {
    let charge = shop.try_charge(json!({ "amountCents": 1_000, "customer": customer })).await;
    charge.expect(201)["transaction"]["customer"]["id"].clone()
}

#[test]
fn a_client_is_entered_shown_changed_and_deleted() {
    story(async |test| {
        let shop = test.shop("Loja").await;
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
        assert_eq!(deleted, json!({ "message": "Client deleted." }));
        shop.key.get(&path).await.expect_refusal(404, "NOT_FOUND");
        shop.key.patch(&path, json!({})).await.expect_refusal(404, "NOT_FOUND");
        shop.key.delete(&path).await.expect_refusal(404, "NOT_FOUND");
        assert_eq!(total(&shop).await, 0);
        assert!(shop.events().await.is_empty(), "the contract has no events about clients");
    });
}

#[test]
fn a_clients_fields_are_kept_in_one_form() {
    story(async |test| {
        let shop = test.shop("Loja").await;
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
        let odd = shop.client(json!({ "email": "d@example.com", "colour": "blue" })).await;
        assert_eq!(odd.get("colour"), None);
    });
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

#[test]
fn a_client_with_a_bad_field_is_not_entered() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        for (bad, field) in bad_fields() {
            let refused = shop.try_client(bad.clone()).await;
            assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{bad}");
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
    });
}

#[test]
fn a_bad_change_of_a_client_changes_nothing() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let client = shop.client(json!({ "document": CPF, "phone": "11912345678" })).await;
        test.pass(Duration::from_mins(1));
        for (bad, field) in bad_fields() {
            let mixed = merged(json!({ "name": "Outra", "phone": "1133334444" }), &bad);
            let refused = shop.key.patch(&client_path(&client), mixed).await;
            assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{bad}");
        }
        assert_eq!(shop.read_client(&client).await, client);
    });
}

#[test]
fn a_change_sets_clears_or_leaves_each_field() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let fields = json!({ "document": CPF, "phone": "11912345678" });
        let mut client = shop.client(fields).await;
        let table = [
            (json!({}), json!({})),
            (json!({ "name": null, "email": null }), json!({})),
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
    });
}

#[test]
fn odd_names_are_kept_to_the_letter_and_found_by_any_part() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let names = [
            ("Robert'); drop table clients; --", "DROP TABLE"),
            ("<script>alert(\"oi\")</script>", "<Script>"),
            ("100% D'Ávila_e \\Filhos", "d'ávila_E \\"),
            ("${jndi:ldap://x}{{7*7}}%n%s", "%n%s"),
            ("José\u{301} 🦜 \u{202e}anA", "🦜 \u{202e}a"),
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
    });
}

#[test]
fn who_was_entered_before_is_answered_as_he_is() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let by_document = shop.client(json!({ "document": CPF })).await;
        let by_address = shop.client(json!({ "email": "bia@example.com" })).await;
        test.pass(Duration::from_mins(1));
        let table = [
            (json!({ "document": "529.982.247-25" }), Some(&by_document)),
            (
                json!({ "document": CPF, "name": "B", "email": "b@example.com", "phone": null }),
                Some(&by_document),
            ),
            (json!({ "email": "BIA@example.com", "name": "Bia" }), Some(&by_address)),
            (json!({ "email": "bia@example.com", "phone": "11912345678" }), Some(&by_address)),
            // The same address is not the same person.
            (json!({ "document": OTHER_CPF }), None),
            (json!({ "email": "bia@example.com", "document": CNPJ_WITH_LETTERS }), None),
            (json!({ "email": "ana@example.com" }), None),
        ];
        for (sent, known) in table {
            let reply = shop.try_client(sent.clone()).await;
            if let Some(known) = known {
                let expected = json!({ "message": "Client already known.", "client": known });
                assert_eq!(reply.expect(200), expected, "{sent}");
                assert_eq!(shop.read_client(known).await, *known, "{sent}");
            } else {
                reply.expect(201);
            }
        }
        assert_eq!(total(&shop).await, 5);
        shop.try_client(json!({ "document": CPF, "name": "" })).await.expect(400);
    });
}

#[test]
fn a_payer_is_recognised_by_document_or_else_by_address_and_stays_as_he_is() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let ana = shop.client(json!({ "document": CPF })).await;
        let named = json!({ "name": "A. S.", "email": "outra@example.com", "document": CPF });
        assert_eq!(payer(&shop, named).await, ana["id"]);
        assert_eq!(shop.read_client(&ana).await, ana);

        let bia = json!({ "name": "Bia", "email": "bia@example.com" });
        let first = payer(&shop, bia.clone()).await;
        assert_eq!(payer(&shop, merged(bia.clone(), &json!({ "name": "Beatriz" }))).await, first);
        // Anybody can type an address at a checkout, so it gives nobody a document.
        let told = merged(bia.clone(), &json!({ "document": OTHER_CPF }));
        let second = payer(&shop, told.clone()).await;
        assert_ne!(second, first);
        assert_eq!(payer(&shop, told).await, second);
        assert_eq!(payer(&shop, bia.clone()).await, first);
        let both = listed(&shop, "email=bia@example.com").await;
        let known: Vec<_> =
            both.iter().map(|client| (&client["id"], &client["document"])).collect();
        assert_eq!(known, [(&second, &json!(OTHER_CPF)), (&first, &Value::Null)]);

        let entered = shop.try_client(bia).await.expect(200);
        assert_eq!(entered["client"]["id"], first);
    });
}

#[test]
fn a_client_pays_by_his_id_and_payments_keep_what_was_said_then() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let ana = shop.client(json!({ "document": CPF })).await;
        let by_id = json!({
            "amountCents": 1_000, "method": "PIX", "customerId": id(&ana),
        });
        let charge = shop.key.post("/api/v1/transactions", by_id.clone()).await.expect(201);
        let charge = charge["transaction"].clone();
        let customer = json!({
            "id": id(&ana), "name": "Ana", "email": "ana@example.com", "taxId": "529.***.***-**",
            "phone": null, "address": null,
        });
        assert_eq!(charge["customer"], customer);
        let other = json!({ "name": "Bia", "email": "bia@example.com", "document": OTHER_CPF });
        shop.change_client(&ana, other).await;
        assert_eq!(shop.transaction(&charge).await["customer"], customer);
        let again = shop.key.post("/api/v1/transactions", by_id).await.expect(201);
        let customer = json!({
            "id": id(&ana), "name": "Bia", "email": "bia@example.com", "taxId": "111.***.***-**",
            "phone": null, "address": null,
        });
        assert_eq!(again["transaction"]["customer"], customer);
    });
}

#[test]
fn nobody_becomes_who_another_client_is() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let ana = shop.client(json!({ "document": CPF })).await;
        let bia = shop.client(json!({ "document": OTHER_CPF })).await;
        let caio = shop.client(json!({ "email": "caio@example.com" })).await;
        let davi = shop.client(json!({ "email": "davi@example.com" })).await;
        let without_address = shop.client(json!({})).await;
        let table = [
            (&bia, json!({ "document": "529.982.247-25" })),
            (&bia, json!({ "document": null })),
            (&caio, json!({ "document": CPF, "name": "Outro" })),
            (&caio, json!({ "email": "davi@example.com" })),
            (&davi, json!({ "email": "ana@example.com" })),
            (&bia, json!({ "document": null, "email": "caio@example.com" })),
        ];
        for (client, change) in &table {
            let refused = shop.key.patch(&client_path(client), change.clone()).await;
            refused.expect_refusal(409, "ALREADY_EXISTS");
            assert_eq!(shop.read_client(client).await, **client, "{change}");
        }
        assert_eq!(total(&shop).await, 5);

        // With a document, an address is nobody's alone.
        shop.change_client(&bia, json!({ "email": "caio@example.com" })).await;
        for gone in [&ana, &without_address] {
            shop.key.delete(&client_path(gone)).await.expect(200);
        }
        shop.change_client(&caio, json!({ "document": CPF })).await;
        shop.change_client(&davi, json!({ "email": "ana@example.com" })).await;
        let other = test.shop("Outra").await;
        other.client(json!({ "document": CPF })).await;
    });
}

#[test]
fn of_many_at_once_one_enters_a_client_and_all_know_him() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        for same in [json!({ "document": CPF }), json!({ "email": "bia@example.com" })] {
            let twins = (0..32).map(|_| shop.try_client(same.clone()));
            let paid = merged(json!({ "name": "Ana", "email": "ana@example.com" }), &same);
            let payers = (0..16).map(|_| payer(&shop, paid.clone()));
            let (replies, payers) = tokio::join!(join_all(twins), join_all(payers));
            let made = replies.iter().filter(|reply| reply.status == 201).count();
            assert!(made <= 1, "{made} were made");
            let known = &payers[0];
            for reply in &replies {
                assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
                assert_eq!(reply.json()["client"]["id"], *known);
            }
            assert!(payers.iter().all(|payer| payer == known));
        }
        assert_eq!(total(&shop).await, 2);
    });
}

#[test]
fn of_many_who_claim_a_document_at_once_one_gets_it() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let mut clients = Vec::new();
        for index in 0..16 {
            let email = format!("{index}@example.com");
            clients.push(shop.client(json!({ "email": email })).await);
        }
        let claims = clients.iter().map(|client| {
            let (key, path) = (shop.key.clone(), client_path(client));
            async move { key.patch(&path, json!({ "document": CPF })).await }
        });
        let (claims, entered) =
            tokio::join!(join_all(claims), shop.try_client(json!({ "document": CPF })));
        let got = claims.iter().filter(|reply| reply.status == 200).count();
        for reply in claims.iter().filter(|reply| reply.status != 200) {
            reply.expect_refusal(409, "ALREADY_EXISTS");
        }
        assert_eq!(got + usize::from(entered.status == 201), 1);
        assert_eq!(listed(&shop, &format!("document={CPF}")).await.len(), 1);
    });
}

#[test]
fn a_repeated_key_enters_a_client_once() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let body = json!({ "name": "Ana", "email": "ana@example.com", "document": CPF });
        let key = shop.key.with("idempotency-key", "entered");
        let first = key.post(CLIENTS, body.clone()).await;
        first.expect(201);
        let again = key.post(CLIENTS, body.clone()).await;
        assert_eq!((again.status, &again.text), (201, &first.text));
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        let other = merged(body.clone(), &json!({ "name": "Bia" }));
        key.post(CLIENTS, other).await.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");

        let key = shop.key.with("idempotency-key", "known");
        let known = key.post(CLIENTS, body.clone()).await;
        assert_eq!(known.expect(200)["client"], first.json()["client"]);
        let again = key.post(CLIENTS, body).await;
        assert_eq!((again.status, &again.text), (200, &known.text));
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(total(&shop).await, 1);
    });
}

#[test]
fn clients_are_listed_newest_first_and_found_among_many() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let shared = "familia@example.com";
        for (name, email, document) in [
            ("Ana", "ana@example.com", json!(CPF)),
            ("ÁGATA", shared, json!(CNPJ_WITH_LETTERS)),
            ("Bia", shared, json!(OTHER_CPF)),
            ("Caio", shared, Value::Null),
        ] {
            shop.client(json!({ "name": name, "email": email, "document": document })).await;
            test.pass(Duration::from_mins(1));
        }
        let table = [
            ("", vec!["Caio", "Bia", "ÁGATA", "Ana"]),
            ("document=&email=&q=", vec!["Caio", "Bia", "ÁGATA", "Ana"]),
            ("q=ANA", vec!["Ana"]),
            ("q=%C3%A1gat", vec!["ÁGATA"]),
            ("q=FAMILIA@", vec!["Caio", "Bia", "ÁGATA"]),
            ("q=529.982", vec!["Ana"]),
            ("q=12.abc.345/01", vec!["ÁGATA"]),
            ("q=111%20444%20777-35", vec!["Bia"]),
            ("q=%25", vec![]),
            ("q=_", vec![]),
            ("q=-", vec![]),
            ("document=52998224725", vec!["Ana"]),
            ("document=12.abc.345/01de-35", vec!["ÁGATA"]),
            ("document=11222333000181", vec![]),
            ("document=52998224725&email=ana@example.com", vec!["Ana"]),
            ("document=52998224725&email=familia@example.com", vec![]),
            ("document=52998224725&q=caio", vec![]),
            ("email=Familia@Example.com", vec!["Caio", "Bia", "ÁGATA"]),
            ("email=familia@example.com&q=bia", vec!["Bia"]),
            ("email=familia@example.com&limit=1&page=2", vec!["Bia"]),
            ("email=amilia@example.com", vec![]),
            ("createdFrom=2026-11-21T12:02:00Z", vec!["Caio", "Bia"]),
            ("createdTo=2026-11-21T12:02:00Z", vec!["ÁGATA", "Ana"]),
            ("createdFrom=2026-11-21T12:01:00Z&createdTo=2026-11-21T12:02:00Z", vec!["ÁGATA"]),
            ("limit=2&page=2", vec!["ÁGATA", "Ana"]),
            ("limit=2&page=9", vec![]),
        ];
        for (query, expected) in table {
            let clients = listed(&shop, query).await;
            let names: Vec<_> = clients.iter().map(|client| client["name"].clone()).collect();
            assert_eq!(names, expected, "{query}");
        }
        for (query, count) in
            [("", 4), ("email=familia@example.com", 3), ("document=52998224725", 1)]
        {
            let mut names = Vec::new();
            let mut cursor = String::new();
            loop {
                let path = format!("{CLIENTS}?{query}&limit=1&cursor={cursor}");
                let page = shop.key.get(&path).await.expect(200);
                assert_eq!(page["pagination"]["total"], count, "{query}");
                names.push(page["data"][0]["name"].clone());
                let Some(next) = page["pagination"]["nextCursor"].as_str() else { break };
                next.clone_into(&mut cursor);
            }
            let all = listed(&shop, query).await;
            assert_eq!(names, all.iter().map(|c| c["name"].clone()).collect::<Vec<_>>(), "{query}");
        }
    });
}

#[test]
fn a_list_of_clients_names_what_is_wrong_with_its_query() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let long = format!("q={}", "a".repeat(256));
        let table = [
            ("limit=0", vec!["limit"]),
            ("limit=101", vec!["limit"]),
            ("page=0", vec!["page"]),
            ("page=x", vec!["page"]),
            ("createdFrom=yesterday", vec!["createdFrom"]),
            (long.as_str(), vec!["q"]),
            ("document=52998224724", vec!["document"]),
            ("email=ana", vec!["email"]),
            ("email=ana&document=1", vec!["document", "email"]),
        ];
        for (query, fields) in table {
            let refused = shop.key.get(&format!("{CLIENTS}?{query}")).await;
            assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), fields, "{query}");
        }
        let deep = shop.key.get(&format!("{CLIENTS}?page=101&limit=100")).await;
        deep.expect_refusal(400, "PAGINATION_TOO_DEEP");
        let odd = shop.key.get(&format!("{CLIENTS}?cursor=x")).await;
        odd.expect_refusal(400, "INVALID_CURSOR");
    });
}

#[test]
fn a_client_is_his_merchants_and_modes_alone() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let ana = shop.client(json!({ "document": CPF })).await;
        let other = test.shop("Outra").await;
        let real = shop.key_for("production", &["customers:read", "customers:write"]).await;
        for stranger in [&other.key, &real] {
            let path = client_path(&ana);
            stranger.get(&path).await.expect_refusal(404, "NOT_FOUND");
            stranger.patch(&path, json!({ "name": "X" })).await.expect_refusal(404, "NOT_FOUND");
            stranger.delete(&path).await.expect_refusal(404, "NOT_FOUND");
            for query in ["", "document=52998224725", "email=ana@example.com", "q=ana"] {
                let found = stranger.get(&format!("{CLIENTS}?{query}")).await.expect(200);
                let nothing = (&json!([]), &json!(0));
                assert_eq!((&found["data"], &found["pagination"]["total"]), nothing, "{query}");
            }
            let same = json!({ "name": "Ana", "email": "ana@example.com", "document": CPF });
            let own = stranger.post(CLIENTS, same).await.expect(201);
            assert_ne!(own["client"]["id"], ana["id"]);
        }
        let theirs = json!({ "method": "PIX", "amountCents": 1_000, "customerId": id(&ana) });
        let refused = other.key.post("/api/v1/transactions", theirs).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["customerId"]);
        assert_eq!(shop.read_client(&ana).await, ana);
        for unknown in [NOBODYS, "1", "ana@example.com", "%00", "..%2F"] {
            let path = format!("{CLIENTS}/{unknown}");
            shop.key.get(&path).await.expect_refusal(404, "NOT_FOUND");
            shop.key.patch(&path, json!({})).await.expect_refusal(404, "NOT_FOUND");
            shop.key.delete(&path).await.expect_refusal(404, "NOT_FOUND");
        }
    });
}

#[test]
fn a_key_needs_the_permission_for_clients() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let ana = shop.client(json!({})).await;
        let path = client_path(&ana);
        let reader = shop.key_for("development", &["customers:read", "transactions:write"]).await;
        let writer = shop.key_for("development", &["customers:write", "transactions:read"]).await;
        let body = json!({ "name": "Bia", "email": "bia@example.com" });
        reader.get(&path).await.expect(200);
        reader.get(CLIENTS).await.expect(200);
        let refused = [
            (reader.post(CLIENTS, body.clone()).await, "customers:write"),
            (reader.patch(&path, json!({ "name": "X" })).await, "customers:write"),
            (reader.delete(&path).await, "customers:write"),
            (writer.get(&path).await, "customers:read"),
            (writer.get(CLIENTS).await, "customers:read"),
        ];
        for (reply, needed) in refused {
            reply.expect_refusal(403, "INSUFFICIENT_PERMISSION");
            assert_eq!(reply.json()["requiredPermission"], needed);
        }
        test.anyone().get(&path).await.expect_refusal(401, "UNAUTHORIZED");
        test.anyone().post(CLIENTS, json!("{")).await.expect_refusal(401, "UNAUTHORIZED");
        assert_eq!(shop.read_client(&ana).await, ana);
        writer.post(CLIENTS, body).await.expect(201);
    });
}

#[test]
fn nothing_personal_is_left_of_a_deleted_client() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let fields = json!({ "document": CPF, "phone": "11912345678" });
        let ana = shop.client(fields.clone()).await;
        let bia = shop.client(json!({ "email": "bia@example.com" })).await;
        test.pass(Duration::from_mins(1));
        shop.key.delete(&client_path(&ana)).await.expect(200);
        let engine = Engine::open(test).await;
        let rows = engine
            .rows(
                "select name || email || coalesce(document, '') || coalesce(phone, '')
                        || search_text
                   from clients
                  where deleted_at is not null",
            )
            .await;
        assert_eq!(rows, [[""]]);
        for query in ["", "q=ana", "q=529982", "document=52998224725", "email=ana@example.com"] {
            let found = listed(&shop, query).await;
            assert!(found.iter().all(|client| client["id"] != ana["id"]), "{query}");
        }
        assert_eq!(shop.read_client(&bia).await, bia);

        let back = shop.client(fields).await;
        assert_ne!(back["id"], ana["id"]);
        let gone = json!({ "method": "PIX", "amountCents": 1_000, "customerId": id(&ana) });
        let refused = shop.key.post("/api/v1/transactions", gone).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["customerId"]);
    });
}

#[test]
fn payments_outlive_the_client_who_made_them() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let ana = shop.client(json!({ "document": CPF })).await;
        let (paid, open) = (shop.charge(1_000).await, shop.charge(2_000).await);
        let paid = shop.pay(&paid).await;
        shop.key.delete(&client_path(&ana)).await.expect(200);
        assert_eq!(shop.transaction(&paid).await, paid);
        let late = shop.pay(&open).await;
        assert_eq!((&late["status"], &late["customer"]), (&json!("PAID"), &open["customer"]));
        let path = format!("/api/v1/transactions?customerId={}", id(&ana));
        let his = shop.key.get(&path).await.expect(200);
        assert_eq!(his["pagination"]["total"], 2);
        assert_ne!(
            payer(
                &shop,
                json!({
                    "name": "Ana", "email": "ana@example.com", "document": CPF,
                })
            )
            .await,
            ana["id"]
        );
    });
}

#[test]
fn a_document_is_told_to_its_merchant_and_to_nobody_else() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let documents =
            [("73500011934", "735.000.119-34"), ("Q4T7B2XW000144", "Q4.T7B.2XW/0001-44")];
        let request = "a-request-about-documents";
        let texts = documents.iter().flat_map(|(plain, written)| [*plain, *written]);
        let texts: Vec<&str> = texts.collect();
        logs::watch(&texts);
        logs::watch(&[request]);
        let receiver = Receiver::start().await;
        let hook = json!({ "url": receiver.url, "events": ["*"] });
        shop.key.post("/api/webhooks/subscriptions", hook).await.expect(201);
        let key = shop.key.with("x-request-id", request);
        for (plain, written) in documents {
            let fields = json!({ "name": "Ana", "email": "ana@example.com", "document": written });
            let made = key.post(CLIENTS, fields.clone()).await.expect(201);
            let client = made["client"].clone();
            assert_eq!(client["document"], plain);
            key.get(&format!("{CLIENTS}?document={plain}&q={plain}")).await.expect(200);
            key.get(&format!("{CLIENTS}/{plain}")).await.expect(404);
            key.post(CLIENTS, merged(fields, &json!({ "email": plain }))).await.expect(400);
            let by_id = json!({
                "amountCents": 1_000, "method": "PIX", "customerId": id(&client),
            });
            let charge = key.post("/api/v1/transactions", by_id).await.expect(201);
            shop.pay(&charge["transaction"]).await;
            key.patch(&client_path(&client), json!({ "document": null })).await.expect(200);
            key.delete(&client_path(&client)).await.expect(200);
        }
        test.run_jobs().await;
        let mut told: Vec<String> = Vec::new();
        for delivery in receiver.take() {
            told.push(String::from_utf8(delivery.body.to_vec()).expect("is text"));
        }
        assert!(told.iter().any(|body| body.contains("735.***.***-**")), "masked, it is told");
        told.push(key.get("/api/webhooks/events?limit=100").await.text);
        let engine = Engine::open(test).await;
        for query in ["select data from events", "select log from webhook_deliveries"] {
            told.extend(engine.rows(query).await.into_iter().flatten());
        }
        for text in texts {
            assert!(told.iter().all(|told| !told.contains(text)), "{text} in an event");
            assert_eq!(logs::lines_with(text), [] as [&str; 0]);
        }
        assert!(!logs::lines_with(request).is_empty(), "the log was watched");
    });
}
