//! One attempt to pay: sent twice, corrected, given up, renewed.

use futures_util::future::join_all;
use serde_json::json;

use crate::checkout::{BUYER, HOUR, browser, buy, charges, form, next, open, press, token};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};

#[story::test]
async fn a_form_sent_twice_pays_once(test: &TestApp, shop: Shop) {
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
}

#[story::test]
async fn a_refused_form_may_be_put_right_and_sent_again(test: &TestApp, shop: Shop) {
    let link = shop.link(4_990).await;
    let shown = open(test, &form(&link)).await;
    let attempt = ("attempt", shown.hidden("attempt").expect("names itself"));
    let wrong = Page::of(browser(test).submit(&form(&link), &[attempt]).await, 422);
    assert_eq!(wrong.hidden("attempt"), Some(attempt.1));
    let typed = [&BUYER[..], &[attempt]].concat();
    next(&browser(test).submit(&form(&link), &typed).await);
    assert_eq!(charges(&shop).await.len(), 1);
}

#[story::test]
async fn an_expired_code_is_renewed_without_typing_again(test: &TestApp, shop: Shop) {
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
    assert_eq!((&both[0]["status"], &both[1]["status"]), (&json!("PENDING"), &json!("EXPIRED")));
    assert_eq!((&both[0]["customer"], &both[0]["amount"]), (&both[1]["customer"], &json!(4_990)));
    assert_eq!(shop.read_link(&link).await["timesUsed"], 2);
}

#[story::test]
async fn only_a_code_that_ended_is_renewed(test: &TestApp, shop: Shop) {
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
}

#[story::test]
async fn a_corrected_form_gets_a_code_of_its_own_and_the_one_before_is_cancelled(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let stock = json!({ "amountCents": 100, "stockEnabled": true, "stockQuantity": 1 });
    let link = shop.link_with(stock).await;
    let shown = open(test, &form(&link)).await;
    let attempt = ("attempt", shown.hidden("attempt").expect("names itself"));
    let send = async |email: &str| {
        let name_and_document = [BUYER[0], BUYER[2]];
        let typed = [&name_and_document[..], &[("email", email), attempt]].concat();
        next(&browser(test).submit(&form(&link), &typed).await)
    };
    let first = send("fulano@example.con").await;
    let corrected = send("fulano@example.com").await;
    assert_ne!(corrected, first);
    // The same in other words is the same form.
    assert_eq!(send(" Fulano@Example.com ").await, corrected);
    let cancelled = Page::of(browser(test).get(&first).await, 410);
    assert_eq!(cancelled.heading(), "Cobrança cancelada");
    assert!(open(test, &corrected).await.code().is_some());
    let both = charges(&shop).await;
    let reported: Vec<_> =
        both.iter().map(|charge| (&charge["status"], &charge["customer"]["email"])).collect();
    let expected = [
        (&json!("PENDING"), &json!("fulano@example.com")),
        (&json!("CANCELLED"), &json!("fulano@example.con")),
    ];
    assert_eq!(reported, expected);

    let back = send("fulano@example.con").await;
    assert!(back != first && open(test, &back).await.code().is_some());
    test.pass(HOUR);
    let late = send("fulano@example.con").await;
    assert!(late != back && open(test, &late).await.code().is_some());
}

#[story::test]
async fn once_an_attempt_is_paid_no_correction_asks_for_money_again(test: &TestApp, shop: Shop) {
    let link = shop.link(4_990).await;
    let shown = open(test, &form(&link)).await;
    let attempt = ("attempt", shown.hidden("attempt").expect("names itself"));
    let typed = [&BUYER[..], &[attempt]].concat();
    let paid = next(&browser(test).submit(&form(&link), &typed).await);
    press(test, &paid, "/simulate").await;
    let mut corrected = typed.clone();
    corrected[0].1 = "Fulano";
    for form_sent in [&typed, &corrected] {
        assert_eq!(next(&browser(test).submit(&form(&link), form_sent).await), paid);
    }
    assert_eq!(charges(&shop).await.len(), 1);
}

#[story::test]
async fn of_many_corrections_at_once_one_code_can_be_paid(test: &TestApp, shop: Shop) {
    let link = shop.link(4_990).await;
    let shown = open(test, &form(&link)).await;
    let attempt = ("attempt", shown.hidden("attempt").expect("names itself"));
    let names: Vec<_> = (0..6).map(|number| format!("Fulano {number}")).collect();
    let forms: Vec<_> =
        names.iter().map(|name| [("name", name.as_str()), BUYER[1], BUYER[2], attempt]).collect();
    let (browser, address) = (browser(test), form(&link));
    let sent = join_all(forms.iter().map(|typed| browser.submit(&address, typed))).await;
    assert_eq!(sent.iter().map(next).count(), 6);
    let made = charges(&shop).await;
    let open = made.iter().filter(|charge| charge["status"] == "PENDING").count();
    assert_eq!((made.len(), open), (6, 1));
}

#[story::test]
async fn a_correction_that_is_refused_leaves_the_code_before_it_payable(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let product = shop.product(json!({ "price": 1_000 })).await;
    let items = json!([{ "productId": id(&product), "quantity": 1 }]);
    let link = shop.link_with(json!({ "products": items })).await;
    let shown = open(test, &form(&link)).await;
    let attempt = ("attempt", shown.hidden("attempt").expect("names itself"));
    let typed = [&BUYER[..], &[attempt]].concat();
    let first = next(&browser(test).submit(&form(&link), &typed).await);
    shop.change_product(&product, json!({ "status": "INACTIVE" })).await;
    let mut corrected = typed.clone();
    corrected[0].1 = "Fulano";
    Page::of(browser(test).submit(&form(&link), &corrected).await, 409);
    assert!(open(test, &first).await.code().is_some());
    shop.change_product(&product, json!({ "status": "ACTIVE" })).await;
    let second = next(&browser(test).submit(&form(&link), &corrected).await);
    assert_ne!(second, first);
    assert!(open(test, &second).await.code().is_some());
    let made = charges(&shop).await;
    let reported: Vec<_> =
        made.iter().map(|charge| (&charge["status"], &charge["failureReason"])).collect();
    let expected = [(&json!("PENDING"), &json!(null)), (&json!("CANCELLED"), &json!("replaced"))];
    assert_eq!(reported, expected);
    let steps = shop.timeline(&made[1]).await;
    assert_eq!((&steps[1]["kind"], &steps[1]["reason"]), (&json!("CANCELLED"), &json!("replaced")));
    // The old code is out there, and what is paid did not fail.
    let late = shop.pay(&made[1]).await;
    assert_eq!((&late["status"], &late["paidLate"]), (&json!("PAID"), &json!(true)));
    assert_eq!(late["failureReason"], json!(null));
}

#[story::test]
async fn a_code_renewed_long_ago_leads_to_the_last_one_of_its_line(test: &TestApp, shop: Shop) {
    let link = shop.link(4_990).await;
    let address = buy(test, &link).await;
    test.pass(HOUR);
    let second = next(&press(test, &address, "/renew").await);
    test.pass(HOUR);
    let third = next(&press(test, &address, "/renew").await);
    assert!(third != second && open(test, &third).await.code().is_some());
    assert_eq!(next(&press(test, &second, "/renew").await), third);
    assert_eq!(charges(&shop).await.len(), 3);
}
