//! Nothing here talks to another machine.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use url::{Host, Url};

/// The address of a URL on this machine.
pub fn address(url: &Url) -> Option<SocketAddr> {
    let ip = match url.host()? {
        Host::Domain("localhost") => IpAddr::V4(Ipv4Addr::LOCALHOST),
        Host::Domain(_) => return None,
        Host::Ipv4(ip) => IpAddr::V4(ip),
        Host::Ipv6(ip) => IpAddr::V6(ip),
    };
    let port = url.port_or_known_default()?;
    ip.is_loopback().then(|| SocketAddr::new(ip, port))
}

pub fn is_loopback(url: &Url) -> bool {
    address(url).is_some()
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn only_this_machine_is_loopback() {
        for (url, expected) in [
            ("http://127.0.0.1:9/", true),
            ("https://localhost/", true),
            ("http://[::1]:9/", true),
            ("http://localhost.example.com/", false),
            ("http://10.0.0.1/", false),
            ("http://0.0.0.0/", false),
        ] {
            assert_eq!(is_loopback(&url.parse().unwrap()), expected, "{url}");
        }
    }
}
