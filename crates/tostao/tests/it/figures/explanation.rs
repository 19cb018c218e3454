//! What the figures of the balance consist of.

use serde_json::{Value, json};

use crate::dashboard::{Browser, EMAIL, calls_answer};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};
use crate::methods::days_pass;

const EXPLAIN: &str = "/api/balance/explain";

async fn explained(shop: &Shop, query: &str) -> Value {
    shop.key.get(&format!("{EXPLAIN}?{query}")).await.expect(200)["data"].clone()
}

fn cents(value: &Value) -> i64 {
    value.as_i64().expect("is a number")
}

/// Proves that an explanation adds up, and that each line is the sum of its list; answers the
/// opening and the closing balance.
async fn add_up(shop: &Shop, explained: &Value) -> (i64, i64) {
    let mut sum = cents(&explained["openingCents"]);
    let opening = sum;
    for line in explained["movements"].as_array().expect("is a list") {
        let list = line["listUrl"].as_str().expect("has a list");
        let entries = shop.key.list(&format!("{list}&limit=100")).await;
        let listed: i64 = entries.iter().map(|entry| cents(&entry["amountCents"])).sum();
        assert_eq!(cents(&line["amountCents"]), listed, "{line}");
        assert!(entries.iter().all(|entry| entry["kind"] == line["kind"]), "{line}");
        sum += listed;
    }
    assert_eq!(sum, cents(&explained["closingCents"]), "{explained}");
    (opening, sum)
}

#[story::test(|settings| settings.pix_fee_cents = 50)]
async fn the_movements_of_a_period_lead_from_its_opening_to_the_figure(shop: Shop) {
    shop.sell(10_000).await;
    shop.withdraw(1_000).await;
    let before = shop.available().await;
    days_pass(&shop, 40).await;
    let sale = shop.sell(5_000).await;
    let refund = json!({ "amountCents": 2_000, "reason": "Não serviu." });
    let path = format!("/api/v1/transactions/{}/refund", id(&sale));
    shop.key.post(&path, refund).await.expect(201);
    let now = explained(&shop, "figure=available").await;
    assert_eq!(add_up(&shop, &now).await, (before, shop.available().await));
    let kinds: Vec<_> = now["movements"].as_array().into_iter().flatten().collect();
    let kinds: Vec<_> = kinds.iter().map(|line| line["kind"].as_str().unwrap_or("")).collect();
    assert_eq!(kinds, ["payment_captured", "refund_requested"]);
    assert_eq!(now["movements"][0]["amountCents"], 4_950, "the fee is part of the sale");

    let over = explained(&shop, "from=2026-11-20&to=2026-11-22").await;
    assert_eq!(add_up(&shop, &over).await, (0, before));
    assert_eq!((&over["from"], &over["to"]), (&json!("2026-11-20"), &json!("2026-11-22")));
    let quiet = explained(&shop, "from=2026-11-25&to=2026-11-30").await;
    assert_eq!(add_up(&shop, &quiet).await, (before, before));
    assert_eq!(quiet["movements"], json!([]));
}

#[story::test]
async fn what_is_held_is_what_two_accounts_hold(shop: Shop) {
    let disputed = shop.sell(3_000).await;
    shop.simulate(&disputed, json!({ "outcome": "DISPUTED" })).await;
    let short = shop.charge(1_000).await;
    shop.simulate(&short, json!({ "outcome": "PAID", "paidAmountCents": 400 })).await;
    let held = explained(&shop, "figure=held").await;
    let balance = shop.key.get("/api/withdraws/balance").await.expect(200);
    let figure = cents(&balance["data"]["heldBalance"]);
    assert_eq!(add_up(&shop, &held).await, (0, figure));
    assert!(figure > 400, "{balance}");
}

#[story::test]
async fn an_explanation_is_of_one_account_and_mode(shop: Shop, other: Shop) {
    other.sell(3_000).await;
    let mine = explained(&shop, "").await;
    assert_eq!((&mine["closingCents"], &mine["movements"]), (&json!(0), &json!([])));
    let real = shop.key_for("production", &["withdrawals:read"]).await;
    let real = real.get(EXPLAIN).await.expect(200)["data"].clone();
    assert_eq!(real["closingCents"], 0);
}

#[story::test]
async fn a_period_or_a_figure_that_makes_no_sense_is_refused(shop: Shop) {
    for (query, field) in [
        ("figure=lost", "figure"),
        ("from=yesterday", "from"),
        ("from=2026-11-21&to=2026-11-20", "from"),
    ] {
        let refused = shop.key.get(&format!("{EXPLAIN}?{query}")).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{query}");
    }
}

#[story::test]
async fn a_figure_of_the_balance_opens_what_it_consists_of(test: &TestApp, shop: Shop) {
    shop.sell(4_990).await;
    shop.withdraw(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let here = "/dashboard/dev/balance/explain/available";
    let balance = browser.page("/dashboard/dev/balance").await;
    assert!(balance.says(&format!("<a href=\"{here}\">")), "{}", balance.text);
    let page = browser.page(here).await;
    assert!(page.heading().contains("Disponível") && page.says("Saldo antes"), "{}", page.text);
    assert!(page.says("Vendas, menos tarifas e comissões") && page.says("R$\u{a0}39,90"));
    calls_answer(&shop, &page).await;
    let list = "/dashboard/dev/balance?account=available&kind=withdrawal_requested&from=2026-10-23";
    assert!(page.says(&format!("<a href=\"{}\">", list.replace('&', "&#38;"))), "{}", page.text);
    let statement = browser.page(list).await;
    assert!(statement.says("R$\u{a0}10,00") && !statement.says("49,90"), "{}", statement.text);
    calls_answer(&shop, &statement).await;
    let file = browser.get(&list.replace("balance?", "balance/export?format=csv&")).await;
    assert!(file.text.contains("-10,00") && !file.text.contains("49,90"), "{}", file.text);
    let wrong = Page::of(browser.get(&format!("{here}?from=x")).await, 400);
    assert_eq!(wrong.wrong(), ["from"]);
    assert_eq!(browser.get("/dashboard/dev/balance/explain/lost").await.status, 404);
}
