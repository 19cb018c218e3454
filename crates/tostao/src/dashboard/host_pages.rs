//! The hosts on which the dashboard answers: that of the base address, and the machine itself.

use http::HeaderMap;
use url::{Host, Url};

use crate::platform::config::Settings;
use crate::platform::http::hosts::{is_of, requested};

/// Whether a request names a host on which the dashboard answers.
///
/// Where the base address is `http` the pages answer on other hosts, too, and there only say why
/// people cannot sign in; the checkout's host has none of them.
pub fn is_own(settings: &Settings, headers: &HeaderMap) -> bool {
    let (host, base) = (requested(headers), settings.base_url());
    if is_of(host, &base) {
        return true;
    }
    let is_checkout = is_of(host, &settings.checkout_url());
    !is_checkout && (is_loopback(host) || !base.starts_with("https:"))
}

/// Whether a host is the machine itself.
pub fn is_loopback(host: &str) -> bool {
    Url::parse(&format!("http://{host}")).is_ok_and(|url| match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    })
}
