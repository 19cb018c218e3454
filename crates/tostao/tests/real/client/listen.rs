//! Listening: what happens arrives at a program on this machine, whatever is killed meanwhile.

use std::collections::BTreeSet;

use serde_json::json;

use crate::client::{Developer, complaint, objects};
use crate::harness::killing::number;
use crate::harness::receiver::Receiver;
use crate::harness::until;

/// How often a listener is killed in the middle; `TOSTAO_TEST_KILLS` sets more.
const KILLS: u64 = 12;

#[story::test]
async fn what_is_triggered_arrives_signed_at_a_program(database_url: &str) {
    let (developer, program) = (Developer::new(database_url).await, Receiver::start().await);
    let mut listening = developer.start(&["listen", "--forward-to", &program.url]);
    let opened = listening.next();
    let secret = opened["secret"].as_str().expect("is shown");
    let words = ["trigger", "transaction.paid", "--wait", "--amount", "1234"];
    let [paid] = developer.objects(&words).await.try_into().expect("is one");
    assert_eq!(
        (&paid["sample"], &paid["deliveries"][0]["status"]),
        (&json!(false), &json!("DELIVERED"))
    );
    assert_eq!(paid["deliveries"][0]["subscriptionId"], opened["listener"]);
    let arrived = program.take();
    let id = paid["eventId"].as_str().expect("has an id");
    let event = arrived.iter().find(|one| one.header("webhook-id") == id).expect("has arrived");
    assert_eq!(event.json()["data"]["transaction"]["amount"], 1_234);
    let shown = developer.run(&["listen", "--secret"]).await.good();
    assert_eq!(shown.trim(), secret, "the secret of a name is the same each time");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let body = folder.path().join("body");
    std::fs::write(&body, &event.body).expect("is written");
    let header = |name: &str| format!("{name}: {}", event.header(name));
    let (signature, id, time) =
        (header("webhook-signature"), header("webhook-id"), header("webhook-timestamp"));
    let body = body.display().to_string();
    let words =
        ["verify", "--secret", secret, "-H", &signature, "-H", &id, "-H", &time, "--body", &body];
    developer.run(&words).await.good();
    let printed = listening.stop();
    let names: Vec<_> = printed.iter().map(|line| line["event"].clone()).collect();
    assert!(
        names.contains(&json!("transaction.created")) && names.contains(&json!("transaction.paid"))
    );
    assert_eq!(printed.last().expect("is a summary")["failed"], 0);
}

#[story::test]
async fn a_failure_of_the_program_is_shown_and_the_event_sent_again(database_url: &str) {
    let (developer, program) = (Developer::new(database_url).await, Receiver::start().await);
    program.answer(&[500]);
    let words = ["listen", "--events", "product.created", "--forward-to", &program.url];
    let mut listening = developer.start(&words);
    listening.next();
    developer.objects(&["trigger", "product.created"]).await;
    let failed = listening.next();
    assert_eq!((&failed["event"], &failed["status"]), (&json!("product.created"), &json!(500)));
    let id = failed["eventId"].as_str().expect("has an id");
    developer.objects(&["events", "resend", id]).await;
    let again = listening.next();
    assert_eq!((&again["eventId"], &again["status"]), (&failed["eventId"], &json!(200)));
    let missed = developer.run(&["trigger", "product.deleted", "--wait=1s"]).await;
    assert_eq!(missed.status, 4, "{missed:?}");
    assert!(missed.errors.contains("start `tostao listen`"), "{missed:?}");
}

#[story::test]
async fn a_listener_that_is_killed_again_and_again_loses_nothing(database_url: &str) {
    let (developer, program) = (Developer::new(database_url).await, Receiver::start().await);
    let words = ["listen", "--events", "product.created", "--forward-to", &program.url];
    let listen = || developer.start(&words);
    // Opened once, it is there while no machine listens.
    listen().next();
    let mut made = BTreeSet::new();
    for _ in 0..number("TOSTAO_TEST_KILLS", KILLS) {
        let mut listening = listen();
        let triggered = ["trigger", "product.created", "--count", "3"];
        for one in developer.objects(&triggered).await {
            made.insert(one["eventId"].as_str().expect("has an id").to_owned());
        }
        listening.next();
        drop(listening);
    }
    let _last = listen();
    let mut seen = BTreeSet::new();
    until("every event arrives", async || {
        let arrived = program.take();
        seen.extend(arrived.iter().map(|one| one.header("webhook-id").to_owned()));
        (seen.len() >= made.len()).then_some(())
    })
    .await;
    assert_eq!(seen, made);
}

#[story::test]
async fn past_events_arrive_when_they_are_asked_for(database_url: &str) {
    let developer = Developer::new(database_url).await;
    let before = developer.objects(&["trigger", "product.created"]).await;
    let mut listening = developer.start(&["listen", "--since", "10m", "--print", "headers,body"]);
    listening.next();
    let event = listening.next();
    assert_eq!(event["eventId"], before[0]["eventId"]);
    let body = objects(event["body"].as_str().expect("is printed"));
    assert_eq!(body[0]["event"], "product.created");
    assert_eq!(event["headers"]["webhook-id"], event["eventId"]);
}

#[story::test]
async fn a_program_that_starts_second_misses_nothing(database_url: &str) {
    let developer = Developer::new(database_url).await;
    let address = {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        taken.local_addr().expect("has one")
    };
    let url = format!("http://{address}/webhooks");
    let words = ["listen", "--events", "product.created", "--forward-to", &url];
    let mut listening = developer.start(&words);
    listening.next();
    developer.objects(&["trigger", "product.created"]).await;
    let program = tokio::net::TcpListener::bind(address).await.expect("it is still free");
    let (mut connection, _) = program.accept().await.expect("the event comes");
    let mut head = [0; 4];
    tokio::io::AsyncReadExt::read_exact(&mut connection, &mut head).await.expect("a request");
    assert_eq!(&head, b"POST");
    let answer = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
    tokio::io::AsyncWriteExt::write_all(&mut connection, answer).await.expect("is taken");
    assert_eq!(listening.next()["status"], 204);
}

#[story::test]
async fn a_second_listen_of_a_name_takes_over_and_the_first_one_says_so(database_url: &str) {
    let developer = Developer::new(database_url).await;
    let mut first = developer.start(&["listen", "--name", "shared"]);
    first.next();
    developer.objects(&["trigger", "product.created"]).await;
    first.next();
    let mut second = developer.start(&["listen", "--name", "shared"]);
    second.next();
    let ended = first.ended();
    assert_eq!(complaint(&ended), (1, serde_json::json!({ "error": "replaced" })));
    developer.objects(&["trigger", "product.created"]).await;
    assert_eq!(second.next()["event"], "product.created");
}
