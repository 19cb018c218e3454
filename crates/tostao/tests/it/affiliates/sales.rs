//! From a sale to the affiliate's balance: what is booked, when it is released, who gets events.

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{Scene, join, path};
use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id};
use crate::methods::{balance, days_pass};
use crate::refunds::refund;
use crate::sandbox::token_that;
use crate::webhooks::subscribe;

async fn stats(affiliate: &Shop) -> Value {
    affiliate.key.get("/api/affiliate/stats").await.expect(200)["data"].clone()
}

#[story::test]
async fn a_pix_brings_a_commission_that_is_held_for_a_week(scene: Scene) {
    let paid = scene.sell(json!({})).await;
    assert_eq!(paid["affiliateCode"], scene.code());
    // 10,000 × 10 % = 1,000; the seller keeps 9,000.
    assert_eq!(balance(&scene.shop).await, (json!(9_000), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(1_000)));
    let commission = scene.commissions().await.remove(0);
    assert_eq!(
        commission,
        json!({
            "id": id(&commission), "type": "SALE", "programId": id(&scene.program),
            "linkId": id(&scene.link), "code": scene.code(), "transactionId": id(&paid),
            "productId": id(&scene.product), "baseAmountCents": 10_000,
            "commissionType": "PERCENTAGE", "commissionValue": 1_000, "amountCents": 1_000,
            "status": "PENDING", "availableAt": "2026-11-28T12:00:00.000Z", "paidAt": null,
            "cancelledAt": null, "cancelReason": null, "heldReason": null,
            "owedCents": 0, "repaidCents": 0,
            "attribution": { "source": "CODE", "clickedAt": null,
                "attributedAt": "2026-11-21T12:00:00.000Z" },
            "createdAt": "2026-11-21T12:00:00.000Z", "updatedAt": "2026-11-21T12:00:00.000Z",
        })
    );
    let held = json!({ "totalLinks": 1, "activeLinks": 1, "totalClicks": 0,
        "totalConversions": 1, "totalEarnedCents": 0, "pendingCents": 1_000 });
    assert_eq!(stats(&scene.affiliate).await, held);
    days_pass(&scene.shop, 6).await;
    assert_eq!(scene.only().await, (json!(1_000), json!("PENDING")));
    days_pass(&scene.shop, 1).await;
    let released = scene.commissions().await.remove(0);
    assert_eq!(released["status"], "PAID");
    assert_eq!(released["paidAt"], "2026-11-28T12:00:00.000Z");
    assert_eq!(balance(&scene.affiliate).await, (json!(1_000), json!(0)));
    let earned = json!({ "totalLinks": 1, "activeLinks": 1, "totalClicks": 0,
        "totalConversions": 1, "totalEarnedCents": 1_000, "pendingCents": 0 });
    assert_eq!(stats(&scene.affiliate).await, earned);
    let listed = scene.affiliate.key.get("/api/affiliate/links").await.expect(200);
    let link = &listed["data"][0];
    assert_eq!((&link["conversions"], &link["totalEarnedCents"]), (&json!(1), &json!(1_000)));
}

#[story::test]
async fn only_the_seller_and_the_affiliate_get_the_event(scene: Scene, other: Shop) {
    scene.sell(json!({})).await;
    days_pass(&scene.shop, 7).await;
    let reported = |names: Vec<String>| {
        let reported = names.into_iter().filter(|name| name.starts_with("affiliate."));
        reported.collect::<Vec<_>>()
    };
    let both = ["affiliate.commission_created", "affiliate.commission_paid"];
    assert_eq!(reported(scene.shop.events().await), both);
    assert_eq!(
        scene.affiliate.events().await,
        [both[0], "balance.updated", both[1], "balance.updated"]
    );
    assert!(other.events().await.is_empty());
    let list = "/api/webhooks/events?event=affiliate.commission_created";
    let seen = scene.affiliate.key.get(list).await;
    seen.expect(200);
    for private in ["ana@example.com", "529", "token="] {
        assert!(!seen.text.contains(private), "{private}: {}", seen.text);
    }
}

#[story::test]
async fn both_sides_get_the_payment_and_only_the_seller_its_external_id(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    let receivers = [Receiver::start().await, Receiver::start().await];
    for (side, receiver) in [&scene.shop, &scene.affiliate].into_iter().zip(&receivers) {
        subscribe(&side.key, &receiver.url, &["affiliate.commission_paid"]).await;
    }
    let paid = scene.sell(json!({ "externalId": "pedido-1" })).await;
    refund(&scene.shop, &paid, json!({ "amountCents": 4_000 })).await;
    test.run_jobs().await;
    days_pass(&scene.shop, 7).await;
    test.run_jobs().await;
    for (receiver, name) in receivers.iter().zip([json!("pedido-1"), Value::Null]) {
        let reported = receiver.take_one().json();
        assert_eq!(
            reported["data"]["transaction"],
            json!({
                "id": id(&paid), "externalId": name, "amount": 10_000, "paidAmount": 10_000,
                "currency": "BRL", "method": "PIX", "status": "PAID",
                "createdAt": paid["createdAt"], "updatedAt": "2026-11-21T12:00:00.000Z",
                "paidAt": paid["paidAt"],
            })
        );
    }
}

#[story::test]
async fn a_boleto_waits_a_week_and_its_share_leaves_the_receivable(scene: Scene) {
    scene.sell(json!({ "method": "BOLETO" })).await;
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(9_000)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(1_000)));
    // Sold on a Saturday, settled on Monday.
    days_pass(&scene.shop, 2).await;
    assert_eq!(balance(&scene.shop).await, (json!(9_000), json!(0)));
    days_pass(&scene.shop, 5).await;
    assert_eq!(balance(&scene.affiliate).await, (json!(1_000), json!(0)));
}

#[story::test(|settings| settings.card_fee_cents = 500)]
async fn a_cards_share_is_divided_over_its_installments_as_the_fee_is(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    scene.by_card(test, Scenario::Approves, 3).await;
    // 10,000 - 500 - 1,000 are the seller's:
    // 3,334 - 168 - 334 = 2,832, and twice 3,333 - 166 - 333 = 2,834.
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(8_500)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(1_000)));
    // The first installment is settled on Monday, 21 December, at midnight in São Paulo.
    for (days, available) in [(29, 0), (1, 2_832), (30, 5_666), (31, 8_500)] {
        days_pass(&scene.shop, days).await;
        let pending = 8_500 - available;
        assert_eq!(balance(&scene.shop).await, (json!(available), json!(pending)), "{days}");
    }
    assert_eq!(balance(&scene.affiliate).await, (json!(1_000), json!(0)));
}

#[story::test(|settings| settings.affiliate_hold_days = 0)]
async fn how_long_commissions_are_held_is_the_operators_choice(test: &TestApp, scene: Scene) {
    scene.sell(json!({})).await;
    test.run_jobs().await;
    assert_eq!(balance(&scene.affiliate).await, (json!(1_000), json!(0)));
}

#[story::test]
async fn commissions_are_found_by_program_and_by_the_two_sides_alone(test: &TestApp, scene: Scene) {
    scene.sell(json!({})).await;
    days_pass(&scene.shop, 8).await;
    scene.sell(json!({})).await;
    let other = test.shop("Outra").await;
    join(&other, &scene.program).await;
    let all = "/api/affiliate/commissions";
    let of_program = format!("{}/commissions", path(&scene.program));
    let program = id(&scene.program);
    let table = [
        (String::new(), 2),
        (format!("?programId={program}"), 2),
        ("?programId=00000000-0000-7000-8000-000000000001".to_owned(), 0),
    ];
    for (query, count) in table {
        let own = scene.affiliate.key.get(&format!("{all}{query}")).await.expect(200);
        assert_eq!(own["pagination"]["total"], count, "{query}");
        assert_eq!(own["data"].as_array().map(Vec::len), usize::try_from(count).ok());
        assert_eq!(other.key.total(&format!("{all}{query}")).await, 0, "{query}");
    }
    let owners = scene.shop.key.get(&of_program).await.expect(200);
    assert_eq!(owners["data"], json!(scene.commissions().await));
    assert_eq!(scene.shop.key.get(all).await.expect(200)["data"], json!([]));
    scene.affiliate.key.get(&of_program).await.expect_refusal(404, "NOT_FOUND");
}

#[story::test]
async fn a_declined_card_and_an_unpaid_pix_bring_nothing(test: &TestApp, scene: Scene) {
    scene.issue(json!({})).await;
    let scenario = Scenario::Declines(rails::card::DeclineCode::CardDeclined);
    let items = json!([{ "productId": id(&scene.product), "quantity": 1 }]);
    let card = json!({ "items": items, "affiliateCode": scene.code(),
        "method": "CREDIT_CARD", "cardToken": token_that(test, scenario).await });
    scene.shop.try_charge(card).await.expect(402);
    assert!(scene.commissions().await.is_empty());
    assert_eq!(stats(&scene.affiliate).await["totalConversions"], 0);
}

#[story::test]
async fn a_reset_returns_what_affiliates_hold(scene: Scene) {
    scene.sell(json!({})).await;
    scene.sell(json!({})).await;
    scene.shop.key.post("/api/dev/reset", json!({})).await.expect(200);
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    assert!(scene.commissions().await.is_empty());
}

#[story::test]
async fn an_affiliates_reset_leaves_the_sellers_sales_unchanged(scene: Scene) {
    let paid = scene.sell(json!({})).await;
    scene.affiliate.key.post("/api/dev/reset", json!({})).await.expect(200);
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.shop).await, (json!(9_000), json!(0)));
    days_pass(&scene.shop, 8).await;
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    let lacking = crate::refunds::try_refund(&scene.shop, &paid, json!({})).await;
    lacking.expect_refusal(400, "INSUFFICIENT_BALANCE");
}
