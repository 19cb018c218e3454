//! A purchase by boleto: its page, its paper, its end.

use serde_json::json;

use crate::checkout::{BUYER, beside, browser, charges, form, next, open, press};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::Shop;
use crate::methods::days_pass;

const BY_BOLETO: (&str, &str) = ("method", "BOLETO");

#[story::test]
async fn a_boleto_is_shown_printed_paid_and_receipted(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let link = shop.link(15_000).await;
    let typed = [&BUYER[..], &[BY_BOLETO]].concat();
    let place = next(&browser(test).submit(&form(&link), &typed).await);
    let page = open(test, &place).await;
    assert_eq!(page.heading(), "Pague o boleto");
    let issued = charges(&shop).await[0].clone();
    let digitable = issued["boleto"]["digitableLine"].as_str().expect("has one").to_owned();
    let area = page.text.split_once("<textarea id=\"line\"").expect("is there").1;
    let typed_line = area.split_once('>').unwrap().1.split_once('<').unwrap().0;
    let digits: String = typed_line.chars().filter(char::is_ascii_digit).collect();
    assert_eq!(digits, digitable);
    assert!(page.code().is_some() && page.drawing().is_some());
    for text in ["24/11/2026", "/boleto?token=", "/boleto.pdf?token=", "Simular pagamento"] {
        assert!(page.says(text), "{text}");
    }
    let sheet = open(test, &beside(&place, "/boleto")).await;
    assert!(sheet.says("Ficha de compensação") && sheet.says("529.982.247-25"));
    let file = browser(test).get(&beside(&place, "/boleto.pdf")).await;
    assert_eq!((file.status, file.header("content-type")), (200, Some("application/pdf")));
    let forged = place.replace("?token=", "/boleto?token=A");
    assert_eq!(browser(test).get(&forged).await.status, 404);

    press(test, &place, "/simulate").await;
    let receipt = open(test, &next(&browser(test).get(&place).await)).await;
    assert!(receipt.says("<dd>Boleto</dd>"), "{}", receipt.text);
    let over = browser(test).get(&beside(&place, "/boleto")).await;
    assert_eq!(next(&over), place);
}

#[story::test]
async fn a_boleto_needs_to_know_who_pays(test: &TestApp, shop: Shop) {
    let link = shop.link(15_000).await;
    let typed = [BUYER[0], BUYER[1], ("document", ""), BY_BOLETO];
    let page = Page::of(browser(test).submit(&form(&link), &typed).await, 422);
    assert_eq!(page.wrong(), ["document"]);
    assert!(page.says("value=\"BOLETO\" checked"), "{}", page.text);
    assert!(charges(&shop).await.is_empty());
}

#[story::test]
async fn an_expired_boleto_is_replaced_by_one_with_a_new_due_date(test: &TestApp, shop: Shop) {
    let link = shop.link(15_000).await;
    let typed = [&BUYER[..], &[BY_BOLETO]].concat();
    let place = next(&browser(test).submit(&form(&link), &typed).await);
    days_pass(&shop, 10).await;
    assert_eq!(open(test, &place).await.heading(), "Este boleto venceu");
    let renewed = next(&press(test, &place, "/renew").await);
    assert_eq!(open(test, &renewed).await.heading(), "Pague o boleto");
    let made = charges(&shop).await;
    assert_eq!(made[0]["method"], "BOLETO");
    assert_eq!(made[0]["boleto"]["dueDate"], json!("2026-12-04"));
}
