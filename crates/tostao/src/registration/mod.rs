//! Opening an account, and recording who invited its owner.
//!
//! It is a layer above accounts and referrals, which do not import it: the unit that opens the
//! account also records the invitation, so that neither exists without the other.

use db::time::Timestamp;
use db::tx::Tx;

use crate::app::App;
use crate::merchants::{self, Merchant, NewMerchant};
use crate::people;
use crate::people::params::{RegisterBody, check};
use crate::platform::config::Registration;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::client_ip::network;
use crate::platform::http::context::RequestContext;
use crate::platform::http::device::Device;
use crate::platform::http::rate_limit::REGISTER;
use crate::platform::ids::{MerchantId, Mode};
use crate::platform::role::Role;
use crate::referrals;
use crate::referrals::terms::ReferralTerms;

pub mod admin_api;
pub mod api;
pub mod setup;

/// Opens an account for a stranger, if this server opens any; also returns whether the invite code
/// is known.
pub async fn register(
    app: &App,
    context: &RequestContext,
    device: &Device,
    body: RegisterBody,
) -> Result<(Merchant, bool)> {
    if app.settings.registration == Registration::Closed {
        let message = "Registration is closed on this server.";
        return Err(Error::refused(ErrorCode::RegistrationClosed, message));
    }
    context.note_rate(app.limits.check_address(&REGISTER, context.client_ip, "", app.now())?);
    let code = body.invite_code.clone().filter(|code| !code.trim().is_empty());
    let address = network(context.client_ip);
    let new = check(app, body, Role::Merchant, address, device.0.as_deref()).await?;
    let terms = ReferralTerms::of(app);
    app.transact(async move |tx| open(tx, &terms, &new, code.as_deref()).await).await
}

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
