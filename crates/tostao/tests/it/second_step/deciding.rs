//! What asks administrators with a second step for a code: all that they decide.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use super::Device;
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::reply::Reply;

const MINUTES: Duration = Duration::from_mins(10);
const NOTHING: &str = "00000000-0000-7000-8000-000000000001";
/// It asks a provider and changes nothing.
const READS: &str = "testConnection";

/// The operations of administrators that change something, as the API's description lists them.
async fn decisions(test: &TestApp) -> Vec<(String, Method, String)> {
    let document = test.anyone().get("/openapi.json").await.expect(200);
    let paths = document["paths"].as_object().expect("has paths");
    let mut found = Vec::new();
    for (path, operations) in paths {
        for (method, operation) in operations.as_object().expect("has operations") {
            let says = operation["description"].as_str().unwrap_or_default();
            let name = operation["operationId"].as_str().unwrap_or_default();
            if says.contains("administrator's access token") && method != "get" && name != READS {
                let method = method.to_uppercase().parse().expect("is a method");
                let path = path.replace("{rail}", "pix").replace("{id}", NOTHING);
                let path = path.replace("{transactionId}", NOTHING);
                found.push((name.to_owned(), method, path));
            }
        }
    }
    found
}

/// A body that the operation accepts.
fn body(operation: &str) -> Value {
    match operation {
        "createConnection" => json!({
            "name": "efi-1", "profile": "efi", "environment": "sandbox", "values": {},
        }),
        "rotateConnection" => json!({ "values": {} }),
        "updateConnectionRoute" => json!({ "connectionId": NOTHING }),
        "matchUnknownPayment" => json!({ "transactionId": NOTHING }),
        "resolveUnknownPayment" => json!({ "outcome": "SEPARATE", "note": "Outro valor." }),
        "resolveDispute" => json!({ "outcome": "LOST", "note": "Portal." }),
        "resolveRefund" | "resolveCharge" => json!({ "outcome": "FAILED", "note": "Portal." }),
        "resolveDifference" => json!({ "note": "Explicado." }),
        "resolveWithdrawal" => json!({ "outcome": "not_paid" }),
        _ => json!({}),
    }
}

async fn send(who: &Client, (operation, method, path): &(String, Method, String)) -> Reply {
    if method == Method::DELETE {
        return who.delete(path).await;
    }
    let body = body(operation).to_string();
    who.send(method.clone(), path, Some("application/json"), body).await
}

#[story::test]
async fn an_administrator_with_a_second_step_is_asked_for_each_decision(test: &TestApp) {
    let (first, admin) = (test.admin().await, test.other_admin().await);
    let device = Device::enrolled(test, &admin).await;
    test.pass(MINUTES);
    let decisions = decisions(test).await;
    assert!(decisions.len() >= 18, "{decisions:?}");
    for decision in &decisions {
        let asked = send(&admin, decision).await;
        assert_eq!(asked.json()["code"], "ELEVATION_REQUIRED", "{decision:?}");
        let done = send(&first, decision).await;
        assert_ne!(done.status, 403, "{decision:?}: {}", done.text);
    }
    let code = json!({ "code": device.code(test, 0) });
    admin.post("/api/auth/elevate", code).await.expect(200);
    for decision in &decisions {
        let done = send(&admin, decision).await;
        assert_ne!(done.status, 403, "{decision:?}: {}", done.text);
    }
}
