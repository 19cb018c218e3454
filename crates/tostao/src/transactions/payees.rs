//! The PIX keys that people name for money to go back to, where its rail does not name its payer.

use brazil::pix_key::PixKey;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::auth::elevation::NamedBy;
use crate::mail;
use crate::mail::content::Content;
use crate::platform::error::Result;
use crate::platform::ids::{Scope, TransactionId};
use crate::platform::masked;

/// Mails the owner that real money of a payment goes back to a key that a person named: the buyer's
/// key cannot wait a day as payout keys do, and only people can say whose it is. Without the mail
/// the money does not go back.
pub async fn mail_named(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    (key, named_by): (&PixKey, NamedBy),
    amount: Cents,
) -> Result<()> {
    if named_by == NamedBy::ApiKey || scope.mode.is_development() {
        return Ok(());
    }
    let (amount_cents, pix_key) = (amount.get(), masked::pix_key(key));
    let content = Content::PayeeNamed { amount_cents, pix_key };
    mail::write_to_owner(tx, scope, of.0, content).await
}
