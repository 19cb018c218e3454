//! A merchant's statement, for programs and for spreadsheets.

use std::time::Duration;

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::affiliates::Scene;
use crate::harness::TestApp;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};
use crate::methods::days_pass;
use crate::refunds::refund;

const PATH: &str = "/api/balance/entries";
const SINCE: &str = "/api/balance/since-withdrawal";
const MARK: char = '\u{feff}';

/// The lines of a table, each as its cells; the first names the columns.
fn table(reply: &Reply) -> Vec<Vec<String>> {
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (200, Some("text/csv; charset=utf-8"))
    );
    let text = reply.text.strip_prefix(MARK).expect("begins with its mark");
    let lines = text.strip_suffix("\r\n").expect("every line ends").split("\r\n");
    lines.map(|line| line.split(';').map(str::to_owned).collect()).collect()
}

#[story::test]
async fn a_statement_is_a_table_that_a_brazilian_spreadsheet_opens(shop: Shop) {
    let large = shop.charge(123_456).await;
    shop.pay(&large).await;
    let sent = json!({ "amountCents": 10_005, "pixKey": "ana@example.com", "pixKeyType": "email" });
    let sent = shop.key.post("/api/withdraws", sent).await.expect(201)["data"].clone();
    let asked = [
        shop.key.get(&format!("{PATH}?format=csv")).await,
        shop.key.with("accept", "text/csv").get(PATH).await,
        shop.key.with("accept", "application/json;q=0.5, Text/CSV; q=1").get(PATH).await,
    ];
    let named = ["sequence", "createdAt", "kind", "amount", "balance", "subjectId"];
    let noon = "21/11/2026 09:00:00";
    let expected = [
        named,
        ["2", noon, "withdrawal_requested", "-100,05", "1134,51", id(&sent)],
        ["1", noon, "payment_captured", "1234,56", "1234,56", id(&large)],
    ];
    for reply in asked {
        assert_eq!(table(&reply), expected);
        assert_eq!(reply.header("x-next-cursor"), None);
        let name = reply.header("content-disposition");
        assert_eq!(name, Some("attachment; filename=\"statement.csv\""));
    }
}

#[story::test]
async fn a_statement_is_dated_by_the_clock_of_its_merchant(shop: Shop) {
    days_pass(&shop, 40).await;
    shop.earn(1_000).await;
    let listed = shop.key.get(PATH).await.expect(200);
    assert_eq!(listed["data"][0]["createdAt"], "2026-12-31T12:00:00.000Z");
}

#[story::test]
async fn a_table_goes_on_where_its_header_says(shop: Shop) {
    for cents in 1..=5 {
        shop.earn(cents).await;
    }
    let (mut path, mut amounts) = (format!("{PATH}?format=csv&limit=2"), Vec::new());
    loop {
        let reply = shop.key.get(&path).await;
        amounts.extend(table(&reply).into_iter().skip(1).map(|line| line[3].clone()));
        let Some(cursor) = reply.header("x-next-cursor") else { break };
        path = format!("{PATH}?format=csv&limit=2&cursor={cursor}");
    }
    assert_eq!(amounts, ["0,05", "0,04", "0,03", "0,02", "0,01"]);
}

#[story::test]
async fn a_request_that_does_not_ask_for_csv_gets_json(shop: Shop) {
    shop.earn(1_000).await;
    let browser = shop.key.with("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    let table = shop.key.with("accept", "text/csv");
    for reply in [
        shop.key.get(PATH).await,
        browser.get(PATH).await,
        table.get(&format!("{PATH}?format=json")).await,
    ] {
        assert_eq!(reply.expect(200)["data"][0]["amountCents"], 1_000);
    }
    let refused = shop.key.get(&format!("{PATH}?format=xml")).await.expect(400);
    assert_eq!(refused["errors"][0]["field"], "format");
    table.get(&format!("{PATH}?limit=101")).await.expect_refusal(400, "VALIDATION_ERROR");
}

/// The kinds and amounts of the entries at an address, newest first.
async fn entries(shop: &Shop, path: &str) -> Vec<(String, i64)> {
    let entry = |entry: &Value| {
        let kind = entry["kind"].as_str().expect("has a kind").to_owned();
        (kind, entry["amountCents"].as_i64().expect("is a number"))
    };
    let listed = shop.key.get(path).await.expect(200);
    listed["data"].as_array().expect("is a list").iter().map(entry).collect()
}

fn named(entries: &[(&str, i64)]) -> Vec<(String, i64)> {
    entries.iter().map(|(kind, amount)| ((*kind).to_owned(), *amount)).collect()
}

#[story::test]
async fn a_statement_of_one_payment_has_its_entries_and_no_others(test: &TestApp, shop: Shop) {
    let sold = shop.sell(5_000).await;
    let other = shop.sell(7_000).await;
    refund(&shop, &sold, json!({ "amountCents": 2_000 })).await;
    refund(&shop, &other, json!({ "amountCents": 1_000 })).await;
    test.run_jobs().await;
    let path = format!("{PATH}?transactionId={}", id(&sold));
    let all = named(&[("refund_requested", -2_000), ("payment_captured", 5_000)]);
    assert_eq!(entries(&shop, &path).await, all);
    let refunding = named(&[("refund_completed", -2_000), ("refund_requested", 2_000)]);
    assert_eq!(entries(&shop, &format!("{path}&account=refunding")).await, refunding);
    let sales = entries(&shop, &format!("{path}&kind=payment_captured")).await;
    assert_eq!(sales, all[1..]);
    // Pages go on within the payment.
    let first = shop.key.get(&format!("{path}&limit=1")).await.expect(200);
    let cursor = first["nextCursor"].as_str().expect("there is another page");
    assert_eq!(entries(&shop, &format!("{path}&limit=1&cursor={cursor}")).await, all[1..]);
    let last = shop.key.get(&format!("{path}&limit=1&cursor={cursor}")).await.expect(200);
    assert_eq!(last["nextCursor"], Value::Null);
    // The file has the same entries.
    let file = table(&shop.key.get(&path.replace("entries?", "entries/export?")).await);
    let amounts: Vec<_> = file[1..].iter().map(|line| line[3].as_str()).collect();
    assert_eq!(amounts, ["-20,00", "50,00"]);
    let elsewhere = test.shop("Bia").await;
    assert!(entries(&elsewhere, &path).await.is_empty());
    let refused = shop.key.get(&format!("{PATH}?transactionId=lost")).await;
    refused.expect_refusal(400, "VALIDATION_ERROR");
}

#[story::test]
async fn a_statement_of_a_sale_by_card_has_every_part_that_settled(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    let shop = &scene.shop;
    let sold = scene.by_card(test, Scenario::Approves, 10).await;
    shop.sell(3_000).await;
    days_pass(shop, 310).await;
    let path = format!("{PATH}?transactionId={}&limit=100", id(&sold));
    let settled = entries(shop, &format!("{path}&kind=receivable_settled")).await;
    assert_eq!(settled.len(), 10, "more parts than one statement looks for");
    let pending = entries(shop, &format!("{path}&account=pending")).await;
    assert_eq!(pending.iter().map(|(_, amount)| amount).sum::<i64>(), 0, "{pending:?}");
    let whole = entries(shop, &format!("{PATH}?limit=100")).await;
    let own = entries(shop, &path).await;
    assert_eq!(own.len(), whole.len() - 1, "all but the other sale: {whole:?}");
}

/// What came since a withdrawal, and that its list sums to it.
async fn since(shop: &Shop, query: &str) -> Value {
    let since = shop.key.get(&format!("{SINCE}{query}")).await.expect(200)["data"].clone();
    let list = since["listUrl"].as_str().expect("has a list");
    let sum: i64 = entries(shop, &format!("{list}&limit=100")).await.iter().map(|it| it.1).sum();
    assert_eq!(since["sumCents"], sum);
    let closing = since["openingCents"].as_i64().expect("is a number") + sum;
    assert_eq!(since["closingCents"], closing);
    since
}

#[story::test]
async fn what_came_since_a_withdrawal_is_the_entries_between_two(test: &TestApp, shop: Shop) {
    let none = since(&shop, "").await;
    assert_eq!((&none["sumCents"], &none["previousWithdrawalId"]), (&json!(0), &Value::Null));
    shop.sell(5_000).await;
    let first = shop.withdraw(1_000).await;
    let sold = shop.sell(7_000).await;
    refund(&shop, &sold, json!({ "amountCents": 500 })).await;
    let second = shop.withdraw(2_000).await;
    shop.sell(300).await;
    let before = since(&shop, &format!("?withdrawalId={}", id(&first))).await;
    assert_eq!(before["previousWithdrawalId"], Value::Null);
    assert_eq!((&before["openingCents"], &before["sumCents"]), (&json!(0), &json!(5_000)));
    let between = since(&shop, &format!("?withdrawalId={}", id(&second))).await;
    assert_eq!(between["previousWithdrawalId"], first["id"]);
    assert_eq!((&between["openingCents"], &between["sumCents"]), (&json!(4_000), &json!(6_500)));
    let last = since(&shop, "").await;
    assert_eq!((&last["previousWithdrawalId"], &last["sumCents"]), (&second["id"], &json!(300)));
    assert_eq!(last["closingCents"], shop.available().await);
    let other = test.shop("Bia").await;
    let foreign = other.key.get(&format!("{SINCE}?withdrawalId={}", id(&first))).await;
    foreign.expect_refusal(404, "NOT_FOUND");
}

#[story::test]
async fn money_of_a_withdrawal_that_was_cancelled_came_back_since_then(shop: Shop) {
    shop.sell(5_000).await;
    let cancelled = shop.withdraw(1_000).await;
    let path = format!("/api/withdraws/{}/cancel", id(&cancelled));
    shop.key.post(&path, json!({})).await.expect(200);
    let after = since(&shop, "").await;
    assert_eq!(after["previousWithdrawalId"], cancelled["id"]);
    assert_eq!(after["sumCents"], 1_000);
    shop.start_over().await;
    shop.sell(200).await;
    let again = since(&shop, "").await;
    assert_eq!(again["previousWithdrawalId"], Value::Null);
    assert_eq!(again["closingCents"], 200);
}

#[story::test]
async fn a_payment_with_many_refunds_is_paged_and_written_by_its_newest(
    test: &TestApp,
    shop: Shop,
) {
    let sold = shop.sell(10_000).await;
    refund(&shop, &sold, json!({ "amountCents": 10 })).await;
    test.pass(Duration::from_secs(1));
    for _ in 0..50 {
        refund(&shop, &sold, json!({ "amountCents": 10 })).await;
    }
    let path = format!("{PATH}?transactionId={}", id(&sold));
    let (mut cursor, mut listed) = (String::new(), Vec::new());
    loop {
        let page = shop.key.get(&format!("{path}&limit=20{cursor}")).await.expect(200);
        let entries = page["data"].as_array().expect("is a list").iter();
        listed.extend(entries.map(|entry| entry["sequence"].to_string()));
        let Some(next) = page["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    let newest: Vec<_> = (3..=52).rev().chain([1]).map(|number: i64| number.to_string()).collect();
    assert_eq!(listed, newest, "fifty refunds, and the payment");
    let file = table(&shop.key.get(&path.replace("entries?", "entries/export?")).await);
    let written: Vec<_> = file[1..].iter().map(|line| line[0].clone()).collect();
    assert_eq!(written, newest);
}

#[story::test]
async fn an_affiliate_reads_all_of_their_commission_on_a_payment_and_no_more(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    let affiliate = &scene.affiliate;
    let sold = scene.sell(json!({})).await;
    scene.sell(json!({})).await;
    refund(&scene.shop, &sold, json!({ "amountCents": 5_000 })).await;
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_hours(7 * 24)).await;
    let path = format!("{PATH}?transactionId={}", id(&sold));
    let pending = named(&[
        ("commission_released", -500),
        ("refund_requested", -500),
        ("payment_captured", 1_000),
    ]);
    assert_eq!(entries(affiliate, &format!("{path}&account=pending")).await, pending);
    assert_eq!(entries(affiliate, &path).await, named(&[("commission_released", 500)]));
    for account in ["refunding", "withdrawing", "disputed", "suspense", "advanced"] {
        let others = entries(affiliate, &format!("{path}&account={account}")).await;
        assert!(others.is_empty(), "{account}: {others:?}");
    }
    let whole = affiliate.key.list(&format!("{PATH}?account=pending&limit=100")).await;
    for entry in affiliate.key.list(&format!("{path}&account=pending")).await {
        assert!(whole.contains(&entry), "{entry} is not of the affiliate");
    }
    let stranger = test.shop("Caio").await;
    assert!(entries(&stranger, &format!("{path}&account=pending")).await.is_empty());
}
