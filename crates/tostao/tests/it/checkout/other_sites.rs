//! Forms that another site posts in a buyer's browser: they change nothing and fix no attempt.

use sandbox::test_cards::Scenario;
use serde_json::json;

use crate::checkout::subscription::{by_card, place, plan, subscription};
use crate::checkout::{BUYER, address, browser, buy, charges, form, next, open, token};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::page::Page;
use crate::harness::shop::Shop;

const KNOWN: &str = "0123456789abcdef0123456789abcdef";

/// What a browser says of a form on another site's page, with and without fetch metadata.
fn from_other_sites(test: &TestApp) -> Vec<Client> {
    let site = |value| browser(test).with("sec-fetch-site", value);
    let origin = |value| browser(test).with("origin", value);
    vec![
        site("cross-site"),
        site("same-site"),
        site("same-origin").also("sec-fetch-site", "cross-site"),
        site("cross-site").with("origin", "http://localhost"),
        origin("https://evil.example"),
        origin("http://localhost.evil.example"),
        origin("http://localhost:1"),
        origin("null"),
        origin(""),
        origin("http://localhost").also("origin", "https://evil.example"),
    ]
}

/// What a browser says of a form on our own page; the last one is old and says nothing.
fn from_our_pages(test: &TestApp) -> Vec<Client> {
    let site = |value| browser(test).with("sec-fetch-site", value);
    vec![
        site("same-origin").with("origin", "null"),
        site("none"),
        browser(test).with("origin", "http://localhost"),
        browser(test).with("host", "proxied:80").with("origin", &test.app.settings.checkout_url()),
        browser(test),
    ]
}

#[story::test]
async fn a_form_from_another_site_opens_a_fresh_one_and_buys_nothing(test: &TestApp, shop: Shop) {
    let link = shop.link(4_990).await;
    let known = ("attempt", KNOWN);
    let plan = plan(&shop, json!({})).await;
    for place in [form(&link), place(&plan)] {
        let fields = [&BUYER[..], &[known]].concat();
        for attacker in from_other_sites(test) {
            for more in [&[("apply", "1")][..], &[("method", "CREDIT_CARD")], &[]] {
                let posted = attacker.submit(&place, &[&fields, more].concat()).await;
                assert_eq!(next(&posted), place);
            }
        }
        let queried = format!("{place}?attempt={KNOWN}&name=Mallory");
        for address in [&place, &queried] {
            let shown = Page::of(browser(test).get(address).await, 200);
            assert_ne!(shown.hidden("attempt"), Some(KNOWN));
            assert_eq!(shown.value("name"), "");
        }
    }
    assert!(charges(&shop).await.is_empty());
}

#[story::test]
async fn a_form_of_our_own_page_is_taken(test: &TestApp, shop: Shop) {
    let link = shop.link(4_990).await;
    for (count, buyer) in from_our_pages(test).into_iter().enumerate() {
        let paid = next(&buyer.submit(&form(&link), &BUYER).await);
        assert!(paid.contains("?token="), "{paid}");
        assert_eq!(charges(&shop).await.len(), count + 1);
    }
}

#[story::test]
async fn another_site_presses_no_button_of_a_page(test: &TestApp, shop: Shop) {
    let link = shop.link(4_990).await;
    let address = buy(test, &link).await;
    let place = address.split_once('?').expect("has a token").0;
    let pending = charges(&shop).await;
    let token = [("token", token(&address))];
    let attacker = &from_other_sites(test)[0];
    for (language, says) in [("pt-BR", "Abrir a página"), ("en", "Open the page")] {
        let refused = attacker.with("accept-language", language);
        let refused = refused.submit(&format!("{place}/simulate"), &token).await;
        let page = Page::of(refused, 403);
        assert!(page.says(says), "{}", page.text);
        assert!(page.says(&format!("href=\"{}\"", form(&link))), "{}", page.text);
    }
    for action in ["/simulate", "/renew", "/retry"] {
        assert_eq!(attacker.submit(&format!("{place}{action}"), &token).await.status, 403);
    }
    assert_eq!(attacker.submit(&format!("{}/card", form(&link)), &[]).await.status, 403);
    assert_eq!(charges(&shop).await, pending);
}

#[story::test]
async fn a_form_of_another_site_leads_back_to_a_charge_without_a_link(test: &TestApp, shop: Shop) {
    let charge = shop.charge(4_990).await;
    let address = address(&charge);
    let (place, _) = address.split_once('?').expect("has a token");
    let attacker = &from_other_sites(test)[0];
    for action in ["/simulate", "/renew"] {
        let path = format!("{place}{action}");
        let page = Page::of(attacker.submit(&path, &[("token", token(&address))]).await, 403);
        assert!(page.says(&format!("href=\"{address}\"")), "{}", page.text);
        // What is no token of ours is not shown.
        for foreign in ["", "mallory", "\"><script>", &"4242".repeat(4)] {
            let page = Page::of(attacker.submit(&path, &[("token", foreign)]).await, 403);
            assert!(page.says(&format!("href=\"{place}\"")), "{}", page.text);
        }
    }
    assert_eq!(open(test, &address).await.code(), charge["pix"]["brCode"].as_str());
    assert_eq!(charges(&shop).await[0]["status"], "PENDING");
}

#[story::test]
async fn another_site_changes_no_subscription(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let own = by_card(test, &plan, Scenario::Approves).await;
    let before = subscription(&shop).await;
    let attacker = &from_other_sites(test)[0];
    for action in ["/pause", "/resume", "/cancel"] {
        let refused = Page::of(attacker.submit(&format!("{own}{action}"), &[]).await, 403);
        assert!(refused.says(&format!("href=\"{own}\"")), "{}", refused.text);
    }
    for card in ["/subscription/card".to_owned(), format!("{}/card", place(&plan))] {
        assert_eq!(attacker.submit(&card, &[]).await.status, 403);
    }
    assert_eq!(subscription(&shop).await, before);
    // An old browser names the origin of the pages, which hold the token in their address.
    for page in [own.clone(), format!("{own}/cancel")] {
        assert!(open(test, &page).await.says("name=\"referrer\" content=\"same-origin\""));
    }
}
