//! What sending money back takes, whoever decides on it.

use brazil::pix_key::PixKey;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::Result;
use crate::transactions::refunds::api::payout_key;

/// Where money goes whose rail cannot send it back by itself.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SendBackBody {
    /// Needed for a slip that was paid by its barcode, and for a PIX of more than 90 days ago;
    /// everything else goes back as it came.
    #[schemars(length(min = 1, max = 77))]
    refund_pix_key: Option<String>,
    /// The key's type; needed where the key alone could be of two.
    #[schemars(extend("enum" = ["cpf", "cnpj", "email", "phone", "random", null]))]
    pix_key_type: Option<String>,
}

impl SendBackBody {
    /// The key, if one is given.
    pub fn key(&self) -> Result<Option<PixKey>> {
        payout_key(self.refund_pix_key.as_deref(), self.pix_key_type.as_deref())
    }
}
