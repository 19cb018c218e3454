//! The operator's account at Inter: what is granted, its balance, and where notices go.

use ledger::cents::Cents;
use rails::connection::Health;
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

#[derive(Deserialize)]
struct Balance {
    #[serde(rename = "disponivel")]
    available: Box<RawValue>,
}

/// Fetches a token, the balance and the address of notices, and lists what is missing.
pub async fn check(session: &Session, key: &str) -> Result<Health, ProviderError> {
    let granted = session.granted().await.map_err(provider_error)?;
    let mut notices_to = session.webhook(key).await?;
    for path in WEBHOOKS {
        let address = session.webhook_at(Call::get("find_webhook", path)).await?;
        notices_to = notices_to.filter(|common| address.as_ref() == Some(common));
    }
    Ok(health::of(granted, &SCOPES, notices_to, balance(session).await?))
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
async fn balance(session: &Session) -> Result<Option<Cents>, ProviderError> {
    match session.ask::<Balance>(Call::get("find_balance", "/banking/v2/saldo")).await {
        Ok(balance) => Ok(Amount::read(&balance.available).map(|Amount(cents)| cents)),
        Err(Failure::Misconfigured { .. }) => Ok(None),
        Err(failure) => Err(provider_error(failure)),
    }
}
