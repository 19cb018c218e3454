//! The affiliate of a subscriber is decided at the subscription; what that brings is paid for as
//! long as it was promised.

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{Scene, path};
use crate::checkout::{BUYER, browser};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id, merged};
use crate::subscriptions::{by_card_with, days, plan, subscribe};

/// Subscribes by a card and the scene's code; answers the subscription.
pub async fn subscribed(test: &TestApp, scene: &Scene, plan: &Value, more: Value) -> Value {
    let body = merged(json!({ "affiliateCode": scene.code() }), &more);
    let made = by_card_with(test, plan, Scenario::Approves, body).await.expect(201);
    made["data"]["subscription"].clone()
}

/// What the affiliate has, newest first: of what kind, of how much, how much.
async fn earned(scene: &Scene) -> Vec<(Value, Value, Value)> {
    let reported = |commission: &Value| {
        let field = |name: &str| commission[name].clone();
        (field("type"), field("baseAmountCents"), field("amountCents"))
    };
    scene.commissions().await.iter().map(reported).collect()
}

fn row(kind: &str, base: i64, amount: i64) -> (Value, Value, Value) {
    (json!(kind), json!(base), json!(amount))
}

async fn charged(shop: &Shop) -> usize {
    shop.key.list("/api/v1/transactions?limit=100").await.len()
}

#[story::test]
async fn an_extended_program_pays_for_every_charge_on_the_terms_of_the_first_day(test: &TestApp) {
    let scene = Scene::open(test, json!({ "extendedCommission": true })).await;
    let coupon = json!({ "code": "METADE", "discountType": "PERCENTAGE", "discountValue": 50 });
    scene.shop.key.post("/api/v1/coupons", coupon).await.expect(201);
    let plan = plan(&scene.shop, json!({})).await;
    let half = json!({ "couponCode": "METADE" });
    let made = subscribed(test, &scene, &plan, half).await;
    assert_eq!(made["affiliateCode"], scene.code());
    // 3,000 less half of it, and 10 % of that.
    assert_eq!(earned(&scene).await, [row("SALE", 1_500, 150)]);
    let less = json!({ "commissionValue": 1, "extendedCommission": false });
    scene.shop.key.patch(&path(&scene.program), less).await.expect(200);
    days(&scene.shop, 30).await;
    let two = [row("RENEWAL", 3_000, 300), row("SALE", 1_500, 150)];
    assert_eq!(earned(&scene).await, two);
    scene.shop.key.delete(&path(&scene.program)).await.expect(200);
    days(&scene.shop, 31).await;
    assert_eq!(earned(&scene).await.first(), Some(&row("RENEWAL", 3_000, 300)));
    assert_eq!(earned(&scene).await.len(), 3);
}

#[story::test]
async fn a_program_that_is_not_extended_pays_for_the_first_charge_of_its_own_product(
    test: &TestApp,
) {
    let scene = Scene::open(test, json!({})).await;
    let own = plan(&scene.shop, json!({ "productId": id(&scene.product) })).await;
    let made = subscribed(test, &scene, &own, json!({})).await;
    assert_eq!(made["affiliateCode"], scene.code());
    let once = [row("SALE", 3_000, 300)];
    assert_eq!(earned(&scene).await, once);
    days(&scene.shop, 30).await;
    assert_eq!((charged(&scene.shop).await, earned(&scene).await), (2, once.to_vec()));
    let book = scene.shop.product(json!({ "name": "Livro", "price": 5_000 })).await;
    for more in [json!({}), json!({ "productId": id(&book) })] {
        let other = plan(&scene.shop, more).await;
        let made = subscribed(test, &scene, &other, json!({})).await;
        assert_eq!(made["affiliateCode"], Value::Null);
    }
    assert_eq!(earned(&scene).await, once);
}

#[story::test]
async fn the_affiliate_of_a_subscriber_is_known_before_the_trial_ends(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    let tried = json!({ "productId": id(&scene.product), "trialDays": 7 });
    let tried = plan(&scene.shop, tried).await;
    let made = subscribed(test, &scene, &tried, json!({})).await;
    assert_eq!(
        (&made["status"], &made["affiliateCode"]),
        (&json!("TRIALING"), &json!(scene.code()),)
    );
    assert!(earned(&scene).await.is_empty());
    scene.shop.key.delete(&path(&scene.program)).await.expect(200);
    days(&scene.shop, 7).await;
    assert_eq!(earned(&scene).await, [row("SALE", 3_000, 300)]);
}

#[story::test]
async fn no_commission_is_paid_for_subscribing_oneself_and_an_unknown_code_counts_as_none(
    test: &TestApp,
) {
    let scene = Scene::open(test, json!({ "extendedCommission": true })).await;
    let plan = plan(&scene.shop, json!({})).await;
    let me = scene.affiliate.owner.get("/api/auth/me").await.expect(200);
    let buyer_self = json!({ "customer": { "name": "Bia", "email": me["user"]["email"] } });
    for more in [buyer_self, json!({ "affiliateCode": "ANA-ABC123" })] {
        let body = merged(json!({ "affiliateCode": scene.code() }), &more);
        let made = subscribe(test, &plan, body).await.expect(201);
        assert_eq!(made["data"]["subscription"]["affiliateCode"], Value::Null);
        scene.shop.pay(&made["data"]["transaction"]).await;
    }
    assert!(earned(&scene).await.is_empty());
}

#[story::test]
async fn a_click_that_led_to_the_plans_page_counts_for_a_subscription_there(test: &TestApp) {
    let scene = Scene::open(test, json!({ "extendedCommission": true })).await;
    let plan = plan(&scene.shop, json!({})).await;
    let place = format!("/subscribe/{}", id(&plan));
    let opened = browser(test).get(&format!("{place}?aff={}", scene.code())).await;
    let cookies = opened.headers.get_all("set-cookie").iter();
    let mut cookies = cookies.filter_map(|value| value.to_str().ok());
    let kept = cookies.find(|value| value.starts_with("affiliate=")).expect("is kept");
    let kept = kept.split(';').next().expect("has a value");
    let back = browser(test).with("cookie", kept);
    back.submit(&place, &[&BUYER[..], &[("method", "PIX")]].concat()).await;
    let listed = scene.shop.key.get("/api/subscriptions").await.expect(200);
    assert_eq!(listed["data"][0]["affiliateCode"], scene.code());
    let stats = scene.affiliate.key.get("/api/affiliate/stats").await.expect(200);
    assert_eq!(stats["data"]["totalClicks"], 1);
}
