//! The request body for sending money back, by a merchant or an administrator.

use brazil::pix_key::PixKey;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::platform::error::Result;
use crate::transactions::refunds::api::payout_key;

/// The PIX key to return the money to, where the payment method cannot return it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ReturnPaymentRequest {
    /// The PIX key; required for a boleto paid by its barcode and for a PIX older than 90 days.
    /// Other payments are returned to their source. A person also needs `withdrawals:write` to name
    /// one.
    #[schemars(length(min = 1, max = 77))]
    pub refund_pix_key: Option<String>,
    /// The type of the PIX key; required if the key is ambiguous.
    #[schemars(extend("enum" = ["cpf", "cnpj", "email", "phone", "random", null]))]
    pub pix_key_type: Option<String>,
}

impl ReturnPaymentRequest {
    /// The key, if one is given.
    pub fn key(&self) -> Result<Option<PixKey>> {
        payout_key(self.refund_pix_key.as_deref(), self.pix_key_type.as_deref())
    }
}
