//! Where the bank sends its notices about a key (`/webhook`).

use rails::error::ProviderError;
use serde::{Deserialize, Serialize};
use upstream::call::{Call, Reads};
use upstream::failure::Failure;

use crate::bacen::session::Session;
use crate::failures::provider_error;

#[derive(Serialize, Deserialize)]
struct Webhook {
    #[serde(rename = "webhookUrl")]
    address: String,
}

impl Session {
    /// The address that notices about a key go to.
    pub async fn webhook(&self, key: &str) -> Result<Option<String>, ProviderError> {
        self.webhook_at(Call::get("find_webhook", &self.path("/webhook")).segment(key)).await
    }

    /// The address that notices of another kind go to, which `call` asks for.
    pub async fn webhook_at(&self, call: Call) -> Result<Option<String>, ProviderError> {
        match self.ask::<Webhook>(call).await {
            Ok(webhook) => Ok(Some(webhook.address)),
            Err(Failure::NotFound { .. }) => Ok(None),
            Err(failure) => Err(provider_error(failure)),
        }
    }

    /// Has notices about a key sent to an address; `with` adds what the bank wants besides.
    pub async fn register_webhook(
        &self,
        key: &str,
        address: &str,
        with: impl FnOnce(Call) -> Call,
    ) -> Result<(), ProviderError> {
        let call = Call::put("register_webhook", &self.path("/webhook")).segment(key);
        self.register_webhook_at(with(call), address).await
    }

    /// Has notices of another kind sent to an address, which `call` registers. A bank that does not
    /// may well take orders.
    pub async fn register_webhook_at(
        &self,
        call: Call,
        address: &str,
    ) -> Result<(), ProviderError> {
        let body = Webhook { address: address.to_owned() };
        let sent = self.send(call.json(&body).reads(Reads::Anything).aside()).await;
        sent.map(drop).map_err(provider_error)
    }
}
