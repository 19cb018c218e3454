//! What differs between contracts with a bank, and where the sources disagree.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Every field has a default, so that JSON names only what differs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// PIX keys of the account; none means that every key is.
    pub keys: Vec<String>,
    /// The holder's CPF or CNPJ of payees' keys; a key that is absent belongs to every document.
    pub holders: BTreeMap<String, String>,
    pub efi_scopes: String,
    /// Efí's pages list its own "not found" errors under 400; other readings say 404.
    pub efi_not_found: u16,
    /// Efí's test environment: charges up to R$ 10.00 are paid at once, and payouts follow a table.
    pub efi_homologation: bool,
    pub received_pix: ReceivedPix,
    /// Whether lists of received Pix begin with the last one.
    pub newest_first: bool,
    pub inter_scopes: String,
    /// Token calls a minute; zero means any number.
    pub inter_token_limit: usize,
    /// How often Inter answers 404, and then `EM_PROCESSAMENTO`, before a slip is registered.
    pub inter_slip_unknown_asks: u32,
    pub inter_slip_processing_asks: u32,
    /// The acquirer's fee in hundredths of a percent.
    pub pagarme_fee_basis_points: i64,
    /// The return code of a card that is declined for no reason of its own.
    pub pagarme_decline_code: String,
    /// Whether the antifraud holds each charge until the test decides.
    pub pagarme_analyzes: bool,
    pub pagarme_payables: Payables,
    /// The largest refund that the account's balance covers.
    pub pagarme_refund_cents_max: i64,
    pub pagarme_signature: Signature,
    /// Where Pagar.me's dashboard was set up to send notices.
    pub pagarme_webhook: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signature {
    None,
    Good,
    /// A signature of another body.
    Wrong,
}

/// Where a received Pix is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReceivedPix {
    /// In lists, and in answers to questions about it.
    Known,
    /// In lists only.
    Listed,
}

/// When parts are paid out, and how they are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payables {
    Plain,
    /// Every part is paid out the next day, for a fee.
    Anticipated,
    /// The list leads back to the same page.
    Looping,
}

const EFI_SCOPES: &str = "cob.read cob.write pix.read pix.write webhook.read webhook.write \
     payloadlocation.read payloadlocation.write pix.send gn.pix.send.read gn.balance.read \
     gn.infractions.read gn.infractions.write gn.webhook.resend";

/// All that an application can have there, although some name operations that are not faked.
const INTER_SCOPES: &str = "cob.read cob.write cobv.read cobv.write lotecobv.read lotecobv.write \
     pix.read pix.write payloadlocation.read payloadlocation.write webhook.read webhook.write \
     boleto-cobranca.read boleto-cobranca.write extrato.read pagamento-boleto.read \
     pagamento-boleto.write pagamento-darf.write pagamento-lote.read pagamento-lote.write \
     pagamento-pix.read pagamento-pix.write webhook-banking.read webhook-banking.write";

impl Default for Settings {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            holders: BTreeMap::new(),
            efi_scopes: EFI_SCOPES.to_owned(),
            efi_not_found: 400,
            efi_homologation: false,
            received_pix: ReceivedPix::Known,
            newest_first: false,
            inter_scopes: INTER_SCOPES.to_owned(),
            inter_token_limit: 5,
            inter_slip_unknown_asks: 1,
            inter_slip_processing_asks: 1,
            pagarme_fee_basis_points: 350,
            pagarme_decline_code: "51".to_owned(),
            pagarme_analyzes: false,
            pagarme_payables: Payables::Plain,
            pagarme_refund_cents_max: i64::MAX,
            pagarme_signature: Signature::None,
            pagarme_webhook: None,
        }
    }
}

impl Settings {
    /// These settings with the ones that the object names.
    pub fn with(&self, changes: Value) -> serde_json::Result<Self> {
        let mut whole = serde_json::to_value(self)?;
        if let (Some(whole), Value::Object(changes)) = (whole.as_object_mut(), changes) {
            whole.extend(changes);
        }
        serde_json::from_value(whole)
    }
}
