//! Joining a program: once, not one's own, and seen by the two sides alone.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{Scene, join, path, program};
use crate::harness::TestApp;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};

const LINKS: &str = "/api/affiliate/links";

async fn try_join(affiliate: &Shop, program: &Value) -> Reply {
    affiliate.key.post(&format!("/api/affiliate/join/{}", id(program)), json!({})).await
}

async fn switch(shop: &Shop, link: &Value, active: bool) -> Reply {
    shop.key.patch(&format!("{LINKS}/{}", id(link)), json!({ "isActive": active })).await
}

#[story::test]
async fn a_link_has_a_code_of_ones_first_name_and_counts_from_nothing(test: &TestApp, shop: Shop) {
    let product = shop.product(json!({ "name": "Curso", "price": 10_000 })).await;
    let program = program(&shop, &product, json!({})).await;
    let affiliate = test.shop("João da Silva").await;
    let link = join(&affiliate, &program).await;
    let code = link["code"].as_str().expect("has one");
    assert!(code.starts_with("JOAO-") && code.len() == 11, "{code}");
    let product = json!({ "id": id(&product), "name": "Curso", "price": 10_000,
        "imageUrl": null, "description": null });
    assert_eq!(
        link,
        json!({
            "id": id(&link), "programId": id(&program), "code": code, "url": null,
            "isActive": true, "clicks": 0, "conversions": 0, "totalEarnedCents": 0,
            "pendingCents": 0,
            "program": { "id": id(&program), "commissionType": "PERCENTAGE",
                "commissionValue": 1_000, "product": product },
            "createdAt": "2026-11-21T12:00:00.000Z", "updatedAt": "2026-11-21T12:00:00.000Z",
        })
    );
    let listed = affiliate.key.get(LINKS).await.expect(200);
    assert_eq!(listed["data"], json!([link]));
}

#[story::test]
async fn a_link_leads_to_a_payment_link_that_sells_the_product_or_else_to_the_sales_page(
    scene: Scene,
) {
    let url = async || {
        let listed = scene.affiliate.key.get(LINKS).await.expect(200);
        listed["data"][0]["url"].clone()
    };
    assert_eq!(url().await, Value::Null);
    let code = scene.code();
    let own = json!({ "salesPage": "https://example.com/curso?de=tostao" });
    scene.shop.key.patch(&path(&scene.program), own).await.expect(200);
    assert_eq!(url().await, format!("https://example.com/curso?de=tostao&aff={code}"));
    let items = json!([{ "productId": id(&scene.product), "quantity": 1 }]);
    let page = scene.shop.link_with(json!({ "products": items })).await;
    scene.shop.link(1_000).await;
    let slug = page["slug"].as_str().expect("has one");
    assert_eq!(url().await, format!("https://pay.example.com/pay/{slug}?aff={code}"));
    let off = json!({ "status": "INACTIVE" });
    scene.shop.change_link(&page, off).await;
    assert_eq!(url().await, format!("https://example.com/curso?de=tostao&aff={code}"));
}

#[story::test]
async fn one_joins_once_and_never_ones_own(scene: Scene) {
    try_join(&scene.affiliate, &scene.program).await.expect_refusal(409, "ALREADY_AFFILIATED");
    try_join(&scene.shop, &scene.program).await.expect_refusal(409, "SELF_AFFILIATION");
}

#[story::test]
async fn of_eight_who_join_with_one_account_at_once_one_does(test: &TestApp, shop: Shop) {
    let program = program(&shop, &shop.product(json!({})).await, json!({})).await;
    let affiliate = test.shop("Bia").await;
    let asked = join_all((0..8).map(|_| try_join(&affiliate, &program))).await;
    assert_eq!(asked.iter().filter(|reply| reply.status == 201).count(), 1);
    for reply in asked.iter().filter(|reply| reply.status != 201) {
        reply.expect_refusal(409, "ALREADY_AFFILIATED");
    }
}

#[story::test]
async fn what_cannot_be_joined_is_not_there(test: &TestApp, shop: Shop) {
    let inactive = json!({ "isActive": false });
    let inactive = program(&shop, &shop.product(json!({})).await, inactive).await;
    let deleted = program(&shop, &shop.product(json!({})).await, json!({})).await;
    shop.key.delete(&path(&deleted)).await.expect(200);
    let affiliate = test.shop("Bia").await;
    let unknown = json!({ "id": "00000000-0000-7000-8000-000000000001" });
    for program in [&inactive, &deleted, &unknown] {
        try_join(&affiliate, program).await.expect_refusal(404, "NOT_FOUND");
    }
    let open = program(&shop, &shop.product(json!({})).await, json!({})).await;
    let real = affiliate.key_for("production", &["affiliates:write"]).await;
    let path = format!("/api/affiliate/join/{}", id(&open));
    real.post(&path, json!({})).await.expect_refusal(404, "NOT_FOUND");
}

#[story::test]
async fn only_the_owner_sees_who_has_joined_with_masked_addresses(test: &TestApp, scene: Scene) {
    let enrolled = format!("{}/links", path(&scene.program));
    let listed = scene.shop.key.get(&enrolled).await.expect(200);
    let shown = &listed["data"][0];
    assert_eq!((&shown["id"], &shown["code"]), (&scene.link["id"], &scene.link["code"]));
    let affiliate = json!({ "name": "Bia Lima", "email": "b***@example.com" });
    assert_eq!(shown["affiliate"], affiliate);
    let other = test.shop("Outra").await;
    for stranger in [&scene.affiliate, &other] {
        stranger.key.get(&enrolled).await.expect_refusal(404, "NOT_FOUND");
        stranger.key.get(&path(&scene.program)).await.expect_refusal(404, "NOT_FOUND");
        switch(stranger, &scene.link, false).await.expect_refusal(404, "NOT_FOUND");
    }
    let others = other.key.get(LINKS).await.expect(200);
    assert_eq!(others["data"], json!([]));
}

#[story::test]
async fn a_link_that_its_programs_owner_switches_off_brings_nothing_new(scene: Scene) {
    let promised = scene.issue(json!({})).await;
    let off = switch(&scene.shop, &scene.link, false).await.expect(200);
    assert_eq!(off["data"]["isActive"], false);
    assert_eq!(scene.issue(json!({})).await["affiliateCode"], Value::Null);
    scene.shop.pay(&promised).await;
    assert_eq!(scene.only().await, (json!(1_000), json!("PENDING")));
    switch(&scene.shop, &scene.link, true).await.expect(200);
    assert_eq!(scene.issue(json!({})).await["affiliateCode"], scene.code());
    let stats = scene.affiliate.key.get("/api/affiliate/stats").await.expect(200);
    assert_eq!(stats["data"]["activeLinks"], 1);
}
