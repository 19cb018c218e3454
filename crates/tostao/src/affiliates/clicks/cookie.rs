//! The cookie with a visitor's last clicks, signed so that it cannot be forged.
//!
//! The signed text is `visitor.CODE~time.CODE~time`, the last click first.

use db::time::Timestamp;

use crate::affiliates::clicks::Click;
use crate::affiliates::links::code;
use crate::platform::secrets::{Purpose, Secrets};
use crate::platform::signed_tokens::{sign, verify};

/// More programs than anyone follows at a time; older clicks are dropped.
pub const CLICKS_MAX: usize = 8;

/// The content of the cookie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CookieContent {
    pub visitor: String,
    /// The last one first.
    pub clicks: Vec<Click>,
}

/// Writes the cookie's value.
pub fn write(secrets: &Secrets, kept: &CookieContent) -> String {
    let clicks = kept.clicks.iter().map(|click| format!("{}~{}", click.code, click.at.micros()));
    let parts: Vec<String> = std::iter::once(kept.visitor.clone()).chain(clicks).collect();
    sign(secrets, Purpose::AffiliateClicks, parts.join(".").as_bytes())
}

/// Reads a value; `None` if we did not write it.
pub fn read(secrets: &Secrets, value: &str) -> Option<CookieContent> {
    let text = String::from_utf8(verify(secrets, Purpose::AffiliateClicks, value)?).ok()?;
    let (visitor, clicks) = text.split_once('.').unwrap_or((&text, ""));
    let clicks = clicks.split('.').filter_map(|click| {
        let (text, micros) = click.split_once('~')?;
        Some(Click { code: code::parse(text)?, at: Timestamp::from_micros(micros.parse().ok()?) })
    });
    Some(CookieContent { visitor: visitor.to_owned(), clicks: clicks.take(CLICKS_MAX).collect() })
}

impl CookieContent {
    /// Adds a click and removes an earlier one with the same code.
    #[must_use]
    pub fn with(mut self, click: Click) -> Self {
        self.clicks.retain(|earlier| earlier.code != click.code);
        self.clicks.insert(0, click);
        self.clicks.truncate(CLICKS_MAX);
        self
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use db::time::Timestamp;

    use super::{CLICKS_MAX, CookieContent, read, write};
    use crate::affiliates::clicks::Click;
    use crate::platform::secrets::{Purpose, Secrets};

    fn click(code: &str, at: i64) -> Click {
        Click { code: code.to_owned(), at: Timestamp::from_micros(at) }
    }

    #[test]
    fn only_what_we_wrote_is_read() {
        let secrets = Secrets::derive("a secret of more than 32 characters");
        let clicks = vec![click("ANA-7K2M9Q", 2), click("BIA-000000", 1)];
        let kept = CookieContent { visitor: "00ff".to_owned(), clicks };
        let value = write(&secrets, &kept);
        assert_eq!(read(&secrets, &value), Some(kept));
        assert_eq!(read(&Secrets::derive("another"), &value), None);
    }

    /// A visitor without a cookie is named by a signature of what their browser sends.
    #[test]
    fn the_name_of_a_visitor_signs_no_cookie() {
        let secrets = Secrets::derive("a secret of more than 32 characters");
        let sent = b"00ff.ANA-7K2M9Q~1";
        let name = &secrets.sign(Purpose::AffiliateClicks, sent)[..16];
        for version in [&[][..], &[1]] {
            let forged = URL_SAFE_NO_PAD.encode([version, sent, name].concat());
            assert_eq!(read(&secrets, &forged), None);
        }
    }

    #[test]
    fn the_last_clicks_are_kept_each_code_once() {
        let mut kept = CookieContent { visitor: "00ff".to_owned(), clicks: Vec::new() };
        for number in 0..10 {
            kept = kept.with(click(&format!("ANA-00000{number}"), number));
        }
        assert_eq!(kept.clicks.len(), CLICKS_MAX);
        kept = kept.with(click("ANA-000005", 10));
        let codes: Vec<_> = kept.clicks.iter().map(|click| click.code.as_str()).collect();
        assert_eq!(codes[..3], ["ANA-000005", "ANA-000009", "ANA-000008"]);
        assert_eq!(codes.len(), CLICKS_MAX);
    }
}
