//! Programs: one a product, seen by their owner, and by everybody while they can be joined.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{PROGRAMS, Scene, join, path, program, tenth};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};

async fn marketplace(shop: &Shop) -> Vec<String> {
    let rows = shop.key.list("/api/affiliate/marketplace").await;
    rows.iter().map(|row| id(row).to_owned()).collect()
}

#[story::test]
async fn a_program_has_its_product_and_its_owner_and_usual_terms(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let product = json!({ "name": "Curso", "price": 10_000, "description": "Em vídeo.",
        "imageUrl": "https://example.com/a.png" });
    let product = shop.product(product).await;
    let made = shop.key.post(PROGRAMS, tenth(&product, &json!({}))).await.expect(201);
    let made = made["data"].clone();
    assert_eq!(
        made,
        json!({
            "id": id(&made), "productId": id(&product), "commissionType": "PERCENTAGE",
            "commissionValue": 1_000, "cookieDays": 30, "isActive": true,
            "description": null, "rules": null, "affiliatePage": null, "salesPage": null,
            "extendedCommission": false, "createdAt": "2026-11-21T12:00:00.000Z",
            "updatedAt": "2026-11-21T12:00:00.000Z",
            "product": { "id": id(&product), "name": "Curso", "price": 10_000,
                "imageUrl": "https://example.com/a.png", "description": "Em vídeo." },
            "user": { "name": "Loja Azul" }, "_count": { "links": 0 }, "linkId": null,
            "stats": { "clicks": 0, "conversions": 0, "pendingCents": 0, "totalEarnedCents": 0 },
        })
    );
    let shown = shop.key.get(&path(&made)).await.expect(200)["data"].clone();
    assert_eq!(shown, made);
    let listed = shop.key.get(PROGRAMS).await.expect(200);
    assert_eq!(listed["data"], json!([made]));
    assert_eq!(listed["pagination"], json!({ "total": 1, "page": 1, "limit": 20 }));
}

#[story::test]
async fn each_field_has_its_rule(shop: Shop) {
    let product = shop.product(json!({ "price": 10_000 })).await;
    let unknown = "00000000-0000-7000-8000-000000000001";
    let table = [
        (json!({ "productId": unknown }), "productId"),
        (json!({ "commissionValue": 0 }), "commissionValue"),
        (json!({ "commissionValue": 10_001 }), "commissionValue"),
        (json!({ "commissionType": "FIXED", "commissionValue": 10_001 }), "commissionValue"),
        (json!({ "cookieDays": 0 }), "cookieDays"),
        (json!({ "cookieDays": 366 }), "cookieDays"),
        (json!({ "description": "a".repeat(2_001) }), "description"),
        (json!({ "rules": "a".repeat(5_001) }), "rules"),
        (json!({ "affiliatePage": "javascript:alert(1)" }), "affiliatePage"),
        (json!({ "salesPage": "loja" }), "salesPage"),
    ];
    for (more, field) in table {
        let refused = shop.key.post(PROGRAMS, tenth(&product, &more)).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{more}");
    }
    let fixed = json!({ "commissionType": "FIXED", "commissionValue": 10_000,
        "cookieDays": 365, "description": "a".repeat(2_000), "rules": "a".repeat(5_000) });
    let made = program(&shop, &product, fixed).await;
    let all = json!({ "commissionType": "PERCENTAGE" });
    shop.key.patch(&path(&made), all).await.expect(200);
    let more = json!({ "commissionValue": 10_001 });
    let refused = shop.key.patch(&path(&made), more).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["commissionValue"]);
}

#[story::test]
async fn a_product_has_one_program_until_that_is_deleted(shop: Shop) {
    let product = shop.product(json!({})).await;
    let first = program(&shop, &product, json!({})).await;
    let second = shop.key.post(PROGRAMS, tenth(&product, &json!({}))).await;
    second.expect_refusal(409, "PROGRAM_ALREADY_EXISTS");
    program(&shop, &shop.product(json!({})).await, json!({})).await;
    shop.key.delete(&path(&first)).await.expect(200);
    shop.key.delete(&path(&first)).await.expect(404);
    shop.key.get(&path(&first)).await.expect(404);
    program(&shop, &product, json!({})).await;
}

#[story::test]
async fn of_sixteen_programs_for_one_product_at_once_one_is_made(shop: Shop) {
    let product = shop.product(json!({})).await;
    let body = tenth(&product, &json!({}));
    let made = join_all((0..16).map(|_| shop.key.post(PROGRAMS, body.clone()))).await;
    assert_eq!(made.iter().filter(|reply| reply.status == 201).count(), 1);
    for reply in made.iter().filter(|reply| reply.status != 201) {
        reply.expect_refusal(409, "PROGRAM_ALREADY_EXISTS");
    }
    assert_eq!(shop.key.total(PROGRAMS).await, 1);
}

#[story::test]
async fn what_is_absent_stays_and_null_clears(shop: Shop) {
    let product = shop.product(json!({})).await;
    let texts = json!({ "description": "Um.", "rules": "Dois.", "cookieDays": 10,
        "salesPage": "https://example.com/curso" });
    let made = program(&shop, &product, texts).await;
    let change = json!({ "rules": null, "salesPage": null, "extendedCommission": true });
    let changed = shop.key.patch(&path(&made), change).await.expect(200)["data"].clone();
    let kept = (&changed["description"], &changed["cookieDays"], &changed["commissionValue"]);
    assert_eq!(kept, (&json!("Um."), &json!(10), &json!(1_000)));
    let cleared = (&changed["rules"], &changed["salesPage"]);
    assert_eq!(cleared, (&Value::Null, &Value::Null));
    assert_eq!(changed["extendedCommission"], true);
}

#[story::test]
async fn the_marketplace_shows_all_active_programs_of_the_mode(shop: Shop, other: Shop) {
    let first = program(&shop, &shop.product(json!({})).await, json!({})).await;
    let second = program(&other, &other.product(json!({})).await, json!({})).await;
    let hidden = json!({ "isActive": false });
    program(&other, &other.product(json!({})).await, hidden.clone()).await;
    let newest = [id(&second), id(&first)];
    assert_eq!(marketplace(&shop).await, newest);
    assert_eq!(marketplace(&other).await, newest);
    let real = shop.key_for("production", &["affiliates:read"]).await;
    let nothing = real.get("/api/affiliate/marketplace").await.expect(200);
    assert_eq!(nothing["data"], json!([]));
    shop.key.patch(&path(&first), hidden).await.expect(200);
    assert_eq!(marketplace(&other).await, [id(&second)]);
    other.key.delete(&path(&second)).await.expect(200);
    assert!(marketplace(&other).await.is_empty());
}

#[story::test]
async fn a_program_whose_product_is_gone_is_not_offered_and_cannot_be_joined(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    let other = program(&scene.shop, &scene.shop.product(json!({})).await, json!({})).await;
    assert_eq!(marketplace(&scene.affiliate).await, [id(&other), id(&scene.program)]);
    let product = format!("/api/v1/products/{}", id(&scene.product));
    scene.shop.key.delete(&product).await.expect(200);
    let shown = scene.shop.key.get(&path(&scene.program)).await.expect(200);
    assert_eq!(shown["data"]["product"], Value::Null);
    assert_eq!(scene.affiliate.key.total("/api/affiliate/marketplace").await, 1);
    assert_eq!(marketplace(&scene.affiliate).await, [id(&other)]);
    let late = test.shop("Carla").await;
    let join = format!("/api/affiliate/join/{}", id(&scene.program));
    late.key.post(&join, json!({})).await.expect(404);
    let links = scene.affiliate.key.get("/api/affiliate/links").await.expect(200);
    assert_eq!(links["data"][0]["program"]["product"], Value::Null);
}

#[story::test]
async fn the_marketplace_says_who_has_joined_and_not_what_came_of_a_program(
    test: &TestApp,
    scene: Scene,
) {
    scene.sell(json!({})).await;
    let open = format!("/api/affiliate/marketplace/{}", id(&scene.program));
    let late = test.shop("Carla").await;
    for (reader, link) in
        [(&scene.affiliate, &scene.link["id"]), (&late, &Value::Null), (&scene.shop, &Value::Null)]
    {
        let shown = reader.key.get(&open).await.expect(200)["data"].clone();
        assert_eq!((&shown["linkId"], &shown["stats"]), (link, &Value::Null));
        assert_eq!(reader.key.list("/api/affiliate/marketplace").await, [shown]);
    }
    let own = scene.shop.key.get(&path(&scene.program)).await.expect(200);
    let stats =
        json!({ "clicks": 0, "conversions": 1, "pendingCents": 1_000, "totalEarnedCents": 0 });
    assert_eq!(own["data"]["stats"], stats);
    scene.shop.key.delete(&path(&scene.program)).await.expect(200);
    late.key.get(&open).await.expect_refusal(404, "NOT_FOUND");
}

#[story::test]
async fn an_affiliate_reads_a_link_of_theirs_and_its_commissions(test: &TestApp, scene: Scene) {
    scene.sell(json!({})).await;
    let link = format!("/api/affiliate/links/{}", id(&scene.link));
    let listed = scene.affiliate.key.list("/api/affiliate/links").await;
    assert_eq!(scene.affiliate.key.get(&link).await.expect(200)["data"], listed[0]);
    for stranger in [&scene.shop, &test.shop("Carla").await] {
        stranger.key.get(&link).await.expect_refusal(404, "NOT_FOUND");
    }
    let of = |link: &str| format!("/api/affiliate/commissions?linkId={link}");
    assert_eq!(scene.affiliate.key.total(&of(id(&scene.link))).await, 1);
    let unknown = "00000000-0000-7000-8000-000000000001";
    assert_eq!(scene.affiliate.key.total(&of(unknown)).await, 0);
}

#[story::test]
async fn how_many_have_joined_is_counted(test: &TestApp, scene: Scene) {
    join(&test.shop("Carla").await, &scene.program).await;
    let shown = scene.shop.key.get(&path(&scene.program)).await.expect(200);
    assert_eq!(shown["data"]["_count"]["links"], 2);
}
