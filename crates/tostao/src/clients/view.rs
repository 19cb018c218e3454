//! A client as the API shows it.

use brazil::document::Document;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::clients::Client;
use crate::platform::ids::ClientId;

/// A customer of the merchant; nothing is masked.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Customer")]
pub struct ClientView {
    id: ClientId,
    name: String,
    email: String,
    /// The CPF or CNPJ, digits only.
    document: Option<String>,
    phone: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<Client> for ClientView {
    fn from(client: Client) -> Self {
        let Client { id, customer, created_at, updated_at } = client;
        Self {
            id,
            name: customer.name,
            email: customer.email,
            document: customer.document.as_ref().map(Document::as_str).map(str::to_owned),
            phone: customer.phone,
            created_at,
            updated_at,
        }
    }
}
