//! What a payment is for, in words.

use std::collections::HashMap;

use db::tx::Tx;

use crate::payment_links;
use crate::platform::error::Result;
use crate::platform::ids::{PaymentLinkId, Scope};
use crate::transactions::Transaction;

/// The titles of the links that payments came by.
#[derive(Debug, Default)]
pub struct Sold(HashMap<PaymentLinkId, String>);

impl Sold {
    /// Reads the titles for payments that nothing else names.
    pub async fn read(
        tx: &Tx,
        scope: Scope,
        payments: impl IntoIterator<Item = &Transaction>,
    ) -> Result<Self> {
        let unnamed = payments.into_iter().filter(|payment| own_name(payment).is_none());
        let links = unnamed.filter_map(|payment| Some(payment.link.as_ref()?.id)).collect();
        Ok(Self(payment_links::titles(tx, scope, links).await?))
    }

    /// The payment's first item, its description or the title of its link.
    pub fn name(&self, payment: &Transaction) -> Option<String> {
        let title = || self.0.get(&payment.link.as_ref()?.id).map(String::as_str);
        own_name(payment).or_else(title).map(ToOwned::to_owned)
    }
}

fn own_name(payment: &Transaction) -> Option<&str> {
    let item = payment.items.first().map(|item| item.name.as_str());
    item.or(payment.description.as_deref())
}
