//! A link's page as the link changes: switched off, expired, sold out, and back.

use std::time::Duration;

use sandbox::fault_injection::{Operation, Outage};
use serde_json::json;

use crate::checkout::{BUYER, HOUR, address, browser, buy, charges, form, next, open, press};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id, link_path};

/// One microsecond less than an hour.
const ALMOST_AN_HOUR: Duration = Duration::from_micros(3_599_999_999);

#[story::test]
async fn a_link_that_takes_no_payment_says_why(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let inactive = shop.link_with(json!({ "amountCents": 100, "status": "INACTIVE" })).await;
    let soon = "2026-11-21T12:00:01Z";
    let expired = shop.link_with(json!({ "amountCents": 100, "expiresAt": soon })).await;
    let product = shop.product(json!({ "status": "INACTIVE" })).await;
    let items = json!([{ "productId": id(&product), "quantity": 1 }]);
    let unsellable = shop.link_with(json!({ "products": items })).await;
    let deleted = shop.link(100).await;
    shop.key.delete(&link_path(&deleted)).await.expect(200);
    test.pass(Duration::from_secs(1));
    let unknown = json!({ "slug": "123456789ABC" });
    let table = [
        (&inactive, 410, "Este link está desativado", true),
        (&expired, 410, "Este link expirou", true),
        (&unsellable, 409, "Este link está desativado", true),
        (&deleted, 404, "Página não encontrada", false),
        (&unknown, 404, "Página não encontrada", false),
    ];
    for (link, status, heading, known) in table {
        let shown = browser(test).get(&form(link)).await;
        let sent = browser(test).submit(&form(link), &BUYER).await;
        for reply in [shown, sent] {
            let page = Page::of(reply, status);
            assert_eq!((page.heading(), page.says("Loja Azul")), (heading, known));
        }
    }
    assert!(charges(&shop).await.is_empty());
}

#[story::test]
async fn a_page_that_takes_no_payment_can_be_read_in_the_other_language(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let stock = json!({ "amountCents": 100, "stockEnabled": true, "stockQuantity": 1 });
    let link = shop.link_with(stock).await;
    let late = buy(test, &link).await;
    test.pass(HOUR);
    open(test, &late).await;
    buy(test, &link).await;
    let refused = Page::of(press(test, &late, "/renew").await, 409);
    let shown = Page::of(browser(test).get(&form(&link)).await, 409);
    let unknown = Page::of(browser(test).get("/nowhere").await, 404);
    let (renewal, _) = late.split_once('?').expect("has a token");
    for (page, at) in [
        (refused, format!("{renewal}/renew")),
        (shown, form(&link)),
        (unknown, "/nowhere".to_owned()),
    ] {
        assert!(page.says("href=\"?lang=en\""), "{at}");
        let mut reply = browser(test).get(&format!("{at}?lang=en")).await;
        if reply.status == 303 {
            reply = browser(test).get(&next(&reply)).await;
        }
        let translated = Page::of(reply, page.status);
        assert_eq!(translated.language(), "en");
        assert!(translated.says("href=\"?lang=pt-BR\""), "{at}");
    }
}

#[story::test]
async fn a_renewal_that_is_refused_without_a_link_leads_to_its_charge_in_the_other_language(
    test: &TestApp,
    shop: Shop,
) {
    let product = shop.product(json!({ "stockEnabled": true, "stockQuantity": 1 })).await;
    let last = json!({ "items": [{ "productId": id(&product), "quantity": 1 }] });
    let sold_out = address(&shop.charge_with(last.clone()).await);
    let refused = address(&shop.charge(100).await);
    test.pass(HOUR);
    for late in [&sold_out, &refused] {
        open(test, late).await;
    }
    shop.charge_with(last).await;
    test.app.providers.sandbox().fail_next(Operation::IssuePix, Outage::Refuses);
    for (late, heading) in
        [(&refused, "O banco não aceitou esta cobrança"), (&sold_out, "Produto esgotado")]
    {
        let page = Page::of(press(test, late, "/renew").await, 409);
        assert_eq!(page.heading(), heading);
        let (place, query) = late.split_once('?').expect("has a token");
        assert!(page.says(&format!("href=\"?{query}&#38;lang=en\"")), "{}", page.text);
        let led = next(&browser(test).get(&format!("{place}/renew?{query}&lang=en")).await);
        assert_eq!(led, format!("{late}&lang=en"));
        let translated = open(test, &led).await;
        assert_eq!(translated.heading(), "This PIX code has expired");
        assert!(translated.action("renew").is_some());
    }
}

#[story::test]
async fn a_buyer_too_late_for_the_last_item_sees_that_it_is_sold_out(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let stock = json!({ "amountCents": 100, "stockEnabled": true, "stockQuantity": 1 });
    let link = shop.link_with(stock).await;
    let shown = open(test, &form(&link)).await;
    let attempt = ("attempt", shown.hidden("attempt").expect("names itself"));
    let typed = [&BUYER[..], &[attempt]].concat();
    let winner = buy(test, &link).await;
    for _ in 0..2 {
        let page = Page::of(browser(test).submit(&form(&link), &typed).await, 409);
        assert_eq!(page.heading(), "Produto esgotado");
        assert!(page.says("Loja Azul"));
    }
    assert_eq!(shop.read_link(&link).await["status"], "ACTIVE");
    test.pass(HOUR);
    assert_eq!(open(test, &winner).await.heading(), "Este código PIX expirou");
    let place = next(&browser(test).submit(&form(&link), &typed).await);
    assert!(open(test, &place).await.code().is_some());
    let refused = Page::of(press(test, &winner, "/renew").await, 409);
    assert_eq!(refused.heading(), "Produto esgotado");
    test.pass(HOUR);
    open(test, &place).await;
    let renewed = next(&press(test, &winner, "/renew").await);
    assert!(open(test, &renewed).await.code().is_some());
}

#[story::test]
async fn a_link_offers_the_methods_it_takes_and_no_other(test: &TestApp, shop: Shop) {
    let settings = json!({ "pixEnabled": false, "creditCardEnabled": false });
    let link = shop.link_with(json!({ "amountCents": 100, "settings": settings })).await;
    let page = open(test, &form(&link)).await;
    assert!(page.label("method-boleto").is_some());
    assert_eq!((page.label("method-pix"), page.label("method-card")), (None, None));
    let asked = [&BUYER[..], &[("method", "PIX")]].concat();
    let page = Page::of(browser(test).submit(&form(&link), &asked).await, 422);
    assert_eq!(page.wrong(), ["methods"]);
    assert!(charges(&shop).await.is_empty());
    buy(test, &link).await;
    assert_eq!(charges(&shop).await[0]["method"], "BOLETO");
}

#[story::test]
async fn a_change_is_seen_on_the_next_visit(test: &TestApp, shop: Shop) {
    let product = shop.product(json!({ "price": 1_000 })).await;
    let items = json!([{ "productId": id(&product), "quantity": 1 }]);
    let ends = "2026-11-21T13:00:00Z";
    let link = shop.link_with(json!({ "products": items, "expiresAt": ends })).await;
    let seen = async |text: &str| {
        assert!(open(test, &form(&link)).await.says(text), "{text}");
    };
    seen("R$\u{a0}10,00").await;
    shop.change_product(&product, json!({ "price": 2_000 })).await;
    seen("R$\u{a0}20,00").await;
    shop.change_link(&link, json!({ "title": "Outra" })).await;
    seen("Outra").await;
    for (change, status) in [("INACTIVE", 410), ("ACTIVE", 200)] {
        shop.change_link(&link, json!({ "status": change })).await;
        Page::of(browser(test).get(&form(&link)).await, status);
    }
    for (change, status) in [("INACTIVE", 409), ("ACTIVE", 200)] {
        shop.change_product(&product, json!({ "status": change })).await;
        Page::of(browser(test).get(&form(&link)).await, status);
    }
    test.pass(ALMOST_AN_HOUR);
    seen("Outra").await;
    test.pass(Duration::from_micros(1));
    Page::of(browser(test).get(&form(&link)).await, 410);
    shop.change_link(&link, json!({ "expiresAt": null })).await;
    seen("Outra").await;
    shop.key.delete(&link_path(&link)).await.expect(200);
    Page::of(browser(test).get(&form(&link)).await, 404);
}

#[story::test]
async fn the_developers_clock_ends_a_link_on_the_next_visit(test: &TestApp, shop: Shop) {
    let ends = "2026-11-21T13:00:00Z";
    let link = shop.link_with(json!({ "amountCents": 100, "expiresAt": ends })).await;
    open(test, &form(&link)).await;
    let step = json!({ "seconds": 3_600 });
    shop.key.post("/api/dev/clock/advance", step).await.expect(200);
    Page::of(browser(test).get(&form(&link)).await, 410);
}

#[story::test]
async fn a_sold_out_link_says_so_at_once_and_sells_again_when_stock_returns(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let counted = json!({ "stockEnabled": true, "stockQuantity": 3 });
    let product = shop.product(counted).await;
    let twice = json!({ "productId": id(&product), "quantity": 1 });
    let items = json!({ "products": [twice, twice] });
    let own = json!({ "amountCents": 100, "stockEnabled": true, "stockQuantity": 1 });
    for fields in [items, own] {
        let link = shop.link_with(fields).await;
        assert!(open(test, &form(&link)).await.label("name").is_some());
        let place = buy(test, &link).await;
        test.pass(Duration::from_secs(1));
        let page = Page::of(browser(test).get(&form(&link)).await, 409);
        assert_eq!(page.heading(), "Produto esgotado");
        assert!(page.says("Loja Azul") && page.label("name").is_none());
        test.pass(HOUR);
        open(test, &place).await;
        assert!(open(test, &form(&link)).await.label("name").is_some());
    }
}
