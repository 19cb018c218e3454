//! Real money: connections with a bank, against a fake of it over TLS with client certificates.

mod acquirer;
mod adding;
mod amounts;
mod balances;
mod boleto_faults;
mod boleto_scene;
mod boleto_totals;
mod boletos;
mod boletos_made_later;
mod canaries;
mod card_crashes;
mod card_events;
mod card_faults;
mod card_hints;
mod card_pages;
mod card_refunds;
mod card_scene;
mod cards;
mod certificates;
mod chargebacks;
mod credentials;
mod deaths;
mod differences;
mod differences_of_merchants;
mod failing_jobs;
mod hints;
mod infractions;
mod infractions_and_refunds;
mod infractions_and_unmatched;
mod limits;
mod lost_answers;
mod named_payees;
mod notices;
pub mod orders;
mod out_of_service;
mod payments;
mod pix_of_boletos;
mod reconciling;
mod registration;
mod routing;
mod scene;
mod slow;
mod taken_aside;
mod taken_back;
mod unusable;

use fakepsp::fake::{Fake, Options};
use serde_json::{Value, json};
use tostao::connections::differences::{Kind, NewDifference, note};

use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, every_permission, id, merged};
use crate::harness::{START, TestApp};

pub const CONNECTIONS: &str = "/api/admin/connections";
const SECRET: &str = "a secret of the bank";
/// The key of the operator's account there.
const KEY: &str = "caixa@example.com";

/// A fake bank that is connected.
pub struct Bank {
    pub fake: Fake,
    pub admin: Client,
    /// The connection as it was added.
    pub connection: Value,
}

impl Bank {
    /// Connects a bank, and sends PIX charges and payouts to it.
    pub async fn routed(test: &TestApp) -> Self {
        Self::routed_as(test, "efi-main").await
    }

    /// The same, by a connection of this name.
    pub async fn routed_as(test: &TestApp, name: &str) -> Self {
        let bank = Self::connected_as(test, name).await;
        for rail in ["pix", "payout"] {
            bank.route(rail, id(&bank.connection)).await.expect(200);
        }
        bank
    }

    /// Connects a bank to which nothing goes yet.
    pub async fn connected(test: &TestApp) -> Self {
        Self::connected_as(test, "efi-main").await
    }

    async fn connected_as(test: &TestApp, name: &str) -> Self {
        let (fake, admin) = (fake().await, administrator(test).await);
        let mut body = entered(&fake, &json!({}));
        body["name"] = json!(name);
        let connection = admin.post(CONNECTIONS, body).await.expect(201)["data"].clone();
        Self { fake, admin, connection }
    }

    /// Adds a connection with another account of the same bank.
    pub async fn second(&self) -> Value {
        let account = json!({ "client_id": "the second client", "pix_key": "outra@example.com" });
        let mut body = entered(&self.fake, &account);
        body["name"] = json!("efi-second");
        self.admin.post(CONNECTIONS, body).await.expect(201)["data"].clone()
    }

    pub async fn route(&self, rail: &str, connection: &str) -> Reply {
        let path = format!("/api/admin/connection-routes/{rail}");
        let body = json!({ "connectionId": connection, "acceptTestMoney": true });
        self.admin.put(&path, body).await
    }

    /// Does something at the bank.
    pub async fn at(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.fake.admin("POST", path, &body).await.expect("answers");
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// How often an operation of the bank was called.
    pub async fn calls(&self, operation: &str) -> usize {
        let path = format!("/__log?operation=efi.{operation}");
        let (_, log) = self.fake.admin("GET", &path, &Value::Null).await.expect("answers");
        log.as_array().expect("is a list").len()
    }

    /// Makes the next calls of an operation of the bank fail.
    pub async fn fault(&self, operation: &str, fault: Value) {
        let rule = json!({ "operation": format!("efi.{operation}") });
        self.at("/__fault", merged(rule, &fault)).await;
    }

    /// A buyer pays a charge at the bank; returns the payment's end-to-end id.
    pub async fn pays(&self, charge: &Value, more: Value) -> String {
        let txid = charge["pix"]["txid"].as_str().expect("has a txid");
        let payment = merged(json!({ "dialect": "efi", "charge": txid }), &more);
        let paid = self.at("/__pay", payment).await;
        paid["e2e"][0].as_str().expect("has an id").to_owned()
    }

    /// Has the bank report what nothing explains; the first is resolved.
    pub async fn differs(&self, test: &TestApp, round: u8) {
        let of = id(&self.connection).parse().expect("is an id");
        let difference = NewDifference::new(of, Kind::UnknownRefund, format!("r{round}"));
        note(&test.app, difference).await.expect("is stored");
        if round == 0 {
            let open = self.admin.list("/api/admin/reconciliation").await;
            let path = format!("/api/admin/reconciliation/{}/resolve", id(&open[0]));
            self.admin.post(&path, json!({ "note": "Feita no banco." })).await.expect(200);
        }
    }

    /// Registers an address that answers, instead of ours, which nothing serves.
    pub async fn register(&self, test: &TestApp, address: &str) {
        let registry = test.app.providers.registry();
        let name = self.connection["name"].as_str().expect("has one");
        let live = registry.named(name).expect("is connected");
        live.connected.connection.register(address).await.expect("registers");
    }

    /// The path of the address that the bank sends notices to.
    pub fn door(&self) -> String {
        let address = self.connection["noticesUrl"].as_str().expect("has one");
        address[address.find("/providers/").expect("is a path")..].to_owned()
    }

    /// The bank reports a payment, as the central bank's standard has it.
    pub async fn notify(&self, test: &TestApp, end_to_end_id: &str) -> Reply {
        let notice = json!({ "pix": [{
            "endToEndId": end_to_end_id, "txid": "of no account", "valor": "999999.00",
            "horario": START,
        }] });
        test.anyone().post(&format!("{}/pix", self.door()), notice).await
    }
}

pub async fn fake() -> Fake {
    let stopped_at = Some(START.parse().expect("is an instant"));
    let options = Options { seed: Some(7), stopped_at, ..Options::default() };
    Fake::start(options).await.expect("the fake starts")
}

/// An administrator who looks at production.
pub async fn administrator(test: &TestApp) -> Client {
    test.admin().await.with("x-dev-mode", "false")
}

/// What an operator enters for the fake, with other values beside the usual ones.
pub fn entered(fake: &Fake, more: &Value) -> Value {
    let authority = fake.authority();
    let port = fake.addresses().tls_client.expect("listens").port();
    let charges = fake.addresses().tls.expect("listens").port();
    let values = json!({
        "client_id": "the client",
        "client_secret": SECRET,
        "certificate": format!("{}\n{}", authority.client.certificate, authority.client.key),
        "pix_key": KEY,
        "address": format!("https://localhost:{port}"),
        "charges_address": format!("https://localhost:{charges}"),
        "authority": authority.certificate,
    });
    json!({
        "name": "efi-main", "profile": "efi", "environment": "production",
        "values": merged(values, more),
    })
}

/// A fake of Inter that is connected, to which nothing goes yet.
pub async fn inter(test: &TestApp) -> Bank {
    let (fake, admin) = (fake().await, administrator(test).await);
    let mut body = entered(&fake, &json!({}));
    body["name"] = json!("inter-main");
    body["profile"] = json!("inter");
    body["values"].as_object_mut().expect("is an object").remove("charges_address");
    let connection = admin.post(CONNECTIONS, body).await.expect(201)["data"].clone();
    Bank { fake, admin, connection }
}

/// The same merchant, who uses a production key: it outlives an access token.
pub async fn real(shop: Shop) -> Shop {
    let permissions = every_permission();
    let permissions: Vec<_> = permissions.iter().map(String::as_str).collect();
    let key = shop.key_for("production", &permissions).await;
    Shop { owner: key, ..shop }
}

/// The same merchant, who does everything with real money.
pub async fn as_real(shop: Shop) -> Shop {
    let shop = real(shop).await;
    Shop { key: shop.owner.clone(), ..shop }
}

/// Issues a PIX with real money, or tries to.
pub async fn try_charge(shop: &Shop, cents: i64) -> Reply {
    charge_to(shop, cents, "Ana", "529.982.247-25").await
}

/// Issues a PIX with real money to a buyer of this name and document, or tries to.
pub async fn charge_to(shop: &Shop, cents: i64, name: &str, document: &str) -> Reply {
    let body = json!({
        "amountCents": cents, "method": "PIX",
        "customer": { "name": name, "email": "ana@example.com", "document": document },
    });
    shop.owner.post("/api/v1/transactions", body).await
}

/// Issues a PIX with real money.
pub async fn charge(shop: &Shop, cents: i64) -> Value {
    try_charge(shop, cents).await.expect(201)["transaction"].clone()
}

/// A charge as it now is.
pub async fn read(shop: &Shop, charge: &Value) -> Value {
    let path = format!("/api/v1/transactions/{}", id(charge));
    shop.owner.get(&path).await.expect(200)["transaction"].clone()
}

/// The status of a charge as it now is.
pub async fn status(shop: &Shop, charge: &Value) -> String {
    read(shop, charge).await["status"].as_str().expect("has one").to_owned()
}

/// What a merchant can withdraw.
pub async fn available(shop: &Shop) -> i64 {
    let balance = shop.owner.get("/api/withdraws/balance").await.expect(200);
    balance["data"]["availableBalance"].as_i64().expect("is a number")
}
