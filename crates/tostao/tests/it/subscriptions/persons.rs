//! One person subscribes to one plan once, whichever way leads there.

use futures_util::future::join_all;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{act, by_card_with, done, plan, read, subscribe};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, id};

const ANA: &str = "529.982.247-25";
const BIA: &str = "111.444.777-35";

fn person(email: &str, document: &str) -> Value {
    json!({ "customer": { "name": "Ana", "email": email, "document": document } })
}

fn known_by_email(email: &str) -> Value {
    json!({ "customer": { "name": "Ana", "email": email } })
}

async fn statuses(shop: &Shop) -> Vec<String> {
    let listed = shop.key.get("/api/subscriptions?limit=100").await.expect(200);
    let rows = listed["data"].as_array().expect("is a list").iter();
    let mut statuses: Vec<_> =
        rows.map(|row| row["status"].as_str().expect("is a word").to_owned()).collect();
    statuses.sort();
    statuses
}

/// Pays codes at once, and lets what follows happen; answers how the payments stand.
async fn pay_at_once(test: &TestApp, shop: &Shop, codes: &[Value]) -> Vec<String> {
    join_all(codes.iter().map(|code| shop.pay(code))).await;
    test.run_jobs().await;
    let mut stand = Vec::new();
    for code in codes {
        let status = shop.transaction(code).await["status"].as_str().expect("is one").to_owned();
        stand.push(status);
    }
    stand.sort();
    stand
}

#[story::test]
async fn of_three_codes_and_a_card_of_one_document_one_subscription_stays(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let plan = plan(&shop, json!({})).await;
    let mut codes = Vec::new();
    for number in 0..3 {
        let who = person(&format!("ana{number}@example.com"), ANA);
        let made = subscribe(test, &plan, who).await.expect(201);
        codes.push(made["data"]["transaction"].clone());
    }
    let card = person("ana@example.com", ANA);
    by_card_with(test, &plan, Scenario::Approves, card).await.expect(201);
    assert_eq!(pay_at_once(test, &shop, &codes).await, ["REFUNDED"; 3]);
    assert_eq!(statuses(&shop).await, ["ACTIVE", "EXPIRED", "EXPIRED", "EXPIRED"]);
    assert_eq!(shop.available().await, 0);
}

#[story::test]
async fn of_two_codes_that_an_older_release_left_one_document_keeps_one(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let plan = plan(&shop, json!({ "maxSubscribers": 2 })).await;
    let mut codes = Vec::new();
    for (email, document) in [("ana@example.com", ANA), ("bia@example.com", BIA)] {
        let made = subscribe(test, &plan, person(email, document)).await.expect(201);
        codes.push(made["data"]["transaction"].clone());
    }
    // Two codes of one person could be made at once before a second one took the first back.
    let engine = Engine::open(test).await;
    let same = "update subscriptions
                   set identity = '52998224725', customer_document = '52998224725'";
    engine.rows(same).await;
    drop(engine);
    assert_eq!(pay_at_once(test, &shop, &codes).await, ["PAID", "REFUNDED"]);
    assert_eq!(statuses(&shop).await, ["ACTIVE", "EXPIRED"]);
    assert_eq!(shop.available().await, 3_000);
    let other = known_by_email("carla@example.com");
    subscribe(test, &plan, other).await.expect(201);
}

#[story::test]
async fn a_plan_is_refused_to_its_current_subscriber(test: &TestApp, shop: Shop) {
    let (first, second) = (plan(&shop, json!({})).await, plan(&shop, json!({})).await);
    let who = || person("ana@example.com", ANA);
    let on_first = by_card_with(test, &first, Scenario::Approves, who()).await.expect(201);
    let on_second = by_card_with(test, &second, Scenario::Approves, who()).await.expect(201);
    let subscription = &on_first["data"]["subscription"];
    let to_second = json!({ "planId": id(&second) });
    let refused = act(&shop, subscription, "change-plan", to_second.clone()).await;
    refused.expect_refusal(409, "ALREADY_SUBSCRIBED");
    let seen = shop.key.get(&format!("/api/subscriptions/plans/{}", id(&second))).await;
    assert_eq!(seen.expect(200)["data"]["subscribers"], 1);
    done(&shop, &on_second["data"]["subscription"], "cancel", json!({})).await;
    done(&shop, subscription, "change-plan", to_second.clone()).await;
    done(&shop, subscription, "change-plan", to_second).await;
    // Who is on the way to a plan subscribes to it already.
    let again = by_card_with(test, &second, Scenario::Approves, who()).await;
    again.expect_refusal(409, "ALREADY_SUBSCRIBED");
    subscribe(test, &second, who()).await.expect_refusal(409, "ALREADY_SUBSCRIBED");
}

#[story::test]
async fn a_code_paid_while_its_buyer_changes_to_the_plan_makes_one_subscriber(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let (first, second) = (plan(&shop, json!({})).await, plan(&shop, json!({})).await);
    let who = || person("ana@example.com", ANA);
    let on_first = by_card_with(test, &first, Scenario::Approves, who()).await.expect(201);
    let code = subscribe(test, &second, who()).await.expect(201)["data"].clone();
    let to_second = json!({ "planId": id(&second) });
    let (changed, _) = tokio::join!(
        act(&shop, &on_first["data"]["subscription"], "change-plan", to_second),
        shop.pay(&code["transaction"]),
    );
    test.run_jobs().await;
    let paid = shop.transaction(&code["transaction"]).await["status"].clone();
    let subscribed = read(&shop, &code["subscription"]).await["status"].clone();
    match changed.status {
        200 => assert_eq!((paid, subscribed), (json!("REFUNDED"), json!("EXPIRED"))),
        409 => assert_eq!((paid, subscribed), (json!("PAID"), json!("ACTIVE"))),
        other => panic!("{other}: {}", changed.text),
    }
}

#[story::test]
async fn an_email_alias_is_the_same_person(test: &TestApp, shop: Shop) {
    let trial = plan(&shop, json!({ "trialDays": 7 })).await;
    let by_email = |email| by_card_with(test, &trial, Scenario::Approves, known_by_email(email));
    let first = by_email("ana@example.com").await.expect(201)["data"].clone();
    assert_eq!(first["subscription"]["status"], "TRIALING");
    by_email("ana+1@example.com").await.expect_refusal(409, "ALREADY_SUBSCRIBED");
    done(&shop, &first["subscription"], "cancel", json!({})).await;
    let second = by_email("Ana+2@example.com").await.expect(201)["data"].clone();
    assert_eq!(second["subscription"]["status"], "ACTIVE", "a second trial");
    let bia = by_email("bia@example.com").await.expect(201)["data"].clone();
    assert_eq!(bia["subscription"]["status"], "TRIALING");
}

#[story::test]
async fn a_document_has_one_trial_of_a_plan_that_it_has_changed_from(test: &TestApp, shop: Shop) {
    let (first, second) =
        (plan(&shop, json!({ "trialDays": 7 })).await, plan(&shop, json!({})).await);
    let on_first = || by_card_with(test, &first, Scenario::Approves, person("a@b.com", ANA));
    let trial = on_first().await.expect(201)["data"]["subscription"].clone();
    assert_eq!(trial["status"], "TRIALING");
    done(&shop, &trial, "change-plan", json!({ "planId": id(&second) })).await;
    super::days(&shop, 8).await;
    let changed = read(&shop, &trial).await;
    assert_eq!(
        (&changed["status"], &changed["planId"]),
        (&json!("ACTIVE"), &second["id"]),
        "{changed}"
    );
    done(&shop, &trial, "cancel", json!({})).await;
    let again = on_first().await.expect(201)["data"]["subscription"].clone();
    assert_eq!(again["status"], "ACTIVE", "a second trial");
}

#[story::test]
async fn knowing_a_buyers_email_does_not_cancel_their_code(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let known = || known_by_email("ana@example.com");
    let own = subscribe(test, &plan, known()).await.expect(201)["data"].clone();
    let other = subscribe(test, &plan, known()).await.expect(201)["data"].clone();
    assert_eq!(shop.transaction(&own["transaction"]).await["status"], "PENDING");
    shop.pay(&own["transaction"]).await;
    assert_eq!(read(&shop, &own["subscription"]).await["status"], "ACTIVE");
    shop.pay(&other["transaction"]).await;
    test.run_jobs().await;
    assert_eq!(shop.transaction(&other["transaction"]).await["status"], "REFUNDED");
    assert_eq!(read(&shop, &other["subscription"]).await["status"], "EXPIRED");
    assert_eq!(shop.available().await, 3_000);
}

#[story::test]
async fn of_two_codes_for_one_period_the_second_is_given_back(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let who = person("ana@example.com", ANA);
    let made = subscribe(test, &plan, who).await.expect(201)["data"].clone();
    shop.pay(&made["transaction"]).await;
    for day in [21, 23, 25] {
        super::until(&shop, &format!("2026-12-{day}T12:00:00Z")).await;
    }
    let listed = shop.key.get("/api/v1/transactions?limit=100").await.expect(200);
    let renewals = listed["data"].as_array().expect("is a list")[..2].to_vec();
    assert_eq!(renewals[1]["status"], "EXPIRED");
    assert_eq!(pay_at_once(test, &shop, &renewals).await, ["PAID", "REFUNDED"]);
    let renewed = read(&shop, &made["subscription"]).await;
    assert_eq!(renewed["currentPeriodEnd"], "2027-01-21T12:00:00.000Z");
    assert_eq!(shop.available().await, 6_000);
}
