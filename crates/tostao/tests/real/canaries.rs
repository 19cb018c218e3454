//! A server that logs everything it can, and the places where the secrets of its bank must not be.
//!
//! What is in the memory of the process is out of a test's reach; that the system writes no picture
//! of it is not.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::harness::bank::{self, Bank, NAME, SECRET};
use crate::harness::client::Client;
use crate::harness::front::Front;
use crate::harness::killing::{Open, everything, text};
use crate::harness::program::{Server, tostao};
use crate::harness::shop::{Shop, charge};
use crate::harness::until;

const BUYER: &str = "Zulmira Quaresma Canarinho";
const DOCUMENT: &str = "39053344705";
const PAYEE: &str = "11144477735";
const TRANSACTIONS: &str = "/api/v1/transactions";

/// Sells, refunds and withdraws, with a call in between that fails.
async fn trade(bank: &Bank, key: &Client) {
    let mut wanted = charge(10_000);
    wanted["customer"]["name"] = json!(BUYER);
    wanted["customer"]["document"] = json!(DOCUMENT);
    for fault in ["cut_before", "unauthorized", "proxy_html"] {
        let fault = json!({ "operation": "efi.cob.create", "fault": fault, "times": 1 });
        bank.fake.admin("POST", "/__fault", &fault).await.expect("answers");
        key.post(TRANSACTIONS, wanted.clone()).await;
    }
    let made = key.post(TRANSACTIONS, wanted).await.expect(201)["transaction"].clone();
    let payment = json!({ "dialect": "efi", "charge": made["pix"]["txid"] });
    bank.fake.admin("POST", "/__pay", &payment).await.expect("answers");
    let path = format!("{TRANSACTIONS}/{}", text(&made, "id"));
    until("it is paid", async || {
        let now = key.get(&path).await.expect(200);
        (now["transaction"]["status"] == "PAID").then_some(())
    })
    .await;
    let refund = json!({ "amountCents": 400, "reason": "Devolvido." });
    key.post(&format!("{path}/refund"), refund).await.expect(201);
    let wanted = json!({ "amountCents": 1_000, "pixKey": PAYEE, "pixKeyType": "cpf" });
    key.post("/api/withdraws", wanted).await.expect(201);
    until("it is withdrawn", async || {
        let withdrawals = everything(key, "/api/withdraws").await;
        (withdrawals[0]["status"] == "COMPLETED").then_some(())
    })
    .await;
}

/// The secrets of a connection, as they are and as they are sent.
fn secrets(bank: &Bank) -> Vec<String> {
    let key = &bank.fake.authority().client.key;
    let lines = key.lines().filter(|line| !line.starts_with("-----") && line.len() > 20);
    let sent = STANDARD.encode(format!("the client:{SECRET}"));
    [SECRET.to_owned(), STANDARD.encode(SECRET), sent, "PRIVATE KEY".to_owned()]
        .into_iter()
        .chain(lines.map(str::to_owned))
        .collect()
}

#[story::test]
async fn a_server_that_logs_everything_logs_no_secret_of_a_bank_and_no_person(database_url: &str) {
    let bank = Bank::connected(database_url).await;
    let mut front = Front::bind().await;
    let url = front.url.clone();
    let settings =
        [("TOSTAO_BASE_URL", url.as_str()), ("TOSTAO_AUTO_PAYOUTS", "on"), ("TOSTAO_LOG", "trace")];
    let server = Server::start_with(database_url, &settings).await;
    let (_sender, open) = watch::channel(Open::at([server.address]));
    front.serve(open);
    bank.has_our_address().await;
    let shop = Shop::open(&server).await.with_real_money(&server).await;
    trade(&bank, &shop.client).await;
    let mut printed = Vec::new();
    printed.push(tostao(database_url, &["connections", "list"]).await.good());
    let log = server.stop().await;
    printed.push(tostao(database_url, &["connections", "test", NAME]).await.good());
    printed.push(bank::run(database_url, &bank.words("wrong")).await.refused());

    assert!(log.iter().any(|line| line.contains("\"TRACE\"")), "{}", log.len());
    let (_, sent) = bank.fake.admin("GET", "/__notices", &Value::Null).await.expect("answers");
    assert!(!sent.as_array().expect("is a list").is_empty(), "the bank sent no notice");
    for secret in secrets(&bank) {
        for line in log.iter().chain(&printed) {
            assert!(!line.contains(&secret), "{secret} in {line}");
        }
        if let Some(path) = database_url.strip_prefix("sqlite:") {
            let stored = std::fs::read(path).expect("reads");
            let is_there = stored.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!is_there, "{secret} in the file");
        }
    }
    let (_, state) = bank.fake.admin("GET", "/__state", &Value::Null).await.expect("answers");
    let door = state["efi"]["pix"]["webhooks"].as_object().and_then(|hooks| hooks.values().next());
    let door = door.and_then(Value::as_str).and_then(|url| url.rsplit('/').next());
    for text in
        [door.expect("is registered"), BUYER, DOCUMENT, "390.533.447-05", PAYEE, "111.444.777-35"]
    {
        for line in &log {
            assert!(!line.contains(text), "{text} in {line}");
        }
    }
}

#[cfg(target_os = "linux")]
#[story::test]
async fn the_system_writes_no_picture_of_the_memory_that_holds_secrets(database_url: &str) {
    let server = Server::start(database_url).await;
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", server.pid()));
    let limits = limits.expect("the system lists limits");
    let core = limits.lines().find(|line| line.starts_with("Max core file size"));
    let words: Vec<_> = core.expect("is listed").split_whitespace().skip(4).collect();
    assert_eq!(words[..2], ["0", "0"]);
    server.stop().await;
}
