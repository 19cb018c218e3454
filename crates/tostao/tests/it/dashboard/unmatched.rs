//! Money set aside, in the dashboard: listed, accepted and returned.

use serde_json::{Value, json};

use super::{Browser, EMAIL, as_unknown, calls_answer, join, next};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};

const HOME: &str = "/dashboard/dev";
const LIST: &str = "/dashboard/dev/transactions/unmatched";
const PAYMENTS: &str = "/dashboard/dev/transactions";
const VIEWER: &str = "leitura@example.com";
const FIELDS: [&str; 4] = ["decision", "refundPixKey", "pixKeyType", "attempt"];

/// A paid charge of R$ 10.00 beside which R$ 2.50 came, and the page where that is decided on.
async fn overpaid(shop: &Shop, charge: Value) -> (Value, String) {
    shop.simulate(&charge, json!({ "outcome": "PAID", "paidAmountCents": 1_250 })).await;
    let money = shop.unmatched(&charge).await.remove(0);
    let path = format!("{PAYMENTS}/{}/unmatched/{}", id(&charge), id(&money));
    (charge, path)
}

/// Posts what was decided; answers the page that says what would happen.
async fn review(browser: &Browser, path: &str, fields: &[(&str, &str)]) -> Page {
    Page::of(browser.post(path, fields).await, 200)
}

/// The fields that the review posts.
fn confirmed(review: &Page) -> Vec<(&'static str, String)> {
    let field = |name| (name, review.hidden(name).expect("is a hidden field").to_owned());
    FIELDS.map(field).to_vec()
}

#[story::test]
async fn money_that_waits_is_found_from_home_and_accepted_in_two_steps(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    let (charge, path) = overpaid(&shop, charge).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    for page in [HOME.to_owned(), LIST.to_owned(), format!("{PAYMENTS}/{}", id(&charge))] {
        assert!(browser.page(&page).await.says(&format!("href=\"{path}\"")), "{page}");
    }
    assert!(browser.page(PAYMENTS).await.says(&format!("href=\"{LIST}\"")));
    let page = browser.page(&path).await;
    assert!(page.says("Pago a mais.") && page.says("R$\u{a0}2,50"), "{}", page.text);
    calls_answer(&shop, &page).await;
    let page = review(&browser, &path, &[("decision", "accept")]).await;
    assert_eq!(
        page.heading().replace("<span class=\"long\">", "").replace("</span>", ""),
        "Aceitar R$\u{a0}2,50"
    );
    assert!(page.says("Disponível: R$\u{a0}10,00 → R$\u{a0}12,50"), "{}", page.text);
    assert_eq!(shop.available().await, 1_000, "nothing has happened yet");
    let fields = confirmed(&page);
    let back: Vec<_> = fields.iter().cloned().chain([("back", "yes".to_owned())]).collect();
    assert!(Page::of(browser.post_typed(&path, &back).await, 200).says("Ver o que aceitar faz"));
    for _ in 0..2 {
        let done = next(&browser.post_typed(&format!("{path}/confirm"), &fields).await);
        assert_eq!(done, format!("{PAYMENTS}/{}", id(&charge)));
    }
    assert_eq!(shop.available().await, 1_250);
    let audit = shop.owner.list("/api/audit?action=set_aside.accepted").await;
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &charge["id"]));
    assert!(browser.page(&path).await.says("Já foi decidido."));
    assert!(browser.page(LIST).await.says("Nenhum valor espera sua decisão"));
    let again = browser.post(&path, &[("decision", "return")]).await;
    assert!(Page::of(again, 422).says("Não é possível agora"));
}

#[story::test(|settings| (settings.pix_fee_cents, settings.pix_fee_basis_points) = (10, 100))]
async fn the_review_of_money_that_brings_a_fee_says_so(test: &TestApp, shop: Shop) {
    let short = shop.charge(1_000).await;
    shop.simulate(&short, json!({ "outcome": "PAID", "paidAmountCents": 300 })).await;
    let money = shop.unmatched(&short).await.remove(0);
    let path = format!("{PAYMENTS}/{}/unmatched/{}", id(&short), id(&money));
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = review(&browser, &path, &[("decision", "accept")]).await;
    assert!(page.says("A tarifa é de R$\u{a0}0,13."), "{}", page.text);
}

#[story::test]
async fn money_goes_back_as_it_came(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    let (charge, path) = overpaid(&shop, charge).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = review(&browser, &path, &[("decision", "return")]).await;
    assert!(page.says("voltam por PIX a quem pagou"), "{}", page.text);
    assert_eq!(shop.unmatched(&charge).await[0]["status"], "OPEN");
    let fields = confirmed(&page);
    for _ in 0..2 {
        next(&browser.post_typed(&format!("{path}/confirm"), &fields).await);
    }
    assert_eq!(shop.unmatched(&charge).await[0]["status"], "RETURNING");
    test.run_jobs().await;
    assert!(shop.steps(&charge).await.contains(&"RETURNED".to_owned()));
    let audit = shop.owner.list("/api/audit?action=set_aside.returned").await;
    assert_eq!(audit.len(), 1);
    assert!(browser.page(&path).await.says("Devolvido"));
}

#[story::test]
async fn what_its_rail_cannot_return_goes_to_a_key_that_is_named(test: &TestApp, shop: Shop) {
    let charge = shop.boleto(1_000).await;
    let (charge, path) = overpaid(&shop, charge).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(browser.page(&path).await.says("informe a chave PIX"));
    let none = [("decision", "return"), ("refundPixKey", ""), ("pixKeyType", "email")];
    let refused = Page::of(browser.post(&path, &none).await, 422);
    assert_eq!(refused.wrong(), ["refundPixKey"]);
    let card = [("decision", "return"), ("refundPixKey", "4111 1111 1111 1111")];
    let refused = Page::of(browser.post(&path, &card).await, 422);
    assert_eq!(refused.wrong(), ["refundPixKey"]);
    let named =
        [("decision", "return"), ("refundPixKey", "ana@example.com"), ("pixKeyType", "email")];
    let page = review(&browser, &path, &named).await;
    assert!(page.says("para a chave ana@example.com"), "{}", page.text);
    next(&browser.post_typed(&format!("{path}/confirm"), &confirmed(&page)).await);
    assert_eq!(shop.unmatched(&charge).await[0]["status"], "RETURNING");
}

#[story::test]
async fn a_role_that_may_not_decide_sees_why_and_anothers_money_is_unknown(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let (charge, theirs) = (shop.charge(1_000).await, other.charge(1_000).await);
    let (_, path) = overpaid(&shop, charge).await;
    let (theirs, their_path) = overpaid(&other, theirs).await;
    join(test, &shop, VIEWER, "VIEWER").await;
    let browser = Browser::signed_in(test, VIEWER).await;
    let page = browser.page(&path).await;
    assert!(page.says("disabled aria-describedby=\"no-accept\""), "{}", page.text);
    assert!(page.says("O seu papel nesta conta não inclui isto."));
    for to in [path.clone(), format!("{path}/confirm")] {
        let refused = browser.post(&to, &[("decision", "accept"), ("attempt", "x")]).await;
        assert!(Page::of(refused, 403).says("transactions:write"));
    }
    let rest = their_path.split_once(id(&theirs)).expect("names it").1;
    as_unknown(&browser, PAYMENTS, id(&theirs), &[rest]).await;
    assert_eq!(shop.available().await, 1_000);
}
