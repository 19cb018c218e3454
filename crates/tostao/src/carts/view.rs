//! A cart as its merchant sees it, in the API and in events.

use brazil::document::Document;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::carts::{Cart, RecoveryUrls, Status, UtmParameters, token};
use crate::payment_links::view::ItemView;
use crate::platform::ids::{CartId, PaymentLinkId, Scope, TransactionId};

/// A checkout that a buyer began and did not complete.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CartAbandonment")]
pub struct CartView {
    pub id: CartId,
    pub payment_link_id: PaymentLinkId,
    /// The buyer's email. Null once the buyer's data is erased, as are name, document and phone.
    pub client_email: Option<String>,
    pub client_name: Option<String>,
    /// The masked CPF or CNPJ; only the first digits are shown.
    pub client_document: Option<String>,
    pub client_phone: Option<String>,
    pub items: Vec<ItemView>,
    pub utm: UtmParameters,
    pub status: Status,
    /// The transaction that recovered the cart, if there is one.
    pub transaction_id: Option<TransactionId>,
    /// A URL that restores the buyer's checkout. Null once the buyer's data is erased.
    pub recovery_url: Option<String>,
    /// When `recoveryUrl` expires.
    pub recovery_expires_at: Timestamp,
    pub created_at: Timestamp,
    /// When the cart was last recorded.
    pub updated_at: Timestamp,
    pub recovered_at: Option<Timestamp>,
    /// When the buyer's data was erased.
    pub erased_at: Option<Timestamp>,
}

impl CartView {
    /// Shows a cart of the link with this slug.
    pub fn new(addresses: &RecoveryUrls, scope: Scope, slug: &str, cart: &Cart) -> Self {
        let items = cart.items.iter();
        let items = items.map(|(id, quantity)| ItemView { product_id: *id, quantity: *quantity });
        let address = || {
            let token = token::write(&addresses.secrets, scope, cart.id);
            format!("{}/pay/{slug}?rc={token}", addresses.checkout_url)
        };
        Self {
            id: cart.id,
            payment_link_id: cart.link,
            client_email: cart.email.clone(),
            client_name: cart.name.clone(),
            client_document: cart.document.as_ref().map(Document::masked),
            client_phone: cart.phone.clone(),
            items: items.collect(),
            utm: cart.utm.clone(),
            status: cart.status,
            transaction_id: cart.transaction,
            recovery_url: cart.email.is_some().then(address),
            recovery_expires_at: cart.address_ends_at(),
            created_at: cart.created_at,
            updated_at: cart.updated_at,
            recovered_at: cart.recovered_at,
            erased_at: cart.erased_at,
        }
    }
}
