//! Changing the server's secret, as an operator does it.

use std::process::Command;

use serde_json::{Value, json};

use crate::harness::database::SECRET;
use crate::harness::program::{Server, finish, program};
use crate::harness::receiver::Receiver;
use crate::harness::shop::Shop;
use crate::harness::story;

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
    let told = warned.filter_map(|line| line["message"].as_str().map(str::to_owned));
    told.filter(|message| message.contains("TOSTAO_SECRET_KEY_PREVIOUS")).collect()
}

#[test]
fn what_an_earlier_secret_sealed_is_sealed_again_and_works_without_it() {
    story(async |database_url| {
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

        let told = Server::start_with(database_url, &CHANGING).await.stop().await;
        let [warned] = warnings(&told).try_into().expect("warns once");
        assert!(
            warned.starts_with("3 webhooks are sealed with TOSTAO_SECRET_KEY_PREVIOUS"),
            "{warned}"
        );
        assert!(warned.contains("tostao secrets reseal"), "{warned}");
        let only_new = [("TOSTAO_SECRET_KEY", NEW)];
        let told = Server::start_with(database_url, &only_new).await.stop().await;
        let [warned] = warnings(&told).try_into().expect("warns once");
        assert!(warned.starts_with("3 webhooks are sealed with a secret"), "{warned}");

        let told = finish(reseal(database_url)).await.good();
        assert!(told.contains("webhooks: 3 sealed again, 0 sealed so before, 0 that"), "{told}");
        assert!(told.contains("kept answers: 1 sealed again, 0 sealed so"), "{told}");
        assert!(told.contains("Nothing stored needs TOSTAO_SECRET_KEY_PREVIOUS"), "{told}");
        let again = finish(reseal(database_url)).await.good();
        assert!(again.contains("webhooks: 0 sealed again, 3 sealed so before, 0 that"), "{again}");

        let server = Server::start_with(database_url, &only_new).await;
        let kept = kept.at(server.address);
        assert_eq!(kept.post(path, body).await.expect(201), first);
        let shop = Shop { client: shop.client.at(server.address), ..shop };
        shop.sell(4_990).await;
        receiver.arrived(2).await;
        let queries = receiver.take().into_iter().map(|delivery| delivery.uri.query().is_some());
        assert!(queries.clone().any(|query| query) && queries.clone().any(|query| !query));
        assert_eq!(warnings(&server.stop().await), [""; 0]);
    });
}

#[test]
fn what_no_secret_opens_is_counted_and_left_as_it_is() {
    story(async |database_url| {
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
        let told = &ended.out;
        assert!(told.contains("webhooks: 0 sealed again, 0 sealed so before, 1 that"), "{told}");
        assert!(!told.contains("Nothing stored needs"), "{told}");
        let refused = ended.refused();
        assert!(refused.contains("neither secret opens 1 of them"), "{refused}");
        assert!(refused.contains("is still needed"), "{refused}");
        assert!(finish(reseal(database_url)).await.good().contains("webhooks: 1 sealed again"));
    });
}
