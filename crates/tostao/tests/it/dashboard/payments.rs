//! Payments in the dashboard: has this buyer paid, and what happened.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, as_unknown, join, next, without_harm};
use crate::advances;
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};
use crate::methods::boleto::pay_by_code;
use crate::methods::days_pass;
use crate::refunds::refund;

const LIST: &str = "/dashboard/dev/transactions";
const SUPPORT: &str = "apoio@example.com";
const VIEWER: &str = "leitura@example.com";

/// Opens the page of the only payment in a list.
async fn open_only(browser: &Browser, list: &Page) -> Page {
    let begin = format!("<a href=\"{LIST}/");
    let links = list.text.split(&begin).skip(1).filter_map(|rest| rest.split('"').next());
    let mut links = links.filter(|link| !link.starts_with("export?"));
    let id = links.next().expect("a payment is listed");
    assert_eq!(links.next(), None, "only one is listed");
    browser.page(&format!("{LIST}/{id}")).await
}

#[story::test]
async fn support_finds_out_in_two_pages_whether_a_buyer_has_paid(test: &TestApp, shop: Shop) {
    let customer = json!({ "name": "Fulano de Tal", "email": "fulano@example.com" });
    let charge = json!({
        "amountCents": 4_990, "externalId": "pedido-1042", "customer": customer,
    });
    let paid = shop.charge_with(charge).await;
    let paid = shop.pay(&paid).await;
    shop.charge(1_000).await;
    join(test, &shop, SUPPORT, "SUPPORT").await;
    let browser = Browser::signed_in(test, SUPPORT).await;
    let txid = paid["pix"]["txid"].as_str().expect("is text");
    let by = paid["pix"]["endToEndId"].as_str().expect("is text");
    let table = ["Fulano", "fulano@example.com", "49,90", id(&paid), "pedido-1042", txid, by];
    for text in table {
        let list = browser.page(&format!("{LIST}?q={text}&status=&method=&from=&to=")).await;
        let page = open_only(&browser, &list).await;
        assert!(page.says("49,90") && page.says("O banco confirmou o PIX"), "{text}");
        assert!(page.says("f***@example.com") && page.says("Pode ser devolvida até"), "{text}");
    }
}

#[story::test]
async fn a_role_that_may_not_read_buyers_sees_payments_without_them(test: &TestApp, shop: Shop) {
    let charge = shop.sell(1_000).await;
    join(test, &shop, VIEWER, "VIEWER").await;
    let browser = Browser::signed_in(test, VIEWER).await;
    let list = browser.page(LIST).await;
    let page = browser.page(&format!("{LIST}/{}", id(&charge))).await;
    for page in [list, page] {
        assert!(page.says("10,00"));
        assert!(!page.says("Ana") && !page.says("ana@example.com") && !page.says("529."));
    }
}

#[story::test]
async fn a_filter_stays_in_the_address_and_says_what_is_wrong_with_it(test: &TestApp, shop: Shop) {
    shop.sell(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let query = "status=PAID&method=PIX&from=2026-11-01&to=2026-11-30";
    let page = browser.page(&format!("{LIST}?{query}")).await;
    assert_eq!((page.value("from"), page.value("to")), ("2026-11-01", "2026-11-30"));
    assert!(page.says("<option value=\"PAID\" selected>") && page.says("1 transação"));
    assert!(page.says("status=PAID&#38;method=PIX") || page.says("status=PAID&amp;method=PIX"));
    let none = browser.page(&format!("{LIST}?status=FAILED")).await;
    assert!(none.says("Nenhuma transação passa por este filtro") && none.says(LIST));
    let wrong = Page::of(browser.get(&format!("{LIST}?status=PAGO&from=ontem")).await, 400);
    assert_eq!(wrong.wrong(), ["from", "status"]);
    let long = browser.get(&format!("{LIST}?q={}", "a".repeat(256))).await;
    let long = Page::of(long, 400);
    assert_eq!(long.wrong(), ["q"]);
    assert!(long.says(": O texto é curto ou longo demais.</a>"), "{}", long.text);
    assert!(!long.says("Preencha este campo."), "{}", long.text);
}

#[story::test]
async fn a_list_without_a_sale_says_what_to_do_and_a_search_says_how_far_back_it_looked(
    test: &TestApp,
    shop: Shop,
) {
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(browser.page(LIST).await.says("/dashboard/dev/links/new"));
    shop.sell(1_000).await;
    let list = browser.page(&format!("{LIST}?q=Ana")).await;
    assert!(list.says("Só os últimos 30 dias") && list.says("searchAll=true"));
    let all = browser.page(&format!("{LIST}?q=Ana&searchAll=true")).await;
    assert!(!all.says("Só os últimos 30 dias"));
}

#[story::test]
async fn a_long_list_goes_on_page_by_page(test: &TestApp, shop: Shop) {
    for _ in 0..52 {
        shop.charge(1_000).await;
    }
    let browser = Browser::signed_in(test, EMAIL).await;
    let first = browser.page(&format!("{LIST}?status=PENDING")).await;
    assert!(first.says("52 transações"));
    assert_eq!(first.text.matches("class=\"only-narrow\"").count(), 50);
    let next = first.within("<a href=\"", "\" rel=\"next\">");
    let next = next.and_then(|links| links.rsplit("<a href=\"").next()).expect("goes on");
    let next = next.replace("&#38;", "&").replace("&amp;", "&");
    assert!(next.contains("status=PENDING"), "{next}");
    let second = browser.page(&next).await;
    assert_eq!(second.text.matches("class=\"only-narrow\"").count(), 2);
}

#[story::test]
async fn the_payment_of_another_merchant_is_as_unknown_as_one_that_does_not_exist(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    shop.charge(1_000).await;
    let theirs = other.sell(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    as_unknown(&browser, LIST, id(&theirs), &["", "/refund"]).await;
}

#[story::test]
async fn hostile_texts_are_shown_and_do_nothing(test: &TestApp, shop: Shop) {
    let charge = json!({
        "amountCents": 1_000, "externalId": HOSTILE, "metadata": { "note": HOSTILE },
        "customer": { "name": "Fulano", "email": "fulano@example.com" },
    });
    let charge = shop.charge_with(charge).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let query: String = url::form_urlencoded::byte_serialize(HOSTILE.as_bytes()).collect();
    for path in [format!("{LIST}?q={query}"), format!("{LIST}/{}", id(&charge))] {
        without_harm(&browser.page(&path).await);
    }
}

#[story::test]
async fn a_waiting_charge_is_cancelled_once_and_a_paid_one_says_why_not(
    test: &TestApp,
    shop: Shop,
) {
    let (waiting, paid) = (shop.charge(1_000).await, shop.sell(2_000).await);
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{LIST}/{}", id(&waiting));
    let page = browser.page(&path).await;
    let attempt = page.hidden("attempt").expect("has an attempt").to_owned();
    let before = shop.owner.total("/api/audit").await;
    for _ in 0..2 {
        let done = browser.post(&format!("{path}/cancel"), &[("attempt", &attempt)]).await;
        assert_eq!(next(&done), path);
    }
    assert_eq!(shop.transaction(&waiting).await["status"], "CANCELLED");
    let audit = shop.owner.list("/api/audit?action=transaction.cancelled").await;
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &waiting["id"]));
    assert_ne!(shop.owner.total("/api/audit").await, before);
    let page = browser.page(&format!("{LIST}/{}", id(&paid))).await;
    assert!(page.says("Só uma cobrança que espera pagamento"));
}

/// The statements that the page of a payment leads to, each with what its entries sum to; none is
/// empty.
async fn statements(browser: &Browser, shop: &Shop, payment: &Value) -> BTreeMap<String, i64> {
    let page = browser.page(&format!("{LIST}/{}", id(payment))).await;
    let text = page.text.replace("&#38;", "&");
    let mut found = BTreeMap::new();
    for rest in text.split("href=\"/dashboard/dev/balance?").skip(1) {
        let query = rest.split('"').next().expect("is quoted");
        let entries = shop.key.list(&format!("/api/balance/entries?{query}")).await;
        assert!(!entries.is_empty(), "{query}");
        let amounts = entries.iter().map(|entry| entry["amountCents"].as_i64());
        found.insert(query.to_owned(), amounts.map(|cents| cents.expect("is a number")).sum());
    }
    found
}

#[story::test]
async fn a_payment_opens_the_statements_of_where_it_was_captured(test: &TestApp, shop: Shop) {
    let at_once = shop.sell(1_000).await;
    let boleto = shop.boleto(2_000).await;
    shop.pay(&boleto).await;
    let by_code = shop.boleto(3_000).await;
    pay_by_code(test, &by_code, 3_000).await;
    let card = advances::sell(test, &shop, 10_000, 2).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    for (payment, account, cents) in [
        (&at_once, "available", 1_000),
        (&boleto, "pending", 2_000),
        (&by_code, "available", 3_000),
        (&card, "pending", 10_000),
    ] {
        let of = id(payment);
        let expected = [
            format!("account={account}&transactionId={of}"),
            format!("account={account}&kind=payment_captured&transactionId={of}"),
        ];
        let found = statements(&browser, &shop, payment).await;
        assert_eq!(found, BTreeMap::from(expected.map(|query| (query, cents))));
    }
    days_pass(&shop, 3).await;
    let settled = statements(&browser, &shop, &boleto).await;
    let query = format!("account=available&transactionId={}", id(&boleto));
    assert_eq!(settled.get(&query), Some(&2_000), "{settled:?}");
}

#[story::test]
async fn what_is_being_refunded_opens_entries_that_sum_to_it(test: &TestApp, shop: Shop) {
    let sold = shop.sell(5_000).await;
    refund(&shop, &sold, json!({ "amountCents": 2_000 })).await;
    test.run_jobs().await;
    refund(&shop, &sold, json!({ "amountCents": 700 })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let found = statements(&browser, &shop, &sold).await;
    let of = id(&sold);
    let query = format!("account=refunding&transactionId={of}");
    assert_eq!(found.get(&query), Some(&700), "{found:?}");
    let done = format!("account=refunding&kind=refund_completed&transactionId={of}");
    assert_eq!(found.get(&done), Some(&-2_000), "{found:?}");
}
