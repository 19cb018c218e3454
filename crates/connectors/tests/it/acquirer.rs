//! A fake acquirer, our connection with it, and the browser of a buyer.

use std::collections::BTreeMap;
use std::sync::Arc;

use brazil::document::Document;
use connectors::pagarme::Pagarme;
use fakepsp::fake::{Fake, Options};
use http::{HeaderMap, HeaderName, HeaderValue};
use ledger::cents::Cents;
use rails::address::Address;
use rails::card::{
    CardBuyer, CardChargeRequest, CardItem, CardProvider, CardRefundRequest, CardSource,
    StoreCardRequest,
};
use rails::connection::{Connection, Event, Notice, Page, Subject, Window};
use rails::profile::{Environment, Given, Profile};
use rustls::RootCertStore;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use upstream::call::Call;
use upstream::client::Client;
use upstream::roots;
use upstream::settings::{Limits, Settings};

use crate::harness::{Bank, always};

/// Approves every charge.
pub const GOOD: &str = "4000000000000010";
/// Declines with the code of the fake's settings.
pub const DECLINED: &str = "4000000000000028";
/// In process until the test pays.
pub const SLOW: &str = "4000000000000036";
pub const REFERENCE: &str = "0123456789abcdef0123456789abcdef";

/// A fake acquirer, and our connection with it.
pub struct Acquirer {
    pub bank: Bank,
}

#[derive(Deserialize)]
struct Token {
    id: String,
}

impl Acquirer {
    pub async fn open() -> Self {
        let stopped_at = Some("2026-11-23T15:00:00Z".parse().expect("is an instant"));
        let options = Options { seed: Some(7), stopped_at, ..Options::default() };
        let fake = Fake::start(options).await.expect("the fake starts");
        let connected = Pagarme.connect(&given(&fake)).expect("the connection can be made");
        Self { bank: Bank { dialect: "pagarme", fake, connected } }
    }

    pub fn cards(&self) -> Arc<dyn CardProvider> {
        self.bank.connected.card.clone().expect("serves cards")
    }

    pub fn connection(&self) -> Arc<dyn Connection> {
        self.bank.connected.connection.clone()
    }

    /// Sends a card from a browser to the place that the connection names.
    pub async fn token(&self, number: &str) -> String {
        let api = self.cards().tokenizer().api;
        let (origin, path) = api.split_at(api.find("/core").expect("is a path of the API"));
        let mut roots = RootCertStore::empty();
        let authority = &self.bank.fake.authority().certificate;
        roots::add_pem(&mut roots, authority).expect("is an authority");
        let (address, limits) = (origin.to_owned(), Limits::default());
        let settings = Settings {
            name: "acquirer".to_owned(),
            address,
            roots,
            identity: None,
            limits,
            read_error: |_, _| None,
        };
        let browser = Client::new(&settings).expect("can be made");
        let card = json!({
            "number": number, "holder_name": "Ana Souza", "exp_month": 12, "exp_year": 2030,
            "cvv": "123",
        });
        let call = Call::post("tokenize", path).json(&json!({ "type": "card", "card": card }));
        let answer = browser.call(call).await.result.expect("answers");
        answer.json::<Token>().expect("is a token").id
    }

    /// An order to charge a card that a buyer has just typed.
    pub async fn order(&self, reference: &str, number: &str) -> CardChargeRequest {
        charge(reference, CardSource::Token(self.token(number).await))
    }

    /// A charge that was approved.
    pub async fn charged(&self, reference: &str) -> CardChargeRequest {
        let order = self.order(reference, GOOD).await;
        self.cards().authorize(&order).await.expect("is charged");
        order
    }

    /// The acquirer's id of the charge of a reference.
    pub async fn charge_id(&self, reference: &str) -> String {
        let state = self.bank.state().await;
        let mut charges = state["charges"].as_array().expect("is a list").iter();
        let charge = charges.find(|charge| charge["code"] == reference).expect("is there");
        charge["id"].as_str().expect("has an id").to_owned()
    }

    /// What a notice about a charge leads to.
    pub async fn looked_into(&self, charge_id: &str) -> Page {
        let notice = Notice { subject: Subject::CardCharge, id: charge_id.to_owned() };
        self.connection().look_into(&notice).await.expect("answers")
    }

    /// All pages of a list, with the answers to the questions that it raises.
    pub async fn listed(&self, window: Window) -> Vec<Event> {
        let ((from, to), mut cursor, mut events) = (always(), None::<String>, Vec::new());
        loop {
            let page = self.connection().read_window(window, from, to, cursor.as_deref()).await;
            let page = page.expect("answers");
            assert_eq!(page.unreadable, [""; 0]);
            events.extend(page.events);
            for question in page.questions {
                let answer = self.connection().look_into(&question).await.expect("answers");
                events.extend(answer.events);
            }
            cursor = page.next;
            if cursor.is_none() {
                return events;
            }
        }
    }

    /// The bodies and headers of the requests of an operation.
    pub async fn requests(&self, operation: &str) -> Vec<Value> {
        let path = format!("/__log?operation=pagarme.{operation}");
        let log = self.bank.fake.admin("GET", &path, &Value::Null).await.expect("answers").1;
        log.as_array().expect("is a list").clone()
    }
}

/// An address for notices that keeps what it receives.
pub struct Inbox(TcpListener);

impl Inbox {
    /// Has the acquirer send its notices here.
    pub async fn of(acquirer: &Acquirer, signature: &str) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = format!("http://{}/", socket.local_addr().expect("is bound"));
        let settings = json!({ "pagarme_webhook": address, "pagarme_signature": signature });
        acquirer.bank.admin("/__settings", settings).await;
        Self(socket)
    }

    /// The headers and the body of the next notice about a charge.
    pub async fn next(&self) -> (HeaderMap, Vec<u8>) {
        loop {
            let (headers, body) = self.receive().await;
            let notice: Value = serde_json::from_slice(&body).expect("is JSON");
            if notice["type"].as_str().is_some_and(|kind| kind.starts_with("charge.")) {
                return (headers, body);
            }
        }
    }

    async fn receive(&self) -> (HeaderMap, Vec<u8>) {
        let (mut caller, _) = self.0.accept().await.expect("is called");
        let mut request = Vec::new();
        loop {
            let mut part = [0; 4_096];
            let count = caller.read(&mut part).await.expect("sends");
            request.extend_from_slice(&part[..count]);
            let end = request.windows(4).position(|four| four == b"\r\n\r\n");
            let Some(end) = end else { continue };
            let headers = headers(&String::from_utf8_lossy(&request[..end]));
            let length = headers.get("content-length").expect("has a length");
            let length: usize = length.to_str().expect("is text").parse().expect("is a number");
            if request.len() < end + 4 + length {
                continue;
            }
            let ok = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            caller.write_all(ok).await.expect("is answered");
            return (headers, request[end + 4..].to_vec());
        }
    }
}

fn headers(head: &str) -> HeaderMap {
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    let pair = |(name, value): (&str, &str)| {
        let name: HeaderName = name.to_ascii_lowercase().parse().expect("is a name");
        (name, HeaderValue::from_str(value).expect("is a value"))
    };
    lines.map(pair).collect()
}

/// What an operator enters for the fake.
pub fn given(fake: &Fake) -> Given {
    let port = fake.addresses().tls.expect("listens").port();
    let address = format!("https://localhost:{port}");
    let values = [
        ("secret_key", "sk_1".to_owned()),
        ("public_key", "pk_1".to_owned()),
        ("address", address.clone()),
        ("notice_keys_address", address),
        ("authority", fake.authority().certificate.clone()),
    ];
    let values = values.map(|(field, value)| (field.to_owned(), value));
    Given {
        name: "cards".to_owned(),
        environment: Environment::Production,
        door: "https://pay.example.com/providers/0a1b".to_owned(),
        values: BTreeMap::from(values),
    }
}

pub fn buyer() -> CardBuyer {
    CardBuyer {
        name: "Ana Souza".to_owned(),
        email: "ana@example.com".to_owned(),
        document: Some(Document::parse("529.982.247-25").expect("is a document")),
        phone: Some("+5511987654321".to_owned()),
        address: Some(Address {
            postal_code: "01001000".to_owned(),
            street: "Praça da Sé".to_owned(),
            number: "1".to_owned(),
            complement: None,
            district: "Sé".to_owned(),
            city: "São Paulo".to_owned(),
            state: "SP".to_owned(),
        }),
    }
}

/// An order of R$ 100.00 in three installments.
pub fn charge(reference: &str, source: CardSource) -> CardChargeRequest {
    CardChargeRequest {
        reference: reference.to_owned(),
        source,
        amount: Cents::new(10_000),
        installments: 3,
        statement: "Loja da Praça Central".to_owned(),
        buyer: buyer(),
        items: vec![CardItem {
            description: "Curso".to_owned(),
            amount: Cents::new(5_000),
            quantity: 2,
        }],
        ip: Some([203, 0, 113, 7].into()),
        authentication: None,
    }
}

pub fn refund(cents: i64, refunded_before: i64) -> CardRefundRequest {
    let reference = format!("fedcba9876543210fedcba98{refunded_before:08}");
    CardRefundRequest {
        attempt: reference.clone(),
        reference,
        charge_reference: REFERENCE.to_owned(),
        amount: Cents::new(cents),
        refunded_before: Cents::new(refunded_before),
    }
}

pub fn storing(reference: &str, token: String) -> StoreCardRequest {
    StoreCardRequest { reference: reference.to_owned(), token, buyer: buyer() }
}
