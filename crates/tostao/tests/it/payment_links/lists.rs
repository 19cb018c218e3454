//! Lists: whose links are whose, and links found among many.

use std::time::Duration;

use serde_json::json;

use super::{LINKS, titles};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};

#[story::test]
async fn a_link_neither_sells_anothers_product_nor_is_sold_by_another(test: &TestApp, shop: Shop) {
    let link = shop.link(1_000).await;
    let product = shop.product(json!({})).await;
    let other = test.shop("Outra").await;
    let may = ["paymentLinks:read", "paymentLinks:write", "transactions:write"];
    let real = shop.key_for("production", &may).await;
    let items = json!([{ "productId": id(&product), "quantity": 1 }]);
    for stranger in [&other.key, &real] {
        let foreign = json!({ "title": "x", "products": items });
        let refused = stranger.post(LINKS, foreign).await;
        let field = "products[0].productId";
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field]);
        let sale = json!({
            "paymentLinkId": id(&link), "method": "PIX",
            "customer": { "name": "Ana", "email": "ana@example.com" },
        });
        stranger.post("/api/v1/transactions", sale).await.expect_refusal(404, "NOT_FOUND");
    }
}

#[story::test]
async fn links_are_found_by_title_description_and_slug(test: &TestApp, shop: Shop) {
    for (title, description, status) in [
        ("Caneca", "Azul", "ACTIVE"),
        ("Camiseta", "100% algodão", "INACTIVE"),
        ("Curso", "", "ACTIVE"),
    ] {
        let fields = json!({
            "title": title, "description": description, "status": status, "amountCents": 100,
        });
        shop.link_with(fields).await;
        test.pass(Duration::from_mins(1));
    }
    let newest = shop.key.get(&format!("{LINKS}?limit=1")).await.expect(200);
    let slug = newest["data"][0]["slug"].as_str().expect("has one").to_owned();
    let by_slug = format!("q={slug}");
    let table = [
        ("", vec!["Curso", "Camiseta", "Caneca"]),
        ("status=ACTIVE&q=AZUL", vec!["Caneca"]),
        ("q=%25", vec!["Camiseta"]),
        ("q=_", vec![]),
        (by_slug.as_str(), vec!["Curso"]),
    ];
    for (query, expected) in table {
        assert_eq!(titles(&shop, query).await, expected, "{query}");
    }
}
