//! A merchant of the product, created through its API, and the verification of their ledger.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use serde::Deserialize;
use serde_json::json;
use tostao::platform::permissions::Permission;
use url::form_urlencoded::Serializer;

use crate::client::{Connection, Request, Transport};
use crate::clock;
use crate::server::FEE_CENTS;

/// The amount of a charge.
pub const AMOUNT_CENTS: i64 = 14_990;
/// How often, and how many times, it asks whether a large ledger is verified: ten minutes.
const PROOF_EVERY: Duration = Duration::from_secs(1);
const PROOFS_MAX: u32 = 600;
pub const PASSWORD: &str = "correct horse battery";

/// A merchant with a key and a payment link.
#[derive(Debug, Clone)]
pub struct Shop {
    pub key: String,
    pub link: Link,
}

/// A hosted page.
#[derive(Debug, Clone, Deserialize)]
pub struct Link {
    pub id: String,
    pub slug: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SignedIn {
    access_token: String,
}

#[derive(Deserialize)]
struct Data<T> {
    data: T,
}

#[derive(Deserialize)]
struct Credential {
    key: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Proof {
    success: bool,
    data: Proved,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Proved {
    complete: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Balance {
    available_balance: i64,
}

#[derive(Deserialize)]
struct Listed {
    pagination: Pagination,
}

#[derive(Deserialize)]
struct Pagination {
    total: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    payment_link: Counters,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counters {
    sales_count: u64,
    times_used: u64,
}

impl Shop {
    /// Creates an account with a development key and a link; `number` distinguishes accounts.
    pub async fn open(address: SocketAddr, number: usize) -> Result<Self> {
        Self::open_at(&mut Connection::open(address).await?, number).await
    }

    /// The same, through a given client.
    pub async fn open_at(transport: &mut impl Transport, number: usize) -> Result<Self> {
        Self::open_with(transport, number, "development").await
    }

    /// The same, with a production key.
    pub async fn open_in_production(address: SocketAddr, number: usize) -> Result<Self> {
        Self::open_with(&mut Connection::open(address).await?, number, "production").await
    }

    async fn open_with(
        transport: &mut impl Transport,
        number: usize,
        environment: &str,
    ) -> Result<Self> {
        let email = email(number);
        let account = json!({ "name": "Padaria", "email": email, "password": PASSWORD });
        let body = account.to_string();
        transport
            .send(&Request::post("/api/auth/register", &[], body.as_bytes()))
            .await?
            .expect(201)?;
        let bearer = bearer(transport, &email).await?;
        let wanted = json!({
            "name": "bench", "environment": environment, "permissions": Permission::ALL,
        });
        let body = wanted.to_string();
        let headers = [("authorization", bearer.as_str())];
        let made: Data<Credential> = transport
            .send(&Request::post("/api/credentials", &headers, body.as_bytes()))
            .await?
            .expect(201)?
            .json()?;
        let key = made.data.key;
        let made: Data<Link> = transport.send(&new_link(&key)).await?.expect(201)?.json()?;
        Ok(Self { key, link: made.data })
    }

    /// Subscribes an address to events.
    pub async fn subscribe(&self, address: SocketAddr, url: &str, events: &[&str]) -> Result<()> {
        let mut connection = Connection::open(address).await?;
        let body = json!({ "url": url, "events": events }).to_string();
        let headers = [("api-key", self.key.as_str())];
        let request = Request::post("/api/webhooks/subscriptions", &headers, body.as_bytes());
        connection.send(&request).await?.expect(201)?;
        Ok(())
    }

    /// Checks that exactly `paid` charges are paid, counted and posted, and that the ledger is
    /// consistent.
    pub async fn prove(&self, address: SocketAddr, paid: u64) -> Result<()> {
        let link_path = format!("/api/v1/payment-links/{}", self.link.id);
        let shown: Shown = self.get(address, &link_path).await?;
        let counters = shown.payment_link;
        ensure!(
            counters.sales_count == paid && counters.times_used == paid,
            "{paid} charges were paid, and the link counts {} of {} uses",
            counters.sales_count,
            counters.times_used
        );
        self.prove_books(address, paid).await
    }

    /// Checks everything except the link's counters.
    pub async fn prove_books(&self, address: SocketAddr, paid: u64) -> Result<()> {
        self.prove_totals(address, paid).await?;
        self.prove_sums(address).await
    }

    /// Checks how many charges are paid, and their sum on the balance.
    pub async fn prove_totals(&self, address: SocketAddr, paid: u64) -> Result<()> {
        let total = self.total(address, "/api/v1/transactions?status=PAID&limit=1").await?;
        ensure!(total == paid, "{paid} charges were paid, and {total} are listed");
        let balance: Data<Balance> = self.get(address, "/api/withdraws/balance").await?;
        let (held, due) = (balance.data.available_balance, net(paid)?);
        ensure!(held == due, "the balance is {held}, and {due} is due");
        Ok(())
    }

    /// Verifies the ledger; a large one is complete once the server's job has verified it.
    pub async fn prove_sums(&self, address: SocketAddr) -> Result<()> {
        for _ in 0..PROOFS_MAX {
            let proof: Proof = self.get(address, "/api/ledger/verify").await?;
            if proof.data.complete {
                ensure!(proof.success, "the books do not agree");
                return Ok(());
            }
            clock::pause(PROOF_EVERY).await;
        }
        bail!("the books were not verified in time")
    }

    /// Checks the number of links.
    pub async fn prove_links(&self, address: SocketAddr, made: u64) -> Result<()> {
        let total = self.total(address, "/api/v1/payment-links?limit=1").await?;
        ensure!(total == made, "{made} links were made, and {total} are listed");
        Ok(())
    }

    /// How many rows a list has.
    pub async fn total(&self, address: SocketAddr, path: &str) -> Result<u64> {
        let listed: Listed = self.get(address, path).await?;
        Ok(listed.pagination.total)
    }

    async fn get<T: serde::de::DeserializeOwned>(
        &self,
        address: SocketAddr,
        path: &str,
    ) -> Result<T> {
        let mut connection = Connection::open(address).await?;
        let request = Request::get(path, &[("api-key", &self.key)]);
        connection.send(&request).await?.expect(200)?.json()
    }
}

/// Signs in; returns what an `Authorization` header has.
pub async fn bearer(transport: &mut impl Transport, email: &str) -> Result<String> {
    let signed_in: SignedIn = transport.send(&sign_in(email)).await?.expect(200)?.json()?;
    Ok(format!("Bearer {}", signed_in.access_token))
}

/// Signs in with the form, as the account of this number; returns what a `Cookie` header has.
pub async fn cookies(address: SocketAddr, number: usize) -> Result<String> {
    let fields = Serializer::new(String::new())
        .append_pair("email", &email(number))
        .append_pair("password", PASSWORD)
        .finish();
    let form = Request::form("/sign-in", &[("sec-fetch-site", "same-origin")], fields.as_bytes());
    let mut connection = Connection::open(address).await?;
    Ok(connection.send(&form).await?.expect(303)?.cookies())
}

/// The request to sign in.
pub fn sign_in(email: &str) -> Request {
    let body = json!({ "email": email, "password": PASSWORD }).to_string();
    Request::post("/api/auth/login", &[], body.as_bytes())
}

/// The request for a payment link: a body of some 600 bytes.
pub fn new_link(key: &str) -> Request {
    let body = new_link_body();
    Request::post("/api/v1/payment-links", &[("api-key", key)], body.as_bytes())
}

/// The same under an idempotency key.
pub fn link_once(key: &str, idempotency_key: &str) -> Request {
    let headers = [("api-key", key), ("idempotency-key", idempotency_key)];
    Request::post("/api/v1/payment-links", &headers, new_link_body().as_bytes())
}

/// The body of [`new_link`].
pub fn new_link_body() -> String {
    let text = "Um curso em doze aulas, com exercícios e um certificado no fim. ".repeat(3);
    json!({
        "title": "Curso de panificação",
        "description": text,
        "productDescription": "Acesso por um ano, em qualquer aparelho.",
        "amountCents": AMOUNT_CENTS,
        "currency": "BRL",
        "redirectUrl": "https://example.com/obrigado",
        "settings": {
            "pixEnabled": true, "boletoEnabled": false, "creditCardEnabled": false,
            "maxInstallments": 1, "interestFreeInstallments": 0,
            "requirePhone": false, "requireAddress": false,
        },
        "stockEnabled": false,
        "status": "ACTIVE",
    })
    .to_string()
}

fn email(number: usize) -> String {
    format!("merchant{number}@example.com")
}

fn net(paid: u64) -> Result<i64> {
    Ok(i64::try_from(paid)? * (AMOUNT_CENTS - FEE_CENTS))
}
