//! The host that a request names, compared with public URLs.

use std::sync::Arc;

use http::{HeaderMap, header};
use url::Url;

/// The public URLs of the API and of the checkout. Clones share them.
#[derive(Debug, Clone)]
pub struct PublicUrls(Arc<[String; 2]>);

impl PublicUrls {
    pub fn new(base: String, checkout: String) -> Self {
        Self(Arc::new([base, checkout]))
    }

    /// The public URL of the checkout.
    pub fn checkout(&self) -> &str {
        let [_, checkout] = &*self.0;
        checkout
    }

    /// Both of them.
    pub fn all(&self) -> &[String] {
        self.0.as_slice()
    }

    /// Whether the URL that a request was sent to is https. A proxy may hide which of them that is;
    /// then whether either is.
    pub fn is_https(&self, headers: &HeaderMap) -> bool {
        let is_https = |url: &String| url.starts_with("https:");
        let [base, checkout] = &*self.0;
        // URLs are read only where it matters which one is meant.
        if is_https(base) == is_https(checkout) {
            return is_https(base);
        }
        let host = requested(headers);
        let is_named = self.all().iter().any(|url| is_of(host, url));
        let mut meant = self.all().iter().filter(|url| !is_named || is_of(host, url));
        meant.any(is_https)
    }
}

/// The host and the port that a request names.
pub fn requested(headers: &HeaderMap) -> &str {
    headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default()
}

/// Whether a host, as a request names it, is that of a URL; the port of the scheme may be named.
pub fn is_of(host: &str, url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let is_host = |byte: u8| byte.is_ascii_graphic() && !b"/\\?#@".contains(&byte);
    if host.is_empty() || !host.bytes().all(is_host) {
        return false;
    }
    Url::parse(&format!("{}://{host}", url.scheme())).is_ok_and(|named| {
        named.host() == url.host() && named.port_or_known_default() == url.port_or_known_default()
    })
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, header};

    use super::{PublicUrls, is_of};

    #[test]
    fn a_request_is_https_if_the_url_is_that_it_was_sent_to_or_either_where_that_is_hidden() {
        let (plain, secure) = ("http://api.example.com", "https://pay.example.com");
        let table = [
            (secure, secure, "pay.example.com", true),
            (secure, secure, "behind.a.proxy", true),
            (plain, plain, "api.example.com", false),
            (plain, plain, "behind.a.proxy", false),
            (plain, secure, "pay.example.com", true),
            (plain, secure, "api.example.com", false),
            (plain, secure, "behind.a.proxy", true),
            (secure, plain, "api.example.com", false),
        ];
        for (base, checkout, host, expected) in table {
            let urls = PublicUrls::new(base.to_owned(), checkout.to_owned());
            let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static(host))]);
            assert_eq!(urls.is_https(&headers), expected, "{host} of {base} and {checkout}");
        }
    }

    #[test]
    fn a_host_is_that_of_a_url_with_or_without_the_port_of_its_scheme() {
        let table = [
            ("https://pay.example.com", "pay.example.com", true),
            ("https://pay.example.com", "PAY.example.com:443", true),
            ("https://pay.example.com:443/base", "pay.example.com", true),
            ("https://pay.example.com", "pay.example.com:80", false),
            ("https://pay.example.com", "pay.example.com:8443", false),
            ("https://pay.example.com:8443", "pay.example.com:8443", true),
            ("https://pay.example.com:8443", "pay.example.com", false),
            ("http://pay.example.com", "pay.example.com:80", true),
            ("http://127.0.0.1:8080", "127.0.0.1:8080", true),
            ("http://[::1]:8080", "[::1]:8080", true),
            ("https://pay.example.com", "pay.example.com.evil.example", false),
            ("https://pay.example.com", "evil.example@pay.example.com", false),
            ("https://pay.example.com", "pay.example.com/", false),
            ("https://pay.example.com", "", false),
        ];
        for (url, host, expected) in table {
            assert_eq!(is_of(host, url), expected, "{host} of {url}");
        }
    }
}
