//! Giving money back in the dashboard: form, review, done.

use serde_json::{Value, json};

use super::{Browser, EMAIL, join, next};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};
use crate::refunds::{refund, refunds};

const LIST: &str = "/dashboard/dev/transactions";
const SUPPORT: &str = "apoio@example.com";
const VIEWER: &str = "leitura@example.com";

fn form_of(payment: &Value) -> String {
    format!("{LIST}/{}/refund", id(payment))
}

/// Posts the form; answers the page that says what would happen.
async fn review(browser: &Browser, payment: &Value, amount: &str) -> Page {
    let fields = [("amountCents", amount), ("reason", "Veio com um risco.")];
    Page::of(browser.post(&form_of(payment), &fields).await, 200)
}

/// The fields that the review posts.
fn confirmed(review: &Page) -> Vec<(&'static str, String)> {
    let names =
        ["attempt", "amountCents", "reason", "refundPixKey", "pixKeyType", "restock", "externalId"];
    let field = |name| (name, review.hidden(name).expect("is a hidden field").to_owned());
    names.map(field).to_vec()
}

async fn confirm(browser: &Browser, payment: &Value, fields: &[(&str, String)]) -> String {
    let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    next(&browser.post(&format!("{}/confirm", form_of(payment)), &fields).await)
}

#[story::test(|settings| settings.pix_fee_cents = 50)]
async fn support_gives_money_back_in_two_steps_and_sees_the_effect_before(
    test: &TestApp,
    shop: Shop,
) {
    let payment = shop.sell(4_990).await;
    join(test, &shop, SUPPORT, "SUPPORT").await;
    let browser = Browser::signed_in(test, SUPPORT).await;
    let form = browser.page(&form_of(&payment)).await;
    assert!(form.says("Passo 1 de 2") && form.says("Volta por PIX"));
    let page = review(&browser, &payment, "20,00").await;
    assert!(page.heading().contains("a Ana"), "{}", page.heading());
    assert!(page.says("Disponível: R$\u{a0}49,40 → R$\u{a0}29,40"), "{}", page.text);
    assert!(page.says("A tarifa de R$\u{a0}0,50 não volta."));
    // Nothing has happened yet.
    assert_eq!(refunds(&shop, &payment).await, [] as [Value; 0]);
    assert_eq!(shop.available().await, 4_940);
    let fields: Vec<_> = confirmed(&page).into_iter().chain([("back", "yes".to_owned())]).collect();
    let again = Page::of(browser.post_typed(&form_of(&payment), &fields).await, 200);
    assert!(again.says("Passo 1 de 2") && again.value("amountCents") == "20,00");
    let fields = confirmed(&page);
    assert_eq!(confirm(&browser, &payment, &fields).await, format!("{LIST}/{}", id(&payment)));
    assert_eq!(shop.available().await, 2_940);
    // The same form again, as by a double click or after a lost answer.
    confirm(&browser, &payment, &fields).await;
    assert_eq!(refunds(&shop, &payment).await.len(), 1);
    assert_eq!(shop.available().await, 2_940);
    test.run_jobs().await;
    let page = browser.page(&format!("{LIST}/{}", id(&payment))).await;
    assert!(page.says("R$\u{a0}20,00 já voltaram ao comprador"));
    let audit = shop.owner.list("/api/audit?action=refund.requested").await;
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &payment["id"]));
}

#[story::test]
async fn support_reads_why_a_boleto_is_refunded_by_another_role(test: &TestApp, shop: Shop) {
    let boleto = shop.pay(&shop.boleto(1_000).await).await;
    join(test, &shop, SUPPORT, "SUPPORT").await;
    let browser = Browser::signed_in(test, SUPPORT).await;
    let form = browser.page(&form_of(&boleto)).await;
    assert!(form.says("só quem pode sacar"), "{}", form.text);
    let fields = [("reason", "Risco"), ("refundPixKey", "a@example.com")];
    let refused = Page::of(browser.post(&form_of(&boleto), &fields).await, 403);
    assert!(refused.says("withdrawals:write"), "{}", refused.text);
    assert!(refunds(&shop, &boleto).await.is_empty());
    let owner = Browser::signed_in(test, EMAIL).await;
    assert!(!owner.page(&form_of(&boleto)).await.says("só quem pode sacar"));
}

#[story::test]
async fn a_role_that_may_not_refund_is_refused_and_no_money_moves(test: &TestApp, shop: Shop) {
    let payment = shop.sell(1_000).await;
    join(test, &shop, VIEWER, "VIEWER").await;
    let browser = Browser::signed_in(test, VIEWER).await;
    let page = browser.page(&format!("{LIST}/{}", id(&payment))).await;
    assert!(page.says("O seu papel nesta conta não inclui isto."));
    let confirm = format!("{}/confirm", form_of(&payment));
    for refused in [
        browser.get(&form_of(&payment)).await,
        browser.post(&form_of(&payment), &[("reason", "x")]).await,
        browser.post(&confirm, &[("reason", "x"), ("attempt", "x")]).await,
    ] {
        let page = Page::of(refused, 403);
        assert!(page.says("transactions:write"));
    }
    assert_eq!(shop.available().await, 1_000);
}

#[story::test]
async fn a_refused_form_comes_back_with_its_values_and_says_what_is_wrong(
    test: &TestApp,
    shop: Shop,
) {
    let payment = shop.sell(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let fields = [("amountCents", "vinte"), ("reason", "Risco")];
    let page = Page::of(browser.post(&form_of(&payment), &fields).await, 422);
    assert_eq!(page.wrong(), ["amountCents"]);
    assert_eq!((page.value("amountCents"), page.value("reason")), ("vinte", "Risco"));
    let fields = [("amountCents", "5"), ("reason", "")];
    let page = Page::of(browser.post(&form_of(&payment), &fields).await, 422);
    assert_eq!(page.wrong(), ["reason"]);
    let fields = [("amountCents", "10,01"), ("reason", "Risco")];
    let page = Page::of(browser.post(&form_of(&payment), &fields).await, 422);
    assert_eq!((page.wrong(), page.value("amountCents")), (vec!["amountCents"], "10,01"));
    assert!(page.error("amountCents").contains("No máximo R$\u{a0}10,00"), "{}", page.text);
    let named = json!({ "amountCents": 100, "reason": "Risco", "externalId": "d-1" });
    refund(&shop, &payment, named).await;
    let fields = [("amountCents", "2"), ("reason", "Risco"), ("externalId", "d-1")];
    let page = Page::of(browser.post(&form_of(&payment), &fields).await, 422);
    assert_eq!((page.wrong(), page.value("externalId")), (vec!["externalId"], "d-1"));
    let said = "Esta transação já tem uma devolução com esta referência.";
    assert_eq!(page.error("externalId"), said);
}

#[story::test]
async fn with_too_little_balance_the_form_says_how_much_is_missing(test: &TestApp, shop: Shop) {
    let payment = shop.sell(1_000).await;
    shop.withdraw(700).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let fields = [("amountCents", ""), ("reason", "Risco")];
    let page = Page::of(browser.post(&form_of(&payment), &fields).await, 422);
    let said = page.error("amountCents");
    assert!(said.contains("há R$\u{a0}3,00 disponíveis e faltam R$\u{a0}7,00"), "{said}");
    assert_eq!(refunds(&shop, &payment).await, [] as [Value; 0]);
}

#[story::test]
async fn a_form_and_a_body_leave_the_same_rows_events_and_postings(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let by_form = shop.sell(1_000).await;
    let by_body = other.sell(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = review(&browser, &by_form, "4,00").await;
    confirm(&browser, &by_form, &confirmed(&page)).await;
    let body = json!({ "amountCents": 400, "reason": "Veio com um risco." });
    let path = format!("/api/v1/transactions/{}/refund", id(&by_body));
    other.key.post(&path, body).await.expect(201);
    test.run_jobs().await;
    let left = async |shop: &Shop, payment: &Value| {
        let mut rows = refunds(shop, payment).await;
        for row in &mut rows {
            for own in ["id", "transactionId"] {
                row[own] = Value::Null;
            }
        }
        (rows, shop.events().await)
    };
    assert_eq!(left(&shop, &by_form).await, left(&other, &by_body).await);
    let engine = Engine::open(test).await;
    let sql = "select kind, cast(debit_code as text), cast(credit_code as text),
                      cast(amount_cents as text), cast(count(*) as text)
                 from ledger_transfers
                group by kind, debit_code, credit_code, amount_cents
                order by 1, 2, 3";
    for posting in engine.rows(sql).await {
        assert_eq!(posting[4], "2", "{posting:?}");
    }
}

#[story::test]
async fn a_card_number_is_refused_in_every_field_of_a_refund(test: &TestApp, shop: Shop) {
    let payment = shop.sell(4_990).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    for field in ["reason", "externalId", "refundPixKey"] {
        let fields = [("amountCents", "20,00"), ("reason", "x"), (field, "4111 1111 1111 1111")];
        let fields: Vec<_> =
            fields.into_iter().filter(|(name, value)| *name != field || *value != "x").collect();
        let refused = Page::of(browser.post(&form_of(&payment), &fields).await, 422);
        assert!(refused.wrong().contains(&field), "{field}: {:?}", refused.wrong());
    }
}
