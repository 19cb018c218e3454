//! What of an order counts, on which terms, and that referring oneself is not paid.

use std::time::Duration;

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{Scene, commissions, join, path, program};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};
use crate::methods::balance;
use crate::sandbox::token_that;

/// The base and the amount of the newest commission.
async fn newest(scene: &Scene) -> (Value, Value) {
    let newest = scene.commissions().await.remove(0);
    (newest["baseAmountCents"].clone(), newest["amountCents"].clone())
}

fn items(of: &[(&Value, i64)]) -> Value {
    let item =
        |(product, count): &(&Value, i64)| json!({ "productId": id(product), "quantity": count });
    json!({ "items": of.iter().map(item).collect::<Vec<_>>() })
}

async fn coupon(shop: &Shop, code: &str, products: Value) {
    let coupon = json!({ "code": code, "discountType": "PERCENTAGE", "discountValue": 10,
        "productIds": products });
    shop.key.post("/api/v1/coupons", coupon).await.expect(201);
}

#[story::test]
async fn the_programs_items_count_after_the_discount(scene: Scene) {
    let book = scene.shop.product(json!({ "name": "Livro", "price": 5_000 })).await;
    let both = [(&scene.product, 2), (&book, 1)];
    scene.sell(items(&both)).await;
    // 2 × 10,000 = 20,000, and 10 % of it; the book is another product.
    assert_eq!(newest(&scene).await, (json!(20_000), json!(2_000)));
    coupon(&scene.shop, "TUDO", json!([])).await;
    let order = crate::harness::shop::merged(items(&both), &json!({ "couponCode": "TUDO" }));
    scene.sell(order).await;
    // 2,500 off 25,000, of which 2,500 × 20,000 / 25,000 = 2,000 off the courses.
    assert_eq!(newest(&scene).await, (json!(18_000), json!(1_800)));
    coupon(&scene.shop, "LIVRO", json!([id(&book)])).await;
    let order = crate::harness::shop::merged(items(&both), &json!({ "couponCode": "LIVRO" }));
    scene.sell(order).await;
    assert_eq!(newest(&scene).await, (json!(20_000), json!(2_000)));
    let without = scene.issue(items(&[(&book, 1)])).await;
    assert_eq!(without["affiliateCode"], Value::Null);
}

#[story::test]
async fn an_extended_program_counts_the_whole_order(test: &TestApp) {
    let scene = Scene::open(test, json!({ "extendedCommission": true })).await;
    let book = scene.shop.product(json!({ "name": "Livro", "price": 5_000 })).await;
    scene.sell(items(&[(&scene.product, 1), (&book, 1)])).await;
    assert_eq!(newest(&scene).await, (json!(15_000), json!(1_500)));
    let sale = json!({ "amountCents": 999, "affiliateCode": scene.code() });
    let charge = scene.shop.charge_with(sale).await;
    scene.shop.pay(&charge).await;
    // 999 × 10 % = 99.9, rounded down.
    assert_eq!(newest(&scene).await, (json!(999), json!(99)));
}

#[story::test]
async fn a_fixed_commission_is_for_each_piece_and_never_more_than_what_counts(test: &TestApp) {
    let fixed = json!({ "commissionType": "FIXED", "commissionValue": 9_500 });
    let scene = Scene::open(test, fixed).await;
    scene.sell(items(&[(&scene.product, 3)])).await;
    assert_eq!(newest(&scene).await, (json!(30_000), json!(28_500)));
    coupon(&scene.shop, "DEZ", json!([])).await;
    scene.sell(json!({ "couponCode": "DEZ" })).await;
    // 10,000 less 10 % is 9,000, less than 9,500.
    assert_eq!(newest(&scene).await, (json!(9_000), json!(9_000)));
    assert_eq!(balance(&scene.shop).await, (json!(1_500), json!(0)));
}

#[story::test(|settings| settings.pix_fee_cents = 300)]
async fn a_commission_is_paid_of_the_sellers_share_alone(test: &TestApp) {
    let scene = Scene::open(test, json!({ "commissionValue": 10_000 })).await;
    scene.sell(json!({})).await;
    // 100 % of 10,000 would be 10,000; the fee leaves 9,700.
    assert_eq!(newest(&scene).await, (json!(10_000), json!(9_700)));
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(9_700)));
}

#[story::test]
async fn the_interest_of_installments_does_not_count(test: &TestApp, scene: Scene) {
    let of = json!([{ "productId": id(&scene.product), "quantity": 1 }]);
    let settings = json!({ "maxInstallments": 3, "interestFreeInstallments": 1,
        "interestRate": 2.99 });
    let link = scene.shop.link_with(json!({ "products": of, "settings": settings })).await;
    let card = json!({
        "paymentLinkId": id(&link), "method": "CREDIT_CARD", "installments": 3,
        "cardToken": token_that(test, Scenario::Approves).await,
        "affiliateCode": scene.code(),
    });
    let charge = scene.shop.charge_with(card).await;
    assert!(charge["interestAmount"].as_i64() > Some(0), "{charge}");
    assert_eq!(newest(&scene).await, (json!(10_000), json!(1_000)));
    let newest = scene.commissions().await.remove(0);
    assert_eq!(newest["availableAt"], "2026-12-21T12:00:00.000Z");
}

#[story::test]
async fn the_terms_are_those_of_the_day_on_which_the_payment_was_issued(scene: Scene) {
    let (first, second) = (scene.issue(json!({})).await, scene.issue(json!({})).await);
    let more = json!({ "commissionValue": 5_000 });
    scene.shop.key.patch(&path(&scene.program), more).await.expect(200);
    scene.shop.pay(&first).await;
    assert_eq!(newest(&scene).await, (json!(10_000), json!(1_000)));
    scene.shop.key.delete(&path(&scene.program)).await.expect(200);
    scene.shop.pay(&second).await;
    assert_eq!(newest(&scene).await, (json!(10_000), json!(1_000)));
    assert_eq!(scene.issue(json!({})).await["affiliateCode"], Value::Null);
    assert_eq!(scene.commissions().await.len(), 2);
}

#[story::test]
async fn a_late_payment_brings_its_commission_and_one_that_is_given_back_at_once_none(
    test: &TestApp,
) {
    let scene = Scene::open(test, json!({})).await;
    let late = scene.issue(json!({})).await;
    test.run_jobs_after(Duration::from_hours(2)).await;
    assert_eq!(scene.shop.transaction(&late).await["status"], "EXPIRED");
    scene.shop.pay(&late).await;
    assert_eq!(scene.only().await, (json!(1_000), json!("PENDING")));
    let stock = json!({ "stockEnabled": true, "stockQuantity": 1 });
    scene.shop.change_product(&scene.product, stock).await;
    let late = scene.issue(json!({})).await;
    test.run_jobs_after(Duration::from_hours(2)).await;
    let none = json!({ "stockQuantity": 0 });
    scene.shop.change_product(&scene.product, none).await;
    let oversold = scene.shop.pay(&late).await;
    assert_eq!(oversold["oversold"], true);
    test.run_jobs().await;
    assert_eq!(scene.commissions().await.len(), 1);
    assert_eq!(balance(&scene.shop).await, (json!(9_000), json!(0)));
}

/// An account with a document; answers it with what it signs in with.
async fn with_document(test: &TestApp, name: &str, email: &str, document: &str) -> Shop {
    let account = json!({ "name": name, "email": email, "document": document,
        "password": crate::harness::shop::PASSWORD });
    test.anyone().post("/api/auth/register", account).await.expect(201);
    test.shop_again(name).await
}

#[story::test]
async fn no_commission_is_paid_for_bringing_oneself_or_the_seller(test: &TestApp) {
    let shop = with_document(test, "Loja", "loja@example.com", "529.982.247-25").await;
    let product = shop.product(json!({ "price": 10_000 })).await;
    let program = program(&shop, &product, json!({})).await;
    let affiliate = with_document(test, "Bia", "bia@example.com", "111.444.777-35").await;
    let seller = with_document(test, "Dono", "dono@example.com", "529.982.247-25").await;
    let code = |link: &Value| link["code"].as_str().expect("has one").to_owned();
    let own = code(&join(&affiliate, &program).await);
    let sellers = code(&join(&seller, &program).await);
    let table = [
        (&own, json!({ "name": "X", "email": "Bia+curso@example.com" }), false),
        (&own, json!({ "name": "X", "email": "x@example.com", "document": "11144477735" }), false),
        (&own, json!({ "name": "Bia", "email": "outra@example.com" }), true),
        (&sellers, json!({ "name": "X", "email": "x@example.com" }), false),
    ];
    for (code, customer, earns) in table {
        let items = json!([{ "productId": id(&product), "quantity": 1 }]);
        let sale = json!({ "items": items, "customer": customer, "affiliateCode": code });
        let charge = shop.charge_with(sale).await;
        let expected = if earns { json!(code) } else { Value::Null };
        assert_eq!(charge["affiliateCode"], expected, "{customer}");
        shop.pay(&charge).await;
    }
    assert_eq!(commissions(&affiliate).await.len(), 1);
    assert!(commissions(&seller).await.is_empty());
}
