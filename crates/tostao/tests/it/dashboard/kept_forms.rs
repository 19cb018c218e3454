//! A session that ends while a form is filled in costs no work, and carries nothing out.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Browser, EMAIL, join, next};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::refunds::refunds;

const BIA: &str = "bia@example.com";
const IDLE: Duration = Duration::from_mins(30);
const TYPED: [(&str, &str); 2] = [("amountCents", "20,00"), ("reason", "Veio com um risco é +1.")];

fn form_of(payment: &Value) -> String {
    format!("/dashboard/dev/transactions/{}/refund", id(payment))
}

/// Posts the form after the session's end; answers where the sign-in leads.
async fn posted_late(browser: &Browser, payment: &Value) -> String {
    let asked = Page::of(browser.post(&form_of(payment), &TYPED).await, 403);
    assert_eq!(asked.heading(), "Entrar");
    assert!(asked.says("o formulário volta como você o preencheu"));
    asked.hidden("next").expect("is a hidden field").to_owned()
}

async fn sign_in(browser: &Browser, email: &str, next: &str) -> Page {
    let fields = [("email", email), ("password", PASSWORD), ("next", next)];
    browser.land(browser.post("/sign-in", &fields).await).await
}

#[story::test]
async fn a_form_whose_session_has_ended_comes_back_as_it_was(test: &TestApp, shop: Shop) {
    let payment = shop.sell(4_990).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    test.pass(IDLE);
    let back = posted_late(&browser, &payment).await;
    assert!(!back.contains("20%2C00") && !back.contains("risco"), "it is sealed: {back}");
    let form = sign_in(&browser, EMAIL, &back).await;
    assert!(form.says("O formulário está como você o preencheu."));
    assert_eq!((form.value("amountCents"), form.value("reason")), (TYPED[0].1, TYPED[1].1));
    assert_eq!(browser.page(&form_of(&payment)).await.value("reason"), "");
}

#[story::test]
async fn a_confirmation_whose_session_has_ended_moves_no_money(test: &TestApp, shop: Shop) {
    let payment = shop.sell(4_990).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let review = Page::of(browser.post(&form_of(&payment), &TYPED).await, 200);
    let attempt = review.hidden("attempt").expect("is a hidden field");
    test.pass(IDLE);
    let fields = [TYPED[0], TYPED[1], ("attempt", attempt)];
    let confirm = format!("{}/confirm", form_of(&payment));
    let asked = Page::of(browser.post(&confirm, &fields).await, 403);
    let form = sign_in(&browser, EMAIL, asked.hidden("next").expect("is a hidden field")).await;
    assert!(form.says("Passo 1 de 2"), "{}", form.text);
    assert_eq!(form.value("amountCents"), "20,00");
    assert_eq!(refunds(&shop, &payment).await, [] as [Value; 0]);
    assert_eq!(shop.available().await, 4_990);
}

#[story::test]
async fn every_form_of_the_dashboard_comes_back_filled(test: &TestApp, shop: Shop) {
    let product = shop.product(json!({})).await;
    let product = format!("/dashboard/dev/products/{}/edit", id(&product));
    let coupon = json!({ "code": "CAFE10", "discountType": "PERCENTAGE", "discountValue": 10 });
    let coupon = shop.key.post("/api/v1/coupons", coupon).await.expect(201)["coupon"].clone();
    let coupon = format!("/dashboard/dev/coupons/{}/edit", id(&coupon));
    let link = format!("/dashboard/dev/links/{}/edit", id(&shop.link(4_990).await));
    let client = json!({ "name": "Ana", "email": "ana@example.com" });
    let client = shop.key.post("/api/clients", client).await.expect(201)["client"].clone();
    let client = format!("/dashboard/dev/clients/{}/edit", id(&client));
    let forms = [
        (&*coupon, "code", "VOLTA20"),
        (&*link, "title", "Café 500 g"),
        (&*client, "name", "Beltrana de Tal"),
        ("/dashboard/dev/coupons/new", "code", "VOLTA10"),
        ("/dashboard/dev/links/new", "title", "Café 250 g"),
        ("/dashboard/dev/products/new", "name", "Caneca nova"),
        ("/dashboard/dev/subscriptions/plans/new", "name", "Clube novo"),
        (&*product, "name", "Caneca velha"),
    ];
    for (path, field, typed) in forms {
        let browser = Browser::signed_in(test, EMAIL).await;
        test.pass(IDLE);
        let asked = Page::of(browser.post(path, &[(field, typed)]).await, 403);
        let back = asked.hidden("next").expect("is a hidden field").to_owned();
        let form = sign_in(&browser, EMAIL, &back).await;
        assert_eq!(form.value(field), typed, "{path}");
    }
    assert_eq!(shop.key.total("/api/v1/coupons").await, 1);
    assert_eq!(shop.key.total("/api/v1/products").await, 1);
}

#[story::test]
async fn a_kept_form_is_its_persons_on_its_page_for_a_quarter_of_an_hour(
    test: &TestApp,
    shop: Shop,
) {
    let (payment, second) = (shop.sell(4_990).await, shop.sell(1_000).await);
    join(test, &shop, BIA, "SUPPORT").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    test.pass(IDLE);
    let back = posted_late(&browser, &payment).await;
    let form = sign_in(&browser, BIA, &back).await;
    assert_eq!((form.value("reason"), form.says("Passo 1 de 2")), ("", true), "another person");
    let browser = Browser::signed_in(test, EMAIL).await;
    let elsewhere = back.replace(id(&payment), id(&second));
    assert_eq!(browser.page(&elsewhere).await.value("reason"), "", "another page");
    test.pass(Duration::from_mins(15).saturating_sub(Duration::from_secs(1)));
    assert_eq!(browser.page(&back).await.value("reason"), TYPED[1].1);
    test.pass(Duration::from_secs(1));
    assert_eq!(browser.page(&back).await.value("reason"), "", "after its time");
}

#[story::test]
async fn the_sign_in_leads_to_the_account_of_a_kept_form(test: &TestApp, shop: Shop) {
    let payment = shop.sell(4_990).await;
    test.shop("Bia").await;
    join(test, &shop, BIA, "SUPPORT").await;
    let browser = Browser::signed_in(test, BIA).await;
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    browser.post("/account/switch", &[("account", id(&me["user"]))]).await;
    test.pass(IDLE);
    let back = posted_late(&browser, &payment).await;
    let form = sign_in(&browser, BIA, &back).await;
    assert_eq!(form.value("reason"), TYPED[1].1);
    // A person who is no member any more signs in elsewhere, and sees nothing of it.
    test.pass(IDLE);
    let back = posted_late(&browser, &payment).await;
    let shop = test.shop_again("Loja").await;
    let members = shop.owner.list("/api/members").await;
    let bia = members.iter().find(|one| one["email"] == BIA).expect("is a member");
    shop.owner.delete(&format!("/api/members/{}", id(bia))).await.expect(200);
    let fields = [("email", BIA), ("password", PASSWORD), ("next", &*back)];
    let entered = browser.post("/sign-in", &fields).await;
    let gone = Page::of(browser.get(&next(&entered)).await, 404);
    assert_eq!(gone.heading(), "Página não encontrada");
}

#[story::test]
async fn a_session_that_somebody_has_ended_keeps_no_form(test: &TestApp, shop: Shop) {
    let payment = shop.sell(4_990).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    shop.owner.delete("/api/auth/sessions").await.expect(200);
    let turned = next(&browser.post(&form_of(&payment), &TYPED).await);
    assert_eq!(turned, "/sign-in?next=%2Fdashboard&ended=yes");
}

#[story::test]
async fn a_button_of_no_mode_leads_to_the_first_page_after_the_sign_in(test: &TestApp, shop: Shop) {
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let browser = Browser::signed_in(test, EMAIL).await;
    test.pass(IDLE);
    let turned = next(&browser.post("/account/switch", &[("account", id(&me["user"]))]).await);
    assert_eq!(turned, "/sign-in?next=%2Fdashboard&ended=yes");
}

#[story::test]
async fn what_is_too_long_for_an_address_is_not_kept(test: &TestApp, shop: Shop) {
    let payment = shop.sell(4_990).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    test.pass(IDLE);
    // Letters that no compression makes much shorter.
    let mut seed = 1_u64;
    let mut letter = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'A' + u8::try_from((seed >> 33) % 58).unwrap_or_default())
    };
    let noise: String = (0..9_000).map(|_| letter()).collect();
    let asked = browser.post(&form_of(&payment), &[("reason", &noise)]).await;
    assert_eq!(Page::of(asked, 403).hidden("next"), Some(&*form_of(&payment)));
}
