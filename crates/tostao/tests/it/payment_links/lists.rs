//! Lists: whose links are whose, and links found among many.

use std::time::Duration;

use serde_json::json;

use super::{LINKS, titles};
use crate::harness::shop::{id, link_path};
use crate::harness::story;

#[test]
fn a_link_is_its_merchants_and_modes_alone() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link(1_000).await;
        let product = shop.product(json!({})).await;
        let other = test.shop("Outra").await;
        let may = ["paymentLinks:read", "paymentLinks:write", "transactions:write"];
        let real = shop.key_for("production", &may).await;
        let items = json!([{ "productId": id(&product), "quantity": 1 }]);
        for stranger in [&other.key, &real] {
            let path = link_path(&link);
            stranger.get(&path).await.expect_refusal(404, "NOT_FOUND");
            stranger.patch(&path, json!({ "title": "x" })).await.expect_refusal(404, "NOT_FOUND");
            stranger.delete(&path).await.expect_refusal(404, "NOT_FOUND");
            let listed = stranger.get(LINKS).await.expect(200);
            assert_eq!((&listed["data"], &listed["pagination"]["total"]), (&json!([]), &json!(0)));
            let foreign = json!({ "title": "x", "products": items });
            let refused = stranger.post(LINKS, foreign).await;
            let field = "products[0].productId";
            assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field]);
            let sale = json!({
                "paymentLinkId": id(&link), "method": "PIX",
                "customer": { "name": "Ana", "email": "ana@example.com" },
            });
            let refused = stranger.post("/api/v1/transactions", sale).await;
            refused.expect_refusal(404, "NOT_FOUND");
        }
        assert_eq!(shop.read_link(&link).await, link);
    });
}

#[test]
fn links_are_listed_newest_first_and_found_among_many() {
    story(async |test| {
        let shop = test.shop("Loja").await;
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
            ("status=ACTIVE", vec!["Curso", "Caneca"]),
            ("status=INACTIVE", vec!["Camiseta"]),
            ("status=EXPIRED", vec![]),
            ("status=ACTIVE&q=AZUL", vec!["Caneca"]),
            ("q=%25", vec!["Camiseta"]),
            ("q=_", vec![]),
            (by_slug.as_str(), vec!["Curso"]),
            ("createdFrom=2026-11-21T12:01:00Z", vec!["Curso", "Camiseta"]),
            ("createdTo=2026-11-21T12:01:00Z", vec!["Caneca"]),
            ("limit=1&page=2", vec!["Camiseta"]),
        ];
        for (query, expected) in table {
            assert_eq!(titles(&shop, query).await, expected, "{query}");
        }
        let first = shop.key.get(&format!("{LINKS}?limit=2&cursor=")).await.expect(200);
        let cursor = first["pagination"]["nextCursor"].as_str().expect("goes on");
        assert_eq!(titles(&shop, &format!("cursor={cursor}")).await, ["Caneca"]);
    });
}
