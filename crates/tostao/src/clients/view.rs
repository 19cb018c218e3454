//! A client as the API shows it.

use brazil::document::Document;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::clients::Client;
use crate::platform::ids::ClientId;
use crate::platform::masked::Documents;

/// A customer of the merchant.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Customer")]
pub struct ClientView {
    id: ClientId,
    name: String,
    email: String,
    /// The CPF or CNPJ, digits only; masked for members whose role sees no whole documents.
    document: Option<String>,
    phone: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl ClientView {
    /// A client as somebody sees documents.
    pub fn new(client: Client, documents: Documents) -> Self {
        let Client { id, customer, created_at, updated_at } = client;
        let shown = |document: &Document| match documents {
            Documents::Whole => document.as_str().to_owned(),
            Documents::Masked => document.masked(),
        };
        Self {
            id,
            name: customer.name,
            email: customer.email,
            document: customer.document.as_ref().map(shown),
            phone: customer.phone,
            created_at,
            updated_at,
        }
    }
}
