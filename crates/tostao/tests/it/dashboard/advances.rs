//! Advances in the dashboard: what they cost is shown before they are asked for.

use serde_json::{Value, json};

use super::admin::{decide, decider};
use super::{Browser, EMAIL, calls_answer, next};
use crate::advances::sell;
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};
use crate::methods::days_pass;
use crate::refunds::refund;

const LIST: &str = "/dashboard/dev/balance/advances";
const FORM: &str = "/dashboard/dev/balance/advances/new";
const API: &str = "/api/advances";

/// Goes through the form and the offer; answers where the confirmation leads.
async fn ask(browser: &Browser, amount: &str) -> String {
    let offer = Page::of(browser.post(FORM, &[("amountCents", amount)]).await, 200);
    let fields = [
        ("attempt", offer.hidden("attempt").expect("is a hidden field")),
        ("amountCents", offer.hidden("amountCents").expect("is a hidden field")),
        ("reason", offer.hidden("reason").expect("is a hidden field")),
    ];
    let confirm = format!("{FORM}/confirm");
    let done = next(&browser.post(&confirm, &fields).await);
    assert_eq!(next(&browser.post(&confirm, &fields).await), done, "a double click");
    done
}

#[story::test]
async fn an_advance_shows_its_cost_before_it_is_asked_for(test: &TestApp, shop: Shop) {
    sell(test, &shop, 30_000, 3).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let empty = browser.page(LIST).await;
    assert!(empty.says("Nenhuma antecipação ainda"));
    calls_answer(&shop, &empty).await;
    let offer = Page::of(browser.post(FORM, &[("amountCents", "100,00")]).await, 200);
    let quote = shop.key.post(&format!("{API}/simulate"), json!({ "amountCents": 10_000 })).await;
    let fee = quote.expect(200)["data"]["feeCents"].as_i64().expect("is a number");
    let shown = format!("R$\u{a0}{},{:02}", fee / 100, fee % 100);
    assert!(offer.says(&format!("custa {shown}")), "{}", offer.text);
    assert!(offer.says("Parcelas que a garantiriam"), "{}", offer.text);
    assert_eq!(shop.key.list(API).await, [] as [Value; 0], "nothing has happened yet");
    let done = ask(&browser, "100,00").await;
    let advances = shop.key.list(API).await;
    assert_eq!(advances.len(), 1);
    assert_eq!(done, format!("{LIST}/{}", id(&advances[0])));
    assert!(browser.page(LIST).await.says("À espera de aprovação"));
    let waiting = browser.page(&done).await;
    assert!(waiting.says("Custo, se aprovada hoje") && waiting.says(&shown), "{}", waiting.text);
    assert!(waiting.says("Parcelas que a garantiriam"), "{}", waiting.text);
    assert!(waiting.says("Parcela 1") && !waiting.says("garantem"), "{}", waiting.text);
    let audit = shop.owner.list("/api/audit?action=advance.requested").await;
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &advances[0]["id"]));
    let path = format!("{API}/{}/approve", id(&advances[0]));
    test.admin().await.post(&path, json!({})).await.expect(200);
    let page = browser.page(&done).await;
    assert!(page.says("O valor está no seu saldo.") && page.says("Parcela 1"), "{}", page.text);
    assert!(page.says("Parcelas que a garantem"), "{}", page.text);
    assert!(!page.says("se aprovada hoje") && !page.says("garantiriam"), "{}", page.text);
    calls_answer(&shop, &page).await;
}

#[story::test]
async fn a_requested_advance_says_that_its_receivables_are_not_enough_any_more(
    test: &TestApp,
    shop: Shop,
) {
    let sold = sell(test, &shop, 30_000, 3).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let here = ask(&browser, "100,00").await;
    let said = "Hoje ela não poderia ser aprovada: as parcelas que você tem a receber não bastam.";
    let page = browser.page(&here).await;
    assert!(page.says("se aprovada hoje") && !page.says(said), "{}", page.text);
    refund(&shop, &sold, json!({ "amountCents": 25_000 })).await;
    let page = browser.page(&here).await;
    assert!(page.says(said) && !page.says("se aprovada hoje"), "{}", page.text);
    assert!(!page.says("Parcela 1"), "{}", page.text);
    let advances = shop.key.list(API).await;
    let path = format!("{API}/{}/approve", id(&advances[0]));
    let refused = test.admin().await.post(&path, json!({})).await;
    refused.expect_refusal(409, "INSUFFICIENT_RECEIVABLES");
}

#[story::test]
async fn a_test_advance_says_who_decides_where_and_that_the_clock_repays_it(
    test: &TestApp,
    shop: Shop,
) {
    sell(test, &shop, 30_000, 3).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let here = ask(&browser, "100,00").await;
    let advances = shop.key.list(API).await;
    let admin_page = format!("/admin/dev/advances/{}", id(&advances[0]));
    let waiting = browser.page(&here).await;
    let said = format!("<code class=\"long\">https://api.example.com{admin_page}</code>");
    assert!(waiting.says("com outra conta") && waiting.says(&said), "{}", waiting.text);
    let (administrator, _) = decider(test).await;
    next(&decide(&administrator, &admin_page, "approve", &[]).await);

    let browser = Browser::signed_in(test, EMAIL).await;
    let clock = "<a href=\"/dashboard/dev/developers/clock\">Relógio de teste</a></p>";
    let approved = browser.page(&here).await;
    assert!(approved.says("quando o relógio de teste chega"), "{}", approved.text);
    assert!(approved.says(clock) && !approved.says(&admin_page), "{}", approved.text);
    days_pass(&shop, 62).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let settled = browser.page(&here).await;
    assert!(settled.says("As parcelas pagaram tudo.") && !settled.says("Dinheiro de teste"));
}

#[story::test]
async fn one_advance_is_open_at_a_time_and_can_be_cancelled(test: &TestApp, shop: Shop) {
    sell(test, &shop, 30_000, 3).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let offer = Page::of(browser.post(FORM, &[("amountCents", "50,00")]).await, 200);
    let first = ask(&browser, "50,00").await;
    let said = "Já existe uma antecipação em aberto.";
    let list = browser.page(LIST).await;
    assert!(list.says(said) && !list.says(&format!("href=\"{FORM}\"")), "{}", list.text);
    let form = browser.page(FORM).await;
    let again = Page::of(browser.post(FORM, &[("amountCents", "50,00")]).await, 422);
    for page in [form, again] {
        assert!(page.says(said) && page.says(&first), "{}", page.text);
    }
    let fields = [
        ("attempt", offer.hidden("attempt").expect("is a hidden field")),
        ("amountCents", "50,00"),
    ];
    let refused = Page::of(browser.post(&format!("{FORM}/confirm"), &fields).await, 422);
    assert!(refused.says(said) && refused.says(&first));
    let page = browser.page(&first).await;
    let attempt = page.hidden("attempt").expect("has a form");
    let cancelled = browser.post(&format!("{first}/cancel"), &[("attempt", attempt)]).await;
    assert!(browser.land(cancelled).await.says("A antecipação foi cancelada."));
    assert_eq!(shop.key.list(API).await[0]["status"], "CANCELLED");
}

#[story::test]
async fn what_cannot_be_advanced_is_said_in_the_form(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let wrong = Page::of(browser.post(FORM, &[("amountCents", "muito")]).await, 422);
    assert_eq!((wrong.wrong(), wrong.value("amountCents")), (vec!["amountCents"], "muito"));
    let too_much = Page::of(browser.post(FORM, &[("amountCents", "90,00")]).await, 422);
    assert_eq!(too_much.wrong(), ["amountCents"]);
    let said = too_much.error("amountCents");
    assert!(said.contains("É mais do que pode ser antecipado. Até R$\u{a0}0,00"), "{said}");
    assert_eq!(shop.key.list(API).await, [] as [Value; 0]);
}

#[story::test]
async fn another_merchants_advance_is_no_page(test: &TestApp, shop: Shop, other: Shop) {
    sell(test, &other, 30_000, 3).await;
    let theirs = crate::advances::request(&other, 5_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    super::as_unknown(&browser, LIST, id(&theirs), &[""]).await;
    sell(test, &shop, 30_000, 3).await;
    let own = ask(&browser, "50,00").await;
    let page = browser.page(&own).await;
    let attempt = page.hidden("attempt").expect("has a form");
    let path = format!("{LIST}/{}/cancel", id(&theirs));
    assert_eq!(browser.post(&path, &[("attempt", attempt)]).await.status, 404);
    let kept = other.key.get(&format!("{API}/{}", id(&theirs))).await.expect(200);
    assert_eq!(kept["data"]["status"], "PENDING");
}
