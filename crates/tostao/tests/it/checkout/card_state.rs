//! The address of a card page, which its acquirer learns: it opens that page in the buyer's browser
//! alone, and nowhere leads to what the buyer's other addresses open.

use sandbox::test_cards::Scenario;
use serde_json::json;
use tostao::platform::config::Settings;

use crate::checkout::card::{confirm, go_to_card, type_card};
use crate::checkout::subscription::{by_card, place, plan};
use crate::checkout::{BUYER, HOUR, browser, charges, form, lost, next, open, press};
use crate::harness::client::Client;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::Shop;
use crate::harness::{TestApp, story_where};
use crate::sandbox::{card_that, token_that};

const BY_CARD: (&str, &str) = ("method", "CREDIT_CARD");
const BY_PIX: (&str, &str) = ("method", "PIX");
/// What a page says about a card page that did not open.
const LOST: [(&str, &str, &str); 2] = [
    ("pt-BR", "A página do cartão não abriu", "Permita os cookies"),
    ("en", "The card page did not open", "Allow cookies"),
];

/// Browsers that are not the buyer's: one that has no cookie, and one with another.
fn strangers(test: &TestApp) -> [Client; 2] {
    let fresh = test.anyone().with("accept", "text/html");
    let other = fresh.with("cookie", "__Host-device=00000000000000000000000000000000");
    [fresh, other]
}

fn state(address: &str) -> &str {
    address.split_once("state=").expect("has a state").1
}

/// Does with the address of a card page all that its holder can, from every other browser; answers
/// what they got.
async fn misuse(test: &TestApp, address: &str) -> Vec<Reply> {
    let door = address.split_once('?').expect("has a state").0;
    let mut answers = Vec::new();
    for stranger in strangers(test) {
        answers.push(stranger.get(address).await);
        let token = token_that(test, Scenario::Approves).await;
        for more in [("cardToken", token.as_str()), ("method", "PIX")] {
            answers.push(stranger.submit(door, &[("state", state(address)), more]).await);
        }
    }
    answers
}

/// Checks that others are led to the form and nowhere else.
async fn expect_form(test: &TestApp, address: &str, form: &str) {
    for answer in misuse(test, address).await {
        assert_eq!(next(&answer), lost(form));
        let cookie = answer.header("set-cookie").unwrap_or_default();
        assert!(!cookie.contains("subscription="), "{cookie}");
    }
}

/// Types a card on a page and confirms it.
async fn use_card(test: &TestApp, address: &str) -> Reply {
    let number = card_that(Scenario::Approves).number;
    let typed = type_card(test, address, number, "12/30").await;
    let (door, query) = typed.split_once('?').expect("has a card");
    let fields = url::form_urlencoded::parse(query.as_bytes()).collect::<Vec<_>>();
    let fields: Vec<_> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
    browser(test).submit(door, &fields).await
}

#[story::test]
async fn the_address_of_a_payments_card_page_is_of_use_in_one_browser_alone(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let link = shop.link(5_000).await;
    let address = go_to_card(test, &link, &[]).await;
    expect_form(test, &address, &form(&link)).await;
    assert!(charges(&shop).await.is_empty());
    let number = card_that(Scenario::LosesTheDecline).number;
    let typed = type_card(test, &address, number, "12/30").await;
    let failed = next(&confirm(test, &link, &typed).await);
    expect_form(test, &address, &form(&link)).await;
    test.run_jobs_after(std::time::Duration::from_mins(1)).await;

    let again = next(&press(test, &failed, "/retry").await);
    let paid = next(&use_card(test, &again).await);
    let receipt = next(&browser(test).get(&paid).await);
    assert!(open(test, &receipt).await.says("Pagamento confirmado"));
    expect_form(test, &again, &form(&link)).await;
    assert_eq!(charges(&shop).await.len(), 2);
}

#[story::test]
async fn the_address_of_a_plans_card_page_never_leads_to_the_subscription(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let place = place(&plan(&shop, json!({})).await);
    let form = open(test, &place).await;
    let attempt = ("attempt", form.hidden("attempt").expect("names itself"));
    let typed = [&BUYER[..], &[attempt, BY_CARD]].concat();
    let address = next(&browser(test).submit(&place, &typed).await);
    expect_form(test, &address, &place).await;
    assert!(charges(&shop).await.is_empty());
    let own = next(&use_card(test, &address).await);
    assert!(own.starts_with("/subscription/"), "{own}");
    expect_form(test, &address, &place).await;
    let (door, sealed) = address.split_once("?state=").expect("has a state");
    assert_eq!(next(&browser(test).submit(door, &[("state", sealed)]).await), own);
    assert_eq!(charges(&shop).await.len(), 1);
}

#[story::test]
async fn the_address_where_a_card_is_changed_never_leads_to_the_subscription(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let own = by_card(test, &plan(&shop, json!({})).await, Scenario::Approves).await;
    let address = next(&browser(test).get(&format!("{own}/card")).await);
    for ended in [false, true] {
        if ended {
            next(&browser(test).submit(&format!("{own}/cancel"), &[("when", "now")]).await);
        }
        for answer in misuse(test, &address).await {
            assert_eq!(answer.status, 404, "{}", answer.text);
            assert_eq!(answer.header("set-cookie"), None);
        }
    }
    assert_eq!(next(&browser(test).get(&address).await), own);
}

#[story::test]
async fn a_browser_without_a_name_gets_one_on_the_way_to_the_card_page(test: &TestApp, shop: Shop) {
    let link = shop.link(5_000).await;
    let [fresh, _] = strangers(test);
    let led = fresh.submit(&form(&link), &[&BUYER[..], &[BY_CARD]].concat()).await;
    let cookie = led.header("set-cookie").expect("is set");
    assert!(cookie.starts_with("__Host-device=") && cookie.contains("HttpOnly"), "{cookie}");
    let address = next(&led);
    let named = cookie.split(';').next().expect("has a value");
    let (_, plain) = named.split_once("__Host-").expect("has the prefix");
    let several = format!("shop=café; device=another; {named}");
    for cookies in [named.to_owned(), several] {
        assert_eq!(fresh.with("cookie", &cookies).get(&address).await.status, 200);
    }
    let two_lines = fresh.with("cookie", "shop=café; device=\u{e9}").also("cookie", named);
    assert_eq!(two_lines.get(&address).await.status, 200);
    // Without the prefix another host of the domain, or a plain connection, may have set it.
    for client in [&fresh, &fresh.with("cookie", plain)] {
        assert_eq!(next(&client.get(&address).await), lost(&form(&link)));
    }
}

#[test]
fn over_http_a_device_has_the_name_of_the_plain_cookie_alone() {
    let plain = |settings: &mut Settings| {
        let url = || Some("http://localhost:8080".parse().expect("is one"));
        (settings.base_url, settings.checkout_url) = (url(), url());
    };
    story_where(plain, async |test| {
        let link = test.shop("Loja").await.link(5_000).await;
        let [fresh, _] = strangers(test);
        let led = fresh.submit(&form(&link), &[&BUYER[..], &[BY_CARD]].concat()).await;
        let cookie = led.header("set-cookie").expect("is set");
        let named = cookie.split(';').next().expect("has a value");
        assert!(named.starts_with("device="), "{cookie}");
        let address = next(&led);
        assert_eq!(fresh.with("cookie", named).get(&address).await.status, 200);
        let prefixed = fresh.with("cookie", &format!("__Host-{named}"));
        assert_eq!(next(&prefixed.get(&address).await), lost(&form(&link)));
    });
}

#[story::test]
async fn a_device_that_is_named_twice_has_no_name_in_the_header(test: &TestApp, shop: Shop) {
    let link = shop.link(5_000).await;
    let [fresh, _] = strangers(test);
    let twice = fresh.with("x-device-id", "one-phone-of-two").also("x-device-id", "another-phone");
    let address = next(&twice.submit(&form(&link), &[&BUYER[..], &[BY_CARD]].concat()).await);
    let once = fresh.with("x-device-id", "one-phone-of-two");
    assert_eq!(once.get(&address).await.status, 303);
}

/// Checks that a page says why the card page did not open, and only where the query asks for it.
async fn expect_notice(browser: &Client, address: &str) {
    let page = address.split_once('?').expect("has a query").0;
    for (language, heading, text) in LOST {
        let reader = browser.with("accept-language", language);
        let shown = Page::of(reader.get(address).await, 200);
        let alert = "role=\"alert\" tabindex=\"-1\" autofocus";
        assert!(shown.says(alert) && shown.says(heading) && shown.says(text), "{}", shown.text);
        for other in [page.to_owned(), format!("{page}?notice=other")] {
            let shown = Page::of(reader.get(&other).await, 200);
            assert!(!shown.says(alert) && !shown.says(heading), "{other}: {}", shown.text);
        }
    }
}

#[story::test]
async fn a_buyer_without_cookies_reads_on_the_form_why_the_card_page_did_not_open(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let (link, plan) = (shop.link(5_000).await, plan(&shop, json!({})).await);
    let [fresh, _] = strangers(test);
    for form in [form(&link), place(&plan)] {
        let address = next(&fresh.submit(&form, &[&BUYER[..], &[BY_CARD]].concat()).await);
        let back = next(&fresh.get(&address).await);
        assert_eq!(back, lost(&form));
        expect_notice(&fresh, &back).await;
        let code = next(&fresh.submit(&form, &[&BUYER[..], &[BY_PIX]].concat()).await);
        assert!(Page::of(fresh.get(&code).await, 200).code().is_some());
    }
}

#[story::test]
async fn a_subscriber_whose_card_page_does_not_open_reads_why_in_the_portal(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let own = by_card(test, &plan(&shop, json!({})).await, Scenario::Approves).await;
    let [fresh, _] = strangers(test);
    let asked = fresh.get(&format!("{own}/card")).await;
    let again = next(&asked);
    assert_eq!(next(&fresh.get(&again).await), lost(&own));
    expect_notice(&fresh, &lost(&own)).await;

    let named = asked.header("set-cookie").expect("is set").split(';').next().expect("has a value");
    let keeps = fresh.with("cookie", named);
    let address = next(&keeps.get(&again).await);
    assert_eq!(keeps.get(&address).await.status, 200);
    test.pass(HOUR);
    let (door, sealed) = address.split_once("?state=").expect("has a state");
    assert_eq!(next(&keeps.get(&address).await), lost(&own));
    assert_eq!(next(&keeps.submit(door, &[("state", sealed)]).await), lost(&own));
    for answer in misuse(test, &address).await {
        assert_eq!(answer.status, 404, "{}", answer.text);
    }
}
