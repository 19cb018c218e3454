//! The operator's account at Pagar.me: whether its keys work, and where its notices go.

use rails::connection::{Health, Lack};
use rails::error::ProviderError;
use serde::Deserialize;
use upstream::call::Call;
use upstream::failure::Failure;

use crate::failures::provider_error;
use crate::pagarme::cards::TOKENS;
use crate::pagarme::session::Session;

const HOOKS: &str = "/core/v5/hooks";
/// What no token is called: asking for it tries the public key.
const NO_TOKEN: &str = "token_none";

#[derive(Deserialize)]
struct Listed {
    data: Vec<Sent>,
}

/// A notice that was sent.
#[derive(Deserialize)]
struct Sent {
    url: Option<String>,
}

/// Tries both keys, and lists what is missing.
///
/// Pagar.me has no list of the addresses that notices go to, which are set in its dashboard; the
/// last notice shows one.
pub async fn check(session: &Session) -> Result<Health, ProviderError> {
    let call = Call::get("list_notices", HOOKS).query("page", "1").query("size", "1");
    let listed: Listed = session.ask(call).await.map_err(provider_error)?;
    let notices_to = listed.data.into_iter().next().and_then(|sent| sent.url);
    let mut missing = Vec::new();
    if !is_public_key_known(session).await? {
        missing.push(Lack::PublicKey);
    }
    Ok(Health { missing, notices_to, ..Health::default() })
}

async fn is_public_key_known(session: &Session) -> Result<bool, ProviderError> {
    let call = Call::get("try_public_key", TOKENS).segment(NO_TOKEN);
    match session.ask_in_public::<serde_json::Value>(call).await {
        Ok(_) | Err(Failure::NotFound { .. }) => Ok(true),
        Err(Failure::Misconfigured { .. }) => Ok(false),
        Err(failure) => Err(provider_error(failure)),
    }
}
