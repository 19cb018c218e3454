//! What people do with money is in the audit log by their names, at a page as by an access token.

use serde_json::json;

use super::{entries, only};
use crate::advances;
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};
use crate::members::{member, person};
use crate::referrals::{HELD, code, invited};

const BIA: &str = "bia@example.com";
const WITHDRAWALS: &str = "/api/withdraws";

#[story::test]
async fn what_a_member_asks_for_with_an_access_token_names_them(test: &TestApp, shop: Shop) {
    let bia = member(test, &shop, BIA, "FINANCE").await.with("x-dev-mode", "true");
    let actor = json!({ "kind": "member", "id": person(&shop.owner, BIA).await });
    shop.earn(5_000).await;
    let wanted = json!({ "amountCents": 1_000, "pixKey": BIA, "pixKeyType": "email" });
    let withdrawal = bia.post(WITHDRAWALS, wanted.clone()).await.expect(201)["data"].clone();
    let sale = shop.sell(1_000).await;
    let refund = format!("/api/v1/transactions/{}/refund", id(&sale));
    bia.post(&refund, json!({ "reason": "Risco." })).await.expect(201);
    advances::sell(test, &shop, 10_000, 2).await;
    let advance = bia.post("/api/advances", json!({ "amountCents": 1_000 })).await.expect(201);
    let asked = [
        ("withdrawal.requested", id(&withdrawal)),
        ("refund.requested", id(&sale)),
        ("advance.requested", id(&advance["data"])),
    ];
    for (action, of) in asked {
        let entry = only(&shop.owner, action).await;
        assert_eq!((&entry["actor"], &entry["subjectId"]), (&actor, &json!(of)), "{action}");
        assert_eq!(entry["environment"], "development");
    }
    // Keys are in the request log, and a rehearsal is no act.
    shop.key.post(WITHDRAWALS, wanted.clone()).await.expect(201);
    let rehearsed = bia.post(&format!("{WITHDRAWALS}?dryRun=true"), wanted).await;
    assert!(rehearsed.status < 300, "{}", rehearsed.text);
    assert_eq!(entries(&shop.owner, "withdrawal.requested").await.len(), 1);
}

#[story::test]
async fn rewards_that_a_member_moves_with_an_access_token_name_them(test: &TestApp, shop: Shop) {
    invited(test, "Ana", &code(&shop).await).await.sell(100_000).await;
    test.run_jobs_after(HELD).await;
    let shop = test.shop_again("Loja").await;
    let owner = shop.owner.with("x-dev-mode", "true");
    let moved = owner.post("/api/referral/withdraw", json!({ "amountCents": 100 })).await;
    let moved = moved.expect(201)["data"].clone();
    let entry = only(&owner, "referral_rewards.withdrawn").await;
    assert_eq!((&entry["actor"]["kind"], &entry["subjectId"]), (&json!("owner"), &moved["id"]));
}
