//! Sales: what a link counts, and what it asks for.

use serde_json::{Value, json};

use super::HOUR;
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id, link_path};

#[story::test]
async fn a_link_counts_what_is_issued_and_what_is_paid(test: &TestApp, shop: Shop) {
    let link = shop.link(100).await;
    let sale = json!({ "paymentLinkId": id(&link) });
    let mut charges = Vec::new();
    for _ in 0..3 {
        let charge = shop.charge_with(sale.clone()).await;
        assert_eq!(charge["paymentLinkId"], link["id"]);
        charges.push(charge);
    }
    shop.pay(&charges[0]).await;
    shop.simulate(&charges[0], json!({ "outcome": "PAID" })).await;
    test.run_jobs_after(HOUR).await;
    shop.pay(&charges[1]).await;
    let link = shop.read_link(&link).await;
    assert_eq!((&link["timesUsed"], &link["salesCount"]), (&json!(3), &json!(2)));
}

#[story::test]
async fn products_are_priced_at_the_moment_of_the_sale_unless_the_bundle_has_a_price(shop: Shop) {
    let mug = shop.product(json!({ "price": 2_500 })).await;
    let shirt = shop.product(json!({ "price": 4_000 })).await;
    let products = json!([
        { "productId": id(&mug), "quantity": 2 },
        { "productId": id(&shirt), "quantity": 1 },
    ]);
    let sum = shop.link_with(json!({ "products": products })).await;
    let bundle = shop.link_with(json!({ "products": products, "amountCents": 7_777 })).await;
    let issued_at = async |link: &Value| {
        let sale = json!({ "paymentLinkId": id(link) });
        shop.try_charge(sale).await.expect(201)["transaction"]["amount"].clone()
    };
    for (price, total) in [(2_500, 9_000), (3_000, 10_000)] {
        shop.change_product(&mug, json!({ "price": price })).await;
        for (link, total) in [(&sum, total), (&bundle, 7_777)] {
            let link = shop.read_link(link).await;
            assert_eq!((&link["amount"], &link["totalCents"]), (&Value::Null, &json!(total)));
            assert_eq!(link["products"], products);
            assert_eq!(issued_at(&link).await, total);
        }
    }
    let computed = shop.change_link(&bundle, json!({ "amountCents": null })).await;
    assert_eq!(computed["totalCents"], 10_000);
    let plain = json!({ "amountCents": 500, "products": null });
    let plain = shop.change_link(&bundle, plain).await;
    let shown = (&plain["amount"], &plain["totalCents"], &plain["products"]);
    assert_eq!(shown, (&json!(500), &json!(500), &json!([])));
    let refused = shop.key.patch(&link_path(&sum), json!({ "products": null })).await;
    refused.expect_refusal(400, "MISSING_AMOUNT_OR_PRODUCTS");
}

#[story::test]
async fn a_new_amount_never_alters_what_was_issued(shop: Shop) {
    let link = shop.link(1_000).await;
    let sale = json!({ "paymentLinkId": id(&link) });
    let issued = shop.charge_with(sale.clone()).await;
    shop.change_link(&link, json!({ "amountCents": 9_000 })).await;
    assert_eq!(shop.transaction(&issued).await, issued);
    assert_eq!(shop.pay(&issued).await["paidAmount"], 1_000);
    let new = shop.try_charge(sale).await.expect(201);
    assert_eq!(new["transaction"]["amount"], 9_000);
}
