//! Owners: which merchant a client belongs to.

use serde_json::json;

use super::{CLIENTS, CPF};
use crate::harness::TestApp;
use crate::harness::shop::id;

const NOBODYS: &str = "00000000-0000-7000-8000-000000000001";

#[story::test]
async fn the_same_person_is_another_client_of_another_merchant_and_mode(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let ana = shop.client(json!({ "document": CPF })).await;
    let other = test.shop("Outra").await;
    let real = shop.key_for("production", &["customers:read", "customers:write"]).await;
    for stranger in [&other.key, &real] {
        for query in ["document=52998224725", "email=ana@example.com", "q=ana"] {
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
}
