//! Lists: clients found among many.

use std::time::Duration;

use serde_json::{Value, json};

use super::{CLIENTS, CNPJ_WITH_LETTERS, CPF, OTHER_CPF, listed};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

#[story::test]
async fn clients_are_found_by_document_email_and_text(test: &TestApp, shop: Shop) {
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
        ("email=amilia@example.com", vec![]),
    ];
    for (query, expected) in table {
        let clients = listed(&shop, query).await;
        let names: Vec<_> = clients.iter().map(|client| client["name"].clone()).collect();
        assert_eq!(names, expected, "{query}");
    }
    for (query, count) in [("email=familia@example.com", 3), ("document=52998224725", 1)] {
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
}

#[story::test]
async fn a_list_of_clients_names_what_is_wrong_with_its_query(shop: Shop) {
    let table = [("email=ana", vec!["email"]), ("email=ana&document=1", vec!["document", "email"])];
    for (query, fields) in table {
        let refused = shop.key.get(&format!("{CLIENTS}?{query}")).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), fields, "{query}");
    }
    let unknown = shop.key.get(&format!("{CLIENTS}?document=52998224724")).await;
    assert_eq!(unknown.expect_refusal(400, "INVALID_DOCUMENT"), ["document"]);
}
