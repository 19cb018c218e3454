//! Lists as files for spreadsheets, in the API and in the dashboard.

use serde_json::json;

use crate::dashboard::{Browser, EMAIL};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};

const MARK: char = '\u{feff}';
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// The lines of a CSV file, each as its cells; no cell of these has a semicolon.
#[track_caller]
fn table(reply: &Reply) -> Vec<Vec<String>> {
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(reply.header("content-type"), Some("text/csv; charset=utf-8"));
    let text = reply.text.strip_prefix(MARK).expect("begins with its mark");
    text.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect()
}

/// The cells of a column below its heading.
fn column(table: &[Vec<String>], name: &str) -> Vec<String> {
    let place = table[0].iter().position(|head| head == name).expect("is a column");
    table[1..].iter().map(|line| line[place].clone()).collect()
}

#[story::test]
async fn a_file_has_the_payments_of_the_list_with_the_same_filter(shop: Shop) {
    shop.earn(1_000).await;
    let open = shop.charge(2_000).await;
    shop.earn(123_456).await;
    for filter in ["", "status=PAID", "q=20,00", "status=FAILED"] {
        let listed = shop.key.get(&format!("/api/v1/transactions?{filter}")).await.expect(200);
        let listed = listed["data"].as_array().expect("is a list").clone();
        let file = shop.key.get(&format!("/api/v1/transactions/export?{filter}")).await;
        let table = table(&file);
        let ids: Vec<_> = listed.iter().map(|payment| id(payment).to_owned()).collect();
        assert_eq!(column(&table, "id"), ids, "{filter}");
        let cents = column(&table, "amount").into_iter().map(|amount| amount.replace(',', ""));
        let expected = listed.iter().map(|payment| payment["amount"].to_string());
        assert!(cents.eq(expected), "{filter}");
    }
    let all = table(&shop.key.get("/api/v1/transactions/export").await);
    assert_eq!(column(&all, "status"), ["PAID", "PENDING", "PAID"]);
    assert_eq!(column(&all, "amount"), ["1234,56", "20,00", "10,00"]);
    assert_eq!(column(&all, "id")[1], id(&open));
}

#[story::test]
async fn a_file_is_a_workbook_where_one_is_asked_for(shop: Shop) {
    shop.earn(1_000).await;
    for list in ["v1/transactions", "balance/entries", "figures/entries"] {
        let file = shop.key.get(&format!("/api/{list}/export?format=xlsx")).await;
        assert_eq!((file.status, file.header("content-type")), (200, Some(XLSX)), "{list}");
        let name = file.header("content-disposition").expect("has a name");
        assert!(name.starts_with("attachment") && name.ends_with(".xlsx\""), "{name}");
        assert!(file.text.starts_with("PK"), "{list}");
    }
}

#[story::test]
async fn a_file_of_another_format_or_of_a_wrong_filter_is_refused(shop: Shop) {
    let path = "/api/v1/transactions/export";
    for (query, code, field) in [
        ("format=pdf", "VALIDATION_ERROR", "format"),
        ("status=LOST", "VALIDATION_ERROR", "status"),
        ("createdFrom=yesterday", "VALIDATION_ERROR", "createdFrom"),
    ] {
        let refused = shop.key.get(&format!("{path}?{query}")).await;
        assert_eq!(refused.expect_refusal(400, code), [field]);
    }
}

#[story::test]
async fn a_file_of_a_statement_sums_to_the_balance(shop: Shop) {
    shop.earn(1_000).await;
    shop.earn(5_000).await;
    let sent = json!({ "amountCents": 2_000, "pixKey": "ana@example.com", "pixKeyType": "email" });
    shop.key.post("/api/withdraws", sent).await.expect(201);
    let whole = table(&shop.key.get("/api/balance/entries/export?account=available").await);
    let cents = |text: &str| text.replace(',', "").parse::<i64>().expect("is an amount");
    let sum: i64 = column(&whole, "amount").iter().map(|amount| cents(amount)).sum();
    let balance = shop.key.get("/api/withdraws/balance").await.expect(200);
    assert_eq!(json!(sum), balance["data"]["availableBalance"]);
    assert_eq!(cents(&column(&whole, "balance")[0]), sum);
}

#[story::test]
async fn a_file_of_a_figure_sums_to_it(shop: Shop) {
    shop.earn(1_000).await;
    shop.earn(5_000).await;
    let figures = shop.key.get("/api/figures").await.expect(200);
    let sold = &figures["data"]["total"]["sold"];
    let list = sold["listUrl"].as_str().expect("has a list");
    let file = shop.key.get(&list.replace("/entries?", "/entries/export?")).await;
    let amounts = column(&table(&file), "amount");
    let sum: i64 = amounts.iter().filter_map(|it| it.replace(',', "").parse::<i64>().ok()).sum();
    assert_eq!((json!(sum), amounts.len()), (sold["value"].clone(), 2));
}

#[story::test]
async fn the_file_of_a_page_is_in_the_words_of_its_reader(test: &TestApp, shop: Shop) {
    shop.earn(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let list = Page::of(browser.get("/dashboard/dev/transactions?status=PAID").await, 200);
    assert!(list.says("/dashboard/dev/transactions/export?status=PAID&#38;format=xlsx"));
    let file = browser.get("/dashboard/dev/transactions/export?status=PAID&format=csv").await;
    let table_of = table(&file);
    assert_eq!(column(&table_of, "Situação"), ["Pago"]);
    assert_eq!(column(&table_of, "Valor"), ["10,00"]);
    let statement = browser.get("/dashboard/dev/balance/export?account=available").await;
    assert_eq!(column(&table(&statement), "O que foi"), ["Venda"]);
    let figure = browser.get("/dashboard/dev/figures/entries/export?figure=sold").await;
    assert_eq!(column(&table(&figure), "Valor"), ["10,00"]);
}

#[story::test]
async fn a_name_that_looks_like_a_formula_is_a_text_in_the_file(shop: Shop) {
    let customer = json!({ "name": "=HYPERLINK(1)", "email": "bia@example.com" });
    let sale = json!({ "amountCents": 1_000, "method": "PIX", "customer": customer });
    shop.charge_with(sale).await;
    let table = table(&shop.key.get("/api/v1/transactions/export").await);
    assert_eq!(column(&table, "customerName"), ["'=HYPERLINK(1)"]);
}

#[story::test]
async fn a_file_shows_nothing_of_another_merchant_and_asks_for_permission(test: &TestApp) {
    let (ours, theirs) = (test.shop("Loja").await, test.shop("Outra").await);
    theirs.earn(1_000).await;
    for list in ["v1/transactions", "balance/entries", "figures/entries"] {
        let file = ours.key.get(&format!("/api/{list}/export")).await;
        assert_eq!(table(&file).len(), 1, "{list}");
        let blind = ours.key_for("development", &["products:read"]).await;
        blind
            .get(&format!("/api/{list}/export"))
            .await
            .expect_refusal(403, "INSUFFICIENT_PERMISSION");
    }
}
