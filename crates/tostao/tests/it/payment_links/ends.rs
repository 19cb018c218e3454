//! Ends: when a link takes no more payments, and what that means for those it has issued.

use std::time::Duration;

use serde_json::{Value, json};

use super::{HOUR, IN_AN_HOUR, titles};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id, link_path, merged};

/// An hour less one microsecond.
const ALMOST_AN_HOUR: Duration = Duration::from_micros(3_599_999_999);
const IN_TWO_HOURS: &str = "2026-11-21T14:00:00.000Z";

#[story::test]
async fn every_move_of_a_link_is_decided(test: &TestApp, shop: Shop) {
    let mut links = Vec::new();
    for _ in 0..15 {
        let fields = json!({ "amountCents": 100, "expiresAt": IN_AN_HOUR });
        links.push(shop.link_with(fields).await);
    }
    let (active, inactive) = (json!({ "status": "ACTIVE" }), json!({ "status": "INACTIVE" }));
    let later = json!({ "expiresAt": IN_TWO_HOURS });
    let never = json!({ "expiresAt": null });
    let table = [
        ("ACTIVE", json!({}), Some("ACTIVE")),
        ("ACTIVE", active.clone(), Some("ACTIVE")),
        ("ACTIVE", inactive.clone(), Some("INACTIVE")),
        ("ACTIVE", later.clone(), Some("ACTIVE")),
        ("INACTIVE", json!({}), Some("INACTIVE")),
        ("INACTIVE", active.clone(), Some("ACTIVE")),
        ("INACTIVE", inactive.clone(), Some("INACTIVE")),
        ("INACTIVE", later.clone(), Some("INACTIVE")),
        ("EXPIRED", json!({ "title": "Outro" }), Some("EXPIRED")),
        ("EXPIRED", active.clone(), None),
        ("EXPIRED", inactive.clone(), None),
        ("EXPIRED", later.clone(), Some("ACTIVE")),
        ("EXPIRED", never.clone(), Some("ACTIVE")),
        ("EXPIRED", merged(later, &inactive), Some("INACTIVE")),
        ("EXPIRED", merged(never, &active), Some("ACTIVE")),
    ];
    for (link, (from, change, to)) in links.iter().zip(&table) {
        if *from == "INACTIVE" {
            shop.change_link(link, inactive.clone()).await;
        }
        if *from == "EXPIRED" {
            continue;
        }
        let changed = shop.change_link(link, change.clone()).await;
        assert_eq!(Some(&changed["status"]), to.map(Value::from).as_ref(), "{from} {change}");
    }
    test.pass(HOUR);
    for (link, (from, change, to)) in links.iter().zip(&table) {
        if *from != "EXPIRED" {
            continue;
        }
        let reply = shop.key.patch(&link_path(link), change.clone()).await;
        if let Some(to) = to {
            assert_eq!(reply.expect(200)["paymentLink"]["status"], *to, "{change}");
        } else {
            reply.expect_refusal(409, "INVALID_STATE_TRANSITION");
            assert_eq!(reply.json()["currentStatus"], "EXPIRED");
        }
    }
}

#[story::test]
async fn a_link_expires_on_the_instant_with_one_event(test: &TestApp, shop: Shop) {
    let link = shop.link_with(json!({ "amountCents": 100, "expiresAt": IN_AN_HOUR })).await;
    let public = format!("/api/payment-links/public/slug/{}", link["slug"].as_str().unwrap());
    test.run_jobs_after(ALMOST_AN_HOUR).await;
    assert_eq!(shop.read_link(&link).await["status"], "ACTIVE");
    assert_eq!(titles(&shop, "status=ACTIVE").await, ["Caneca"]);
    test.anyone().get(&public).await.expect(200);

    test.pass(Duration::from_micros(1));
    assert_eq!(shop.read_link(&link).await["status"], "EXPIRED");
    assert_eq!(titles(&shop, "status=EXPIRED").await, ["Caneca"]);
    assert_eq!(titles(&shop, "status=ACTIVE").await, [] as [&str; 0]);
    test.anyone().get(&public).await.expect_refusal(410, "PAYMENT_LINK_EXPIRED");
    let sale = json!({ "paymentLinkId": id(&link) });
    shop.try_charge(sale).await.expect_refusal(410, "PAYMENT_LINK_EXPIRED");
    assert_eq!(shop.events().await, ["payment_link.created"]);

    for _ in 0..2 {
        test.run_jobs().await;
        let names = ["payment_link.created", "payment_link.expired"];
        assert_eq!(shop.events().await, names);
        assert_eq!(shop.read_link(&link).await["status"], "EXPIRED");
        test.pass(HOUR);
    }
}

#[story::test]
async fn an_inactive_link_expires_too(test: &TestApp, shop: Shop) {
    let fields = json!({ "amountCents": 100, "expiresAt": IN_AN_HOUR, "status": "INACTIVE" });
    let link = shop.link_with(fields).await;
    test.run_jobs_after(HOUR).await;
    assert_eq!(shop.read_link(&link).await["status"], "EXPIRED");
    assert_eq!(shop.events().await, ["payment_link.created", "payment_link.expired"]);
}

#[story::test]
async fn a_change_after_the_expiry_emits_the_expiry_first_and_once(test: &TestApp, shop: Shop) {
    let link = shop.link_with(json!({ "amountCents": 100, "expiresAt": IN_AN_HOUR })).await;
    test.pass(HOUR);
    shop.change_link(&link, json!({ "title": "Outra" })).await;
    test.run_jobs().await;
    let revived = shop.change_link(&link, json!({ "expiresAt": IN_TWO_HOURS })).await;
    assert_eq!(revived["status"], "ACTIVE");
    test.run_jobs_after(HOUR).await;
    let names = [
        "payment_link.created",
        "payment_link.expired",
        "payment_link.updated",
        "payment_link.updated",
        "payment_link.expired",
    ];
    assert_eq!(shop.events().await, names);
}

#[story::test]
async fn a_link_deleted_after_its_expiry_emits_the_expiry_first(test: &TestApp, shop: Shop) {
    let link = shop.link_with(json!({ "amountCents": 100, "expiresAt": IN_AN_HOUR })).await;
    test.pass(HOUR);
    shop.key.delete(&link_path(&link)).await.expect(200);
    test.run_jobs().await;
    let names = ["payment_link.created", "payment_link.expired", "payment_link.deleted"];
    assert_eq!(shop.events().await, names);
}

#[story::test]
async fn a_moved_date_moves_the_end(test: &TestApp, shop: Shop) {
    let fields = json!({ "amountCents": 100, "expiresAt": IN_AN_HOUR });
    let postponed = shop.link_with(fields.clone()).await;
    let endless = shop.link_with(fields.clone()).await;
    let hastened = shop.link_with(fields.clone()).await;
    let deleted = shop.link_with(fields).await;
    shop.change_link(&postponed, json!({ "expiresAt": IN_TWO_HOURS })).await;
    shop.change_link(&endless, json!({ "expiresAt": null })).await;
    let sooner = json!({ "expiresAt": "2026-11-21T12:30:00Z" });
    shop.change_link(&hastened, sooner).await;
    shop.key.delete(&link_path(&deleted)).await.expect(200);
    let expired = async || {
        let names = shop.events().await;
        names.iter().filter(|name| *name == "payment_link.expired").count()
    };
    for (minutes, so_far) in [(29, 0), (1, 1), (30, 1), (59, 1), (1, 2), (60, 2)] {
        test.run_jobs_after(Duration::from_mins(minutes)).await;
        assert_eq!(expired().await, so_far, "{minutes} minutes later");
    }
    assert_eq!(shop.read_link(&endless).await["status"], "ACTIVE");
}

#[story::test]
async fn neither_the_end_nor_a_pause_kills_what_was_issued(test: &TestApp, shop: Shop) {
    let soon = "2026-11-21T12:30:00Z";
    let ends = shop.link_with(json!({ "amountCents": 100, "expiresAt": soon })).await;
    let pauses = shop.link(200).await;
    let goes = shop.link(300).await;
    let mut charges = Vec::new();
    for link in [&ends, &pauses, &goes] {
        let sale = json!({ "paymentLinkId": id(link) });
        charges.push(shop.charge_with(sale).await);
    }
    shop.change_link(&pauses, json!({ "status": "INACTIVE" })).await;
    shop.key.delete(&link_path(&goes)).await.expect(200);
    test.run_jobs_after(Duration::from_mins(31)).await;
    for (link, code) in [(&ends, "PAYMENT_LINK_EXPIRED"), (&pauses, "PAYMENT_LINK_INACTIVE")] {
        let sale = json!({ "paymentLinkId": id(link) });
        shop.try_charge(sale).await.expect_refusal(410, code);
    }
    for charge in &charges {
        assert_eq!(shop.transaction(charge).await["status"], "PENDING");
        assert_eq!(shop.pay(charge).await["status"], "PAID");
    }
    assert_eq!(shop.available().await, 600);
    for (link, status) in [(&ends, "EXPIRED"), (&pauses, "INACTIVE")] {
        let link = shop.read_link(link).await;
        assert_eq!((&link["status"], &link["salesCount"]), (&json!(status), &json!(1)));
    }
    let names = shop.events().await;
    assert_eq!(names.iter().filter(|name| *name == "payment_link.paid").count(), 3);
}
