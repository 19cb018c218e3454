//! Which address counts as the client's.

use std::net::IpAddr;

use http::{HeaderMap, HeaderValue};

use super::{TrustedProxies, limit_key, site};

fn proxies(texts: &[&str]) -> TrustedProxies {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    TrustedProxies::parse(&texts).unwrap()
}

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn forwarded(lines: &[&str]) -> HeaderMap {
    let lines = lines.iter().map(|line| HeaderValue::from_bytes(line.as_bytes()).unwrap());
    lines.map(|line| (http::HeaderName::from_static("x-forwarded-for"), line)).collect()
}

#[test]
fn only_a_trusted_peer_may_name_the_client() {
    let proxies = proxies(&["10.0.0.0/8", "fd00::/8", "192.0.2.7"]);
    let rows: &[(&str, &[&str], &str)] = &[
        // An untrusted client's header is ignored.
        ("203.0.113.9", &["198.51.100.1"], "203.0.113.9"),
        ("203.0.113.9", &[], "203.0.113.9"),
        // One proxy, and a chain of them.
        ("10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", &["198.51.100.1, 10.0.0.2"], "198.51.100.1"),
        ("192.0.2.7", &["198.51.100.1, 10.0.0.2, fd00::5"], "198.51.100.1"),
        // Hops that the client itself prepended.
        ("10.0.0.1", &["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", &["10.0.0.9, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", &["garbage, 198.51.100.1"], "198.51.100.1"),
        // Several header lines are one list.
        ("10.0.0.1", &["1.1.1.1", "198.51.100.1", "10.0.0.2"], "198.51.100.1"),
        // Ports, IPv6, IPv4 in IPv6.
        ("10.0.0.1", &["198.51.100.1:4711"], "198.51.100.1"),
        ("10.0.0.1", &["[2001:db8::1]:4711"], "2001:db8::1"),
        ("::ffff:10.0.0.1", &["::ffff:198.51.100.1"], "198.51.100.1"),
        // Nothing usable.
        ("10.0.0.1", &[], "10.0.0.1"),
        ("10.0.0.1", &[""], "10.0.0.1"),
        ("10.0.0.1", &["garbage"], "10.0.0.1"),
        ("10.0.0.1", &["198.51.100.1, garbage"], "10.0.0.1"),
        ("10.0.0.1", &["198.51.100.1, \u{e9}"], "10.0.0.1"),
        ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.1"),
    ];
    for (peer, lines, expected) in rows {
        let client = proxies.client(address(peer), &forwarded(lines));
        assert_eq!(client, address(expected), "{peer} forwards {lines:?}");
    }
}

#[test]
fn a_network_holds_the_addresses_that_begin_like_it() {
    let rows = [
        ("10.0.0.0/8", "10.255.255.255", true),
        ("10.0.0.0/8", "11.0.0.0", false),
        ("10.1.2.3/8", "10.0.0.0", true),
        ("192.0.2.1", "192.0.2.1", true),
        ("192.0.2.1", "192.0.2.2", false),
        ("192.0.2.1/32", "::ffff:192.0.2.1", true),
        ("::ffff:192.0.2.1", "192.0.2.1", true),
        ("::ffff:10.0.0.0/104", "10.9.9.9", true),
        ("::ffff:10.0.0.0/104", "11.9.9.9", false),
        ("2001:db8::/33", "2001:db8:7fff::1", true),
        ("2001:db8::/33", "2001:db8:8000::1", false),
        ("128.0.0.0/1", "203.0.113.1", true),
        ("128.0.0.0/1", "2001:db8::1", false),
        ("::/1", "2001:db8::1", true),
    ];
    for (network, asked, expected) in rows {
        assert_eq!(proxies(&[network]).trusts(address(asked)), expected, "{asked} in {network}");
    }
}

#[test]
fn a_list_with_something_unreadable_is_refused_by_name() {
    for text in ["10.0.0.0/33", "::/129", "10.0.0/8", "proxy.internal", "10.0.0.1/", "10.0.0.1/-1"]
    {
        let error = TrustedProxies::parse(&[text.to_owned()]).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
    }
    for text in ["0.0.0.0/0", "::/0", "203.0.113.1/0", "::ffff:0.0.0.0/96"] {
        let error = TrustedProxies::parse(&[text.to_owned()]).unwrap_err().to_string();
        assert!(error.contains(text) && error.contains("is every address"), "{error}");
    }
    let blank = TrustedProxies::parse(&[String::new(), " ".to_owned()]).unwrap();
    assert!(!blank.trusts(address("127.0.0.1")));
}

#[test]
fn a_client_cannot_change_its_limit_by_changing_its_address() {
    let rows = [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::"),
        ("2001:db8:1:3::1", "2001:db8:1:3::"),
    ];
    for (given, expected) in rows {
        assert_eq!(limit_key(address(given)), expected);
    }
}

#[test]
fn networks_of_one_site_are_known_to_belong_together() {
    let rows = [
        ("203.0.113.9", None),
        ("::ffff:203.0.113.9", None),
        ("2001:db8:1:2:3:4:5:6", Some("2001:db8:1::")),
        ("2001:db8:1:ffff::1", Some("2001:db8:1::")),
        ("2001:db8:2:2::1", Some("2001:db8:2::")),
    ];
    for (given, expected) in rows {
        let site = site(address(given)).map(|site| site.to_string());
        assert_eq!(site.as_deref(), expected, "{given}");
    }
}
