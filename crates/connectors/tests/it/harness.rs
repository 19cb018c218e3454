//! A fake provider, and a connection with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use brazil::document::Document;
use brazil::pix_key::{PixKey, PixKeyType};
use connectors::efi::Efi;
use connectors::inter::Inter;
use db::time::Timestamp;
use fakepsp::fake::{Fake, Options};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use ledger::cents::Cents;
use rails::address::Address;
use rails::boleto::{BoletoProvider, BoletoRequest, Payer};
use rails::payout::{PayoutProvider, PayoutRequest};
use rails::pix::{PixChargeRequest, PixProvider};
use rails::profile::{Connected, Environment, Given, Profile};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub const KEY: &str = "pix@example.com";
pub const TXID: &str = "0123456789abcdef0123456789abcdef";

/// A fake bank, and our connection with it.
pub struct Bank {
    /// The bank's name in the fake.
    pub dialect: &'static str,
    pub fake: Fake,
    pub connected: Connected,
}

impl Bank {
    pub async fn efi() -> Self {
        Self::open("efi", &Efi).await
    }

    pub async fn inter() -> Self {
        Self::open("inter", &Inter).await
    }

    /// One bank of each profile that takes PIX.
    pub async fn each() -> [Self; 2] {
        [Self::efi().await, Self::inter().await]
    }

    async fn open(dialect: &'static str, profile: &dyn Profile) -> Self {
        let stopped_at = Some("2026-11-23T15:00:00Z".parse().expect("is an instant"));
        let options = Options { seed: Some(7), stopped_at, ..Options::default() };
        let fake = Fake::start(options).await.expect("the fake starts");
        let connected = profile.connect(&given(&fake)).expect("the connection can be made");
        Self { dialect, fake, connected }
    }

    /// Does something at the bank.
    pub async fn admin(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.fake.admin("POST", path, &body).await.expect("answers");
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// Makes the next calls of an operation of the bank's PIX fail.
    pub async fn fault(&self, operation: &str, fault: Value) {
        self.fault_of(&self.operation(operation), fault).await;
    }

    /// Makes the next calls of any operation fail.
    pub async fn fault_of(&self, operation: &str, fault: Value) {
        let mut rule = json!({ "operation": operation });
        let (Some(rule_fields), Value::Object(fault)) = (rule.as_object_mut(), fault) else {
            panic!("a fault is an object");
        };
        rule_fields.extend(fault);
        self.admin("/__fault", rule).await;
    }

    /// How often an operation was called.
    pub async fn calls(&self, operation: &str) -> usize {
        let path = format!("/__log?operation={}", self.operation(operation));
        let (_, log) = self.fake.admin("GET", &path, &Value::Null).await.expect("answers");
        log.as_array().expect("is a list").len()
    }

    /// What the bank has in its books.
    pub async fn state(&self) -> Value {
        self.whole_state().await[self.dialect].take()
    }

    /// What every bank of the fake has in its books.
    pub async fn whole_state(&self) -> Value {
        self.fake.admin("GET", "/__state", &Value::Null).await.expect("answers").1
    }

    /// The day in São Paulo by the fake's clock.
    pub fn today() -> Date {
        date(2026, 11, 23)
    }

    fn operation(&self, name: &str) -> String {
        format!("{}.{name}", self.dialect)
    }

    pub fn pix(&self) -> Arc<dyn PixProvider> {
        self.connected.pix.clone().expect("serves PIX")
    }

    pub fn boletos(&self) -> Arc<dyn BoletoProvider> {
        self.connected.boleto.clone().expect("serves boletos")
    }

    pub fn payouts(&self) -> Arc<dyn PayoutProvider> {
        self.connected.payout.clone().expect("serves payouts")
    }

    /// A charge that a payer has paid; returns the payment's end-to-end id.
    pub async fn paid(&self, txid: &str, cents: i64) -> String {
        self.pix().issue(&charge(txid, cents)).await.expect("is issued");
        let paid = self.admin("/__pay", json!({ "dialect": self.dialect, "charge": txid })).await;
        paid["e2e"][0].as_str().expect("has an id").to_owned()
    }
}

/// An address for notices that accepts whatever comes, until it is dropped.
pub struct Door {
    pub address: String,
    _listening: JoinSet<()>,
}

impl Door {
    pub async fn open() -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = format!("http://{}/", socket.local_addr().expect("is bound"));
        let mut listening = JoinSet::new();
        listening.spawn(async move {
            while let Ok((mut caller, _)) = socket.accept().await {
                let mut request = [0; 4_096];
                let _ = caller.read(&mut request).await;
                let ok = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                let _ = caller.write_all(ok).await;
            }
        });
        Self { address, _listening: listening }
    }
}

/// What an operator enters for the fake.
pub fn given(fake: &Fake) -> Given {
    let authority = fake.authority();
    let port = fake.addresses().tls_client.expect("listens").port();
    let charges = fake.addresses().tls.expect("listens").port();
    let pem = format!("{}\n{}", authority.client.certificate, authority.client.key);
    let values = [
        ("client_id", "id".to_owned()),
        ("client_secret", "secret".to_owned()),
        ("certificate", pem),
        ("pix_key", KEY.to_owned()),
        ("address", format!("https://localhost:{port}")),
        ("charges_address", format!("https://localhost:{charges}")),
        ("authority", authority.certificate.clone()),
    ];
    let values = values.map(|(field, value)| (field.to_owned(), value));
    Given {
        name: "main".to_owned(),
        environment: Environment::Production,
        door: "https://pay.example.com/providers/0a1b".to_owned(),
        values: BTreeMap::from(values),
    }
}

pub fn charge(txid: &str, cents: i64) -> PixChargeRequest {
    PixChargeRequest {
        txid: txid.to_owned(),
        amount: Cents::new(cents),
        merchant_name: "Loja".to_owned(),
        seconds_to_pay: 3_600,
    }
}

/// A boleto by the fake's clock, which stands still.
pub fn boleto(reference: &str, cents: i64, document: &str) -> BoletoRequest {
    let today = Bank::today();
    BoletoRequest {
        reference: reference.to_owned(),
        short_reference: "R12345".to_owned(),
        amount: Cents::new(cents),
        due_on: today.checked_add(3.days()).expect("is a day"),
        issued_on: today,
        payer: Payer {
            name: "Ana Souza".to_owned(),
            document: Document::parse(document).expect("is a document"),
            address: Some(Address {
                street: "Rua A".to_owned(),
                number: "12".to_owned(),
                complement: None,
                district: "Centro".to_owned(),
                city: "São Paulo".to_owned(),
                state: "SP".to_owned(),
                postal_code: "01001000".to_owned(),
            }),
        },
        merchant_name: "Loja".to_owned(),
        txid: reference.to_owned(),
    }
}

pub fn payout(reference: &str, cents: i64) -> PayoutRequest {
    PayoutRequest {
        reference: reference.to_owned(),
        amount: Cents::new(cents),
        key: PixKey::parse(PixKeyType::Email, "ana@example.com").expect("is a key"),
        holder: None,
        description: Some("Saque".to_owned()),
        test_clock: None,
    }
}

/// The whole of time, as far as the fake knows.
pub fn always() -> (Timestamp, Timestamp) {
    let at = |text| Timestamp::parse(text).expect("is an instant");
    (at("2020-01-01T00:00:00Z"), at("2040-01-01T00:00:00Z"))
}
