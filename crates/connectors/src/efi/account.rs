//! The operator's account at Efí: what is granted, its balance, and where notices go.

use std::time::Duration;

use http::HeaderName;
use ledger::cents::Cents;
use rails::connection::{Balance, Health};
use rails::error::ProviderError;
use serde::Deserialize;
use upstream::call::Call;
use upstream::failure::Failure;

use crate::bacen::amount;
use crate::bacen::session::Session;
use crate::efi::SCOPES;
use crate::failures::provider_error;
use crate::health;

/// Efí calls addresses that check no client certificate only where this is sent with them.
const SKIPS_MTLS: HeaderName = HeaderName::from_static("x-skip-mtls-checking");

/// The permission to ask where notices go.
const WEBHOOKS: &str = "webhook.read";

/// The balance is asked for before a payout is sent, all within the job's lease.
const FOUND_WITHIN: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct Funds {
    /// What is free.
    saldo: String,
    #[serde(rename = "bloqueios")]
    blocked: Option<Blocked>,
}

#[derive(Deserialize)]
struct Blocked {
    total: String,
}

/// Asks for the address of notices, and lists what is missing.
///
/// Efí pays from no key that has no address, so both keys need one.
pub async fn check(session: &Session, keys: [&str; 2]) -> Result<Health, ProviderError> {
    let granted = session.granted(&SCOPES).await.map_err(provider_error)?;
    if !health::permits(&granted, WEBHOOKS) {
        return Ok(health::of(granted, &SCOPES, None));
    }
    let [receiving, paying] = keys;
    let paid = session.webhook(receiving).await?;
    let sent = if paying == receiving { paid.clone() } else { session.webhook(paying).await? };
    let notices_to = paid.filter(|address| sent.as_ref() == Some(address));
    Ok(health::of(granted, &SCOPES, notices_to))
}

/// Registers the address for the keys that money is received and paid by.
pub async fn register(session: &Session, keys: [&str; 2], door: &str) -> Result<(), ProviderError> {
    let [receiving, paying] = keys;
    for key in std::iter::once(receiving).chain((paying != receiving).then_some(paying)) {
        let with = |call: Call| call.header(SKIPS_MTLS, "true");
        session.register_webhook(key, door, with).await?;
    }
    Ok(())
}

/// The balance, if the application may read it.
pub async fn balance(session: &Session) -> Result<Option<Balance>, ProviderError> {
    let call = Call::get("find_balance", &session.path("/gn/saldo")).query("bloqueios", "true");
    match session.ask::<Funds>(call.within(FOUND_WITHIN)).await {
        Ok(funds) => Ok(read(&funds)),
        Err(Failure::Misconfigured { .. }) => Ok(None),
        Err(failure) => Err(provider_error(failure)),
    }
}

fn read(funds: &Funds) -> Option<Balance> {
    let blocked = funds.blocked.as_ref().map_or(Some(Cents::ZERO), |all| amount(&all.total))?;
    Some(Balance { available: amount(&funds.saldo)?, blocked })
}
