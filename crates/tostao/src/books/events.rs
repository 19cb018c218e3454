//! The event of a balance.

use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::events::Payload;
use crate::events::names::Name;
use crate::platform::ids::MerchantId;

/// The balance of a merchant.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventBalance")]
pub struct BalancePayload {
    pub available_balance: Cents,
    pub pending_balance: Cents,
}

/// The data of `balance.updated`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "BalanceEventData")]
pub struct BalanceUpdated {
    #[serde(skip)]
    pub owner: MerchantId,
    pub balance: BalancePayload,
    pub reason: &'static str,
}

impl Payload for BalanceUpdated {
    fn name(&self) -> Name {
        Name::BalanceUpdated
    }

    fn object(&self) -> Uuid {
        self.owner.0
    }
}
