//! The outbox: listing, showing and resending events.

use serde_json::json;

use crate::client::{Developer, bare, complaint, fed};
use crate::harness::receiver::Receiver;
use crate::harness::until;

#[story::test]
async fn events_are_listed_and_shown(database_url: &str) {
    let developer = Developer::new(database_url).await;
    developer.objects(&["trigger", "product.updated", "--count", "2"]).await;
    let listed = developer.objects(&["events", "list", "--limit", "3"]).await;
    let names: Vec<_> =
        listed.iter().map(|event| event["event"].as_str().expect("is text")).collect();
    assert_eq!(names, ["product.updated", "product.created", "product.updated"]);
    let of_type = ["events", "list", "--event", "product.created", "--since", "10m"];
    assert_eq!(developer.objects(&of_type).await.len(), 2);
    let failed = ["events", "list", "--status", "FAILED"];
    assert!(developer.objects(&failed).await.is_empty());
    assert_eq!(developer.run(&failed).await.good().trim(), "No events.");
    let id = listed[0]["id"].as_str().expect("has an id");
    let [shown] = developer.objects(&["events", "show", id]).await.try_into().expect("is one");
    assert_eq!(shown["data"]["product"]["name"], "tostao trigger, changed");
    let text = developer.run(&["events", "list", "--limit", "1"]).await.good();
    assert!(text.contains("product.updated") && text.contains(id), "{text}");
    let wrong = ["events", "list", "--event", "no.event"];
    assert_eq!(developer.run(&wrong).await.status, 1);
}

#[story::test]
async fn a_delivery_to_a_listener_is_shown_as_one(database_url: &str) {
    let developer = Developer::new(database_url).await;
    developer.run(&["listen", "--secret", "--name", "desk"]).await.good();
    developer.run(&["trigger", "product.created"]).await.good();
    let listed = developer.run(&["events", "list", "--event", "product.created"]).await.good();
    assert!(listed.trim_end().ends_with("PENDING (listen desk)"), "{listed}");
    let [event] =
        developer.objects(&["events", "list", "--limit", "1"]).await.try_into().expect("is one");
    assert_eq!(event["deliveries"][0]["listener"], "desk");
}

#[story::test]
async fn webhooks_are_listed_and_a_delivery_says_which_of_them_it_is_to(database_url: &str) {
    let developer = Developer::new(database_url).await;
    assert!(developer.run(&["webhooks", "list"]).await.good().starts_with("No webhooks"));
    assert!(developer.objects(&["webhooks", "list"]).await.is_empty());
    let url = "http://127.0.0.1:9/hooks";
    let wanted = json!({ "url": url, "events": ["product.created", "product.deleted"] });
    developer.shop.client.post("/api/v1/webhooks/subscriptions", wanted).await.expect(201);
    let [hook] = developer.objects(&["webhooks", "list"]).await.try_into().expect("is one");
    let text = developer.run(&["webhooks", "list"]).await.good();
    let id = hook["id"].as_str().expect("has an id");
    assert_eq!(text.trim(), format!("{id}  ACTIVE    {url}  product.created,product.deleted"));
    developer.run(&["trigger", "product.created"]).await.good();
    let listed = developer.run(&["events", "list", "--event", "product.created"]).await.good();
    assert!(listed.trim_end().ends_with(&format!("({url})")), "{listed}");
}

#[story::test]
async fn every_type_is_listed_and_has_an_example(database_url: &str) {
    let developer = Developer::new(database_url).await;
    let types = developer.objects(&["events", "types"]).await;
    assert!(types.iter().any(|kind| kind["name"] == "transaction.paid"));
    let [sample] = developer
        .objects(&["events", "sample", "transaction.paid"])
        .await
        .try_into()
        .expect("is one");
    assert_eq!(sample["transaction"]["status"], "PAID");
    assert_eq!(developer.run(&["events", "sample", "no.event"]).await.status, 2);
}

#[story::test]
async fn an_event_is_resent_to_a_program_and_failed_ones_to_their_webhook(database_url: &str) {
    let (developer, program) = (Developer::new(database_url).await, Receiver::start().await);
    let [made] =
        developer.objects(&["trigger", "product.created"]).await.try_into().expect("is one");
    let id = made["eventId"].as_str().expect("has an id");
    let here = ["events", "resend", id, "--forward-to", &program.url];
    let [resent] = developer.objects(&here).await.try_into().expect("is one");
    assert_eq!((&resent["eventId"], &resent["status"]), (&made["eventId"], &json!(200)));
    assert_eq!(program.take_one().header("webhook-id"), id);

    // 410 ends a delivery at once, and the webhook with it.
    program.answer(&[410]);
    let wanted = json!({ "url": program.url, "events": ["product.created"] });
    let path = "/api/v1/webhooks/subscriptions";
    let hook = developer.shop.client.post(path, wanted).await.expect(201)["subscription"].clone();
    let hook = hook["id"].as_str().expect("has an id").to_owned();
    let unaccepted = developer.run(&["trigger", "product.created", "--wait"]).await;
    assert_eq!(unaccepted.status, 4, "{unaccepted:?}");
    let active = json!({ "isActive": true });
    developer.shop.client.patch(&format!("{path}/{hook}"), active).await.expect(200);
    program.take();
    let failed = ["events", "resend", "--failed", "--since", "1h", "--to", &hook];
    let progress = developer.objects(&failed).await;
    let last = progress.last().expect("is shown");
    assert_eq!((&last["status"], &last["resent"]), (&json!("FINISHED"), &json!(1)));
    program.arrived(3).await;
    assert_eq!(program.take_one().event(), "product.created");
    let text = developer.run(&failed).await.good();
    assert_eq!(text.trim(), "Done: 0 event(s) sent again.");
    assert_eq!(developer.run(&["events", "resend"]).await.status, 2);
}

#[story::test]
async fn an_event_is_resent_to_a_program_signed_as_listen_signs_it(database_url: &str) {
    let (developer, program) = (Developer::new(database_url).await, Receiver::start().await);
    let secret = developer.run(&["listen", "--secret"]).await.good();
    let [made] =
        developer.objects(&["trigger", "product.created"]).await.try_into().expect("is one");
    let id = made["eventId"].as_str().expect("has an id");
    let listeners =
        async || developer.shop.client.get("/api/dev/listeners").await.expect(200)["data"].clone();
    let before = listeners().await;
    developer.run(&["events", "resend", id, "--forward-to", &program.url]).await.good();
    assert_eq!(listeners().await, before, "the one of this machine is not seen by that");
    let arrived = program.take_one();
    let header = |name: &str| format!("{name}: {}", arrived.header(name));
    let names = ["x-webhook-signature", "webhook-signature", "webhook-id", "webhook-timestamp"];
    let headers = names.map(header);
    let words = ["verify", "--secret", secret.trim()].into_iter();
    let words: Vec<_> = words.chain(headers.iter().flat_map(|one| ["-H", one.as_str()])).collect();
    assert_eq!(fed(bare(&words), &arrived.body).await.good().trim(), "Verified.");
}

#[story::test]
async fn a_recovery_whose_webhook_is_deleted_meanwhile_says_that_it_stopped(database_url: &str) {
    let (developer, program) = (Developer::new(database_url).await, Receiver::start().await);
    let client = &developer.shop.client;
    let wanted = json!({ "url": program.url, "events": ["product.created"] });
    let path = "/api/v1/webhooks/subscriptions";
    let hook = client.post(path, wanted).await.expect(201)["subscription"].clone();
    let hook = hook["id"].as_str().expect("has an id").to_owned();
    let hook_path = format!("{path}/{hook}");
    client.patch(&hook_path, json!({ "isActive": false })).await.expect(200);
    // As many as are sent at once: the next ones wait until these are attempted.
    for _ in 0..2 {
        developer.objects(&["trigger", "product.created", "--count", "100"]).await;
    }
    client.patch(&hook_path, json!({ "isActive": true })).await.expect(200);
    program.hold();
    let recovering =
        developer.start(&["events", "resend", "--failed", "--since", "1h", "--to", &hook]);
    until("it recovers", async || {
        let recovery = client.get(&format!("{hook_path}/recovery")).await.expect(200);
        (recovery["data"]["status"] == "RUNNING").then_some(())
    })
    .await;
    client.delete(&hook_path).await.expect(200);
    let (status, said) = complaint(&recovering.ended());
    let message = "The webhook was disabled or deleted before the end: check it with `tostao \
                   diagnose";
    assert_eq!((status, &said["error"]), (4, &json!("fault")));
    assert_eq!(said["message"], format!("{message} {hook}`."));
    program.release();
}
