//! Has this buyer paid? A payment is found by whatever its merchant has at hand.

use std::time::Duration;

use db::database::Dialect;
use db::tx::Tx;
use serde_json::{Value, json};
use url::form_urlencoded::byte_serialize;

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::shop::{Shop, id};
use crate::proof::kinds::columns;
use crate::refunds::refund;

const PAYMENTS: &str = "/api/v1/transactions";
const DAY: Duration = Duration::from_hours(24);

/// The ids of the payments that a text finds, newest first.
async fn found(client: &Client, q: &str, more: &str) -> Vec<String> {
    let q: String = byte_serialize(q.as_bytes()).collect();
    let rows = client.list(&format!("{PAYMENTS}?q={q}{more}")).await;
    rows.iter().map(|row| id(row).to_owned()).collect()
}

/// Issues a charge of a buyer.
async fn charge_to(shop: &Shop, name: &str, email: &str, more: Value) -> Value {
    let mut body = json!({ "customer": { "name": name, "email": email } });
    let fields = body.as_object_mut().expect("is an object");
    fields.extend(more.as_object().expect("is an object").clone());
    shop.charge_with(body).await
}

/// Makes what is simulated real, so that it is listed as such.
async fn make_real(test: &TestApp) {
    let unit = async |tx: &Tx| Ok(tx.exec("update transactions set mode = 1", &[]).await?);
    test.app.transact(unit).await.expect("is possible");
}

/// Adds a copy of every unpaid payment.
async fn double_unpaid(test: &TestApp) {
    let id = match test.app.database.dialect() {
        Dialect::Sqlite => "randomblob(16)",
        Dialect::Postgres => "gen_random_uuid()",
    };
    let columns = columns(test, "transactions").await;
    let value = |column: &String| match column.as_str() {
        "id" => id.to_owned(),
        "pix_txid" => "null".to_owned(),
        same => same.to_owned(),
    };
    let values: Vec<_> = columns.iter().map(value).collect();
    let sql = format!(
        "insert into transactions ({}) select {} from transactions where paid_at is null",
        columns.join(", "),
        values.join(", ")
    );
    let sql: &'static str = sql.leak();
    let unit = async move |tx: &Tx| Ok(tx.exec(sql, &[]).await?);
    test.app.transact(unit).await.expect("is possible");
}

#[story::test]
async fn a_payment_is_found_by_whatever_its_merchant_has_at_hand(shop: Shop, other: Shop) {
    let own = json!({ "amountCents": 4_990, "externalId": "pedido-1042" });
    let first = charge_to(&shop, "Fulano de Tal", "fulano@example.com", own).await;
    let first = shop.pay(&first).await;
    let boleto = json!({
        "amountCents": 120_400, "method": "BOLETO",
        "customer": {
            "name": "Beltrana de Tal", "email": "beltrana@example.com",
            "document": "529.982.247-25",
        },
    });
    let second = shop.charge_with(boleto).await;
    let stranger = charge_to(
        &other,
        "Fulano de Tal",
        "fulano@example.com",
        json!({
            "amountCents": 4_990, "externalId": "pedido-1042",
        }),
    )
    .await;
    let text = |value: &Value| value.as_str().expect("is text").to_owned();
    let table: [(&str, &[&Value]); 18] = [
        ("Fulano", &[&first]),
        ("fulano de", &[&first]),
        ("DE TAL", &[&second, &first]),
        ("beltrana@example", &[&second]),
        ("pedido-104", &[&first]),
        ("49,90", &[&first]),
        ("R$ 49,90", &[&first]),
        ("1.204,00", &[&second]),
        ("1204", &[&second]),
        ("49,91", &[]),
        (id(&first), &[&first]),
        (&id(&first).to_uppercase(), &[&first]),
        (&format!(" {} ", id(&second)), &[&second]),
        (id(&stranger), &[]),
        (&text(&first["pix"]["txid"]), &[&first]),
        (&text(&first["pix"]["endToEndId"]), &[&first]),
        (&text(&second["pix"]["txid"]), &[&second]),
        (&text(&stranger["pix"]["txid"]), &[]),
    ];
    for (q, expected) in table {
        let expected: Vec<_> = expected.iter().map(|row| id(row).to_owned()).collect();
        assert_eq!(found(&shop.key, q, "").await, expected, "{q}");
    }
    // The other filters hold for what is found by its identifier, too.
    assert_eq!(found(&shop.key, id(&first), "&status=PENDING").await, [] as [&str; 0]);
    assert_eq!(found(&shop.key, "pedido-1042", "&method=BOLETO").await, [] as [&str; 0]);
    assert_eq!(found(&shop.key, "Fulano", "&externalId=pedido-1042").await, [id(&first)]);
    assert_eq!(found(&shop.key, "Outro", "&externalId=pedido-1042").await, [] as [&str; 0]);
}

#[story::test]
async fn a_text_is_searched_in_all_payments_or_in_those_of_30_days_and_an_identifier_in_all(
    test: &TestApp,
    shop: Shop,
) {
    let real = shop.key_for("production", &["transactions:read"]).await;
    let own = json!({ "amountCents": 4_990, "externalId": "pedido-1042" });
    let old = charge_to(&shop, "Fulano de Tal", "fulano@example.com", own).await;
    let old = shop.pay(&old).await;
    test.pass(31 * DAY);
    let new = charge_to(
        &shop,
        "Fulano de Tal",
        "fulano@example.com",
        json!({
            "amountCents": 4_990,
        }),
    )
    .await;
    let owned = |value: &Value| value.as_str().expect("is text").to_owned();
    let (both, recent, former) = ([id(&new), id(&old)], [id(&new)], [id(&old)]);
    let (txid, paid_by) = (owned(&old["pix"]["txid"]), owned(&old["pix"]["endToEndId"]));
    let table: [(&str, &str, &[&str]); 13] = [
        ("Fulano", "", &both),
        ("49,90", "", &both),
        ("Fulano", "&searchAll=false", &recent),
        ("49,90", "&searchAll=false", &recent),
        ("Fulano", "&searchAll=true", &both),
        ("Fulano", "&createdFrom=2026-11-01T00:00:00Z", &both),
        ("Fulano", "&createdTo=2026-12-01T00:00:00Z", &former),
        ("Fulano", "&externalId=pedido-1042", &former),
        ("pedido-1042", "&searchAll=false", &former),
        (id(&old), "&searchAll=false", &former),
        (&txid, "&searchAll=false", &former),
        (&paid_by, "&searchAll=false", &former),
        (id(&old), "&createdFrom=2026-12-01T00:00:00Z", &[]),
    ];
    for (q, more, expected) in table {
        assert_eq!(found(&shop.key, q, more).await, expected, "{q} {more}");
    }
    make_real(test).await;
    for (q, more, expected) in table {
        assert_eq!(found(&real, q, more).await, expected, "real: {q} {more}");
    }
    assert_eq!(found(&shop.key, "Fulano", "").await, [] as [&str; 0]);
    // As the books have it.
    let unit = async |tx: &Tx| Ok(tx.exec("update transactions set mode = 0", &[]).await?);
    test.app.transact(unit).await.expect("is possible");
}

#[story::test]
async fn a_search_goes_on_page_by_page_with_old_identifiers_among_its_rows(
    test: &TestApp,
    shop: Shop,
) {
    let mut expected = Vec::new();
    let referring = |name: &str, number: &str| {
        let customer = json!({ "name": name, "email": "fulano@example.com" });
        json!({ "amountCents": 1_000, "externalId": number, "customer": customer })
    };
    // Two are old and have the reference, three are new and have it in their text.
    for _ in 0..2 {
        expected.push(shop.charge_with(referring("Fulano", "pedido-7")).await);
    }
    shop.charge_with(referring("Fulano", "pedido-8")).await;
    test.pass(40 * DAY);
    for name in ["Fulano", "Sr. pedido-7", "Fulano"] {
        expected.push(shop.charge_with(referring(name, "pedido-77")).await);
    }
    expected.reverse();
    let expected: Vec<_> = expected.iter().map(id).collect();
    let mut read = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("{PAYMENTS}?q=pedido-7&limit=2&cursor={cursor}");
        let page = shop.key.get(&path).await.expect(200);
        assert_eq!(page["pagination"]["total"], 5);
        let rows = page["data"].as_array().expect("is a list");
        read.extend(rows.iter().map(|row| id(row).to_owned()));
        let Some(next) = page["pagination"]["nextCursor"].as_str() else { break };
        next.clone_into(&mut cursor);
    }
    assert_eq!(read, expected);
    let second = shop.key.list(&format!("{PAYMENTS}?q=pedido-7&limit=2&page=2")).await;
    assert_eq!(second.iter().map(id).collect::<Vec<_>>(), expected[2..4]);
}

#[story::test]
async fn payments_that_were_ever_paid_are_listed_apart_from_the_others(test: &TestApp, shop: Shop) {
    let open = shop.charge(1_000).await;
    let (paid, back) = (shop.sell(2_000).await, shop.sell(3_000).await);
    refund(&shop, &back, json!({})).await;
    test.run_jobs().await;
    let disputed = shop.sell(4_000).await;
    shop.simulate(&disputed, json!({ "outcome": "DISPUTED" })).await;
    let table: [(&str, &[&Value]); 3] = [
        ("paid=true", &[&disputed, &back, &paid]),
        ("paid=false", &[&open]),
        ("paid=true&status=REFUNDED", &[&back]),
    ];
    for (query, expected) in table {
        let rows = shop.key.list(&format!("{PAYMENTS}?{query}")).await;
        let expected: Vec<_> = expected.iter().map(|row| id(row)).collect();
        assert_eq!(rows.iter().map(id).collect::<Vec<_>>(), expected, "{query}");
        let total = shop.key.total(&format!("{PAYMENTS}?{query}")).await;
        assert_eq!(total, expected.len(), "{query}");
    }
}

#[story::test]
async fn a_filter_that_is_wrong_is_refused_by_its_name(shop: Shop) {
    let long = format!("q={}", "a".repeat(256));
    let table = [
        ("status=PAGO", "status", "INVALID_VALUE"),
        ("method=CASH", "method", "INVALID_VALUE"),
        ("customerId=1", "customerId", "INVALID_VALUE"),
        ("paymentLinkId=1", "paymentLinkId", "INVALID_VALUE"),
        ("createdFrom=2026-11-01", "createdFrom", "INVALID_VALUE"),
        ("createdTo=ontem", "createdTo", "INVALID_VALUE"),
        ("amountFrom=10,00", "amountFrom", "INVALID_VALUE"),
        ("amountTo=muito", "amountTo", "INVALID_VALUE"),
        ("paid=sim", "paid", "INVALID_VALUE"),
        ("searchAll=1", "searchAll", "INVALID_VALUE"),
        (&long, "q", "INVALID_LENGTH"),
        ("q=a&q=b", "q", "INVALID_VALUE"),
        ("limit=0", "limit", "OUT_OF_RANGE"),
    ];
    for (query, field, code) in table {
        let refused = shop.key.get(&format!("{PAYMENTS}?{query}")).await.expect(400);
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{refused}");
    }
}

#[story::test]
async fn hostile_texts_find_what_contains_them_and_nothing_else(shop: Shop) {
    let texts = ["100%", "a_b", "c\\d", "O'Neil; --", "%_\\", "<script>", "é\u{301}"];
    let mut charges = Vec::new();
    for text in texts {
        let own = json!({ "amountCents": 1_000, "externalId": text });
        charges.push(shop.charge_with(own).await);
    }
    for (text, charge) in texts.iter().zip(&charges) {
        assert_eq!(found(&shop.key, text, "").await, [id(charge)], "{text}");
    }
    for nothing in ["%", "_", "\\", "'"] {
        let contain = texts.iter().zip(&charges).filter(|(text, _)| text.contains(nothing));
        let mut expected: Vec<_> = contain.map(|(_, charge)| id(charge).to_owned()).collect();
        expected.reverse();
        assert_eq!(found(&shop.key, nothing, "").await, expected, "{nothing}");
    }
}

#[story::test]
async fn every_match_of_a_filter_is_counted(test: &TestApp, shop: Shop) {
    shop.charge_with(json!({ "amountCents": 1_000, "externalId": "pedido-1" })).await;
    shop.sell(2_000).await;
    for _ in 0..11 {
        double_unpaid(test).await;
    }
    if test.app.database.dialect() == Dialect::Postgres {
        // As a server does by itself after a while: until then it plans for a few rows.
        let unit = async |tx: &Tx| Ok(tx.exec("analyze transactions", &[]).await?);
        test.app.transact(unit).await.expect("is possible");
    }
    let table = [
        ("", 2_049),
        ("amountTo=1000", 2_048),
        ("externalId=pedido-1", 2_048),
        ("q=pedido-1", 2_048),
        ("externalId=pedido-1&q=Ana", 2_048),
        ("paid=true", 1),
        ("q=pedido-2", 0),
    ];
    for (query, total) in table {
        assert_eq!(shop.key.total(&format!("{PAYMENTS}?{query}")).await, total, "{query}");
    }
}
