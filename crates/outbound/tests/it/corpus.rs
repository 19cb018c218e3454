//! URLs that merchants enter, and URLs that attackers enter.

use outbound::target::{Policy, Refused, Target};

use crate::peer::{LOCAL, PUBLIC};

const ACCEPTED: &[(&str, &str)] = &[
    ("https://example.com", "https://example.com/"),
    ("https://example.com/", "https://example.com/"),
    ("https://example.com:/hook", "https://example.com/hook"),
    ("https://example.com:443/hook", "https://example.com/hook"),
    ("https://example.com:8443/hook", "https://example.com:8443/hook"),
    ("HTTPS://Hooks.Example.COM/A", "https://hooks.example.com/A"),
    ("https://example.com./hook", "https://example.com/hook"),
    ("https://example.com.:8443/hook", "https://example.com:8443/hook"),
    ("https://ação.example.com/", "https://xn--ao-siap.example.com/"),
    ("https://ＥＸＡＭＰＬＥ.com/", "https://example.com/"),
    ("https://example。com/", "https://example.com/"),
    ("https://xn--ao-siap.example.com/", "https://xn--ao-siap.example.com/"),
    ("https://example.com/?secret=abc", "https://example.com/?***"),
    ("https://example.com?secret=abc", "https://example.com/?***"),
    ("https://example.com:8443/a?b=c&d=https://x@y", "https://example.com:8443/a?***"),
    ("https://example.com/ação", "https://example.com/a%C3%A7%C3%A3o"),
    ("https://example.com/a@b:80", "https://example.com/a@b:80"),
    ("https://example.com/%41", "https://example.com/%41"),
    ("https://example.com/a/../b", "https://example.com/b"),
    ("https://my_shop.example.com/", "https://my_shop.example.com/"),
    ("https://localhost.example.com/", "https://localhost.example.com/"),
    ("https://mylocalhost.com/", "https://mylocalhost.com/"),
    ("https://169.254.169.254.example.com/", "https://169.254.169.254.example.com/"),
];

const REFUSED: &[(&str, Refused)] = &[
    ("http://example.com/", Refused::Scheme),
    ("ftp://example.com/", Refused::Scheme),
    ("file:///etc/passwd", Refused::Scheme),
    ("gopher://example.com/", Refused::Scheme),
    ("javascript:alert(1)", Refused::Scheme),
    ("data:text/plain,a", Refused::Scheme),
    ("ws://example.com/", Refused::Scheme),
    ("example.com:443/", Refused::Scheme),
    ("", Refused::Malformed),
    ("example.com", Refused::Malformed),
    ("//example.com/", Refused::Malformed),
    ("/hook", Refused::Malformed),
    ("https:", Refused::Malformed),
    ("https://", Refused::Malformed),
    ("https:example.com", Refused::Malformed),
    ("https:/example.com", Refused::Malformed),
    ("https:///example.com", Refused::Malformed),
    ("https:////example.com", Refused::Malformed),
    ("https:example.com/://a", Refused::Malformed),
    ("https://:443/", Refused::Malformed),
    ("https://?a", Refused::Malformed),
    ("https://example.com:99999/", Refused::Malformed),
    ("https://example.com:4a3/", Refused::Malformed),
    ("https://example.com:443:443/", Refused::Malformed),
    ("https://example.com:0/", Refused::Port),
    ("https://example.com:22/", Refused::Port),
    ("https://example.com:25/", Refused::Port),
    ("https://example.com:80/", Refused::Port),
    ("https://example.com:444/", Refused::Port),
    ("https://example.com:5432/", Refused::Port),
    ("https://example.com:6379/", Refused::Port),
    ("https://user@example.com/", Refused::UserInfo),
    ("https://user:password@example.com/", Refused::UserInfo),
    ("https://@example.com/", Refused::UserInfo),
    ("https://:@example.com/", Refused::UserInfo),
    ("https://example.com@127.0.0.1.evil.com/", Refused::UserInfo),
    ("https://127.0.0.1:443@example.com/", Refused::UserInfo),
    ("https://a@b@example.com/", Refused::UserInfo),
    ("https://example.com/#", Refused::Fragment),
    ("https://example.com/#a", Refused::Fragment),
    ("https://example.com#@evil.com/", Refused::Fragment),
    ("https://example.com/?a=b#c", Refused::Fragment),
    (" https://example.com/", Refused::ControlCharacter),
    ("https://example.com/ ", Refused::ControlCharacter),
    ("https://example.com/a b", Refused::ControlCharacter),
    ("https://exam\tple.com/", Refused::ControlCharacter),
    ("https://example.com/\r\nhost: inner", Refused::ControlCharacter),
    ("https://example.com\r\n/", Refused::ControlCharacter),
    ("ht\ntps://example.com/", Refused::ControlCharacter),
    ("https://example.com/\0", Refused::ControlCharacter),
    ("https://example.com/\u{7f}", Refused::ControlCharacter),
    ("https://example.com/\u{85}", Refused::ControlCharacter),
    ("https://example.com/\u{a0}", Refused::ControlCharacter),
    ("https://example.com/\u{2028}", Refused::ControlCharacter),
    ("https://example.com/\u{3000}", Refused::ControlCharacter),
    ("https://example.com/%00", Refused::ControlCharacter),
    ("https://example.com%00.evil.com/", Refused::ControlCharacter),
    ("https://example.com/%0d%0aset-cookie:a", Refused::ControlCharacter),
    ("https://example.com/?a=%0D%0Ab", Refused::ControlCharacter),
    ("https://example.com%0a/", Refused::ControlCharacter),
    ("https://example.com\\@evil.com/", Refused::Backslash),
    ("https:\\\\example.com\\", Refused::Backslash),
    ("https://example.com/a\\b", Refused::Backslash),
    ("https://127.0.0.1\\.example.com/", Refused::Backslash),
    ("https://127.0.0.1/", Refused::IpAddress),
    ("https://127.0.0.1./", Refused::IpAddress),
    ("https://127.1/", Refused::IpAddress),
    ("https://127.0.1/", Refused::IpAddress),
    ("https://2130706433/", Refused::IpAddress),
    ("https://0x7f000001/", Refused::IpAddress),
    ("https://0x7f.0.0.1/", Refused::IpAddress),
    ("https://0x7f.1/", Refused::IpAddress),
    ("https://0177.0.0.1/", Refused::IpAddress),
    ("https://017700000001/", Refused::IpAddress),
    ("https://0/", Refused::IpAddress),
    ("https://0.0.0.0/", Refused::IpAddress),
    ("https://0x0/", Refused::IpAddress),
    ("https://10.0.0.1/", Refused::IpAddress),
    ("https://169.254.169.254/latest/meta-data/", Refused::IpAddress),
    ("https://2852039166/", Refused::IpAddress),
    ("https://0xa9fea9fe/", Refused::IpAddress),
    ("https://0251.0376.0251.0376/", Refused::IpAddress),
    ("https://100.100.100.200/", Refused::IpAddress),
    ("https://192.168.0.1/", Refused::IpAddress),
    ("https://8.8.8.8/", Refused::IpAddress),
    ("https://①②⑦.⓪.⓪.①/", Refused::IpAddress),
    ("https://１２７.0.0.1/", Refused::IpAddress),
    ("https://127。0。0。1/", Refused::IpAddress),
    ("https://١٢٧.0.0.1/", Refused::Malformed),
    ("https://[::]/", Refused::IpAddress),
    ("https://[::1]/", Refused::IpAddress),
    ("https://[::ffff:7f00:1]/", Refused::IpAddress),
    ("https://[::ffff:127.0.0.1]/", Refused::IpAddress),
    ("https://[0:0:0:0:0:ffff:a9fe:a9fe]/", Refused::IpAddress),
    ("https://[64:ff9b::7f00:1]/", Refused::IpAddress),
    ("https://[fd00:ec2::254]/", Refused::IpAddress),
    ("https://[fe80::1]/", Refused::IpAddress),
    ("https://[2606:4700:4700::1111]/", Refused::IpAddress),
    ("https://[fe80::1%25eth0]/", Refused::Malformed),
    ("https://[fe80::1%eth0]/", Refused::Malformed),
    ("https://[::1", Refused::Malformed),
    ("https://[127.0.0.1]/", Refused::Malformed),
    ("https://256.0.0.1/", Refused::Malformed),
    ("https://1.2.3.4.5/", Refused::Malformed),
    ("https://127.0.0.0x100/", Refused::Malformed),
    ("https://127.0.0.1%2f.example.com/", Refused::Malformed),
    ("https://%31%32%37.0.0.1/", Refused::HostName),
    ("https://ex%61mple.com/", Refused::HostName),
    ("https://example..com/", Refused::HostName),
    ("https://.example.com/", Refused::HostName),
    ("https://example.com../", Refused::HostName),
    ("https://./", Refused::HostName),
    ("https://-example.com/", Refused::HostName),
    ("https://example-.com/", Refused::HostName),
    ("https://exa*mple.com/", Refused::HostName),
    ("https://exa$mple.com/", Refused::HostName),
    ("https://exa<mple.com/", Refused::Malformed),
    ("https://exa\u{ad}mple..com/", Refused::HostName),
    ("https://localhost/", Refused::PrivateName),
    ("https://localhost./", Refused::PrivateName),
    ("https://LOCALHOST/", Refused::PrivateName),
    ("https://ｌｏｃａｌｈｏｓｔ/", Refused::PrivateName),
    ("https://a.localhost/", Refused::PrivateName),
    ("https://printer.local/", Refused::PrivateName),
    ("https://router.lan/", Refused::PrivateName),
    ("https://nas.home/", Refused::PrivateName),
    ("https://nas.home.arpa/", Refused::PrivateName),
    ("https://wiki.corp/", Refused::PrivateName),
    ("https://wiki.intranet/", Refused::PrivateName),
    ("https://metadata.google.internal/", Refused::PrivateName),
    ("https://metadata.google.internal./", Refused::PrivateName),
    ("https://instance-data.ec2.internal/", Refused::PrivateName),
    ("https://metadata/", Refused::PrivateName),
    ("https://instance-data/", Refused::PrivateName),
    ("https://kubernetes/", Refused::PrivateName),
    ("https://kubernetes.default.svc.cluster.local/", Refused::PrivateName),
    ("https://postgres/", Refused::PrivateName),
];

const ACCEPTED_LOCALLY: &[&str] = &[
    "http://127.0.0.1:3000/hook",
    "http://127.0.0.2/",
    "http://[::1]:3000/",
    "http://[::ffff:7f00:1]:3000/",
    "http://localhost:3000/hook?secret=abc",
    "http://receiver:3000/",
    "https://localhost:1234/",
    "https://example.com/",
];

const REFUSED_LOCALLY: &[(&str, Refused)] = &[
    ("ftp://127.0.0.1/", Refused::Scheme),
    ("http://user@127.0.0.1/", Refused::UserInfo),
    ("http://127.0.0.1/#a", Refused::Fragment),
    ("http://127.0.0.1:0/", Refused::Port),
    ("http://0.0.0.0/", Refused::IpAddress),
    ("http://10.0.0.1/", Refused::IpAddress),
    ("http://169.254.169.254/", Refused::IpAddress),
    ("http://[fd00:ec2::254]/", Refused::IpAddress),
    ("https://8.8.8.8/", Refused::IpAddress),
    ("http://local host/", Refused::ControlCharacter),
];

fn parse(url: &str, policy: Policy) -> Result<String, Refused> {
    Target::parse(url, policy).map(|target| target.to_string())
}

#[test]
fn a_plain_https_url_is_accepted_in_one_spelling_and_printed_without_its_query() {
    for (url, expected) in ACCEPTED {
        assert_eq!(parse(url, PUBLIC).as_deref(), Ok(*expected), "{url}");
    }
}

#[test]
fn a_url_that_could_lead_elsewhere_is_refused_with_its_reason() {
    for (url, expected) in REFUSED {
        assert_eq!(parse(url, PUBLIC), Err(*expected), "{url:?}");
    }
}

#[test]
fn an_operators_test_setting_opens_loopback_and_nothing_else() {
    for url in ACCEPTED_LOCALLY {
        assert!(parse(url, LOCAL).is_ok(), "{url}");
    }
    for (url, expected) in REFUSED_LOCALLY {
        assert_eq!(parse(url, LOCAL), Err(*expected), "{url}");
    }
}

#[test]
fn a_url_or_a_host_name_beyond_its_length_is_refused() {
    let path = |length: usize| format!("https://example.com/{}", "a".repeat(length - 20));
    assert!(parse(&path(2_048), PUBLIC).is_ok());
    assert_eq!(parse(&path(2_049), PUBLIC), Err(Refused::TooLong));

    let host = |last: usize| {
        let label = "a".repeat(63);
        format!("https://{label}.{label}.{label}.{}.com/", "b".repeat(last))
    };
    assert!(parse(&host(57), PUBLIC).is_ok());
    assert_eq!(parse(&host(58), PUBLIC), Err(Refused::HostTooLong));
    let label = "a".repeat(64);
    assert_eq!(parse(&format!("https://{label}.com/"), PUBLIC), Err(Refused::HostName));
}

#[test]
fn the_query_is_nowhere_in_what_is_printed() {
    let target = Target::parse("https://example.com/a?secret=hidden", PUBLIC).unwrap();
    assert_eq!(
        format!("{target} {target:?}"),
        "https://example.com/a?*** Target(https://example.com/a?***)"
    );
}
