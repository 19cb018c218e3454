//! The operator: connects the banks, routes rails to them, and pays withdrawals out.

use anyhow::ensure;
use brazil::money::format_brl;
use hyper::StatusCode;
use serde_json::{Value, json};

use crate::commands::demo::production::sales::{Shop, status};
use crate::commands::demo::production::{Missing, Stage, until};
use crate::commands::demo::story::{random, sign_in, text};
use crate::commands::user_error;
use crate::people::api::open_account;
use crate::platform::messages::Lang;
use crate::platform::role::Role;

/// The PIX key of the operator's account.
pub const KEY: &str = "caixa@example.com";

const CONNECTION: &str = "efi-demo";
const WITHDRAWN_CENTS: i64 = 5_000;

/// The operator, signed in as an administrator.
pub struct Operator {
    email: String,
    password: String,
    pub token: String,
    /// The connection with the bank.
    connection: String,
}

/// Adds a connection with the bank, and routes PIX charges and payouts to it.
pub async fn connect(stage: &mut Stage<'_>) -> anyhow::Result<Operator> {
    stage.console.step(stage.console.lang.demo_connects())?;
    let (email, password) =
        (format!("operadora-{}@example.com", random(stage.app)), random(stage.app));
    let opened = open_account(stage.app, "Operadora", &email, &password, Role::Admin).await;
    opened.map_err(user_error)?;
    let token = sign_in(stage.client, (&email, &password)).await?;
    let values = json!({
        "client_id": "demo",
        "client_secret": random(stage.app),
        "certificate": stage.bank.given("certificate")?,
        "pix_key": KEY,
        "address": stage.bank.given("tls_client")?,
        "charges_address": stage.bank.given("tls")?,
        "authority": stage.bank.given("authority")?,
    });
    let mut operator = Operator { email, password, token, connection: String::new() };
    (operator.connection, _) = operator.add(stage, CONNECTION, "efi", values).await?;
    for rail in ["pix", "payout"] {
        let (accepted, answer) = operator.route(stage, rail, &operator.connection).await?;
        ensure!(accepted == StatusCode::OK, "{rail} is not routed: {answer}");
    }
    let lang = stage.console.lang;
    stage.console.fact(lang.demo_connection(), &lang.demo_by_certificate(CONNECTION))?;
    stage.console.fact(lang.demo_routes(), lang.demo_rails())?;
    Ok(operator)
}

impl Operator {
    /// How the operator signs in.
    pub fn login(&self, lang: Lang) -> String {
        lang.demo_login(&self.email, &self.password)
    }

    /// Adds a connection; returns its id, and its address for notices.
    pub async fn add(
        &self,
        stage: &Stage<'_>,
        name: &str,
        profile: &str,
        values: Value,
    ) -> anyhow::Result<(String, String)> {
        let wanted = json!({
            "name": name, "profile": profile, "environment": "production", "values": values,
        });
        let (path, token) = ("/api/admin/connections", Some(self.token.as_str()));
        let added = stage.client.post(path, token, &wanted, StatusCode::CREATED).await?;
        Ok((text(&added, "/data/id")?, text(&added, "/data/noticesUrl")?))
    }

    /// Routes a rail of the bank, or says why that is not possible yet.
    pub async fn route_to_the_bank(
        &self,
        stage: &Stage<'_>,
        rail: &str,
        name: &'static str,
    ) -> anyhow::Result<Result<(), Missing>> {
        let connection = self.connection.clone();
        self.try_route(stage, (rail, name), &connection).await
    }

    /// Routes a rail to a connection, or says why that is not possible yet.
    pub async fn try_route(
        &self,
        stage: &Stage<'_>,
        (rail, name): (&str, &'static str),
        connection: &str,
    ) -> anyhow::Result<Result<(), Missing>> {
        let (accepted, answer) = self.route(stage, rail, connection).await?;
        if accepted == StatusCode::OK {
            return Ok(Ok(()));
        }
        ensure!(accepted == StatusCode::BAD_REQUEST, "{rail} is not routed: {answer}");
        let reason = text(&answer, "/errors/0/message")?;
        let lang = stage.console.lang;
        stage.console.fact(lang.demo_not_routed(), &lang.demo_route_refused(rail, reason))?;
        Ok(Err(Missing { rail: name }))
    }

    async fn route(
        &self,
        stage: &Stage<'_>,
        rail: &str,
        connection: &str,
    ) -> anyhow::Result<(StatusCode, Value)> {
        let path = format!("/api/admin/connection-routes/{rail}");
        let to = json!({ "connectionId": connection, "acceptTestMoney": true });
        stage.client.put(&path, &self.token, &to).await
    }

    /// Waits until the workers have registered the address for notices.
    pub async fn await_registration(&self, stage: &mut Stage<'_>) -> anyhow::Result<()> {
        let path = format!("/api/admin/connections/{}", self.connection);
        until("the address for notices is registered", async || {
            let shown = stage.client.get(&path, Some(&self.token)).await?;
            let data = &shown["data"];
            let works = data["problem"].is_null() && data["checkedAt"].is_string();
            Ok(works.then_some(()))
        })
        .await
    }

    /// Approves a withdrawal, which the bank pays.
    pub async fn pay_out(&self, stage: &mut Stage<'_>, shop: &Shop) -> anyhow::Result<()> {
        stage.console.step(stage.console.lang.demo_pays_out())?;
        let wanted = json!({
            "amountCents": WITHDRAWN_CENTS, "pixKey": "loja@example.com", "pixKeyType": "email",
        });
        let key = Some(shop.key.as_str());
        let made = stage.client.post("/api/withdraws", key, &wanted, StatusCode::CREATED).await?;
        let path = format!("/api/withdraws/{}", text(&made, "/data/id")?);
        let (approve, token) = (format!("{path}/process"), Some(self.token.as_str()));
        stage.client.post(&approve, token, &json!({}), StatusCode::OK).await?;
        let paid = until("the withdrawal is paid", async || {
            let shown = stage.client.get(&path, key).await?;
            Ok(status(&shown["data"], "COMPLETED"))
        })
        .await?;
        let done = format!("{}, COMPLETED", format_brl(WITHDRAWN_CENTS));
        stage.console.fact(stage.console.lang.demo_withdrawal(), &done)?;
        stage.console.fact("EndToEndId", &text(&paid, "/endToEndId")?)
    }
}
