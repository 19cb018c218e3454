//! Clicks: counted once an hour for a visitor, and kept in a cookie that cannot be forged.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Scene, join, path, program};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, merged};
use crate::methods::days_pass;
use crate::subscriptions::plan;

/// A page that sells the product.
async fn page(shop: &Shop, product: &Value) -> String {
    let items = json!([{ "productId": id(product), "quantity": 1 }]);
    let link = shop.link_with(json!({ "products": items })).await;
    link["slug"].as_str().expect("has one").to_owned()
}

/// What a browser keeps of an answer.
#[track_caller]
fn kept(reply: &Reply) -> String {
    assert_eq!(reply.status, 200, "{}", reply.text);
    let cookies = reply.headers.get_all("set-cookie").iter();
    let mut cookies = cookies.filter_map(|value| value.to_str().ok());
    let cookie = cookies.find_map(|value| value.strip_prefix("affiliate="));
    let value = cookie.expect("a click is kept").split(';').next().expect("has a value");
    format!("affiliate={value}")
}

/// Comes by an affiliate's address; answers the browser with what it keeps.
async fn click(browser: &Client, slug: &str, code: &str) -> Client {
    let reply = browser.get(&format!("/pay/{slug}?aff={code}")).await;
    browser.with("cookie", &kept(&reply))
}

fn buyer() -> Value {
    json!({
        "method": "PIX",
        "customer": { "name": "Ana", "email": "ana@example.com", "document": "529.982.247-25" },
    })
}

/// Buys through the page's JSON; returns the affiliate's code.
async fn buy(shop: &Shop, browser: &Client, slug: &str, more: &Value) -> Value {
    let path = format!("/api/payment-links/public/slug/{slug}/checkout");
    browser.post(&path, merged(buyer(), more)).await.expect(201);
    newest(shop).await["affiliateCode"].clone()
}

async fn newest(shop: &Shop) -> Value {
    shop.key.get("/api/v1/transactions?limit=1").await.expect(200)["data"][0].clone()
}

async fn clicks(affiliate: &Shop) -> Value {
    let stats = affiliate.key.get("/api/affiliate/stats").await.expect(200);
    stats["data"]["totalClicks"].clone()
}

/// A second affiliate of the same program; returns the merchant and the code.
async fn second(test: &TestApp, scene: &Scene) -> (Shop, String) {
    let other = test.shop("Carla Dias").await;
    let link = join(&other, &scene.program).await;
    let code = link["code"].as_str().expect("has one").to_owned();
    (other, code)
}

#[story::test]
async fn an_address_may_name_an_affiliate_and_choose_the_language(test: &TestApp) {
    let scene = Scene::open(test, json!({ "extendedCommission": true })).await;
    let plan = plan(&scene.shop, json!({})).await;
    let slug = page(&scene.shop, &scene.product).await;
    for place in [format!("/pay/{slug}"), format!("/subscribe/{}", id(&plan))] {
        let address = format!("{place}?lang=en&aff={}", scene.code());
        let reply = test.anyone().get(&address).await;
        let cookies = reply.headers.get_all("set-cookie").iter();
        let names = cookies.filter_map(|value| value.to_str().ok()?.split('=').next());
        let names: BTreeSet<_> = names.collect();
        assert_eq!(names, BTreeSet::from(["__Host-device", "affiliate", "lang"]), "{place}");
    }
}

#[story::test]
async fn a_visitor_counts_once_an_hour_by_the_page_and_by_the_api(test: &TestApp, scene: Scene) {
    let slug = page(&scene.shop, &scene.product).await;
    let first = click(&test.anyone(), &slug, scene.code()).await;
    assert_eq!(clicks(&scene.affiliate).await, 1);
    click(&first, &slug, scene.code()).await;
    // A buyer without the cookie is known by address and browser.
    click(&test.anyone(), &slug, &scene.code().to_lowercase()).await;
    let api = format!("/api/payment-links/public/slug/{slug}?aff={}", scene.code());
    kept(&first.get(&api).await);
    assert_eq!(clicks(&scene.affiliate).await, 1);
    kept(&test.anyone().with("x-device-id", "another").get(&api).await);
    assert_eq!(clicks(&scene.affiliate).await, 2);
    test.pass(Duration::from_mins(59));
    click(&first, &slug, scene.code()).await;
    assert_eq!(clicks(&scene.affiliate).await, 2);
    test.pass(Duration::from_mins(1));
    click(&first, &slug, scene.code()).await;
    assert_eq!(clicks(&scene.affiliate).await, 3);
    let listed = scene.affiliate.key.get("/api/affiliate/links").await.expect(200);
    assert_eq!(listed["data"][0]["clicks"], 3);
}

#[story::test]
async fn what_was_counted_is_forgotten_when_it_no_longer_matters(test: &TestApp, scene: Scene) {
    let slug = page(&scene.shop, &scene.product).await;
    click(&test.anyone(), &slug, scene.code()).await;
    let forgotten = async || tostao::housekeeping::run(&test.app).await.expect("runs");
    assert_eq!(forgotten().await, 0);
    test.pass(Duration::from_hours(1));
    assert_eq!(forgotten().await, 1);
}

#[story::test]
async fn a_code_that_brings_nothing_is_neither_counted_nor_kept(test: &TestApp, scene: Scene) {
    let slug = page(&scene.shop, &scene.product).await;
    let other = test.shop("Outra").await;
    let theirs = program(&other, &other.product(json!({})).await, json!({})).await;
    let theirs = join(&scene.affiliate, &theirs).await;
    let theirs = theirs["code"].as_str().expect("has one");
    let off = json!({ "isActive": false });
    scene.shop.key.patch(&path(&scene.program), off).await.expect(200);
    for code in [theirs, scene.code(), "BIA-000000", "x", "%27%22%3Cscript%3E"] {
        let reply = test.anyone().get(&format!("/pay/{slug}?aff={code}")).await;
        assert_eq!(reply.status, 200, "{code}");
        let mut cookies = reply.headers.get_all("set-cookie").iter();
        assert!(!cookies.any(|cookie| cookie.as_bytes().starts_with(b"affiliate=")), "{code}");
    }
    assert_eq!(clicks(&scene.affiliate).await, 0);
    let nowhere = format!("/pay/123456789ABC?aff={}", scene.code());
    assert_eq!(test.anyone().get(&nowhere).await.status, 404);
}

#[story::test]
async fn a_click_earns_a_commission_that_records_its_attribution(test: &TestApp, scene: Scene) {
    let slug = page(&scene.shop, &scene.product).await;
    let browser = click(&test.anyone(), &slug, scene.code()).await;
    test.pass(Duration::from_mins(5));
    assert_eq!(buy(&scene.shop, &browser, &slug, &json!({})).await, scene.code());
    scene.shop.pay(&newest(&scene.shop).await).await;
    let commission = scene.commissions().await.remove(0);
    assert_eq!(
        commission["attribution"],
        json!({ "source": "CLICK", "clickedAt": "2026-11-21T12:00:00.000Z",
            "attributedAt": "2026-11-21T12:05:00.000Z" })
    );
    assert_eq!(commission["linkId"], scene.link["id"]);
    assert_eq!(buy(&scene.shop, &test.anyone(), &slug, &json!({})).await, Value::Null);
}

#[story::test]
async fn a_form_without_scripts_carries_the_click_and_so_does_its_renewal(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    let slug = page(&scene.shop, &scene.product).await;
    let browser = test.anyone().with("accept", "text/html");
    let browser = click(&browser, &slug, scene.code()).await;
    let typed = [("name", "Ana"), ("email", "ana@example.com")];
    let bought = browser.submit(&format!("/pay/{slug}"), &typed).await;
    let address = bought.header("location").expect("leads on").to_owned();
    assert_eq!(newest(&scene.shop).await["affiliateCode"], scene.code());
    test.pass(Duration::from_hours(2));
    let (path, token) = address.split_once("?token=").expect("has a token");
    let nameless = test.anyone().with("accept", "text/html");
    let renewed = nameless.submit(&format!("{path}/renew"), &[("token", token)]).await;
    assert_eq!(renewed.status, 303, "{}", renewed.text);
    let again = newest(&scene.shop).await;
    assert_eq!(
        (&again["status"], &again["affiliateCode"]),
        (&json!("PENDING"), &json!(scene.code()))
    );
    let own = [("name", "Bruno"), ("email", "b@example.com"), ("affiliate_code", scene.code())];
    nameless.submit(&format!("/pay/{slug}"), &own).await;
    let given = newest(&scene.shop).await;
    assert_eq!(
        (&given["customer"]["name"], &given["affiliateCode"]),
        (&json!("Bruno"), &json!(scene.code()))
    );
}

#[story::test]
async fn a_click_counts_for_the_programs_days_and_no_longer(test: &TestApp) {
    let scene = Scene::open(test, json!({ "cookieDays": 10 })).await;
    let slug = page(&scene.shop, &scene.product).await;
    let browser = click(&test.anyone(), &slug, scene.code()).await;
    days_pass(&scene.shop, 9).await;
    assert_eq!(buy(&scene.shop, &browser, &slug, &json!({})).await, scene.code());
    days_pass(&scene.shop, 1).await;
    assert_eq!(buy(&scene.shop, &browser, &slug, &json!({})).await, Value::Null);
    let browser = click(&browser, &slug, scene.code()).await;
    assert_eq!(buy(&scene.shop, &browser, &slug, &json!({})).await, scene.code());
}

#[story::test]
async fn the_last_click_wins_and_a_code_that_is_given_beats_it(test: &TestApp, scene: Scene) {
    let slug = page(&scene.shop, &scene.product).await;
    let (_, other) = second(test, &scene).await;
    let browser = click(&test.anyone(), &slug, scene.code()).await;
    test.pass(Duration::from_mins(1));
    let browser = click(&browser, &slug, &other).await;
    assert_eq!(buy(&scene.shop, &browser, &slug, &json!({})).await, json!(other));
    let given = json!({ "affiliateCode": scene.code().to_lowercase() });
    assert_eq!(buy(&scene.shop, &browser, &slug, &given).await, scene.code());
    // A code that is not in use is as good as none.
    let unknown = json!({ "affiliateCode": "BIA-000000" });
    assert_eq!(buy(&scene.shop, &browser, &slug, &unknown).await, json!(other));
    test.pass(Duration::from_mins(1));
    let browser = click(&browser, &slug, scene.code()).await;
    assert_eq!(buy(&scene.shop, &browser, &slug, &json!({})).await, scene.code());
}

#[story::test]
async fn a_click_for_one_seller_does_not_take_anothers_away(test: &TestApp, scene: Scene) {
    let slug = page(&scene.shop, &scene.product).await;
    let other = test.shop("Outra").await;
    let product = other.product(json!({})).await;
    let theirs = program(&other, &product, json!({})).await;
    let link = join(&test.shop("Carla").await, &theirs).await;
    let code = link["code"].as_str().expect("has one");
    let their_slug = page(&other, &product).await;
    let browser = click(&test.anyone(), &slug, scene.code()).await;
    let browser = click(&browser, &their_slug, code).await;
    assert_eq!(buy(&scene.shop, &browser, &slug, &json!({})).await, scene.code());
    assert_eq!(buy(&other, &browser, &their_slug, &json!({})).await, code);
}

#[story::test]
async fn a_cookie_that_we_did_not_write_counts_for_nothing(test: &TestApp, scene: Scene) {
    let slug = page(&scene.shop, &scene.product).await;
    let reply = test.anyone().get(&format!("/pay/{slug}?aff={}", scene.code())).await;
    let cookie = kept(&reply);
    let forged = format!("affiliate=00.{}~1.AAAAAAAAAAAAAAAAAAAAAA", scene.code());
    let cut = cookie[..cookie.len() - 1].to_owned();
    for wrong in [forged, format!("{cookie}AAAA"), cut, "affiliate=".to_owned()] {
        let browser = test.anyone().with("cookie", &wrong);
        assert_eq!(buy(&scene.shop, &browser, &slug, &json!({})).await, Value::Null, "{wrong}");
    }
    let browser = test.anyone().with("cookie", &format!("lang=en; {cookie}"));
    assert_eq!(buy(&scene.shop, &browser, &slug, &json!({})).await, scene.code());
    let shown = reply.headers.get_all("set-cookie").iter();
    let shown: Vec<_> = shown.filter_map(|value| value.to_str().ok()).collect();
    let attributes = "; Max-Age=31536000; Path=/; SameSite=Lax; HttpOnly; Secure";
    assert!(shown.iter().any(|value| value.ends_with(attributes)), "{shown:?}");
}
