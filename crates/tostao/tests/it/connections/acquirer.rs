//! A fake acquirer that is connected, and what buyers and operators do there.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fakepsp::fake::Fake;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{CONNECTIONS, administrator, fake, status};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, merged};

pub const DIFFERENCES: &str = "/api/admin/reconciliation";
/// A card that is approved.
pub const GOOD: &str = "4000000000000010";
/// One that stays in process until the test decides.
pub const SLOW: &str = "4000000000000036";

/// An acquirer of cards.
pub struct Acquirer {
    pub fake: Fake,
    pub admin: Client,
    /// The connection as it was added.
    pub connection: Value,
}

impl Acquirer {
    /// Connects an acquirer, and sends cards to it.
    pub async fn routed(test: &TestApp) -> Self {
        let acquirer = Self::connected(test, 1).await;
        acquirer.route().await;
        acquirer
    }

    /// Connects an acquirer to which nothing goes yet; each has a number of its own.
    pub async fn connected(test: &TestApp, number: u8) -> Self {
        let (fake, admin) = (fake().await, administrator(test).await);
        let address = format!("https://localhost:{}", fake.addresses().tls.expect("is").port());
        let body = json!({
            "name": format!("pagarme-{number}"), "profile": "pagarme",
            "environment": "production",
            "values": {
                "secret_key": format!("sk_{number}"), "public_key": format!("pk_{number}"),
                "address": address, "notice_keys_address": address,
                "authority": fake.authority().certificate,
            },
        });
        let connection = admin.post(CONNECTIONS, body).await.expect(201)["data"].clone();
        Self { fake, admin, connection }
    }

    /// Sends new cards to it.
    pub async fn route(&self) {
        let body = json!({ "connectionId": id(&self.connection), "acceptTestMoney": true });
        self.admin.put("/api/admin/connection-routes/card", body).await.expect(200);
    }

    /// An administrator disables or enables the connection.
    pub async fn acts(&self, test: &TestApp, action: &str) {
        let path = format!("{CONNECTIONS}/{}/{action}", id(&self.connection));
        administrator(test).await.post(&path, json!({})).await.expect(200);
    }

    /// Does something at the acquirer.
    pub async fn at(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.fake.admin("POST", path, &body).await.expect("answers");
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// Makes calls of an operation of the acquirer's fail.
    pub async fn fault(&self, operation: &str, fault: Value) {
        let rule = json!({ "operation": format!("pagarme.{operation}") });
        self.at("/__fault", merged(rule, &fault)).await;
    }

    /// Has everything work again.
    pub async fn heal(&self) {
        let healed = self.fake.admin("DELETE", "/__fault", &Value::Null).await.expect("answers");
        assert_eq!(healed.0, 200);
    }

    /// Makes every question about orders and charges fail until it heals.
    pub async fn hide(&self) {
        for operation in ["order.list", "charge.get"] {
            let fault = json!({ "fault": "status", "status": 503, "times": 10_000 });
            self.fault(operation, fault).await;
        }
    }

    /// Makes questions about single charges fail until it heals, such as that after a refund.
    pub async fn hide_charges(&self) {
        let fault = json!({ "fault": "status", "status": 503, "times": 10_000 });
        self.fault("charge.get", fault).await;
    }

    /// What was sent to an operation.
    pub async fn sent(&self, operation: &str) -> Vec<Value> {
        let path = format!("/__log?operation=pagarme.{operation}");
        let (_, log) = self.fake.admin("GET", &path, &Value::Null).await.expect("answers");
        log.as_array().expect("is a list").clone()
    }

    /// The charges as the acquirer has them, oldest first.
    pub async fn charges(&self) -> Vec<Value> {
        let (_, state) = self.fake.admin("GET", "/__state", &Value::Null).await.expect("answers");
        state["pagarme"]["charges"].as_array().expect("is a list").clone()
    }

    /// Refunds a charge in the dashboard; answers with the charge.
    pub async fn cancel(&self, charge: &str, cents: i64) -> Value {
        let body = json!({ "amount": cents });
        self.call("DELETE", &format!("/core/v5/charges/{charge}"), &body).await
    }

    /// Types a card, as the page's script does in a buyer's browser.
    pub async fn token(&self, number: &str) -> String {
        let card = json!({
            "number": number, "holder_name": "ANA SOUZA", "exp_month": 12, "exp_year": 2030,
            "cvv": "123",
        });
        let body = json!({ "type": "card", "card": card });
        id(&self.call("POST", "/core/v5/tokens?appId=pk_1", &body).await).to_owned()
    }

    /// Calls the acquirer as somebody else than the server does.
    async fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let (address, body) = (self.fake.addresses().plain.expect("listens"), body.to_string());
        let basic = STANDARD.encode("sk_1:");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             authorization: Basic {basic}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut socket = TcpStream::connect(address).await.expect("listens");
        socket.write_all(request.as_bytes()).await.expect("takes it");
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await.expect("answers");
        let (_, content) = answer.split_once("\r\n\r\n").expect("has a body");
        serde_json::from_str(content).expect("is JSON")
    }

    /// Charges a card in production, or tries to.
    pub async fn try_sell(&self, shop: &Shop, number: &str, more: Value) -> Reply {
        let body = json!({
            "amountCents": 10_000, "method": "CREDIT_CARD", "cardToken": self.token(number).await,
            "customer": { "name": "Ana Souza", "email": "ana@example.com",
                "document": "529.982.247-25", "phone": "11987654321" },
        });
        shop.owner.post("/api/v1/transactions", merged(body, &more)).await
    }

    /// A charge that was approved.
    pub async fn sell(&self, shop: &Shop, more: Value) -> Value {
        let sold = self.try_sell(shop, GOOD, more).await.expect(201)["transaction"].clone();
        assert_eq!(status(shop, &sold).await, "PAID", "{sold}");
        sold
    }

    /// A charge that the acquirer has not decided, and its own name of it.
    pub async fn open(&self, shop: &Shop, number: &str) -> (Value, String) {
        let reply = self.try_sell(shop, number, json!({})).await;
        assert!(reply.status < 300, "{}", reply.text);
        let listed = shop.owner.list("/api/v1/transactions").await;
        assert_eq!(listed[0]["status"], "PROCESSING", "{}", reply.text);
        let charges = self.charges().await;
        (listed[0].clone(), id(charges.last().expect("is there")).to_owned())
    }

    /// Changes how the acquirer behaves.
    pub async fn set(&self, settings: Value) {
        self.at("/__settings", settings).await;
    }

    /// Orders a charge under a reference, as another system with the same account does.
    pub async fn order_elsewhere(&self, code: &str, cents: i64) -> String {
        let token = self.token(GOOD).await;
        let card = json!({ "card_token": token, "installments": 1,
            "operation_type": "auth_and_capture" });
        let body = json!({
            "code": code, "closed": true,
            "items": [{ "amount": cents, "quantity": 1, "description": "Curso", "code": "1" }],
            "customer": { "name": "Ana Souza", "email": "ana@example.com", "type": "individual",
                "document": "52998224725" },
            "payments": [{ "payment_method": "credit_card", "credit_card": card }],
        });
        let order = self.call("POST", "/core/v5/orders", &body).await;
        id(&order["charges"][0]).to_owned()
    }

    /// How often the acquirer was asked about a charge of ours by its reference.
    pub async fn asked(&self, charge: &Value) -> usize {
        let code = format!("code={}", reference(charge));
        let asked = self.sent("order.list").await;
        let of_it = |call: &&Value| call["query"].as_str().is_some_and(|it| it.contains(&code));
        asked.iter().filter(of_it).count()
    }

    /// The differences that wait for an administrator: kind and amount, newest first.
    pub async fn differences(&self, test: &TestApp) -> Vec<(String, i64)> {
        let admin = administrator(test).await;
        let listed = admin.list(&format!("{DIFFERENCES}?status=OPEN&limit=100")).await;
        let short = |it: &Value| {
            let kind = it["kind"].as_str().expect("has one").to_owned();
            (kind, it["amount"].as_i64().unwrap_or_default())
        };
        listed.iter().map(short).collect()
    }

    /// The acquirer's name of the newest charge.
    pub async fn newest(&self) -> String {
        id(self.charges().await.last().expect("is there")).to_owned()
    }

    /// Decides a charge that is in process, or that the antifraud holds.
    pub async fn decide(&self, charge: &str, more: Value) {
        let pay = json!({ "dialect": "pagarme", "charge": charge });
        self.at("/__pay", merged(pay, &more)).await;
    }

    /// A buyer contests a charge, or its issuer decides.
    pub async fn dispute(&self, charge: &str, more: Value) {
        self.at("/__chargeback", merged(json!({ "charge": charge }), &more)).await;
    }

    /// Lets time pass here and there, and runs the jobs that are due then.
    pub async fn pass(&self, test: &TestApp, span: Duration) {
        self.pass_there(span).await;
        test.run_jobs_after(span).await;
    }

    pub async fn pass_there(&self, span: Duration) {
        self.at("/__clock", json!({ "advance_seconds": span.as_secs() })).await;
    }

    /// The path of the address that it sends notices to.
    pub fn door(&self) -> String {
        let address = self.connection["noticesUrl"].as_str().expect("has one");
        address[address.find("/providers/").expect("is a path")..].to_owned()
    }

    /// A notice about a charge, as anyone may send it.
    pub async fn notify(&self, client: &Client, charge: &str) -> Reply {
        let notice = json!({ "id": "hook_1", "type": "charge.paid",
            "data": { "id": charge, "amount": 1, "status": "paid" } });
        client.post(&self.door(), notice).await
    }
}

/// The name of a charge at its acquirer, which is ours of it.
pub fn reference(charge: &Value) -> String {
    id(charge).replace('-', "")
}

/// Asks for a refund.
pub async fn refund(shop: &Shop, charge: &Value, cents: i64) {
    let path = format!("/api/v1/transactions/{}/refund", id(charge));
    let body = json!({ "amountCents": cents, "reason": "Devolvido." });
    shop.owner.post(&path, body).await.expect(201);
}

/// The statuses of a charge's refunds, oldest first.
pub async fn refunds(shop: &Shop, charge: &Value) -> Vec<Value> {
    let listed = shop.owner.list(&format!("/api/v1/transactions/{}/refunds", id(charge))).await;
    listed.iter().map(|refund| refund["status"].clone()).collect()
}
