//! Clients from what an operator entered.

use db::time::Timestamp;
use rails::profile::{Certificate, Given, SetupError};
use rustls::RootCertStore;
use upstream::client::Client;
use upstream::failure::ReadError;
use upstream::identity::Identity;
use upstream::roots;
use upstream::settings::{Limits, Settings, SetupError as UpstreamError};

/// The field of an address that replaces the profile's own, and that of the authority's
/// certificate that it is trusted by.
pub const ADDRESS: &str = "address";
pub const AUTHORITY: &str = "authority";
/// The field of the client certificate with its key.
pub const CERTIFICATE: &str = "certificate";

/// Refuses one of two addresses alone: what went to the other API would go to the provider itself.
pub fn expect_both(given: &Given, fields: [&str; 2]) -> Result<(), SetupError> {
    let [one, other] = fields;
    let (missing, present) = match fields.map(|field| given.optional(field).is_some()) {
        [true, false] => (other, one),
        [false, true] => (one, other),
        _ => return Ok(()),
    };
    Err(SetupError::new(missing, format!("is required beside {present}")))
}

/// A client that sends its credentials alone, whose address another field may replace.
pub fn plain_client(
    given: &Given,
    address: &str,
    field: &str,
    read_error: ReadError,
) -> Result<Client, SetupError> {
    let address = given.optional(field).unwrap_or(address).to_owned();
    let (identity, limits) = (None, Limits::default());
    let (name, roots) = (given.name.clone(), authorities(given)?);
    let settings = Settings { name, address, roots, identity, limits, read_error };
    Client::new(&settings).map_err(|error| problem(field, &error))
}

/// A client that identifies itself by the certificate that the operator entered.
pub fn client(
    given: &Given,
    address: &str,
    read_error: ReadError,
) -> Result<(Client, Certificate), SetupError> {
    let pem = given.required(CERTIFICATE)?;
    let identity = Identity::from_pem(pem).map_err(|error| problem(CERTIFICATE, &error))?;
    let certificate = Certificate {
        subject: identity.subject().to_owned(),
        fingerprint: identity.fingerprint().to_owned(),
        not_after: Timestamp::from_micros(identity.not_after().saturating_mul(1_000_000)),
    };
    let settings = Settings {
        name: given.name.clone(),
        address: given.optional(ADDRESS).unwrap_or(address).to_owned(),
        roots: authorities(given)?,
        identity: Some(identity),
        limits: Limits::default(),
        read_error,
    };
    let client = Client::new(&settings).map_err(|error| match &error {
        UpstreamError::Address | UpstreamError::PlainHttp => problem(ADDRESS, &error),
        UpstreamError::Identity(_) => problem(CERTIFICATE, &error),
    })?;
    Ok((client, certificate))
}

fn authorities(given: &Given) -> Result<RootCertStore, SetupError> {
    let mut trusted = roots::of_this_machine();
    if let Some(pem) = given.optional(AUTHORITY) {
        roots::add_pem(&mut trusted, pem).map_err(|error| problem(AUTHORITY, &error))?;
    }
    Ok(trusted)
}

fn problem(field: &str, error: &impl ToString) -> SetupError {
    SetupError::new(field, format!("cannot be used: {}", error.to_string()))
}
