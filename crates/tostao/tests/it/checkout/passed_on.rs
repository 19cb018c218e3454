//! Addresses that are passed on: what they show, what they open, and for how long.

use std::time::Duration;

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::checkout::card::{confirm, go_to_card, pay, type_card};
use crate::checkout::{ADDRESS, BUYER, browser, buy, charges, form, next, open, press};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};
use crate::sandbox::card_that;

const HALF_A_YEAR: Duration = Duration::from_hours(180 * 24);

/// A payment whose card was declined after a while; answers the address of its page.
async fn declined(test: &TestApp, link: &Value) -> String {
    let address = next(&pay(test, link, Scenario::LosesTheDecline).await);
    test.run_jobs_after(Duration::from_mins(1)).await;
    address
}

#[story::test]
async fn the_id_of_a_declined_payment_opens_nothing_of_what_came_after_it(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let link = shop.link(5_000).await;
    let address = declined(test, &link).await;
    let (path, _) = address.split_once('?').expect("has a token");
    let declined = path.rsplit('/').next().expect("ends with the id");
    let again = next(&press(test, &address, "/retry").await);
    let typed = type_card(test, &again, card_that(Scenario::Approves).number, "12/30").await;
    let paid = next(&confirm(test, &link, &typed).await);
    let stranger = [
        ("name", "Sicrana"),
        ("email", "sicrana@example.com"),
        ("attempt", &format!("after-{declined}")),
    ];
    let own = next(&browser(test).submit(&form(&link), &stranger).await);
    let (path, _) = paid.split_once('?').expect("has a token");
    assert!(!own.starts_with(path), "{own}");
    assert_eq!(charges(&shop).await.len(), 3);
    // The buyer who presses twice still pays once.
    let twice = next(&press(test, &address, "/retry").await);
    let typed = type_card(test, &twice, card_that(Scenario::Approves).number, "12/30").await;
    assert_eq!(next(&confirm(test, &link, &typed).await), paid);
}

#[story::test]
async fn a_form_that_another_page_fills_in_shows_no_whole_document_email_phone_or_street(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    let settings = json!({ "requirePhone": true, "requireAddress": true });
    let link = shop.link_with(json!({ "amountCents": 5_000, "settings": settings })).await;
    let coupon = json!({ "code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 10 });
    let coupon = shop.key.post("/api/v1/coupons", coupon).await.expect(201)["coupon"].clone();
    let address = ADDRESS.map(|(field, typed)| match field {
        "complement" => (field, "Bloco B"),
        _ => (field, typed),
    });
    let typed = [&address[..], &[("coupon", "DEZ")]].concat();
    let state = go_to_card(test, &link, &typed).await;
    let path = format!("/api/v1/coupons/{}", id(&coupon));
    shop.key.patch(&path, json!({ "status": "INACTIVE" })).await.expect(200);
    let page = Page::of(browser(test).get(&state).await, 422);
    let fields = ["name", "email", "document", "phone", "postal_code", "street", "number"];
    let shown = fields.map(|field| page.value(field));
    let masked = ["f***@example.com", "529.***.***-**", "***5678", "01***", "Av***", "***"];
    assert_eq!((shown[0], &shown[1..]), ("Fulano de Tal", &masked[..]));
    for secret in ["fulano@", "982.247", "91234", "Paulista", "Bloco"] {
        assert!(!page.says(secret), "{secret}");
    }
    // What is left as it is shown means what is behind it, and what is typed is taken.
    let kept = page.hidden("kept").expect("is there").to_owned();
    let mut again: Vec<_> = fields.iter().zip(shown).map(|(f, v)| (*f, v)).collect();
    again.extend([("complement", "***"), ("district", "Bela Vista"), ("city", "São Paulo")]);
    again.extend([("state", "SP"), ("kept", &kept)]);
    let refused = [&again[..], &[("coupon", "NADA")]].concat();
    let page = Page::of(browser(test).submit(&form(&link), &refused).await, 422);
    assert_eq!(page.value("street"), "Av***");
    again.retain(|(field, _)| *field != "number");
    again.push(("number", "2000"));
    next(&browser(test).submit(&form(&link), &again).await);
    let made = charges(&shop).await.remove(0);
    let path = format!("/api/v1/transactions/{}", id(&made));
    let made = shop.key.get(&path).await.expect(200)["transaction"].clone();
    assert_eq!(made["customer"]["email"], "fulano@example.com");
    assert_eq!(made["customer"]["phone"], "11912345678");
}

#[story::test]
async fn a_document_that_was_not_typed_here_stands_on_no_boleto(test: &TestApp, shop: Shop) {
    let link = shop.link(5_000).await;
    let who = json!({ "clientEmail": "ana@example.com", "clientName": "Ana",
        "clientDocument": "529.982.247-25" });
    let slug = link["slug"].as_str().expect("has one");
    let path = format!("/api/payment-links/public/slug/{slug}/cart-abandonment");
    test.anyone().post(&path, who).await.expect(201);
    let path = format!("/api/v1/payment-links/{}/cart-abandonments", id(&link));
    let left = shop.key.get(&path).await.expect(200)["data"][0].clone();
    let url = left["recoveryUrl"].as_str().expect("has one").to_owned();
    let address = url.strip_prefix("https://pay.example.com").expect("is the checkout's");
    let page = open(test, address).await;
    let kept = page.hidden("kept").expect("is there").to_owned();
    let left = [
        ("name", "Ana"),
        ("email", page.value("email")),
        ("document", page.value("document")),
        ("kept", &kept),
        ("method", "BOLETO"),
    ];
    let refused = Page::of(browser(test).submit(&form(&link), &left).await, 422);
    assert_eq!(refused.wrong(), ["document"]);
    assert!(charges(&shop).await.is_empty());
    let mut typed = left;
    typed[2] = ("document", "529.982.247-25");
    next(&browser(test).submit(&form(&link), &typed).await);
    let failed = declined(test, &link).await;
    let card = next(&press(test, &failed, "/retry").await);
    assert!(!open(test, &card).await.says("BOLETO"));
}

#[story::test]
async fn what_was_kept_for_too_long_is_asked_for_again(test: &TestApp, shop: Shop) {
    let link = shop.link(5_000).await;
    let old = [&BUYER[..1], &[("email", "f***@example.com"), ("document", "529.***.***-**")]];
    let old = [&old.concat()[..], &[("kept", "too old")]].concat();
    let page = Page::of(browser(test).submit(&form(&link), &old).await, 422);
    assert_eq!((page.value("email"), page.value("document")), ("", ""));
    assert!(charges(&shop).await.is_empty());
}

#[story::test]
async fn the_addresses_of_a_payment_end_half_a_year_after_it(test: &TestApp, shop: Shop) {
    let link = shop.link(5_000).await;
    let address = buy(test, &link).await;
    press(test, &address, "/simulate").await;
    let receipt = next(&browser(test).get(&address).await);
    test.pass(HALF_A_YEAR);
    assert_eq!(open(test, &receipt).await.heading(), "Pagamento confirmado");
    test.pass(Duration::from_secs(1));
    let gone = Page::of(browser(test).get(&receipt).await, 404);
    assert!(!gone.says("Fulano"));
    assert_eq!(browser(test).get(&address).await.status, 404);
    let (path, query) = address.split_once('?').expect("has a token");
    let id = path.rsplit('/').next().expect("ends with the id");
    let followed = test.anyone().get(&format!("/api/transactions/public/{id}?{query}")).await;
    followed.expect_refusal(404, "NOT_FOUND");
}
