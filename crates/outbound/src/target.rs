//! A URL that may be called, judging by its text.
//!
//! Text is rejected rather than repaired: two programs that repair the same text differently are
//! how a check is bypassed. The connector checks the rest, which is what the name resolves to.

use std::fmt;

use http::HeaderValue;
use http::uri::{Authority, PathAndQuery, Scheme, Uri};
use rustls::pki_types::DnsName;
use thiserror::Error;
use url::{Host, Position, Url};

/// The allowed webhook ports; any other looks like a port scan.
pub(crate) const PORTS: [u16; 2] = [443, 8443];

const URL_BYTES: usize = 2_048;
const HOST_BYTES: usize = 253;

/// Suffixes of names that only resolve in private networks.
const PRIVATE_ENDINGS: [&str; 8] =
    ["localhost", "local", "internal", "intranet", "lan", "home", "corp", "home.arpa"];

/// Exceptions from the rules that the operator allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Allows loopback, on any port and without TLS, for local testing.
    pub allow_local: bool,
}

/// Why a URL is rejected, in words for the person who entered it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    #[error("The URL is longer than 2048 characters.")]
    TooLong,
    #[error("The URL contains spaces, line breaks or other control characters.")]
    ControlCharacter,
    #[error("The URL contains a backslash.")]
    Backslash,
    #[error("The URL is not valid.")]
    Malformed,
    #[error("The URL must begin with https://.")]
    Scheme,
    #[error("The URL must not contain a user name or password.")]
    UserInfo,
    #[error("The URL must not contain a fragment (#).")]
    Fragment,
    #[error("The port of the URL must be 443 or 8443.")]
    Port,
    #[error("The host of the URL must be a name, not an IP address.")]
    IpAddress,
    #[error("The host name of the URL is longer than 253 characters.")]
    HostTooLong,
    #[error("The host name of the URL is not valid.")]
    HostName,
    #[error("The host name of the URL belongs to a private network.")]
    PrivateName,
}

/// A URL with a valid text; printing it hides the query, which may contain secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    uri: Uri,
    host: HeaderValue,
}

impl Target {
    /// Parses a user-supplied URL.
    pub fn parse(url: &str, policy: Policy) -> Result<Self, Refused> {
        check_text(url)?;
        let mut parsed = Url::parse(url).map_err(|_| Refused::Malformed)?;
        check_scheme(&parsed, policy)?;
        check_authority(url, parsed.scheme())?;
        if parsed.fragment().is_some() {
            return Err(Refused::Fragment);
        }
        strip_trailing_dot(&mut parsed)?;
        check_host(&parsed, policy)?;
        check_port(&parsed, policy)?;
        Self::build(&parsed)
    }

    /// Isolates the target's connections: they are never shared with another owner's, even if both
    /// use the same server.
    #[must_use]
    pub fn owned_by(mut self, owner: u128) -> Self {
        self.uri = labelled(&self.uri, owner);
        self
    }

    /// The name of the server.
    pub fn host(&self) -> &str {
        self.uri.host().unwrap_or_default()
    }

    /// The port of the server.
    pub fn port(&self) -> u16 {
        let usual = if self.uri.scheme() == Some(&Scheme::HTTP) { 80 } else { 443 };
        self.uri.port_u16().unwrap_or(usual)
    }

    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }

    pub(crate) fn host_header(&self) -> &HeaderValue {
        &self.host
    }

    fn build(url: &Url) -> Result<Self, Refused> {
        let host = &url[Position::BeforeHost..Position::AfterPort];
        Ok(Self {
            uri: url.as_str().parse().map_err(|_| Refused::Malformed)?,
            host: HeaderValue::from_str(host).map_err(|_| Refused::HostName)?,
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.uri.scheme_str().unwrap_or_default();
        let host = self.host.to_str().unwrap_or_default();
        write!(formatter, "{scheme}://{host}{}", self.uri.path())?;
        match self.uri.query() {
            Some(_) => formatter.write_str("?***"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Target({self})")
    }
}

/// Rejects what the URL parser would silently drop or rewrite.
fn check_text(url: &str) -> Result<(), Refused> {
    if url.len() > URL_BYTES {
        return Err(Refused::TooLong);
    }
    if url.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
        return Err(Refused::ControlCharacter);
    }
    let escapes = ["%00", "%0a", "%0A", "%0d", "%0D"];
    if escapes.iter().any(|escape| url.contains(escape)) {
        return Err(Refused::ControlCharacter);
    }
    if url.contains('\\') {
        return Err(Refused::Backslash);
    }
    Ok(())
}

fn check_scheme(url: &Url, policy: Policy) -> Result<(), Refused> {
    match url.scheme() {
        "https" => Ok(()),
        "http" if policy.allow_local => Ok(()),
        _ => Err(Refused::Scheme),
    }
}

/// Checks the authority as entered, before the parser repairs it.
fn check_authority(url: &str, scheme: &str) -> Result<(), Refused> {
    let (typed, rest) = url.split_once("://").ok_or(Refused::Malformed)?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if !typed.eq_ignore_ascii_case(scheme) || authority.is_empty() {
        return Err(Refused::Malformed);
    }
    if authority.contains('@') {
        return Err(Refused::UserInfo);
    }
    if authority.contains('%') {
        return Err(Refused::HostName);
    }
    Ok(())
}

fn strip_trailing_dot(url: &mut Url) -> Result<(), Refused> {
    let Some(Host::Domain(name)) = url.host() else {
        return Ok(());
    };
    let Some(stripped) = name.strip_suffix('.').map(str::to_owned) else {
        return Ok(());
    };
    url.set_host(Some(&stripped)).map_err(|_| Refused::HostName)
}

fn check_host(url: &Url, policy: Policy) -> Result<(), Refused> {
    match url.host().ok_or(Refused::HostName)? {
        Host::Domain(name) => check_name(name, policy),
        Host::Ipv4(address) if policy.allow_local && address.is_loopback() => Ok(()),
        Host::Ipv6(address) if policy.allow_local && address.to_canonical().is_loopback() => Ok(()),
        Host::Ipv4(_) | Host::Ipv6(_) => Err(Refused::IpAddress),
    }
}

fn check_name(name: &str, policy: Policy) -> Result<(), Refused> {
    if name.len() > HOST_BYTES {
        return Err(Refused::HostTooLong);
    }
    if name.ends_with('.') || DnsName::try_from(name).is_err() {
        return Err(Refused::HostName);
    }
    if policy.allow_local {
        return Ok(());
    }
    let private = PRIVATE_ENDINGS.iter().any(|ending| ends_with_label(name, ending));
    if private || !name.contains('.') {
        return Err(Refused::PrivateName);
    }
    Ok(())
}

fn ends_with_label(name: &str, ending: &str) -> bool {
    name.strip_suffix(ending).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn check_port(url: &Url, policy: Policy) -> Result<(), Refused> {
    match url.port_or_known_default() {
        Some(0) | None => Err(Refused::Port),
        Some(_) if policy.allow_local => Ok(()),
        Some(port) if PORTS.contains(&port) => Ok(()),
        Some(_) => Err(Refused::Port),
    }
}

/// Puts the owner in the user name: the pool distinguishes connections by the whole authority,
/// while the resolved name, the `Host` header and the path sent never include it.
fn labelled(uri: &Uri, owner: u128) -> Uri {
    let host = uri.authority().map_or("", Authority::as_str);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    Uri::builder()
        .scheme(uri.scheme().cloned().unwrap_or(Scheme::HTTPS))
        .authority(format!("{owner:x}@{host}"))
        .path_and_query(uri.path_and_query().cloned().unwrap_or(PathAndQuery::from_static("/")))
        .build()
        .expect("hexadecimal digits before a valid host make a valid authority")
}
