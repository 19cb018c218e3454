//! Proving who signs in, to the API as on the pages: the limits, the timing and the password.

use db::hex::hex;

use crate::app::App;
use crate::people::SignedIn;
use crate::people::sessions::{self, SignInSource};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::fields;
use crate::platform::http::client_ip::{limit_key, network};
use crate::platform::http::context::RequestContext;
use crate::platform::http::device::Device;
use crate::platform::http::rate_limit::{LOGIN, LOGIN_ACCOUNT, LOGIN_ADDRESS, Zone};
use crate::platform::ids::{MerchantId, PersonId};

/// Finds a person by email and password, in one of their accounts, and counts the attempt; a wrong
/// password is also counted for the audit log.
pub async fn prove_password(
    app: &App,
    context: &RequestContext,
    from: &SignInSource,
    (email, account): (&str, Option<MerchantId>),
    password: String,
) -> Result<SignedIn> {
    let (address, typed) = (network(context.client_ip), email.to_owned());
    let email = fields::spelled(email);
    let limit = |zone: &Zone, what: &str| -> Result<()> {
        let (limits, now) = (&app.limits, app.now());
        context.note_rate(limits.check_address(zone, context.client_ip, what, now)?);
        Ok(())
    };
    limit(&LOGIN_ADDRESS, "")?;
    let wanted = from.clone();
    let found =
        app.read(async move |tx| sessions::find_to_sign_in(tx, &typed, account, &wanted).await);
    let found = found.await?;
    let device =
        from.device_hash.as_ref().filter(|_| found.as_ref().is_some_and(|f| f.knows_device));
    match device {
        // Others in the same network cannot use up a known device's limit.
        Some(device) => {
            let what = format!("{} {email}", hex(device));
            context.note_rate(app.limits.check(&LOGIN, &what, app.now())?);
        }
        None => limit(&LOGIN, &email)?,
    }
    if device.is_none() && !found.as_ref().is_some_and(|found| found.knows_network) {
        context.note_rate(app.limits.check(&LOGIN_ACCOUNT, &email, app.now())?);
    }
    let who = found.map(|found| found.who);
    let hash = who.as_ref().map(|who| who.person.password_hash.clone());
    let good = app.passwords.verify(address, password, hash).await?;
    let account = who.as_ref().map(|who| who.merchant.id);
    who.filter(|_| good).ok_or_else(|| {
        app.refusals.count(account, context, app.now());
        Error::Unauthenticated(ErrorCode::InvalidCredentials)
    })
}

/// Counts an attempt to type a code where no password is asked at the same time, with the limits of
/// a sign-in.
pub fn limit_codes(app: &App, context: &RequestContext, person: PersonId) -> Result<()> {
    let (limits, address, now) = (&app.limits, context.client_ip, app.now());
    context.note_rate(limits.check_address(&LOGIN_ADDRESS, address, "", now)?);
    let what = format!("code {person}");
    context.note_rate(limits.check_address(&LOGIN, address, &what, now)?);
    Ok(())
}

/// What a code was good for; a wrong one also counts as a refused sign-in, for the audit log.
pub fn counted<T>(
    app: &App,
    context: &RequestContext,
    merchant: MerchantId,
    outcome: Result<T>,
) -> Result<T> {
    let is_guess = |error: &Error| {
        matches!(error.code(), ErrorCode::TwoFactorCodeInvalid | ErrorCode::RateLimited)
    };
    outcome.inspect_err(|error| {
        if is_guess(error) {
            app.refusals.count(Some(merchant), context, app.now());
        }
    })
}

/// The origin of a request, as far as sign-in distinguishes origins.
pub fn sign_in_source(context: &RequestContext, device: &Device) -> SignInSource {
    SignInSource { network: limit_key(context.client_ip), device_hash: device.hash() }
}
