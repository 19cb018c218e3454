//! The pages of one payment: its code, its receipt, and who may see them.

use documents::qr::Qr;
use sandbox::fault_injection::{Operation, Outage};
use serde_json::{Value, json};

use crate::checkout::{
    BUYER, HOUR, address, beside, browser, buy, charges, form, next, open, press, token,
};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};

#[story::test]
async fn a_valid_form_leads_to_the_code_that_the_api_returns_and_a_reload_changes_nothing(
    test: &TestApp,
) {
    let shop = test.shop("Loja Azul").await;
    let link = shop.link(4_990).await;
    let address = buy(test, &link).await;
    let page = open(test, &address).await;
    let charge = charges(&shop).await.remove(0);
    let code = charge["pix"]["brCode"].as_str().expect("has a code");
    assert_eq!(page.code(), Some(code));
    let drawing = Qr::encode(code).expect("fits").svg_path();
    assert_eq!(page.drawing(), Some(drawing.as_str()));
    for text in ["Loja Azul", "R$\u{a0}49,90", "21/11/2026 às 10:00", "Simular pagamento"] {
        assert!(page.says(text), "{text}: {}", page.text);
    }
    assert_eq!(charge["paymentUrl"], format!("https://pay.example.com{address}"));
    assert_eq!(charge["customer"]["name"], "Fulano de Tal");
    assert_eq!(charge["customer"]["taxId"], "529.***.***-**");

    assert_eq!(open(test, &address).await.text, page.text);
    assert_eq!(charges(&shop).await.len(), 1);
    assert_eq!(shop.read_link(&link).await["timesUsed"], 1);
}

#[story::test]
async fn a_simulated_payment_leads_to_the_receipt(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let link = shop.link(4_990).await;
    let address = buy(test, &link).await;
    let receipt = beside(&address, "/receipt");
    assert_eq!(next(&browser(test).get(&receipt).await), address);

    assert_eq!(next(&press(test, &address, "/simulate").await), address);
    assert_eq!(next(&browser(test).get(&address).await), receipt);
    let page = open(test, &receipt).await;
    let charge = charges(&shop).await.remove(0);
    assert_eq!(page.heading(), "Pagamento confirmado");
    let end_to_end_id = charge["pix"]["endToEndId"].as_str().expect("has one");
    for text in [
        "Loja Azul",
        "Caneca",
        "R$\u{a0}49,90",
        "21/11/2026 às 09:00",
        "Fulano de Tal",
        "529.***.***-**",
        id(&charge),
        end_to_end_id,
    ] {
        assert!(page.says(text), "{text}: {}", page.text);
    }
    assert!(!page.says("529.982.247-25"));
    assert_eq!(charge["receiptUrl"], format!("https://pay.example.com{receipt}"));
    assert_eq!(shop.available().await, 4_990);

    press(test, &address, "/simulate").await;
    assert_eq!(shop.available().await, 4_990);
}

#[story::test]
async fn a_late_payment_has_a_receipt_too(test: &TestApp, shop: Shop) {
    let link = shop.link(4_990).await;
    let address = buy(test, &link).await;
    test.pass(HOUR);
    assert_eq!(next(&press(test, &address, "/simulate").await), address);
    assert_eq!(next(&browser(test).get(&address).await), beside(&address, "/receipt"));
}

#[story::test]
async fn real_money_has_no_test_mode_and_is_not_asked_for_where_no_bank_takes_it(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let key = shop.key_for("production", &["paymentLinks:write"]).await;
    let body = json!({ "title": "Caneca", "amountCents": 4_990 });
    let link = key.post("/api/v1/payment-links", body).await.expect(201)["data"].clone();
    let asked = browser(test).get(&form(&link)).await;
    let sent = browser(test).submit(&form(&link), &BUYER).await;
    for answer in [asked, sent] {
        let page = Page::of(answer, 503);
        assert_eq!(page.heading(), "Pagamentos ainda não disponíveis");
        assert!(!page.says("Modo de teste") && !page.says("Simular"));
    }
    let slug = link["slug"].as_str().expect("has one");
    let path = format!("/api/payment-links/public/slug/{slug}");
    let shown = test.anyone().get(&path).await.expect(200)["paymentLink"].clone();
    assert_eq!((&shown["available"], &shown["methods"]), (&json!(false), &json!([])));
}

#[story::test]
async fn a_receipt_leads_back_to_the_shop_with_the_payments_id(test: &TestApp, shop: Shop) {
    for (redirect, expected) in [
        (json!("https://example.com/ok?pedido=1"), Some("https://example.com/ok?pedido=1&")),
        (json!("https://example.com/ok"), Some("https://example.com/ok?")),
        (Value::Null, None),
    ] {
        let fields = json!({ "amountCents": 100, "redirectUrl": redirect });
        let address = buy(test, &shop.link_with(fields).await).await;
        press(test, &address, "/simulate").await;
        let page = open(test, &beside(&address, "/receipt")).await;
        let paid = charges(&shop).await.remove(0);
        let back = expected.map(|start| format!("{start}transaction_id={}", id(&paid)));
        assert_eq!(page.link("return"), back);
    }
}

#[story::test]
async fn a_cancelled_payment_is_not_to_be_paid(test: &TestApp, shop: Shop) {
    let address = buy(test, &shop.link(100).await).await;
    let path = format!("/api/v1/transactions/{}/cancel", id(&charges(&shop).await[0]));
    shop.key.post(&path, json!({})).await.expect(200);
    let page = Page::of(browser(test).get(&address).await, 410);
    assert_eq!((page.heading(), page.code()), ("Cobrança cancelada", None));
    assert_eq!(next(&browser(test).get(&beside(&address, "/receipt")).await), address);
}

#[story::test]
async fn a_cancelled_payment_can_be_read_in_the_other_language(test: &TestApp, shop: Shop) {
    let charge = shop.charge(100).await;
    shop.cancel(&charge).await;
    let address = address(&charge);
    let page = Page::of(browser(test).get(&address).await, 410);
    assert!(page.says(&format!("href=\"{address}&#38;lang=en\"")), "{}", page.text);
    let translated = Page::of(browser(test).get(&format!("{address}&lang=en")).await, 410);
    assert_eq!(translated.heading(), "Charge cancelled");
}

#[story::test]
async fn a_payment_without_a_link_has_its_pages_too(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let charge = shop.charge(4_990).await;
    let address = address(&charge);
    let page = open(test, &address).await;
    assert_eq!(page.code(), charge["pix"]["brCode"].as_str());
    press(test, &address, "/simulate").await;
    let page = open(test, &beside(&address, "/receipt")).await;
    assert_eq!((page.heading(), page.link("return")), ("Pagamento confirmado", None));
}

#[story::test]
async fn a_buyers_url_opens_only_their_own_payment(test: &TestApp, shop: Shop) {
    let link = shop.link(100).await;
    let (mine, other) = (buy(test, &link).await, buy(test, &link).await);
    let swapped = mine.replace(token(&mine), token(&other));
    let forged = format!("{mine}A");
    let elsewhere = mine.replace(link["slug"].as_str().unwrap(), "123456789ABC");
    let broken = mine.replace(link["slug"].as_str().unwrap(), "%0d%0aset-cookie:a");
    for wrong in [&swapped, &forged, &elsewhere, &broken] {
        for action in ["", "/receipt", "/events"] {
            let page = Page::of(browser(test).get(&beside(wrong, action)).await, 404);
            assert_eq!(page.heading(), "Página não encontrada", "{action}");
        }
        for action in ["/renew", "/simulate"] {
            Page::of(press(test, wrong, action).await, 404);
        }
    }
    let (without, _) = mine.split_once('?').expect("has a token");
    Page::of(browser(test).get(without).await, 404);
    Page::of(browser(test).submit(&format!("{without}/simulate"), &[]).await, 404);
    assert!(charges(&shop).await.iter().all(|charge| charge["status"] == "PENDING"));
}

#[story::test]
async fn a_pixel_of_digits_alone_is_shown_on_the_receipt_alone(test: &TestApp, shop: Shop) {
    let table = [
        ("1234567890", true),
        ("12345678901234567890", true),
        ("123456789", false),
        ("123456789012345678901", false),
        ("pixel-1234567890", false),
    ];
    for (code, used) in table {
        let fields = json!({ "amountCents": 100, "metaPixelCode": code });
        let link = shop.link_with(fields).await;
        assert_eq!(link["metaPixelCode"], code);
        let address = buy(test, &link).await;
        let before = [open(test, &form(&link)).await, open(test, &address).await];
        press(test, &address, "/simulate").await;
        let receipt = open(test, &beside(&address, "/receipt")).await;
        for page in before {
            let policy = page.header("content-security-policy").expect("has a policy");
            assert!(!page.says("facebook") && !page.says(code) && !policy.contains("facebook"));
        }
        let policy = receipt.header("content-security-policy").expect("has a policy");
        let image = format!("https://www.facebook.com/tr?id={code}&amp;");
        assert_eq!((receipt.says(&image), policy.contains("facebook")), (used, used), "{code}");
        assert_eq!(receipt.says(code), used, "{code}");
    }
}

#[story::test]
async fn the_form_is_kept_for_a_bank_that_says_no_and_for_one_that_is_silent(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let link = shop.link(4_990).await;
    let bank = test.app.providers.sandbox();
    bank.fail_next(Operation::IssuePix, Outage::Refuses);
    let page = Page::of(browser(test).submit(&form(&link), &BUYER).await, 409);
    assert!(page.says("O banco não aceitou esta cobrança"), "{}", page.text);
    assert!(page.says("Nada foi cobrado") && page.says("pague de outra forma"), "{}", page.text);
    assert!(page.says("Confira o nome completo e o CPF ou CNPJ"), "{}", page.text);
    for (name, typed) in BUYER {
        assert_eq!(page.value(name), typed);
    }
    assert_eq!((page.wrong(), page.header("retry-after")), (vec![], None));
    let attempt = page.hidden("attempt").expect("is there").to_owned();
    let corrected = [&BUYER[1..], &[("name", "Beltrano de Tal"), ("attempt", &attempt)]].concat();
    bank.fail_next(Operation::IssuePix, Outage::Refuses);
    let place = format!("{}?lang=en", form(&link));
    let page = Page::of(browser(test).submit(&place, &corrected).await, 409);
    assert!(page.says("The bank refused this charge"), "{}", page.text);
    assert!(page.says("Nothing was charged") && page.says("another way"), "{}", page.text);
    assert!(charges(&shop).await.is_empty());
    open(test, &next(&browser(test).submit(&form(&link), &corrected).await)).await;
    let [charge] = &charges(&shop).await[..] else { panic!("is one") };
    assert_eq!(charge["customer"]["name"], "Beltrano de Tal");

    bank.fail_next(Operation::IssuePix, Outage::Refuses);
    let refused = shop.try_charge(json!({ "amountCents": 100 })).await;
    refused.expect_refusal(409, "CHARGE_REFUSED");
    let message = refused.json()["message"].as_str().expect("has one").to_lowercase();
    assert!(!message.contains("again"), "{message}");
    assert_eq!(refused.header("retry-after"), None);

    bank.fail_next(Operation::IssuePix, Outage::LosesTheAnswer);
    let page = Page::of(browser(test).submit(&form(&link), &BUYER).await, 503);
    assert!(page.says("Não deu certo agora") && page.says("nada foi cobrado"), "{}", page.text);
    assert!(page.says("Tente de novo") && page.says("pague de outra forma"), "{}", page.text);
    assert_eq!(page.header("retry-after"), Some("1"));
    assert_eq!(page.value("name"), "Fulano de Tal");
    let attempt = page.hidden("attempt").expect("is there");
    bank.fail_next(Operation::IssuePix, Outage::LosesTheAnswer);
    let silent = shop.try_charge(json!({ "amountCents": 100 })).await;
    silent.expect_refusal(503, "UNAVAILABLE");
    assert_eq!(silent.header("retry-after"), Some("1"));
    assert_eq!(charges(&shop).await.len(), 1);

    let again = [&BUYER[..], &[("attempt", attempt)]].concat();
    open(test, &next(&browser(test).submit(&form(&link), &again).await)).await;
    assert_eq!(charges(&shop).await.len(), 2);
}
