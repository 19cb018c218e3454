//! Owners: which merchant a client belongs to, and who may read and update it.

use serde_json::json;

use super::{CLIENTS, CPF};
use crate::harness::shop::{client_path, id};
use crate::harness::story;

const NOBODYS: &str = "00000000-0000-7000-8000-000000000001";

#[test]
fn a_client_belongs_to_one_merchant_in_one_mode() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let ana = shop.client(json!({ "document": CPF })).await;
        let other = test.shop("Outra").await;
        let real = shop.key_for("production", &["customers:read", "customers:write"]).await;
        for stranger in [&other.key, &real] {
            let path = client_path(&ana);
            stranger.get(&path).await.expect_refusal(404, "NOT_FOUND");
            stranger.patch(&path, json!({ "name": "X" })).await.expect_refusal(404, "NOT_FOUND");
            stranger.delete(&path).await.expect_refusal(404, "NOT_FOUND");
            for query in ["", "document=52998224725", "email=ana@example.com", "q=ana"] {
                let found = stranger.get(&format!("{CLIENTS}?{query}")).await.expect(200);
                let nothing = (&json!([]), &json!(0));
                assert_eq!((&found["data"], &found["pagination"]["total"]), nothing, "{query}");
            }
            let same = json!({ "name": "Ana", "email": "ana@example.com", "document": CPF });
            let own = stranger.post(CLIENTS, same).await.expect(201);
            assert_ne!(own["client"]["id"], ana["id"]);
        }
        let theirs = json!({ "method": "PIX", "amountCents": 1_000, "customerId": id(&ana) });
        let refused = other.key.post("/api/v1/transactions", theirs).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["customerId"]);
        assert_eq!(shop.read_client(&ana).await, ana);
        for unknown in [NOBODYS, "1", "ana@example.com", "%00", "..%2F"] {
            let path = format!("{CLIENTS}/{unknown}");
            shop.key.get(&path).await.expect_refusal(404, "NOT_FOUND");
            shop.key.patch(&path, json!({})).await.expect_refusal(404, "NOT_FOUND");
            shop.key.delete(&path).await.expect_refusal(404, "NOT_FOUND");
        }
    });
}

#[test]
fn a_key_needs_the_permission_for_clients() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let ana = shop.client(json!({})).await;
        let path = client_path(&ana);
        let reader = shop.key_for("development", &["customers:read", "transactions:write"]).await;
        let writer = shop.key_for("development", &["customers:write", "transactions:read"]).await;
        let body = json!({ "name": "Bia", "email": "bia@example.com" });
        reader.get(&path).await.expect(200);
        reader.get(CLIENTS).await.expect(200);
        let refused = [
            (reader.post(CLIENTS, body.clone()).await, "customers:write"),
            (reader.patch(&path, json!({ "name": "X" })).await, "customers:write"),
            (reader.delete(&path).await, "customers:write"),
            (writer.get(&path).await, "customers:read"),
            (writer.get(CLIENTS).await, "customers:read"),
        ];
        for (reply, needed) in refused {
            reply.expect_refusal(403, "INSUFFICIENT_PERMISSION");
            assert_eq!(reply.json()["requiredPermission"], needed);
        }
        test.anyone().get(&path).await.expect_refusal(401, "UNAUTHORIZED");
        test.anyone().post(CLIENTS, json!("{")).await.expect_refusal(401, "UNAUTHORIZED");
        assert_eq!(shop.read_client(&ana).await, ana);
        writer.post(CLIENTS, body).await.expect(201);
    });
}
