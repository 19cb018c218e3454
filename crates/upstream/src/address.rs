//! The address of a service: https, or http on this machine.

use http::Uri;
use url::{Host, Url};

use crate::settings::SetupError;

/// The address that the paths of calls are appended to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// Scheme, host and port, such as `https://api.example.com`.
    origin: String,
    /// The beginning of every path, without a slash at its end.
    path: String,
}

impl Address {
    /// Refuses what would carry secrets in the open, and what the paths of calls would change.
    pub(crate) fn parse(text: &str) -> Result<Self, SetupError> {
        let url = Url::parse(text.trim()).map_err(|_| SetupError::Address)?;
        let host = url.host().ok_or(SetupError::Address)?;
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&host) => {}
            "http" => return Err(SetupError::PlainHttp),
            _ => return Err(SetupError::Address),
        }
        let is_bare = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !is_bare {
            return Err(SetupError::Address);
        }
        let origin = url.origin().ascii_serialization();
        Ok(Self { origin, path: url.path().trim_end_matches('/').to_owned() })
    }

    /// Appends a path, with its query, that begins with a slash.
    pub(crate) fn join(&self, path: &str) -> Option<Uri> {
        if !path.starts_with('/') {
            return None;
        }
        format!("{}{}{path}", self.origin, self.path).parse().ok()
    }
}

fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::Address;
    use crate::settings::SetupError;

    #[test]
    fn only_https_and_http_to_this_machine_are_addresses() {
        let rows = [
            ("https://pix.example.com", Ok("https://pix.example.com/x?y=1")),
            ("https://pix.example.com/", Ok("https://pix.example.com/x?y=1")),
            (
                "https://api.example.com:8443/core/v5/",
                Ok("https://api.example.com:8443/core/v5/x?y=1"),
            ),
            ("https://10.1.2.3", Ok("https://10.1.2.3/x?y=1")),
            ("http://localhost:8080/a", Ok("http://localhost:8080/a/x?y=1")),
            ("http://127.0.0.1:1", Ok("http://127.0.0.1:1/x?y=1")),
            ("http://[::1]:1", Ok("http://[::1]:1/x?y=1")),
            ("http://pix.example.com", Err(SetupError::PlainHttp)),
            ("http://10.1.2.3", Err(SetupError::PlainHttp)),
            ("http://localhost.example.com", Err(SetupError::PlainHttp)),
            ("ftp://pix.example.com", Err(SetupError::Address)),
            ("pix.example.com", Err(SetupError::Address)),
            ("https://user:secret@pix.example.com", Err(SetupError::Address)),
            ("https://pix.example.com/?a=b", Err(SetupError::Address)),
            ("https://pix.example.com/#a", Err(SetupError::Address)),
            ("", Err(SetupError::Address)),
        ];
        for (text, expected) in rows {
            let joined = Address::parse(text).map(|it| it.join("/x?y=1").unwrap().to_string());
            assert_eq!(joined, expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn a_path_cannot_change_the_host() {
        let address = Address::parse("https://pix.example.com").unwrap();
        for path in ["", ".example.org/", "@example.org/", "/a b", "/\r\nhost: x"] {
            assert_eq!(address.join(path), None, "{path:?}");
        }
    }
}
