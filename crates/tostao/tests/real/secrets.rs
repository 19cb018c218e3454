//! Changing the server's secret, as an operator does it.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::database::SECRET;
use crate::harness::program::{Server, finish, program};
use crate::harness::receiver::Receiver;
use crate::harness::shop::Shop;

const NEW: &str = "another secret for tests, longer than thirty-two";
const CHANGING: [(&str, &str); 2] =
    [("TOSTAO_SECRET_KEY", NEW), ("TOSTAO_SECRET_KEY_PREVIOUS", SECRET)];

/// The command, with the new secret and the one before.
fn reseal(database_url: &str) -> Command {
    let mut command = program(database_url, &["secrets", "reseal"]);
    command.envs(CHANGING);
    command
}

/// The warnings of a log that speak of the secret before.
fn warnings(log: &[String]) -> Vec<String> {
    let lines = log.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let warned = lines.filter(|line| line["level"] == "WARN");
    let printed = warned.filter_map(|line| line["message"].as_str().map(str::to_owned));
    printed.filter(|message| message.contains("TOSTAO_SECRET_KEY_PREVIOUS")).collect()
}

#[story::test]
async fn what_an_earlier_secret_sealed_is_sealed_again_and_works_without_it(database_url: &str) {
    let receiver = Receiver::start().await;
    let url = format!("{}?token=abc", receiver.url);
    let server = Server::start(database_url).await;
    let shop = Shop::open(&server).await;
    shop.subscribe(&url).await;
    shop.subscribe(&receiver.url).await;
    let body = json!({ "url": "https://example.com/hook", "events": ["coupon.created"] });
    let kept = shop.client.with("idempotency-key", "one webhook");
    let path = "/api/webhooks/subscriptions";
    let first = kept.post(path, body.clone()).await.expect(201);
    assert_eq!(warnings(&server.stop().await), [""; 0]);

    let printed = Server::start_with(database_url, &CHANGING).await.stop().await;
    let [warned] = warnings(&printed).try_into().expect("warns once");
    assert!(
        warned.starts_with("3 webhooks are sealed with TOSTAO_SECRET_KEY_PREVIOUS"),
        "{warned}"
    );
    assert!(warned.contains("tostao secrets reseal"), "{warned}");
    let only_new = [("TOSTAO_SECRET_KEY", NEW)];
    let printed = Server::start_with(database_url, &only_new).await.stop().await;
    let [warned] = warnings(&printed).try_into().expect("warns once");
    assert!(warned.starts_with("3 webhooks are sealed with a secret"), "{warned}");

    let printed = finish(reseal(database_url)).await.good();
    assert!(
        printed.contains(
            "webhooks: 3 resealed, 0 already sealed with the current secret, 0 \
        that"
        ),
        "{printed}"
    );
    assert!(printed.contains("stored responses: 1 resealed, 0 already"), "{printed}");
    assert!(printed.contains("Nothing stored needs TOSTAO_SECRET_KEY_PREVIOUS"), "{printed}");
    let again = finish(reseal(database_url)).await.good();
    assert!(again.contains("webhooks: 0 resealed, 3 already sealed"), "{again}");

    let server = Server::start_with(database_url, &only_new).await;
    let kept = kept.at(server.address);
    assert_eq!(kept.post(path, body).await.expect(201), first);
    let shop = Shop { client: shop.client.at(server.address), ..shop };
    shop.sell(4_990).await;
    // One of the webhooks may get several events before the other one gets its first.
    let mut seen = BTreeSet::new();
    for arrived in 1.. {
        receiver.arrived(arrived).await;
        seen.extend(receiver.take().into_iter().map(|delivery| delivery.uri.query().is_some()));
        if seen.len() == 2 {
            break;
        }
    }
    assert_eq!(warnings(&server.stop().await), [""; 0]);
}

#[story::test]
async fn what_no_secret_opens_is_counted_and_left_as_it_is(database_url: &str) {
    let server = Server::start(database_url).await;
    Shop::open(&server).await.subscribe("https://example.com/hook").await;
    server.stop().await;
    let mut command = program(database_url, &["secrets", "reseal"]);
    command.env("TOSTAO_SECRET_KEY", NEW);
    let refused = finish(command).await.refused();
    assert!(refused.contains("TOSTAO_SECRET_KEY_PREVIOUS is not set"), "{refused}");
    let mut command = reseal(database_url);
    command.env("TOSTAO_SECRET_KEY_PREVIOUS", "a third secret, longer than thirty-two");
    let ended = finish(command).await;
    let printed = &ended.out;
    assert!(
        printed.contains(
            "webhooks: 0 resealed, 0 already sealed with the current secret, 1 \
        that"
        ),
        "{printed}"
    );
    assert!(!printed.contains("Nothing stored needs"), "{printed}");
    let refused = ended.refused();
    assert!(refused.contains("neither secret opens 1 of them"), "{refused}");
    assert!(refused.contains("is still needed"), "{refused}");
    assert!(finish(reseal(database_url)).await.good().contains("webhooks: 1 resealed"));
}
