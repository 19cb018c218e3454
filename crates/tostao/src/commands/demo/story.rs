//! The story itself: a shop, a link, a buyer, a payment, a webhook, a balance.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, ensure};
use brazil::money::format_brl;
use db::hex::hex;
use documents::qr::Qr;
use hyper::StatusCode;
use serde_json::{Value, json};
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

use crate::app::App;
use crate::commands::demo::client::Client;
use crate::commands::demo::console::Console;
use crate::commands::demo::receiver::Delivery;
use crate::platform::messages::Lang;
use crate::platform::permissions::Permission;

const PRICE_CENTS: i64 = 4_990;
const TITLE: &str = "Café especial 250 g";
const EVENT: &str = "transaction.paid";
/// A delivery to this machine takes milliseconds; a busy machine gets some patience.
const DELIVERY_TIME_MAX: Duration = Duration::from_secs(10);

/// What the story leaves behind.
pub struct Shop {
    pub email: String,
    pub password: String,
    /// A development key with every permission.
    pub key: String,
    /// The secret of the webhook.
    pub secret: String,
    pub checkout_url: String,
    slug: String,
}

/// A payment on its way.
struct Payment {
    id: String,
    net_cents: i64,
}

/// Runs the story; every step is checked before the next one starts.
pub async fn run_story(
    app: &App,
    client: &Client,
    receiver: SocketAddr,
    arrived: &mut Receiver<Delivery>,
    console: &mut Console,
) -> anyhow::Result<Shop> {
    console.title(console.lang.demo_title())?;
    let (email, password, key) = open_shop(app, client, console).await?;
    let secret = subscribe(client, &key, receiver, console).await?;
    let (slug, checkout_url) = make_link(client, &key, console).await?;
    let shop = Shop { email, password, key, secret, checkout_url, slug };
    let mut payment = check_out(client, &shop, console).await?;
    pay(client, &shop, &mut payment, console).await?;
    await_webhook(&shop, &payment, arrived, console).await?;
    settle(client, &shop, &payment, console).await?;
    Ok(shop)
}

/// Registers, signs in and makes a key; a database that is kept may hold earlier shops.
async fn open_shop(
    app: &App,
    client: &Client,
    console: &mut Console,
) -> anyhow::Result<(String, String, String)> {
    console.step(console.lang.demo_opens_account())?;
    let (email, password) = (format!("loja-{}@example.com", random(app)), random(app));
    let key = register(client, (&email, &password), "development", console.lang).await?;
    console.fact(console.lang.cli_account(), &email)?;
    console.fact(console.lang.cli_key(), &console.lang.demo_shown_once(beginning(&key)))?;
    Ok((email, password, key))
}

/// Opens an account and makes a key that may do everything.
pub async fn register(
    client: &Client,
    (email, password): (&str, &str),
    environment: &str,
    lang: Lang,
) -> anyhow::Result<String> {
    let account = json!({ "name": "Loja Exemplo", "email": email, "password": password });
    client.post("/api/auth/register", None, &account, StatusCode::CREATED).await?;
    let token = sign_in(client, (email, password)).await?;
    let wanted = json!({
        "name": lang.demo_key_name(),
        "environment": environment,
        "permissions": Permission::ALL,
    });
    let path = "/api/credentials";
    let made = client.post(path, Some(&token), &wanted, StatusCode::CREATED).await?;
    text(&made, "/data/key")
}

/// Signs in; returns the access token.
pub async fn sign_in(client: &Client, (email, password): (&str, &str)) -> anyhow::Result<String> {
    let sign_in = json!({ "email": email, "password": password });
    let session = client.post("/api/auth/login", None, &sign_in, StatusCode::OK).await?;
    text(&session, "/accessToken")
}

/// A part of a name that no account has, or a password.
pub fn random(app: &App) -> String {
    hex(&app.database.sources().random::<6>())
}

async fn subscribe(
    client: &Client,
    key: &str,
    receiver: SocketAddr,
    console: &mut Console,
) -> anyhow::Result<String> {
    console.step(console.lang.demo_subscribes())?;
    let url = format!("http://{receiver}/avisos");
    let wanted = json!({ "url": url, "events": [EVENT] });
    let path = "/api/v1/webhooks/subscriptions";
    let made = client.post(path, Some(key), &wanted, StatusCode::CREATED).await?;
    console.fact("Webhook", &format!("{EVENT} → {url}"))?;
    text(&made, "/subscription/secret")
}

async fn make_link(
    client: &Client,
    key: &str,
    console: &mut Console,
) -> anyhow::Result<(String, String)> {
    console.step(console.lang.demo_creates_link())?;
    let wanted = json!({ "title": TITLE, "amountCents": PRICE_CENTS });
    let path = "/api/v1/payment-links";
    let made = client.post(path, Some(key), &wanted, StatusCode::CREATED).await?;
    let (slug, url) = (text(&made, "/data/slug")?, text(&made, "/data/url")?);
    console.fact(console.lang.demo_product(), &format!("{TITLE}, {}", format_brl(PRICE_CENTS)))?;
    console.fact("Link", &url)?;
    Ok((slug, url))
}

async fn check_out(client: &Client, shop: &Shop, console: &mut Console) -> anyhow::Result<Payment> {
    console.step(console.lang.demo_checks_out())?;
    let slug = &shop.slug;
    let page = client.page(&format!("/pay/{slug}")).await?;
    ensure!(page.contains(TITLE), "the hosted page does not name what is for sale");
    let buyer = json!({
        "method": "PIX",
        "customer": { "name": "Fulano de Tal", "email": "fulano@example.com" },
    });
    let path = format!("/api/payment-links/public/slug/{slug}/checkout");
    let issued = client.post(&path, None, &buyer, StatusCode::CREATED).await?;
    let code = text(&issued, "/transaction/pix/brCode")?;
    ensure!(issued["transaction"]["amount"] == PRICE_CENTS, "the page shows another price");
    console.drawing(&Qr::encode(&code)?.terminal())?;
    console.fact(console.lang.demo_code(), &code)?;
    let id = text(&issued, "/transaction/id")?;
    Ok(Payment { id, net_cents: PRICE_CENTS })
}

/// The sandbox bank pays and confirms, as a real one would.
async fn pay(
    client: &Client,
    shop: &Shop,
    payment: &mut Payment,
    console: &mut Console,
) -> anyhow::Result<()> {
    console.step(console.lang.demo_pays())?;
    let path = format!("/api/v1/transactions/{}/simulate", payment.id);
    let outcome = json!({ "outcome": "PAID" });
    let paid = client.post(&path, Some(&shop.key), &outcome, StatusCode::OK).await?;
    let transaction = &paid["transaction"];
    ensure!(transaction["status"] == "PAID", "the payment is not paid: {transaction}");
    payment.net_cents = transaction["netAmount"].as_i64().context("a payment has a net amount")?;
    console.fact(console.lang.demo_status(), "PAID")?;
    console.fact("EndToEndId", &text(&paid, "/transaction/pix/endToEndId")?)
}

async fn await_webhook(
    shop: &Shop,
    payment: &Payment,
    arrived: &mut Receiver<Delivery>,
    console: &mut Console,
) -> anyhow::Result<()> {
    console.step(console.lang.demo_delivers())?;
    let waited = timeout(DELIVERY_TIME_MAX, arrived.recv()).await;
    let delivery = waited.ok().flatten().context("no webhook arrived")?;
    ensure!(delivery.is_signed_with(&shop.secret), "the webhook's signature is wrong");
    let body: Value = serde_json::from_slice(delivery.body())?;
    let transaction = text(&body, "/data/transaction/id")?;
    ensure!(delivery.event == EVENT && transaction == payment.id, "the webhook has another event");
    let event = format!("{} ({})", delivery.event, text(&body, "/id")?);
    console.fact(console.lang.demo_event(), &event)?;
    console.fact(console.lang.demo_signature(), console.lang.demo_recomputed())
}

async fn settle(
    client: &Client,
    shop: &Shop,
    payment: &Payment,
    console: &mut Console,
) -> anyhow::Result<()> {
    console.step(console.lang.demo_settles())?;
    let balance = client.get("/api/withdraws/balance", Some(&shop.key)).await?;
    let available = balance["data"]["availableBalance"].as_i64().context("there is no balance")?;
    ensure!(available == payment.net_cents, "the balance is {available} cents");
    console.fact(console.lang.demo_available(), &format_brl(available))?;
    let proof = client.get("/api/ledger/verify", Some(&shop.key)).await?;
    ensure!(proof["success"] == true, "the books do not agree: {proof}");
    let (accounts, transfers) = (&proof["data"]["accounts"], &proof["data"]["transfers"]);
    console.fact(console.lang.demo_ledger(), &console.lang.demo_verified(accounts, transfers))
}

/// A text of a response.
pub fn text(value: &Value, pointer: &str) -> anyhow::Result<String> {
    let found = value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    found.with_context(|| format!("the response has no {pointer}"))
}

/// Enough of a key to recognize it.
pub fn beginning(key: &str) -> &str {
    key.get(..20).unwrap_or(key)
}
