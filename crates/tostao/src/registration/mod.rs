//! Opening an account, and recording who invited its owner.
//!
//! It is a layer above accounts and referrals, which do not import it: the unit that opens the
//! account also records the invitation, so that neither exists without the other.

use db::time::Timestamp;
use db::tx::Tx;

use crate::merchants::{self, Merchant, NewMerchant};
use crate::people;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode};
use crate::referrals;
use crate::referrals::terms::ReferralTerms;

pub mod admin_api;
pub mod api;

/// Opens an account; also returns whether the invite code is known.
pub async fn open(
    tx: &Tx,
    terms: &ReferralTerms,
    new: &NewMerchant,
    invite_code: Option<&str>,
) -> Result<(Merchant, bool)> {
    let merchant = people::open(tx, new).await?;
    let known = match invite_code {
        Some(code) => referrals::invite(tx, terms, code, &merchant).await?,
        None => true,
    };
    Ok((merchant, known))
}

/// Marks an account's owner as verified; returns since when. Doing it twice is not an error.
///
/// Their sales so far may be all that a referral still waited for.
pub async fn verify(tx: &Tx, id: MerchantId) -> Result<Timestamp> {
    let since = merchants::verify(tx, id).await?;
    let seller = merchants::scope(tx, id, Mode::Production).await?;
    referrals::sales::qualify(tx, seller).await?;
    Ok(since)
}

/// Withdraws a verification; rewards that are still held are cancelled when they are due.
pub async fn unverify(tx: &Tx, id: MerchantId) -> Result<()> {
    merchants::unverify(tx, id).await
}
