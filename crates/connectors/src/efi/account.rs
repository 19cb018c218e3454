//! The operator's account at Efí: what is granted, its balance, and where notices go.

use http::HeaderName;
use ledger::cents::Cents;
use rails::connection::Health;
use rails::error::ProviderError;
use serde::{Deserialize, Serialize};
use upstream::call::{Call, Reads};
use upstream::failure::Failure;

use crate::bacen::session::Session;
use crate::efi::{SCOPES, amount};
use crate::failures::provider_error;

/// Efí calls addresses that check no client certificate only where this is sent with them.
const SKIPS_MTLS: HeaderName = HeaderName::from_static("x-skip-mtls-checking");

#[derive(Deserialize)]
struct Balance {
    saldo: String,
}

#[derive(Serialize, Deserialize)]
struct Webhook {
    #[serde(rename = "webhookUrl")]
    address: String,
}

/// Fetches a token, the balance and the address of notices, and lists what is missing.
pub async fn check(session: &Session, key: &str) -> Result<Health, ProviderError> {
    let granted = session.granted().await.map_err(provider_error)?;
    let lacks = |scope: &&&str| !granted.iter().any(|granted| granted == **scope);
    let mut missing: Vec<String> = SCOPES
        .iter()
        .filter(lacks)
        .map(|scope| format!("the application has no permission {scope}"))
        .collect();
    let notices_to = webhook(session, key).await?;
    if notices_to.is_none() {
        missing.push("no address for notices is registered".to_owned());
    }
    Ok(Health { balance: balance(session).await?, notices_to, granted, missing })
}

/// Registers the address for the keys that money is received and paid by.
pub async fn register(session: &Session, keys: [&str; 2], door: &str) -> Result<(), ProviderError> {
    let [receiving, paying] = keys;
    let body = Webhook { address: door.to_owned() };
    for key in std::iter::once(receiving).chain((paying != receiving).then_some(paying)) {
        let call = Call::put("register_webhook", &session.path("/webhook"))
            .segment(key)
            .header(SKIPS_MTLS, "true")
            .json(&body);
        session.send(call.reads(Reads::Anything)).await.map_err(provider_error)?;
    }
    Ok(())
}

async fn webhook(session: &Session, key: &str) -> Result<Option<String>, ProviderError> {
    let call = Call::get("find_webhook", &session.path("/webhook")).segment(key);
    match session.ask::<Webhook>(call).await {
        Ok(webhook) => Ok(Some(webhook.address)),
        Err(Failure::NotFound) => Ok(None),
        Err(failure) => Err(provider_error(failure)),
    }
}

/// The balance, if the application may read it.
async fn balance(session: &Session) -> Result<Option<Cents>, ProviderError> {
    let call = Call::get("find_balance", &session.path("/gn/saldo"));
    match session.ask::<Balance>(call).await {
        Ok(balance) => Ok(amount(&balance.saldo)),
        Err(Failure::Misconfigured { .. }) => Ok(None),
        Err(failure) => Err(provider_error(failure)),
    }
}
