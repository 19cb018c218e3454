//! The operator's account at Inter: what is granted, its balance, and where notices go.

use std::time::Duration;

use ledger::cents::Cents;
use rails::connection::{Balance, Health};
use rails::error::ProviderError;
use serde::Deserialize;
use serde_json::value::RawValue;
use upstream::call::Call;
use upstream::failure::Failure;

use crate::bacen::session::Session;
use crate::failures::provider_error;
use crate::health;
use crate::inter::SCOPES;
use crate::inter::amounts::Amount;

/// Where notices about boletos and about payouts are registered; those about charges have the
/// standard's place.
const WEBHOOKS: [&str; 2] =
    ["/cobranca/v3/cobrancas/webhook", "/banking/v2/webhooks/pix-pagamento"];

/// The balance is asked for before a payout is sent, all within the job's lease.
const FOUND_WITHIN: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct Funds {
    #[serde(rename = "disponivel")]
    available: Box<RawValue>,
    #[serde(rename = "bloqueadoJudicialmente")]
    by_court: Option<Box<RawValue>>,
    #[serde(rename = "bloqueadoAdministrativo")]
    by_bank: Option<Box<RawValue>>,
}

/// Asks for the address of notices, and lists what is missing.
pub async fn check(session: &Session, key: &str) -> Result<Health, ProviderError> {
    let granted = session.granted(&SCOPES).await.map_err(provider_error)?;
    let mut notices_to = session.webhook(key).await?;
    for path in WEBHOOKS {
        let address = session.webhook_at(Call::get("find_webhook", path)).await?;
        notices_to = notices_to.filter(|common| address.as_ref() == Some(common));
    }
    Ok(health::of(granted, &SCOPES, notices_to))
}

/// Registers the address for charges, boletos and payouts.
pub async fn register(session: &Session, key: &str, door: &str) -> Result<(), ProviderError> {
    session.register_webhook(key, door, |call| call).await?;
    for path in WEBHOOKS {
        session.register_webhook_at(Call::put("register_webhook", path), door).await?;
    }
    Ok(())
}

/// The balance, if the application may read it.
pub async fn balance(session: &Session) -> Result<Option<Balance>, ProviderError> {
    let call = Call::get("find_balance", "/banking/v2/saldo").within(FOUND_WITHIN);
    match session.ask::<Funds>(call).await {
        Ok(funds) => Ok(read(&funds)),
        Err(Failure::Misconfigured { .. }) => Ok(None),
        Err(failure) => Err(provider_error(failure)),
    }
}

fn read(funds: &Funds) -> Option<Balance> {
    let blocked = [&funds.by_court, &funds.by_bank].into_iter().flatten();
    let blocked =
        blocked.map(|json| cents(json)).try_fold(Cents::ZERO, |sum, part| sum.plus(part?));
    Some(Balance { available: cents(&funds.available)?, blocked: blocked? })
}

fn cents(json: &RawValue) -> Option<Cents> {
    Amount::read(json).map(|Amount(cents)| cents)
}
