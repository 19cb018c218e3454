//! Merchants: accounts, with the developer's clock.

use brazil::document::Document;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::first_steps;
use crate::merchants::look::Look;
use crate::merchants::look::accent::Accent;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{MerchantId, Mode, Scope};
use crate::platform::role::Role;

pub mod clock;
pub mod look;
mod store;

/// An account and its owner.
#[derive(Debug, Clone)]
pub struct Merchant {
    pub id: MerchantId,
    pub name: String,
    pub email: String,
    pub document: Option<Document>,
    pub phone: Option<String>,
    pub role: Role,
    /// A hash of the device on which it was opened.
    pub device_hash: Option<Vec<u8>>,
    pub created_at: Timestamp,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    pub look: Look,
}

/// A validated registration; the password is hashed already.
#[derive(Debug, Clone)]
pub struct NewMerchant {
    pub name: String,
    pub email: String,
    pub password_hash: String,
    pub document: Option<Document>,
    pub phone: Option<String>,
    pub role: Role,
    pub device_hash: Option<Vec<u8>>,
}

/// What is changed of an account; `None` stays as it is.
#[derive(Debug, Clone, Default)]
pub struct AccountChange {
    pub name: Option<String>,
    pub phone: Option<Option<String>>,
    pub document: Option<Document>,
    pub accent: Option<Option<Accent>>,
}

/// Whether the person who opened an account wants a mail about each payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentMails {
    Wanted,
    Unwanted,
}

/// Records an account; an email address has at most one.
pub async fn register(tx: &Tx, new: &NewMerchant) -> Result<Merchant> {
    let merchant = Merchant {
        id: MerchantId::new(tx),
        name: new.name.clone(),
        email: new.email.clone(),
        document: new.document.clone(),
        phone: new.phone.clone(),
        role: new.role,
        device_hash: new.device_hash.clone(),
        created_at: tx.now(),
        closed_at: None,
        look: Look::default(),
    };
    if !store::insert(tx, &merchant, &new.password_hash).await? {
        let message = "An account with this email already exists.";
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    first_steps::begin(tx, merchant.id).await?;
    Ok(merchant)
}

/// Changes what an account is called and who it is; returns it as it then is.
///
/// A document that an account has stays: limits, and who refers whom, were decided by it.
pub async fn change(
    tx: &Tx,
    by: &ActorContext,
    id: MerchantId,
    change: AccountChange,
) -> Result<Merchant> {
    lock(tx, id).await?;
    let merchant = find(tx, id).await?;
    if change.document.is_some() && merchant.document.is_some() {
        let message = "The account has a document, which stays.";
        return Err(Error::refused(ErrorCode::InvalidStateTransition, message));
    }
    let changed: Vec<&str> = [
        change.name.as_ref().map(|_| "name"),
        change.phone.as_ref().map(|_| "phone"),
        change.document.as_ref().map(|_| "document"),
        change.accent.map(|_| "accentColor"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let changed = changed.join(", ");
    let merchant = Merchant {
        name: change.name.unwrap_or(merchant.name),
        phone: change.phone.unwrap_or(merchant.phone),
        document: change.document.or(merchant.document),
        look: Look {
            accent: change.accent.unwrap_or(merchant.look.accent),
            logo: merchant.look.logo,
        },
        ..merchant
    };
    store::change(tx, &merchant).await?;
    let entry = Entry::new(Action::AccountUpdated, id).with("changed", changed);
    audit::record(tx, by, entry).await?;
    Ok(merchant)
}

/// Finds an account.
pub async fn find(tx: &Tx, id: MerchantId) -> Result<Merchant> {
    store::find(tx, id).await?.ok_or(Error::NotFound("Account"))
}

/// Records that the owner was invited, so that their sales are checked for the referral.
pub async fn record_invited(tx: &Tx, id: MerchantId) -> Result<()> {
    store::record_invited(tx, id).await
}

/// Marks an account's owner as verified; returns since when.
pub async fn verify(tx: &Tx, id: MerchantId) -> Result<Timestamp> {
    store::verify(tx, id).await?.ok_or(Error::NotFound("Account"))
}

/// Withdraws a verification.
pub async fn unverify(tx: &Tx, id: MerchantId) -> Result<()> {
    if store::unverify(tx, id).await? { Ok(()) } else { Err(Error::NotFound("Account")) }
}

/// Whether an account's owner is verified; in development every owner is, from registration on.
pub async fn is_verified(tx: &Tx, of: Scope) -> Result<bool> {
    Ok(of.mode == Mode::Development || store::is_verified(tx, of.merchant).await?)
}

/// Whether two accounts belong to one person, as far as their registration data shows.
pub fn is_same_person(one: &Merchant, other: &Merchant) -> bool {
    fn both<T: PartialEq>(one: Option<&T>, other: Option<&T>) -> bool {
        one.is_some() && one == other
    }
    let document =
        |of: &Merchant| of.document.as_ref().map(|document| document.as_str().to_owned());
    let phone = |of: &Merchant| of.phone.as_deref().map(without_country_code);
    both(document(one).as_ref(), document(other).as_ref())
        || both(phone(one).as_ref(), phone(other).as_ref())
        || both(one.device_hash.as_ref(), other.device_hash.as_ref())
}

/// Closes an account that has no members any more: its email can open another account.
pub async fn close(tx: &Tx, id: MerchantId) -> Result<()> {
    store::close(tx, id).await?;
    look::forget(tx, id).await?;
    first_steps::forget(tx, id).await
}

/// Erases the owner's personal data from a closed account.
pub async fn blank(tx: &Tx, id: MerchantId) -> Result<()> {
    store::blank(tx, id).await
}

/// Whether an account is open; it then stays open until the unit ends.
pub async fn is_open(tx: &Tx, id: MerchantId) -> Result<bool> {
    store::is_open(tx, id).await
}

/// The scope of a merchant who is named by something else, such as a public URL.
pub async fn scope(tx: &Tx, merchant: MerchantId, mode: Mode) -> Result<Scope> {
    store::scope(tx, merchant, mode).await?.ok_or(Error::NotFound("Account"))
}

/// Reads a merchant's id and clock, in this order, from a row of a statement that joins them.
pub fn scope_of(row: &mut Row, mode: Mode) -> Result<Scope> {
    store::scope_of(row, mode)
}

/// Reads the mode, and a merchant's id and clock, in this order, from a row of a statement that
/// joins them.
pub fn owner(row: &mut Row) -> Result<Scope> {
    let mode = row.take()?;
    scope_of(row, mode)
}

/// Finds an open account by its email.
pub async fn find_by_email(tx: &Tx, email: &str) -> Result<Option<Merchant>> {
    store::find_by_email(tx, email).await
}

/// Lists the accounts of all administrators by their emails.
pub async fn administrators(tx: &Tx) -> Result<Vec<Merchant>> {
    store::administrators(tx).await
}

/// Locks the accounts of all administrators; returns how many there are.
pub async fn lock_administrators(tx: &Tx) -> Result<u64> {
    store::lock_administrators(tx).await
}

/// Makes an account an administrator's, or a merchant's.
pub async fn set_role(tx: &Tx, id: MerchantId, role: Role) -> Result<()> {
    store::set_role(tx, id, role).await
}

/// Notes whether the person who opened an account wants a mail about each payment.
pub async fn note_payment_mails(tx: &Tx, id: MerchantId, wishes: PaymentMails) -> Result<()> {
    store::note_payment_mails(tx, id, wishes == PaymentMails::Wanted).await
}

/// Erases the device on which an account was opened.
pub async fn blank_device(tx: &Tx, id: MerchantId) -> Result<()> {
    store::blank_device(tx, id).await
}

/// Locks the account, so that units that hold it run one after the other and what they count stays
/// true until they end; refuses one that was closed meanwhile.
pub async fn lock(tx: &Tx, merchant: MerchantId) -> Result<()> {
    if store::lock(tx, merchant).await? { Ok(()) } else { Err(Error::NotFound("Account")) }
}

/// Marks that the deletion of a merchant's development data has started.
pub async fn begin_clearing(tx: &Tx, merchant: MerchantId) -> Result<()> {
    store::begin_clearing(tx, merchant).await
}

/// Marks that it has finished.
pub async fn end_clearing(tx: &Tx, merchant: MerchantId) -> Result<()> {
    store::end_clearing(tx, merchant).await
}

/// Lists the merchants whose development data is being deleted.
pub async fn being_cleared(tx: &Tx) -> Result<Vec<MerchantId>> {
    store::being_cleared(tx).await
}

/// Lists every account's id.
pub async fn all(tx: &Tx) -> Result<Vec<MerchantId>> {
    store::all(tx).await
}

/// Lists accounts that are not closed, in the order of their ids, at most `most` after one.
pub async fn open_after(tx: &Tx, after: Option<MerchantId>, most: i64) -> Result<Vec<MerchantId>> {
    store::open_after(tx, after.unwrap_or(MerchantId(Uuid::nil())), most).await
}

/// A telephone number without the country's prefix, with or without which it may be written.
fn without_country_code(phone: &str) -> String {
    let digits = phone.strip_prefix('+').unwrap_or(phone);
    let own = digits.strip_prefix("55").filter(|rest| matches!(rest.len(), 10 | 11));
    own.unwrap_or(digits).to_owned()
}
