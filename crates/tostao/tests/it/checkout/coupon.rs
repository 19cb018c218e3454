//! A coupon on the pay form.

use serde_json::{Value, json};

use crate::checkout::{BUYER, HOUR, address, browser, charges, form, next, open, press};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id, merged};

async fn coupon(shop: &Shop, code: &str, percent: i64, more: Value) -> Value {
    let made = json!({ "code": code, "discountType": "PERCENTAGE", "discountValue": percent });
    let made = merged(made, &more);
    shop.key.post("/api/v1/coupons", made).await.expect(201)["coupon"].clone()
}

/// Charges an amount with a coupon; answers the path of the page of the charge.
async fn charge(shop: &Shop, code: &str) -> String {
    let charge = json!({ "amountCents": 5_000, "couponCode": code });
    address(&shop.charge_with(charge).await)
}

#[story::test]
async fn a_coupon_is_tried_from_the_address_and_by_its_button(test: &TestApp, shop: Shop) {
    coupon(&shop, "DEZ", 10, json!({})).await;
    let settings = json!({ "maxInstallments": 3, "interestFreeInstallments": 3 });
    let link = shop.link_with(json!({ "amountCents": 10_000, "settings": settings })).await;
    let page = open(test, &format!("{}?coupon=dez", form(&link))).await;
    for text in ["R$\u{a0}90,00", "Desconto (DEZ)", "Cupom DEZ aplicado", "3x de R$\u{a0}30,00"] {
        assert!(page.says(text), "{text}");
    }
    assert_eq!((page.value("coupon"), page.hidden("seen")), ("dez", Some("9000")));
    let attempt = ("attempt", page.hidden("attempt").expect("names itself"));

    let half = [("name", "Fulano"), ("email", "x"), attempt, ("apply", "yes")];
    let good = [&half[..], &[("coupon", " Dez ")]].concat();
    let page = Page::of(browser(test).submit(&form(&link), &good).await, 200);
    assert!(page.wrong().is_empty() && page.says("Cupom DEZ aplicado"));
    assert_eq!((page.value("name"), page.hidden("attempt")), ("Fulano", Some(attempt.1)));
    let bad = [&half[..], &[("coupon", "ONZE")]].concat();
    let page = Page::of(browser(test).submit(&form(&link), &bad).await, 422);
    assert_eq!(page.wrong(), ["coupon"]);
    assert_eq!(page.error("coupon"), "Este cupom não vale para esta compra.");
    assert!(page.says("R$\u{a0}100,00") && page.value("coupon") == "ONZE");
    assert!(charges(&shop).await.is_empty());

    let bad = [&BUYER[..], &[("coupon", "ONZE")]].concat();
    let page = Page::of(browser(test).submit(&form(&link), &bad).await, 422);
    assert_eq!(page.wrong(), ["coupon"]);
    let good = [&BUYER[..], &[("coupon", "DEZ")]].concat();
    let place = next(&browser(test).submit(&form(&link), &good).await);
    assert!(open(test, &place).await.says("R$\u{a0}90,00"));
}

#[story::test]
async fn a_coupon_that_takes_all_leaves_nothing_to_pay(test: &TestApp, shop: Shop) {
    coupon(&shop, "TUDO", 100, json!({})).await;
    let link = shop.link(10_000).await;
    let page = open(test, &format!("{}?coupon=TUDO", form(&link))).await;
    assert!(page.says("Nada a pagar") && page.says("Concluir o pedido"));
    assert_eq!(page.label("method-pix"), None);
    let typed = [&BUYER[..], &[("coupon", "TUDO")]].concat();
    let place = next(&browser(test).submit(&form(&link), &typed).await);
    let receipt = open(test, &next(&browser(test).get(&place).await)).await;
    assert!(receipt.says("Nada a pagar"), "{}", receipt.text);
}

#[story::test]
async fn parts_that_a_coupon_rules_out_are_refused_where_they_are_chosen(test: &TestApp) {
    let shop = test.shop("Loja").await;
    coupon(&shop, "QUASE", 95, json!({})).await;
    let settings = json!({ "maxInstallments": 3, "interestFreeInstallments": 3 });
    let link = shop.link_with(json!({ "amountCents": 10_000, "settings": settings })).await;
    let page = open(test, &format!("{}?coupon=QUASE", form(&link))).await;
    assert_eq!(page.label("installments"), None);
    let chosen = [("method", "CREDIT_CARD"), ("installments", "3"), ("coupon", "QUASE")];
    let typed = [&BUYER[..], &chosen].concat();
    let page = Page::of(browser(test).submit(&form(&link), &typed).await, 422);
    assert_eq!(page.wrong(), ["installments"]);
    assert_eq!(page.label("installments"), Some("Parcelas"));
    assert!(page.says("1x de R$\u{a0}5,00") && page.value("coupon") == "QUASE");
}

#[story::test]
async fn a_form_may_be_corrected_with_the_last_use_of_a_coupon_in_it(test: &TestApp, shop: Shop) {
    coupon(&shop, "UMA", 10, json!({ "usageLimit": 1, "perUserLimit": 1 })).await;
    let link = shop.link(10_000).await;
    let shown = open(test, &form(&link)).await;
    let attempt = ("attempt", shown.hidden("attempt").expect("names itself"));
    let typed = [&BUYER[..], &[attempt, ("coupon", "UMA")]].concat();
    let first = next(&browser(test).submit(&form(&link), &typed).await);
    assert_eq!(next(&browser(test).submit(&form(&link), &typed).await), first);
    let mut corrected = typed.clone();
    corrected[0].1 = "Fulano";
    let second = next(&browser(test).submit(&form(&link), &corrected).await);
    assert!(second != first && open(test, &second).await.says("R$\u{a0}90,00"));
}

#[story::test]
async fn a_code_that_is_renewed_again_and_again_costs_what_the_first_one_did(
    test: &TestApp,
    shop: Shop,
) {
    let fixed = json!({ "discountType": "FIXED", "discountValue": 1_000 });
    coupon(&shop, "MIL", 10, fixed).await;
    coupon(&shop, "DEZ", 10, json!({})).await;
    for code in ["MIL", "DEZ"] {
        let mut address = charge(&shop, code).await;
        for _ in 0..2 {
            test.pass(HOUR);
            address = next(&press(test, &address, "/renew").await);
        }
    }
    let made = charges(&shop).await;
    let amount = |charge: &Value| json!([charge["amount"], charge["discountAmount"]]);
    let amounts: Vec<_> = made.iter().map(amount).collect();
    let (tenth, thousand) = (json!([4_500, 500]), json!([4_000, 1_000]));
    let expected = [&tenth, &tenth, &tenth, &thousand, &thousand, &thousand];
    assert_eq!(amounts.iter().collect::<Vec<_>>(), expected);
}

#[story::test]
async fn a_code_whose_coupon_is_lost_is_not_renewed_and_its_page_leads_to_the_seller(
    test: &TestApp,
    shop: Shop,
) {
    let deleted = coupon(&shop, "APAGADO", 10, json!({})).await;
    coupon(&shop, "VENCIDO", 10, json!({ "validUntil": "2026-11-21T12:30:00Z" })).await;
    coupon(&shop, "ULTIMO", 10, json!({ "usageLimit": 1 })).await;
    coupon(&shop, "UNICO", 10, json!({ "perUserLimit": 1 })).await;
    let mut late = Vec::new();
    for code in ["APAGADO", "VENCIDO", "ULTIMO", "UNICO"] {
        late.push(charge(&shop, code).await);
    }
    test.pass(HOUR);
    for address in &late {
        open(test, address).await;
    }
    shop.key.delete(&format!("/api/v1/coupons/{}", id(&deleted))).await.expect(200);
    // What has expired gave its use back, and another purchase takes it.
    for code in ["ULTIMO", "UNICO"] {
        charge(&shop, code).await;
    }
    let before = charges(&shop).await;
    for address in &late {
        let unasked = open(test, address).await;
        let led = next(&press(test, address, "/renew").await);
        assert_eq!(&led, address);
        let reloaded = open(test, &led).await;
        for page in [unasked, open(test, &led).await, reloaded] {
            assert_eq!(page.heading(), "Este código PIX expirou");
            let note = "O cupom desta cobrança não vale mais. Peça uma nova cobrança ao vendedor.";
            assert!(page.says(note) && page.says("R$\u{a0}45,00"), "{}", page.text);
            assert_eq!(page.action("renew"), None);
        }
        let translated = open(test, &format!("{led}&lang=en")).await;
        let note = "The coupon of this charge is no longer valid. Ask the seller for a new charge.";
        assert!(translated.says(note), "{}", translated.text);
    }
    assert_eq!(charges(&shop).await, before);
}

#[story::test]
async fn a_code_leads_to_the_one_that_has_the_last_use_of_its_coupon(test: &TestApp, shop: Shop) {
    let last = coupon(&shop, "ULTIMO", 10, json!({ "usageLimit": 1 })).await;
    let first = charge(&shop, "ULTIMO").await;
    test.pass(HOUR);
    let second = next(&press(test, &first, "/renew").await);
    assert!(second != first && open(test, &second).await.code().is_some());
    assert!(open(test, &first).await.action("renew").is_some());
    assert_eq!(next(&press(test, &first, "/renew").await), second);

    // A coupon that is valid again can be renewed again.
    test.pass(HOUR);
    let path = format!("/api/v1/coupons/{}", id(&last));
    for (status, is_offered) in [("INACTIVE", false), ("ACTIVE", true)] {
        shop.key.patch(&path, json!({ "status": status })).await.expect(200);
        assert_eq!(open(test, &first).await.action("renew").is_some(), is_offered);
    }
    let third = next(&press(test, &first, "/renew").await);
    assert!(third != second && open(test, &third).await.code().is_some());
}

#[story::test]
async fn installments_count_a_coupon_and_guess_no_code(test: &TestApp, shop: Shop) {
    coupon(&shop, "DEZ", 10, json!({})).await;
    let link = shop.link(10_000).await;
    let slug = link["slug"].as_str().expect("has one");
    let path = format!("/api/payment-links/public/slug/{slug}/installments?couponCode");
    let reported = test.anyone().get(&format!("{path}=dez")).await.expect(200);
    assert_eq!((&reported["amount"], &reported["discount"]), (&json!(9_000), &json!(1_000)));
    assert_eq!(reported["options"][0]["total"], 9_000);
    let refused = test.anyone().get(&format!("{path}=ONZE")).await.expect(400);
    assert_eq!(refused["code"], "COUPON_INVALID");
}
