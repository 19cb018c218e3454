//! The hosted pages, as a browser without scripts goes through them.

use std::time::Duration;

use futures_util::future::join_all;
use http::Method;
use serde_json::{Value, json};
use tostao::qr::Qr;

use crate::harness::client::Client;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, link_path};
use crate::harness::{TestApp, story};

const HOUR: Duration = Duration::from_hours(1);
/// One microsecond less.
const ALMOST_AN_HOUR: Duration = Duration::from_micros(3_599_999_999);

/// What a buyer types.
const BUYER: [(&str, &str); 3] =
    [("name", "Fulano de Tal"), ("email", "fulano@example.com"), ("document", "529.982.247-25")];

const ADDRESS: [(&str, &str); 8] = [
    ("phone", "(11) 91234-5678"),
    ("postal_code", "01310-100"),
    ("street", "Avenida Paulista"),
    ("number", "1000"),
    ("complement", ""),
    ("district", "Bela Vista"),
    ("city", "São Paulo"),
    ("state", "SP"),
];

/// Somebody's browser.
fn browser(test: &TestApp) -> Client {
    test.anyone().with("accept", "text/html")
}

fn form(link: &Value) -> String {
    format!("/pay/{}", link["slug"].as_str().expect("has one"))
}

/// Where an answer sends the browser.
#[track_caller]
fn next(reply: &Reply) -> String {
    assert_eq!(reply.status, 303, "{}", reply.text);
    reply.header("location").expect("leads on").to_owned()
}

/// Buys through a link; answers the address of the page with the code.
async fn buy(test: &TestApp, link: &Value) -> String {
    next(&browser(test).submit(&form(link), &BUYER).await)
}

async fn open(test: &TestApp, address: &str) -> Page {
    Page::of(browser(test).get(address).await, 200)
}

/// The address of another page of the same payment.
fn beside(address: &str, action: &str) -> String {
    address.replace("?token=", &format!("{action}?token="))
}

fn token(address: &str) -> &str {
    address.split_once("?token=").expect("has a token").1
}

/// Posts one of the small forms of a payment's page.
async fn press(test: &TestApp, address: &str, action: &str) -> Reply {
    let path = address.split_once('?').expect("has a token").0;
    let token = token(address);
    browser(test).submit(&format!("{path}{action}"), &[("token", token)]).await
}

/// The only payments there are, newest first.
async fn charges(shop: &Shop) -> Vec<Value> {
    let listed = shop.key.get("/api/v1/transactions").await.expect(200);
    listed["data"].as_array().expect("is a list").clone()
}

#[test]
fn the_form_shows_who_sells_what_for_how_much() {
    story(async |test| {
        let shop = test.shop("Loja Azul").await;
        let link = shop.link_with(json!({ "amountCents": 4_990, "description": "De louça." }));
        let page = open(test, &form(&link.await)).await;
        assert_eq!(page.heading(), "Caneca");
        for text in ["Loja Azul", "De louça.", "R$\u{a0}49,90", "Modo de teste"] {
            assert!(page.says(text), "{text}: {}", page.text);
        }
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
    });
}

#[test]
fn a_refused_form_keeps_what_was_typed_and_says_what_is_wrong() {
    story(async |test| {
        let shop = test.shop("Loja").await;
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
    });
}

#[test]
fn what_was_typed_is_shown_as_text_and_never_as_markup() {
    story(async |test| {
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
    });
}

#[test]
fn a_good_form_leads_to_the_code_that_the_api_tells_and_a_reload_changes_nothing() {
    story(async |test| {
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
    });
}

#[test]
fn a_form_sent_twice_pays_once() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link(4_990).await;
        let shown = open(test, &form(&link)).await;
        let attempt = shown.hidden("attempt").expect("names itself");
        let typed: Vec<_> = BUYER.into_iter().chain([("attempt", attempt)]).collect();
        let (browser, address) = (browser(test), form(&link));
        let clicks = (0..8).map(|_| browser.submit(&address, &typed));
        let places: Vec<_> = join_all(clicks).await.iter().map(next).collect();
        assert!(places.iter().all(|place| *place == places[0]), "{places:?}");
        assert_eq!(next(&browser.submit(&address, &typed).await), places[0]);
        assert_eq!(charges(&shop).await.len(), 1);

        let again = open(test, &form(&link)).await;
        assert_ne!(again.hidden("attempt"), Some(attempt));
        let typed = [&BUYER[..], &[("attempt", again.hidden("attempt").unwrap())]].concat();
        assert_ne!(next(&browser.submit(&address, &typed).await), places[0]);
        assert_eq!(charges(&shop).await.len(), 2);
    });
}

#[test]
fn a_refused_form_may_be_put_right_and_sent_again() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link(4_990).await;
        let shown = open(test, &form(&link)).await;
        let attempt = ("attempt", shown.hidden("attempt").expect("names itself"));
        let wrong = Page::of(browser(test).submit(&form(&link), &[attempt]).await, 422);
        assert_eq!(wrong.hidden("attempt"), Some(attempt.1));
        let typed = [&BUYER[..], &[attempt]].concat();
        next(&browser(test).submit(&form(&link), &typed).await);
        assert_eq!(charges(&shop).await.len(), 1);
    });
}

#[test]
fn an_expired_code_gives_way_to_a_new_one_without_typing_again() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link(4_990).await;
        let address = buy(test, &link).await;
        test.pass(HOUR);
        let page = open(test, &address).await;
        assert_eq!(page.heading(), "Este código PIX expirou");
        assert_eq!((page.code(), page.drawing()), (None, None));
        assert!(page.says("Gerar novo código"));
        let action = page.action("renew").expect("can be renewed");
        assert_eq!(action, address.replace(&format!("?token={}", token(&address)), "/renew"));
        assert_eq!(page.hidden("token"), Some(token(&address)));

        let renewed = next(&press(test, &address, "/renew").await);
        assert_ne!(renewed, address);
        assert!(open(test, &renewed).await.code().is_some());
        assert_eq!(next(&press(test, &address, "/renew").await), renewed);
        let both = charges(&shop).await;
        assert_eq!(both.len(), 2);
        assert_eq!(
            (&both[0]["status"], &both[1]["status"]),
            (&json!("PENDING"), &json!("EXPIRED"))
        );
        assert_eq!(
            (&both[0]["customer"], &both[0]["amount"]),
            (&both[1]["customer"], &json!(4_990))
        );
        assert_eq!(shop.read_link(&link).await["timesUsed"], 2);
    });
}

#[test]
fn only_a_code_that_ended_is_renewed() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link(4_990).await;
        let address = buy(test, &link).await;
        assert_eq!(next(&press(test, &address, "/renew").await), address);
        shop.pay(&charges(&shop).await[0]).await;
        assert_eq!(next(&press(test, &address, "/renew").await), address);
        assert_eq!(charges(&shop).await.len(), 1);

        let late = buy(test, &link).await;
        test.pass(HOUR);
        shop.change_link(&link, json!({ "status": "INACTIVE" })).await;
        let refused = Page::of(press(test, &late, "/renew").await, 410);
        assert_eq!(refused.heading(), "Este link está desativado");
        shop.change_link(&link, json!({ "status": "ACTIVE" })).await;
        let renewed = next(&press(test, &late, "/renew").await);
        assert!(open(test, &renewed).await.code().is_some());
    });
}

#[test]
fn a_simulated_payment_leads_to_the_receipt() {
    story(async |test| {
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
    });
}

#[test]
fn a_late_payment_has_a_receipt_too() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link(4_990).await;
        let address = buy(test, &link).await;
        test.pass(HOUR);
        assert_eq!(next(&press(test, &address, "/simulate").await), address);
        assert_eq!(next(&browser(test).get(&address).await), beside(&address, "/receipt"));
    });
}

#[test]
fn real_money_has_no_test_mode() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let key = shop.key_for("production", &["paymentLinks:write"]).await;
        let body = json!({ "title": "Caneca", "amountCents": 4_990 });
        let link = key.post("/api/v1/payment-links", body).await.expect(201)["data"].clone();
        let page = open(test, &form(&link)).await;
        assert_eq!(page.heading(), "Caneca");
        assert!(!page.says("Modo de teste") && !page.says("Simular"));
        let refused = Page::of(browser(test).submit(&form(&link), &BUYER).await, 503);
        assert_eq!(refused.heading(), "Algo deu errado do nosso lado");
    });
}

#[test]
fn a_receipt_leads_back_to_the_shop_with_the_payments_id() {
    story(async |test| {
        let shop = test.shop("Loja").await;
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
    });
}

#[test]
fn a_link_that_takes_no_payment_says_why() {
    story(async |test| {
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
    });
}

#[test]
fn a_buyer_who_comes_too_late_for_the_last_one_is_told_so() {
    story(async |test| {
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
    });
}

#[test]
fn a_link_without_pix_shows_no_form_for_it() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let fields = json!({ "amountCents": 100, "settings": { "pixEnabled": false } });
        let link = shop.link_with(fields).await;
        let page = Page::of(browser(test).get(&form(&link)).await, 400);
        assert_eq!(page.heading(), "Este link está desativado");
        let page = Page::of(browser(test).submit(&form(&link), &BUYER).await, 400);
        assert_eq!(page.heading(), "Este link está desativado");
    });
}

#[test]
fn a_cancelled_payment_is_not_to_be_paid() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let address = buy(test, &shop.link(100).await).await;
        let path = format!("/api/v1/transactions/{}/cancel", id(&charges(&shop).await[0]));
        shop.key.post(&path, json!({})).await.expect(200);
        let page = Page::of(browser(test).get(&address).await, 410);
        assert_eq!((page.heading(), page.code()), ("Cobrança cancelada", None));
        assert_eq!(next(&browser(test).get(&beside(&address, "/receipt")).await), address);
    });
}

#[test]
fn a_payment_without_a_link_has_its_pages_too() {
    story(async |test| {
        let shop = test.shop("Loja Azul").await;
        let charge = shop.charge(4_990).await;
        let url = charge["paymentUrl"].as_str().expect("has one");
        let address = url.strip_prefix("https://pay.example.com").expect("is ours");
        let page = open(test, address).await;
        assert_eq!(page.code(), charge["pix"]["brCode"].as_str());
        press(test, address, "/simulate").await;
        let page = open(test, &beside(address, "/receipt")).await;
        assert_eq!((page.heading(), page.link("return")), ("Pagamento confirmado", None));
    });
}

#[test]
fn a_buyers_address_opens_his_own_payment_alone() {
    story(async |test| {
        let shop = test.shop("Loja").await;
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
    });
}

#[test]
fn the_buyer_reads_his_language() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link(4_990).await;
        let plain = browser(test);
        let english = plain.with("cookie", "a=b; lang=en");
        let prefers = plain.with("accept-language", "fr, en;q=0.8");
        let table = [
            (&plain, "", "pt-BR"),
            (&plain, "?lang=en", "en"),
            (&plain, "?lang=fr", "pt-BR"),
            (&english, "", "en"),
            (&english, "?lang=pt-BR", "pt-BR"),
            (&prefers, "", "en"),
            (&prefers, "?lang=pt", "pt-BR"),
        ];
        for (client, query, language) in table {
            let page = Page::of(client.get(&format!("{}{query}", form(&link))).await, 200);
            assert_eq!(page.language(), language, "{query}");
            let name = if language == "en" { "Full name" } else { "Nome completo" };
            assert_eq!(page.label("name"), Some(name));
        }
        let both = english.with("accept-language", "pt-BR");
        assert_eq!(Page::of(both.get(&form(&link)).await, 200).language(), "en");

        let chosen = plain.get(&format!("{}?lang=en", form(&link))).await;
        let cookie = chosen.header("set-cookie").expect("is kept");
        assert!(cookie.starts_with("lang=en; ") && cookie.contains("HttpOnly"), "{cookie}");
        assert_eq!(plain.get(&form(&link)).await.header("set-cookie"), None);

        let wrong = Page::of(english.submit(&form(&link), &[]).await, 422);
        assert_eq!(wrong.error("name"), "Fill in this field.");
        let address = next(&english.submit(&form(&link), &BUYER).await);
        let page = Page::of(english.get(&address).await, 200);
        assert_eq!((page.heading(), page.says("R$49.90")), ("Pay with PIX", true));
        shop.pay(&charges(&shop).await[0]).await;
        let receipt = Page::of(english.get(&beside(&address, "/receipt")).await, 200);
        assert_eq!(receipt.heading(), "Payment confirmed");
        let unknown = Page::of(prefers.get("/pay/123456789ABC").await, 404);
        assert_eq!((unknown.heading(), unknown.language()), ("Page not found", "en"));
    });
}

#[test]
fn every_page_is_private_and_runs_nothing_but_its_own() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link(100).await;
        let address = buy(test, &link).await;
        let browser = browser(test);
        let mut replies = vec![
            browser.get(&form(&link)).await,
            browser.submit(&form(&link), &[]).await,
            browser.get(&address).await,
            browser.get("/pay/123456789ABC").await,
        ];
        shop.pay(&charges(&shop).await[0]).await;
        replies.push(browser.get(&beside(&address, "/receipt")).await);
        shop.change_link(&link, json!({ "status": "INACTIVE" })).await;
        replies.push(browser.get(&form(&link)).await);
        for reply in replies {
            let policy = reply.header("content-security-policy").expect("has a policy");
            let parts = [
                "default-src 'none'",
                "script-src 'self'",
                "form-action 'self'",
                "frame-ancestors 'none'",
                "base-uri 'none'",
            ];
            for part in parts {
                assert!(policy.contains(part), "{part}: {policy}");
            }
            assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
            assert_eq!(reply.header("cache-control"), Some("no-store"));
            assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
            let scripts = reply.text.matches("<script").count();
            assert_eq!(
                reply.text.matches("<script type=\"module\" src=\"/assets/").count(),
                scripts
            );
            assert!(!reply.text.contains(" style=\"") && !reply.text.contains(" onclick="));
        }
    });
}

#[test]
fn a_pixel_of_digits_alone_is_shown_on_the_receipt_alone() {
    story(async |test| {
        let shop = test.shop("Loja").await;
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
    });
}

#[test]
fn a_link_may_ask_for_a_telephone_and_an_address() {
    story(async |test| {
        let shop = test.shop("Loja").await;
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
    });
}

#[test]
fn a_change_is_seen_on_the_next_visit() {
    story(async |test| {
        let shop = test.shop("Loja").await;
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
    });
}

#[test]
fn the_developers_clock_ends_a_link_on_the_next_visit() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let ends = "2026-11-21T13:00:00Z";
        let link = shop.link_with(json!({ "amountCents": 100, "expiresAt": ends })).await;
        open(test, &form(&link)).await;
        let step = json!({ "seconds": 3_600 });
        shop.key.post("/api/dev/clock/advance", step).await.expect(200);
        Page::of(browser(test).get(&form(&link)).await, 410);
    });
}

#[test]
fn a_form_that_is_none_is_refused() {
    story(async |test| {
        let shop = test.shop("Loja").await;
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
    });
}
