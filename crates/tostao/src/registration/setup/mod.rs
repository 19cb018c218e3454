//! The first minute of a server: addresses that its program prints, each of which works once.
//!
//! Where there is no account yet, `serve` prints one that opens the first account, also while
//! registration is closed; `demo` prints one that signs in the owner of its shop. Such an address
//! works for half an hour, and only the hash of its token is stored.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;

use crate::app::App;
use crate::merchants::Merchant;
use crate::people::link_token::LinkToken;
use crate::people::params::{RegisterBody, check};
use crate::people::{self, SignedIn, owner_of};
use crate::platform::error::{Error, Result};
use crate::platform::http::client_ip::network;
use crate::platform::http::context::RequestContext;
use crate::platform::http::device::Device;
use crate::platform::http::rate_limit::REGISTER;
use crate::platform::ids::MerchantId;
use crate::platform::role::Role;

pub mod api;
mod store;

/// How long an address works.
const OPEN_FOR: Duration = Duration::from_mins(30);

/// What an address does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setup {
    /// It opens the first account.
    FirstAccount,
    /// It signs in the owner of an account.
    SignIn(MerchantId),
}

/// Makes an address that opens the first account; `None` where there are people already.
pub async fn link_if_empty(tx: &Tx) -> Result<Option<(LinkToken, Timestamp)>> {
    if people::any(tx).await? {
        return Ok(None);
    }
    make(tx, None).await.map(Some)
}

/// Makes an address that signs in the owner of an account.
pub async fn link_into(tx: &Tx, account: MerchantId) -> Result<(LinkToken, Timestamp)> {
    make(tx, Some(account)).await
}

async fn make(tx: &Tx, account: Option<MerchantId>) -> Result<(LinkToken, Timestamp)> {
    let (token, expires_at) = (LinkToken::new(tx), tx.now().plus(OPEN_FOR));
    store::insert(tx, &token.hash(), account, expires_at).await?;
    Ok((token, expires_at))
}

/// What the address of a token does; looks are limited as registrations are.
pub async fn find(app: &App, context: &RequestContext, token: &str) -> Result<Setup> {
    context.note_rate(app.limits.check_address(&REGISTER, context.client_ip, "", app.now())?);
    let hash = LinkToken::parse(token).ok_or_else(over)?.hash();
    let found = app.read(async move |tx: &Tx| store::find(tx, &hash).await).await?;
    Ok(found.ok_or_else(over)?.map_or(Setup::FirstAccount, Setup::SignIn))
}

/// Opens the first account with an address that is used up by it.
pub async fn open(
    app: &App,
    context: &RequestContext,
    device: &Device,
    token: &str,
    body: RegisterBody,
) -> Result<Merchant> {
    if find(app, context, token).await? != Setup::FirstAccount {
        return Err(over());
    }
    let hash = LinkToken::parse(token).ok_or_else(over)?.hash();
    let address = network(context.client_ip);
    let new = check(app, body, Role::Merchant, address, device.0.as_deref()).await?;
    let unit = async move |tx: &Tx| {
        // Two addresses at the same moment would both find that there is no account.
        store::take_turn(tx).await?;
        if !store::take(tx, &hash).await? || people::any(tx).await? {
            return Err(over());
        }
        // Each start of each node showed another address.
        store::delete_of_first(tx).await?;
        people::open(tx, &new).await
    };
    app.transact(unit).await
}

/// Uses up an address that signs somebody in; returns whom.
pub async fn take(app: &App, token: &str, account: MerchantId) -> Result<SignedIn> {
    let hash = LinkToken::parse(token).ok_or_else(over)?.hash();
    let unit = async move |tx: &Tx| {
        if !store::take(tx, &hash).await? {
            return Err(over());
        }
        people::signed_in(tx, account, owner_of(account)).await?.ok_or_else(over)
    };
    app.transact(unit).await
}

/// Deletes addresses whose time is over; returns how many.
pub async fn delete_expired(tx: &Tx) -> Result<u64> {
    store::delete_expired(tx).await
}

fn over() -> Error {
    Error::NotFound("Setup link")
}
