//! How many mails a mailbox gets in a day, and whose address was proved.
//!
//! Accounts are opened and people are invited with addresses that may be somebody else's. So the
//! mails of production are counted in the database, for all nodes together, by the address without
//! its alias. What others can cause has shares of its own and uses up nothing of what a person gets
//! about their own sign-in and account; a person who has proved their address has one that no
//! account with another spelling of it uses up. Where money goes back only with a mail, an account
//! has a share for itself, so that no other one can stop its refunds.

use std::time::Duration;

use db::text_enum;
use db::tx::Tx;

use crate::platform::error::{Error, Result};
use crate::platform::fields::{spelled, without_alias};
use crate::platform::ids::{MerchantId, PersonId};
use crate::platform::secrets::sha256;

mod store;

/// How long mails are counted together, from the first one on.
const DAY: Duration = Duration::from_hours(24);

text_enum! {
    /// Mails that are counted together.
    pub enum Share {
        /// Links to a new password, which anyone can ask for.
        Resets = "resets",
        /// Invitations, which any account can make.
        Invitations = "invitations",
        /// Links to addresses that people say are theirs.
        NewAddresses = "new_addresses",
        /// Receipts of payments, which any account can have sent.
        Receipts = "receipts",
        /// PIX keys that people named for money to go back to; each account has a share for itself.
        Payees = "payees",
        /// What people can switch off about their accounts.
        Notices = "notices",
        /// Warnings about keys to withdraw to, or with, to a person whose address is not proved.
        Keys = "keys",
        /// What is about the sign-in and the account of a person whose address is not proved.
        Unproved = "unproved",
        /// The same of a person whose address is.
        Proved = "proved",
    }
}

impl Share {
    /// How many mails of it a mailbox gets in a day.
    const fn most(self) -> u32 {
        match self {
            Self::Invitations | Self::NewAddresses | Self::Receipts => 10,
            Self::Resets | Self::Unproved => 20,
            Self::Keys => 60,
            Self::Payees => 100,
            Self::Proved | Self::Notices => 200,
        }
    }
}

/// Counts a mail to an address, which may be of an account; the refusal if its mailbox got as many
/// as it gets in a day.
pub async fn count(
    tx: &Tx,
    share: Share,
    to: &str,
    of: Option<MerchantId>,
) -> Result<Option<Error>> {
    let (mailbox, now) = (mailbox(share, to, of), tx.now());
    if store::count(tx, (&mailbox, share), share.most().into(), now.minus(DAY)).await? {
        return Ok(None);
    }
    let since = store::since(tx, (&mailbox, share)).await?.unwrap_or(now);
    let retry_after_seconds = since.plus(DAY).since(now).as_secs().max(1);
    Ok(Some(Error::TooMany { retry_after_seconds, limit: Some(share.most().into()) }))
}

/// Counts a mail less that did not leave, in a share that is the same for all accounts.
pub async fn count_less(tx: &Tx, share: Share, to: &str) -> Result<()> {
    store::count_less(tx, (&mailbox(share, to, None), share)).await
}

/// The hash of an address without its alias and, in the share that each account has for itself, of
/// the account.
fn mailbox(share: Share, address: &str, of: Option<MerchantId>) -> [u8; 32] {
    let mailbox = without_alias(&spelled(address));
    match of.filter(|_| share == Share::Payees) {
        Some(account) => sha256(format!("{mailbox} {account}").as_bytes()),
        None => sha256(mailbox.as_bytes()),
    }
}

/// Deletes counts whose day is over; returns how many.
pub async fn delete_expired(tx: &Tx, most: i64) -> Result<u64> {
    store::delete_before(tx, tx.now().minus(DAY), most).await
}

/// Records that a person used a link which only a mail to their address had.
pub async fn prove(tx: &Tx, person: PersonId) -> Result<()> {
    store::prove(tx, person).await
}

/// Whether a person has ever used such a link.
pub async fn is_proved(tx: &Tx, person: PersonId) -> Result<bool> {
    store::is_proved(tx, person).await
}

/// Forgets that a person did, with the person.
pub async fn forget(tx: &Tx, person: PersonId) -> Result<()> {
    store::forget(tx, person).await
}
