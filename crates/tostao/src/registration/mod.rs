//! Opening an account, and noting who invited its owner.
//!
//! It stands above accounts and referrals, which know nothing of it: an invitation is noted by the
//! unit that opens the account, so that neither is ever without the other.

use db::time::Timestamp;
use db::tx::Tx;

use crate::merchants::{self, Merchant, NewMerchant};
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode};
use crate::referrals;
use crate::referrals::terms::Terms;

pub mod admin_api;
pub mod api;

/// Opens an account; also answers whether the code is known by which its owner was invited.
pub async fn open(
    tx: &Tx,
    terms: &Terms,
    new: &NewMerchant,
    invite_code: Option<&str>,
) -> Result<(Merchant, bool)> {
    let merchant = merchants::register(tx, new).await?;
    let known = match invite_code {
        Some(code) => referrals::invite(tx, terms, code, &merchant).await?,
        None => true,
    };
    Ok((merchant, known))
}

/// Notes that an account's owner is who they say; answers since when. Doing it twice is not an
/// error.
///
/// What they have sold so far may be all that an invitation still waited for.
pub async fn verify(tx: &Tx, id: MerchantId) -> Result<Timestamp> {
    let since = merchants::verify(tx, id).await?;
    let seller = merchants::scope(tx, id, Mode::Production).await?;
    referrals::sales::qualify(tx, seller).await?;
    Ok(since)
}

/// Withdraws a verification; rewards that are still held for it are cancelled when they are due.
pub async fn unverify(tx: &Tx, id: MerchantId) -> Result<()> {
    merchants::unverify(tx, id).await
}
