//! The form: what it shows, asks and refuses.

use http::Method;
use serde_json::json;

use crate::checkout::{ADDRESS, BUYER, browser, charges, form, next, open};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};

#[story::test]
async fn the_form_shows_who_sells_what_for_how_much(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let link = shop.link_with(json!({ "amountCents": 4_990, "description": "De louça." }));
    let page = open(test, &form(&link.await)).await;
    assert_eq!(page.heading(), "Caneca");
    for text in ["Loja Azul", "De louça.", "R$\u{a0}49,90", "Modo de teste"] {
        assert!(page.says(text), "{text}: {}", page.text);
    }
    let banner = "<aside class=\"test-banner\" aria-label=\"Modo de teste\">";
    assert!(page.text.contains(banner), "{}", page.text);
    let labels = ["name", "email", "document"].map(|field| page.label(field));
    assert_eq!(labels, [Some("Nome completo"), Some("E-mail"), Some("CPF ou CNPJ")]);
    assert_eq!((page.label("phone"), page.label("street")), (None, None));
    assert!(page.wrong().is_empty());

    let product = shop.product(json!({ "name": "Xícara", "price": 1_250 })).await;
    let items = json!([{ "productId": id(&product), "quantity": 2 }]);
    let page = open(test, &form(&shop.link_with(json!({ "products": items })).await)).await;
    for text in ["Xícara", "2 × R$\u{a0}12,50", "R$\u{a0}25,00"] {
        assert!(page.says(text), "{text}: {}", page.text);
    }
}

#[story::test]
async fn a_refused_form_keeps_what_was_typed_and_says_what_is_wrong(test: &TestApp, shop: Shop) {
    let link = shop.link(4_990).await;
    let typed = [("name", " "), ("email", "fulano@"), ("document", "111.111.111-11")];
    let page = Page::of(browser(test).submit(&form(&link), &typed).await, 422);
    assert_eq!(page.wrong(), ["name", "email", "document"]);
    assert_eq!(page.error("name"), "Preencha este campo.");
    assert!(page.error("email").starts_with("Digite um e-mail completo"));
    assert!(page.error("document").starts_with("Confira o CPF ou CNPJ"));
    assert_eq!(page.value("email"), "fulano@");
    assert_eq!(page.value("document"), "111.111.111-11");
    assert_eq!(page.heading(), "Caneca");

    let mut one_wrong = BUYER;
    one_wrong[1].1 = "fulano";
    let page = Page::of(browser(test).submit(&form(&link), &one_wrong).await, 422);
    assert_eq!(page.wrong(), ["email"]);
    assert_eq!((page.value("name"), page.error("name")), ("Fulano de Tal", ""));
    assert!(charges(&shop).await.is_empty());
    assert_eq!(shop.read_link(&link).await["timesUsed"], 0);
}

#[story::test]
async fn what_was_typed_is_shown_as_text_and_never_as_markup(test: &TestApp) {
    let shop = test.shop("Loja & Cia").await;
    let fields = json!({ "title": "<i>Caneca</i>", "amountCents": 100 });
    let link = shop.link_with(fields).await;
    let markup = "\"><script>alert(1)</script>";
    let typed = [("name", markup), ("email", markup), ("document", markup)];
    let page = Page::of(browser(test).submit(&form(&link), &typed).await, 422);
    for raw in ["<script>alert", "<i>Caneca", "Loja & Cia"] {
        assert!(!page.says(raw), "{raw}");
    }
    assert!(page.says("&#60;script&#62;alert(1)"), "{}", page.text);
}

#[story::test]
async fn a_link_may_ask_for_a_telephone_and_an_address(test: &TestApp, shop: Shop) {
    let settings = json!({ "requirePhone": true, "requireAddress": true });
    let link = shop.link_with(json!({ "amountCents": 100, "settings": settings })).await;
    let page = open(test, &form(&link)).await;
    let fields = ADDRESS.map(|(field, _)| field);
    assert!(fields.iter().all(|field| page.label(field).is_some()), "{}", page.text);

    let page = Page::of(browser(test).submit(&form(&link), &BUYER).await, 422);
    let needed = fields.iter().filter(|field| **field != "complement");
    assert_eq!(page.wrong(), needed.copied().collect::<Vec<_>>());

    let mut typed = [&BUYER[..], &ADDRESS[..]].concat();
    let table = [
        ("phone", "12", "Digite o telefone com DDD"),
        ("postal_code", "0131", "Digite os 8 números do CEP."),
        ("state", "", "Escolha um estado da lista."),
        ("city", "", "Preencha este campo."),
    ];
    for (field, bad, message) in table {
        let mut wrong = typed.clone();
        wrong.retain(|(name, _)| *name != field);
        wrong.push((field, bad));
        let page = Page::of(browser(test).submit(&form(&link), &wrong).await, 422);
        assert_eq!(page.wrong(), [field]);
        assert!(page.error(field).starts_with(message), "{}", page.error(field));
        assert_eq!(page.value("street"), "Avenida Paulista");
        let kept = (field != "state").then_some("SP");
        assert_eq!(page.chosen(), kept);
    }
    assert!(charges(&shop).await.is_empty());
    typed.push(("attempt", ""));
    let place = next(&browser(test).submit(&form(&link), &typed).await);
    assert!(open(test, &place).await.code().is_some());
}

#[story::test]
async fn a_form_that_is_none_is_refused(test: &TestApp, shop: Shop) {
    let path = form(&shop.link(100).await);
    let kind = Some("application/x-www-form-urlencoded");
    let long = format!("name={}", "a".repeat(16 * 1024));
    let refused = test.anyone().send(Method::POST, &path, kind, long).await;
    refused.expect_refusal(413, "PAYLOAD_TOO_LARGE");
    let twice = "name=a&name=b".to_owned();
    let refused = test.anyone().send(Method::POST, &path, kind, twice).await;
    refused.expect_refusal(400, "VALIDATION_ERROR");
    let nowhere = "/pay/-/t/x/renew";
    let refused = test.anyone().send(Method::POST, nowhere, kind, String::new()).await;
    refused.expect_refusal(404, "NOT_FOUND");
    assert!(charges(&shop).await.is_empty());
}

#[story::test]
async fn a_card_number_is_refused_in_every_field_and_never_shown_again(test: &TestApp, shop: Shop) {
    let settings = json!({ "requirePhone": true, "requireAddress": true });
    let link = shop.link_with(json!({ "amountCents": 100, "settings": settings })).await;
    // The number that card brands publish for tests.
    let number = "4242 ".repeat(4);
    let good = [&BUYER[..], &ADDRESS[..]].concat();
    for (field, _) in &good {
        let typed: Vec<_> = good
            .iter()
            .map(|(name, text)| (*name, if name == field { number.as_str() } else { *text }))
            .collect();
        let page = Page::of(browser(test).submit(&form(&link), &typed).await, 422);
        assert_eq!(page.wrong(), [*field]);
        assert_eq!(page.error(field), "Nunca digite aqui o número de um cartão.");
        assert!(!page.says("4242"), "{field}");
    }
    assert!(charges(&shop).await.is_empty());
}
