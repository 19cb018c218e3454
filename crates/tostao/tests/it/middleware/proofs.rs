//! Who is calling, and in which mode: one proof, said once, and no word that means nothing.

use http::Method;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::shop::{Shop, every_permission, id};
use crate::subscriptions::{active, by_card, by_card_with, plan};

const LINKS: &str = "/api/v1/payment-links";
const JSON: Option<&str> = Some("application/json");

#[story::test]
async fn two_proofs_are_none_unless_they_are_one(test: &TestApp, shop: Shop) {
    let key = |environment| {
        let body = json!({
            "name": "k", "environment": environment, "permissions": every_permission(),
        });
        let owner = shop.owner.clone();
        async move {
            let made = owner.post("/api/credentials", body).await.expect(201);
            made["data"]["key"].as_str().expect("is shown").to_owned()
        }
    };
    let (dev, prod) = (key("development").await, key("production").await);
    let (bearer, other) = (format!("Bearer {dev}"), format!("Bearer {prod}"));
    let table: [(&[(&str, &str)], u16); 11] = [
        (&[("api-key", &dev)], 200),
        (&[("authorization", &bearer)], 200),
        (&[("api-key", &dev), ("authorization", &bearer)], 200),
        (&[("api-key", &dev), ("authorization", &other)], 401),
        (&[("api-key", &dev), ("api-key", &prod)], 401),
        (&[("api-key", &dev), ("api-key", &dev)], 401),
        (&[("api-key", &dev), ("api-key", "")], 401),
        (&[("authorization", &bearer), ("authorization", &other)], 401),
        (&[("authorization", &bearer), ("authorization", &bearer)], 401),
        (&[("authorization", &bearer), ("authorization", "Basic YTpi")], 401),
        (&[("api-key", &dev), ("authorization", "Basic YTpi")], 401),
    ];
    for (headers, status) in table {
        let anyone = test.anyone();
        let client = headers.iter().fold(anyone, |client, (name, value)| client.also(name, value));
        let answer = client.get(LINKS).await;
        assert_eq!(answer.status, status, "{headers:?}: {}", answer.text);
        if status == 401 {
            answer.expect_refusal(401, "UNAUTHORIZED");
        }
    }
}

#[story::test]
async fn the_name_of_the_scheme_is_written_in_any_case(test: &TestApp, shop: Shop) {
    let token = shop.owner.header("authorization").expect("has one");
    let token = token.strip_prefix("Bearer ").expect("is one").to_owned();
    let table = [
        ("Bearer", 200),
        ("bearer", 200),
        ("BEARER", 200),
        ("bEaReR ", 200),
        ("Bearer:", 401),
        ("Token", 401),
        ("", 401),
    ];
    for (scheme, status) in table {
        let client = test.anyone().with("authorization", &format!("{scheme} {token}"));
        assert_eq!(client.get("/api/auth/me").await.status, status, "{scheme:?}");
    }
}

#[story::test]
async fn the_developers_mode_is_a_word_or_a_refusal(test: &TestApp, shop: Shop) {
    // The shop's key sees development, where this link is.
    shop.link(100).await;
    let owner = shop.owner.without("x-dev-mode");
    let total = |body: Value| body["pagination"]["total"].clone();
    assert_eq!(total(owner.get(LINKS).await.expect(200)), 0);
    for word in ["true", "True", "TRUE", "tRuE", "1", " true "] {
        let listed = owner.with("x-dev-mode", word).get(LINKS).await;
        assert_eq!(total(listed.expect(200)), 1, "{word:?}");
    }
    for word in ["false", "False", "FALSE", "0"] {
        let listed = owner.with("x-dev-mode", word).get(LINKS).await;
        assert_eq!(total(listed.expect(200)), 0, "{word:?}");
    }
    for word in ["", "yes", "on", "2", "01", "tru", "development", "true,true", "null"] {
        let refused = owner.with("x-dev-mode", word).get(LINKS).await;
        let fields = refused.expect_refusal(400, "VALIDATION_ERROR");
        assert_eq!(fields, ["X-Dev-Mode"], "{word:?}");
        // So it is where nothing else can be wrong.
        let refused = owner.with("x-dev-mode", word).get("/api/whoami").await;
        refused.expect_refusal(400, "VALIDATION_ERROR");
    }
    for words in [["true", "false"], ["true", "true"]] {
        let twice = owner.also("x-dev-mode", words[0]).also("x-dev-mode", words[1]);
        assert_eq!(twice.get(LINKS).await.expect_refusal(400, "VALIDATION_ERROR"), ["X-Dev-Mode"]);
    }
    // Who is calling is asked before what is meant.
    let stranger = test.anyone().with("authorization", "Bearer x").with("x-dev-mode", "yes");
    stranger.get(LINKS).await.expect_refusal(401, "UNAUTHORIZED");
}

#[story::test]
async fn who_changes_a_subscription_is_asked_before_what_is_sent_is_judged(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let subscription = active(test, &shop).await;
    let path = |action| format!("/api/subscriptions/{}/{action}", id(&subscription));
    let bodies = [
        (JSON, "{"),
        (JSON, "[]"),
        (JSON, "\"x\""),
        (JSON, "{\"reason\":5,\"resumesAt\":5,\"cardToken\":5}"),
        (JSON, "{\"manageToken\":5}"),
        (JSON, "{\"manageToken\":\"AAAA\",\"reason\":5,\"resumesAt\":5,\"cardToken\":5}"),
        (JSON, "{\"note\":\"4242 4242 4242 4242\"}"),
        (Some("text/plain"), "x"),
        (None, "x"),
    ];
    for (method, action) in [
        (Method::POST, "cancel"),
        (Method::POST, "pause"),
        (Method::POST, "resume"),
        (Method::PUT, "card"),
    ] {
        for (kind, body) in bodies {
            for client in [test.anyone(), test.anyone().with("idempotency-key", "\t")] {
                let path = path(action);
                let sent = client.send(method.clone(), &path, kind, body.to_owned()).await;
                sent.expect_refusal(401, "UNAUTHORIZED");
            }
        }
        let sent = shop.key.send(method.clone(), &path(action), JSON, "{".to_owned()).await;
        sent.expect_refusal(400, "INVALID_JSON");
    }
}

#[story::test]
async fn a_buyers_proof_is_one_proof_too(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let mine = by_card(test, &plan, Scenario::Approves).await;
    let bia = json!({ "customer": { "name": "Bia", "email": "bia@example.com" } });
    let other = by_card_with(test, &plan, Scenario::Approves, bia).await;
    let other = other.expect(201)["data"].clone();
    let token_of = |data: &Value| data["manageToken"].as_str().expect("is token_of").to_owned();
    let (token, others) = (token_of(&mine), token_of(&other));
    let pause = format!("/api/subscriptions/{}/pause", id(&mine["subscription"]));
    let named = test.anyone().with("x-manage-token", &token);
    let (same, differs) = (json!({ "manageToken": token }), json!({ "manageToken": others }));
    let refused = [
        named.post(&pause, differs).await,
        named.also("x-manage-token", &token).post(&pause, json!({})).await,
        named.also("x-manage-token", &others).post(&pause, json!({})).await,
        shop.key.with("x-manage-token", &token).post(&pause, json!({})).await,
        shop.key.post(&pause, same.clone()).await,
    ];
    for refused in refused {
        refused.expect_refusal(401, "UNAUTHORIZED");
    }
    // Only an authenticated caller sees what is wrong.
    let wrong = json!({ "manageToken": token, "resumesAt": 5 });
    let refused = test.anyone().post(&pause, wrong).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["resumesAt"]);
    named.post(&pause, same).await.expect(200);
}

#[story::test]
async fn a_request_names_one_host(test: &TestApp) {
    let anyone = test.anyone();
    assert_eq!(anyone.get("/healthz").await.status, 200);
    for (client, path) in [
        (anyone.without("host"), "/healthz"),
        (anyone.without("host"), LINKS),
        (anyone.also("host", "evil.example"), "/healthz"),
        (anyone.also("host", "localhost"), LINKS),
    ] {
        let refused = client.get(path).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["Host"], "{path}");
    }
}
