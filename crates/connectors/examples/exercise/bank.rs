//! A fake provider in another process, and our connection with it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use connectors::efi::Efi;
use connectors::inter::Inter;
use connectors::pagarme::Pagarme;
use db::time::Timestamp;
use ledger::cents::Cents;
use rails::boleto::BoletoProvider;
use rails::card::CardProvider;
use rails::connection::{Connection, Event, Window};
use rails::payout::PayoutProvider;
use rails::pix::{PixChargeRequest, PixProvider};
use rails::profile::{Connected, Environment, Given, Profile};
use rustls::RootCertStore;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use upstream::call::Call;
use upstream::client::Client;
use upstream::roots;
use upstream::settings::{Limits, Settings};

/// Enough for every payout of a run.
const BALANCE_CENTS: i64 = 100_000_000;
/// The margin of a window, on either side of now.
const AROUND: Duration = Duration::from_secs(600);

/// Where a fake is.
#[derive(Deserialize)]
pub struct Place {
    plain: String,
    tls_client: String,
    tls: String,
    folder: PathBuf,
}

/// A notice of the fake's.
#[derive(Deserialize)]
struct Sent {
    form: Option<Vec<(String, String)>>,
}

pub struct Bank {
    /// The bank's name in the fake.
    pub dialect: &'static str,
    pub connected: Connected,
    /// An address on this machine that takes every notice.
    pub door: String,
    admin: Client,
    authority: String,
    references: AtomicU32,
    _listening: JoinSet<()>,
}

impl Bank {
    pub async fn open(dialect: &'static str, place: &Place) -> Self {
        let (door, listening) = open_door().await;
        let profile: &dyn Profile = match dialect {
            "efi" => &Efi,
            "inter" => &Inter,
            _ => &Pagarme,
        };
        let connected = profile.connect(&given(dialect, place, &door)).expect("is set up");
        let bank = Self {
            dialect,
            connected,
            door,
            admin: client(&place.plain, RootCertStore::empty()),
            authority: read(&place.folder, "ca.pem"),
            references: AtomicU32::new(1),
            _listening: listening,
        };
        if dialect != "pagarme" {
            let balance = json!({ "dialect": dialect, "cents": BALANCE_CENTS });
            bank.admin("/__balance", balance).await;
        }
        bank
    }

    pub fn connection(&self) -> &dyn Connection {
        &*self.connected.connection
    }

    pub fn pix(&self) -> Arc<dyn PixProvider> {
        self.connected.pix.clone().expect("serves PIX")
    }

    pub fn payouts(&self) -> Arc<dyn PayoutProvider> {
        self.connected.payout.clone().expect("serves payouts")
    }

    pub fn boletos(&self) -> Arc<dyn BoletoProvider> {
        self.connected.boleto.clone().expect("serves boletos")
    }

    pub fn cards(&self) -> Arc<dyn CardProvider> {
        self.connected.card.clone().expect("serves cards")
    }

    /// A reference that no other check has, as ours are: a UUID without hyphens.
    pub fn reference(&self) -> String {
        let number = self.references.fetch_add(1, Ordering::Relaxed);
        format!("0192f0c4a5b67c8d9e0f{number:012}")
    }

    /// A charge that is issued, by its txid.
    pub async fn charged(&self, cents: i64) -> String {
        let order = self.charge(cents);
        self.pix().issue(&order).await.expect("is issued");
        order.txid
    }

    pub fn charge(&self, cents: i64) -> PixChargeRequest {
        PixChargeRequest {
            txid: self.reference(),
            amount: Cents::new(cents),
            merchant_name: "Loja".to_owned(),
            seconds_to_pay: 3_600,
        }
    }

    /// Pays a PIX charge so many times; returns the end-to-end ids.
    pub async fn pay(&self, txid: &str, times: u32) -> Vec<String> {
        let pay = json!({ "dialect": self.dialect, "charge": txid, "times": times });
        let paid = self.admin("/__pay", pay).await;
        serde_json::from_value(paid["e2e"].clone()).expect("are ids")
    }

    /// Does something at the bank.
    pub async fn admin(&self, path: &str, body: Value) -> Value {
        let answer = self.admin.call(Call::post("admin", path).json(&body)).await.result;
        answer.unwrap_or_else(|error| panic!("{path}: {error}")).json().expect("is JSON")
    }

    /// Makes the next call of an operation fail.
    pub async fn fault(&self, operation: &str, fault: &str) {
        let rule = json!({ "operation": operation, "fault": fault, "status": 503, "times": 1 });
        self.admin("/__fault", rule).await;
    }

    /// What all banks of the fake have in their books.
    pub async fn state(&self) -> Value {
        self.look("/__state").await
    }

    /// The form of the last notice that has one.
    pub async fn form(&self) -> Vec<(String, String)> {
        let notices: Vec<Sent> =
            serde_json::from_value(self.look("/__notices").await).expect("are notices");
        notices.into_iter().rev().find_map(|notice| notice.form).expect("a form was sent")
    }

    async fn look(&self, path: &str) -> Value {
        let answer = self.admin.call(Call::get("admin", path)).await.result;
        answer.expect("answers").json().expect("is JSON")
    }

    /// The fake's clock.
    pub async fn now(&self) -> Timestamp {
        let state = self.state().await;
        Timestamp::parse(state["now"].as_str().expect("is text")).expect("is an instant")
    }

    /// All pages of what happened in the last minutes.
    pub async fn listed(&self, window: Window) -> Vec<Event> {
        let now = self.now().await;
        let (from, to) = (now.minus(AROUND), now.plus(AROUND));
        let (mut cursor, mut events) = (None::<String>, Vec::new());
        loop {
            let page = self.connection().read_window(window, from, to, cursor.as_deref()).await;
            let page = page.expect("answers");
            assert_eq!(page.unreadable, [""; 0]);
            events.extend(page.events);
            cursor = page.next;
            if cursor.is_none() {
                return events;
            }
        }
    }

    /// A client as a buyer's browser is one.
    pub fn browser(&self, origin: &str) -> Client {
        let mut roots = RootCertStore::empty();
        roots::add_pem(&mut roots, &self.authority).expect("is an authority");
        client(origin, roots)
    }
}

fn client(address: &str, roots: RootCertStore) -> Client {
    let (address, limits) = (address.to_owned(), Limits::default());
    let settings = Settings {
        name: "bank".to_owned(),
        address,
        roots,
        identity: None,
        limits,
        read_error: |_, _| None,
    };
    Client::new(&settings).expect("can be made")
}

/// What an operator enters for the fake.
fn given(dialect: &str, place: &Place, door: &str) -> Given {
    let (address, charges) = match dialect {
        "pagarme" => (&place.tls, &place.tls),
        _ => (&place.tls_client, &place.tls),
    };
    let values = [
        ("client_id", "id".to_owned()),
        ("client_secret", "secret".to_owned()),
        ("certificate", read(&place.folder, "client-good.both.pem")),
        ("pix_key", "pix@example.com".to_owned()),
        ("account", "123456789".to_owned()),
        ("secret_key", "sk_1".to_owned()),
        ("public_key", "pk_1".to_owned()),
        ("address", address.clone()),
        ("charges_address", charges.clone()),
        ("notice_keys_address", charges.clone()),
        ("authority", read(&place.folder, "ca.pem")),
    ];
    let values = values.map(|(field, value)| (field.to_owned(), value));
    Given {
        name: "main".to_owned(),
        environment: Environment::Production,
        door: door.to_owned(),
        values: BTreeMap::from(values),
    }
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("the fake wrote its certificates")
}

async fn open_door() -> (String, JoinSet<()>) {
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
    (address, listening)
}
