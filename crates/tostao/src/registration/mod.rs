//! Opening an account, and noting who invited its owner.
//!
//! It stands above accounts and referrals, which know nothing of it: an invitation is noted by the
//! unit that opens the account, so that neither is ever without the other.

use db::tx::Tx;

use crate::error::Result;
use crate::merchants::{self, Merchant, NewMerchant};
use crate::referrals;
use crate::referrals::terms::Terms;

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
