//! A validator between the TLS listener and the core.

use std::net::SocketAddr;

use fakepsp::fake::Options;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::harness::{Bank, TXID};

/// Proxies to `/v2` of the address, and objects to everything in a header, as Prism does.
async fn validator(listener: TcpListener, core: SocketAddr) {
    loop {
        let (mut down, _) = listener.accept().await.unwrap();
        let mut up = TcpStream::connect(core).await.unwrap();
        let mut buffer = vec![0; 65_536];
        let mut request = String::new();
        loop {
            let count = down.read(&mut buffer).await.unwrap();
            request.push_str(&String::from_utf8_lossy(&buffer[..count]));
            let Some((head, body)) = request.split_once("\r\n\r\n") else { continue };
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                break;
            }
        }
        let request = request.replacen(" /", " /v2/", 1).replacen("\r\n", "\r\nx-seen: 1\r\n", 1);
        let request = request.replacen("connection: ", "x-connection: ", 1);
        let request = request.replacen("\r\n", "\r\nconnection: close\r\n", 1);
        up.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        up.read_to_string(&mut answer).await.unwrap();
        let violations = json!([{ "location": ["request", "body"], "message": "no" }]);
        let header = format!("\r\nsl-violations: {violations}\r\n");
        let answer = answer.replacen("\r\n", &header, 1);
        down.write_all(answer.as_bytes()).await.unwrap();
    }
}

#[tokio::test]
async fn the_standards_paths_go_through_and_their_violations_are_logged() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let through = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let bank = Bank::with(Options { through: Some(through), ..Options::default() }).await;
    let mut tasks = JoinSet::new();
    tasks.spawn(validator(listener, bank.fake.addresses().plain.unwrap()));

    let created = bank.charge(TXID, "10.00").await;
    let id = created.json()["loc"]["id"].clone();
    bank.efi("GET", &format!("/v2/loc/{id}/qrcode"), Value::Null).await;
    bank.efi("GET", "/v2/gn/saldo", Value::Null).await;

    assert_eq!(created.status, 201, "{}", created.text);
    assert_eq!(created.header("sl-violations"), None);
    let log = bank.get("/__log").await;
    let seen: Vec<(&str, usize)> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["operation"].as_str().unwrap(), it["violations"].as_array().unwrap().len()))
        .filter(|(operation, _)| *operation != "efi.token")
        .collect();
    assert_eq!(seen, [("efi.cob.create", 1), ("efi.loc.qrcode", 0), ("efi.balance", 0)]);
}

#[tokio::test]
async fn a_validator_that_is_gone_is_a_violation_itself() {
    let through = "http://127.0.0.1:1".parse().unwrap();
    let bank = Bank::with(Options { through: Some(through), ..Options::default() }).await;

    let answer = bank.charge(TXID, "10.00").await;

    assert_eq!(answer.status, 502);
    let log = bank.get("/__log?operation=efi.cob.create").await;
    assert_eq!(log[0]["violations"][0]["location"], json!(["proxy"]));
}
