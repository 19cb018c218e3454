//! The hosts on which the dashboard answers: that of the base address, and the machine itself.

use http::{HeaderMap, header};
use url::{Host, Url};

use crate::platform::config::Settings;

/// The host and the port that a request names.
pub fn requested(headers: &HeaderMap) -> &str {
    headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default()
}

/// Whether a request names a host on which the dashboard answers.
///
/// Where the base address is `http` the pages answer on other hosts, too, and there only say why
/// people cannot sign in; the checkout's host has none of them.
pub fn is_own(settings: &Settings, headers: &HeaderMap) -> bool {
    let (host, base) = (requested(headers), settings.base_url());
    let checkout = authority(&settings.checkout_url());
    if host.eq_ignore_ascii_case(&authority(&base)) {
        return true;
    }
    !host.eq_ignore_ascii_case(&checkout) && (is_loopback(host) || !base.starts_with("https:"))
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

/// The host and the port of a URL, as a browser names them.
fn authority(url: &str) -> String {
    let parsed = Url::parse(url).ok();
    let named = parsed.and_then(|url| {
        let host = url.host_str()?.to_owned();
        Some(url.port().map_or_else(|| host.clone(), |port| format!("{host}:{port}")))
    });
    named.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::authority;

    #[test]
    fn a_host_is_compared_as_a_browser_sends_it() {
        let table = [
            ("https://pay.example.com", "pay.example.com"),
            ("https://pay.example.com:443/base", "pay.example.com"),
            ("http://127.0.0.1:8080", "127.0.0.1:8080"),
            ("http://[::1]:8080", "[::1]:8080"),
        ];
        for (url, host) in table {
            assert_eq!(authority(url), host);
        }
    }
}
