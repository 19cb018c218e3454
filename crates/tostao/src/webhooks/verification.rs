//! Whether a delivery is signed, and if not, the mistake that explains it.
//!
//! A receiver that refuses a genuine delivery has changed its bytes, or computes something else
//! than was signed. Both are tried here, one mistake after the other, until a signature matches.

use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use db::hex::hex;

use crate::platform::messages::Lang;

mod bodies;
mod order;
#[cfg(test)]
mod tests;

const PREFIX: &str = "whsec_";
/// The name and the separator of a Standard Webhooks signature.
const VERSION: &str = "v1,";
/// Seconds since 1970 with more digits are milliseconds.
const SECONDS_MAX: i64 = 100_000_000_000;

/// What a receiver got.
#[derive(Debug, Clone, Default)]
pub struct Received<'a> {
    pub body: &'a [u8],
    /// `X-Webhook-Signature`.
    pub own: Option<&'a str>,
    /// `webhook-signature`.
    pub standard: Option<&'a str>,
    /// `webhook-id`.
    pub id: Option<&'a str>,
    /// `webhook-timestamp`.
    pub timestamp: Option<&'a str>,
}

impl<'a> Received<'a> {
    /// From the headers that came, by their names in lower case.
    pub fn new(body: &'a [u8], header: impl Fn(&str) -> Option<&'a str>) -> Self {
        let first = |names: [&str; 2]| names.into_iter().find_map(&header);
        Self {
            body,
            own: first(["x-webhook-signature", "x-service-signature"]),
            standard: header("webhook-signature"),
            id: first(["webhook-id", "x-webhook-id"]),
            timestamp: first(["webhook-timestamp", "x-webhook-timestamp"]),
        }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every signature that was sent is right.
    Verified,
    /// A signature would be right but for this mistake.
    Mistaken(Mistake, Option<Difference>),
    /// No signature was sent.
    Unsigned,
    /// Nothing that is tried explains it.
    Unexplained,
}

/// The bytes that came and those that were signed, from shortly before the first difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub received: String,
    pub signed: String,
}

/// A mistake that people make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// The signature is right and its time is not: an old delivery, or a clock that is wrong.
    Stale { seconds: i64 },
    /// The timestamp is not a number of seconds.
    Milliseconds,
    /// The body was parsed and written again with other spaces.
    Spaces,
    /// The body was parsed and written again with other escapes.
    Escapes,
    /// The body was parsed and written again with its fields in another order.
    FieldOrder,
    /// A line break was added at the end.
    LineBreakAdded,
    /// A line break was lost at the end.
    LineBreakLost,
    /// The line breaks are those of Windows.
    CarriageReturns,
    /// The body was read in another encoding than UTF-8.
    Encoding,
    /// The body begins with a byte order mark.
    ByteOrderMark,
    /// The secret has space or quotes around it.
    SecretSpaced,
    /// The secret lacks its beginning.
    SecretWithoutPrefix,
    /// One of the other secrets signs it.
    OtherSecret,
    /// The secret from before the last rotation signs it.
    RotatedSecret,
    /// The secret of another webhook of the same mode signs it.
    OtherWebhook,
    /// The secret of a webhook of the other mode signs it.
    OtherMode,
    /// The secret's text is the key where its bytes are meant.
    SecretNotDecoded,
    /// The secret's bytes are the key where its text is meant.
    SecretDecoded,
    /// The signature is written in hexadecimal.
    Hexadecimal,
    /// The signature is written in the alphabet of URLs.
    UrlAlphabet,
    /// The body alone was signed where id, time and body are meant, or the reverse.
    OtherMessage,
}

impl Mistake {
    /// The name, for a program.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Stale { .. } => "STALE",
            Self::Milliseconds => "MILLISECONDS",
            Self::Spaces => "SPACES",
            Self::Escapes => "ESCAPES",
            Self::FieldOrder => "FIELD_ORDER",
            Self::LineBreakAdded => "LINE_BREAK_ADDED",
            Self::LineBreakLost => "LINE_BREAK_LOST",
            Self::CarriageReturns => "CARRIAGE_RETURNS",
            Self::Encoding => "ENCODING",
            Self::ByteOrderMark => "BYTE_ORDER_MARK",
            Self::SecretSpaced => "SECRET_SPACED",
            Self::SecretWithoutPrefix => "SECRET_WITHOUT_PREFIX",
            Self::OtherSecret => "OTHER_SECRET",
            Self::RotatedSecret => "ROTATED_SECRET",
            Self::OtherWebhook => "SECRET_OF_OTHER_WEBHOOK",
            Self::OtherMode => "SECRET_OF_OTHER_MODE",
            Self::SecretNotDecoded => "SECRET_NOT_DECODED",
            Self::SecretDecoded => "SECRET_DECODED",
            Self::Hexadecimal => "HEXADECIMAL",
            Self::UrlAlphabet => "URL_ALPHABET",
            Self::OtherMessage => "OTHER_MESSAGE",
        }
    }

    /// What it is and what to do, for a person.
    pub fn explained(self, lang: Lang) -> String {
        let text = match self {
            Self::Stale { seconds } => return lang.cli_stale(seconds),
            Self::Milliseconds => lang.cli_milliseconds(),
            Self::Spaces => lang.cli_spaces(),
            Self::Escapes => lang.cli_escapes(),
            Self::FieldOrder => lang.cli_field_order(),
            Self::LineBreakAdded => lang.cli_line_break_added(),
            Self::LineBreakLost => lang.cli_line_break_lost(),
            Self::CarriageReturns => lang.cli_carriage_returns(),
            Self::Encoding => lang.cli_encoding(),
            Self::ByteOrderMark => lang.cli_byte_order_mark(),
            Self::SecretSpaced => lang.cli_secret_spaced(),
            Self::SecretWithoutPrefix => lang.cli_secret_without_prefix(),
            Self::OtherSecret => lang.cli_other_secret(),
            Self::RotatedSecret => lang.cli_rotated_secret(),
            Self::OtherWebhook => lang.cli_secret_of_other_webhook(),
            Self::OtherMode => lang.cli_secret_of_other_mode(),
            Self::SecretNotDecoded => lang.cli_secret_not_decoded(),
            Self::SecretDecoded => lang.cli_secret_decoded(),
            Self::Hexadecimal => lang.cli_hexadecimal(),
            Self::UrlAlphabet => lang.cli_url_alphabet(),
            Self::OtherMessage => lang.cli_other_message(),
        };
        text.to_owned()
    }
}

/// A way to write a signature, with the mistake that it is.
type Writing = (fn(&[u8]) -> String, Option<Mistake>);

/// How a signature may be written, the right way first.
const WRITINGS: [Writing; 3] = [
    (|signature| STANDARD.encode(signature), None),
    (hex_text, Some(Mistake::Hexadecimal)),
    (|signature| URL_SAFE.encode(signature), Some(Mistake::UrlAlphabet)),
];

/// What a delivery is checked with.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The secret that should sign it.
    pub secret: &'a str,
    /// Secrets that only serve to explain, with the mistake that each of them is.
    pub others: &'a [(&'a str, Mistake)],
    /// A body with the same fields, in the order in which the server writes them.
    pub like: Option<&'a str>,
}

/// Which of the two signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Header {
    Own,
    Standard,
}

/// Checks a delivery, at a time in seconds since 1970.
pub fn verify(received: &Received<'_>, known: Known<'_>, (now, skew): (i64, i64)) -> Verdict {
    let secret = known.secret;
    let sent = received.sent();
    if sent.is_empty() {
        return Verdict::Unsigned;
    }
    let wrong = sent.iter().find(|header| !received.is_signed(**header, secret, received.body));
    let Some(header) = wrong else { return received.timely(now, skew) };
    let none = |mistake| Verdict::Mistaken(mistake, None);
    let by_secret = received.explained_by_secret(*header, known).map(none);
    let by_body = || received.explained_by_body(*header, known);
    let by_method = || received.explained_by_method(*header, secret).map(none);
    by_secret.or_else(by_body).or_else(by_method).unwrap_or(Verdict::Unexplained)
}

impl Received<'_> {
    fn sent(&self) -> Vec<Header> {
        let own = self.own.map(|_| Header::Own);
        own.into_iter().chain(self.standard.map(|_| Header::Standard)).collect()
    }

    /// Whether a body has the signature of a header.
    fn is_signed(&self, header: Header, secret: &str, body: &[u8]) -> bool {
        let key = match header {
            Header::Own => secret.as_bytes().to_vec(),
            Header::Standard => decoded(secret),
        };
        if key.is_empty() {
            // A text that is no secret would make a key that everybody knows.
            return false;
        }
        let message = match header {
            Header::Own => Some(body.to_vec()),
            Header::Standard => self.message(self.timestamp, body),
        };
        message.is_some_and(|message| self.has(header, &STANDARD.encode(mac(&key, &message))))
    }

    /// A signature that is right is still refused if its time is not.
    fn timely(&self, now: i64, skew: i64) -> Verdict {
        let Some(at) = self.timestamp.and_then(|text| text.trim().parse::<i64>().ok()) else {
            return Verdict::Verified;
        };
        let seconds = now.saturating_sub(at);
        if self.standard.is_some() && seconds.saturating_abs() > skew {
            return Verdict::Mistaken(Mistake::Stale { seconds }, None);
        }
        Verdict::Verified
    }

    fn explained_by_secret(&self, header: Header, known: Known<'_>) -> Option<Mistake> {
        let secret = known.secret;
        let bare = secret.trim().trim_matches(['"', '\'']);
        let whole = format!("{PREFIX}{bare}");
        let tried = [(bare, Mistake::SecretSpaced), (&*whole, Mistake::SecretWithoutPrefix)];
        let tried = tried.into_iter().chain(known.others.iter().copied());
        let mut tried = tried.filter(|(tried, _)| *tried != secret);
        let found = tried.find(|(tried, _)| self.is_signed(header, tried, self.body));
        found.map(|(_, mistake)| mistake)
    }

    fn explained_by_body(&self, header: Header, known: Known<'_>) -> Option<Verdict> {
        let mut tried = bodies::restored(self.body, known.like);
        let found = tried.find(|(_, body)| self.is_signed(header, known.secret, body));
        let difference = |body: &[u8]| Some(Difference::between(self.body, body));
        found.map(|(mistake, body)| Verdict::Mistaken(mistake, difference(&body)))
    }

    /// Tries other keys, messages and writings on the body as it came.
    fn explained_by_method(&self, header: Header, secret: &str) -> Option<Mistake> {
        let (text, bytes) = (secret.as_bytes().to_vec(), decoded(secret));
        let (right, wrong, of_key) = match header {
            Header::Own => (text, bytes, Mistake::SecretDecoded),
            Header::Standard => (bytes, text, Mistake::SecretNotDecoded),
        };
        let keys = [(&right, None), (&wrong, Some(of_key))];
        for (key, of_key) in keys {
            for (message, of_message) in self.messages(header) {
                for (written, of_writing) in WRITINGS {
                    if self.has(header, &written(&mac(key, &message))) {
                        return of_key.or(of_message).or(of_writing);
                    }
                }
            }
        }
        None
    }

    /// What might have been signed, the right message first.
    fn messages(&self, header: Header) -> Vec<(Vec<u8>, Option<Mistake>)> {
        let body = Some(self.body.to_vec());
        let whole = self.message(self.timestamp, self.body);
        let (right, wrong) = match header {
            Header::Own => (body, whole),
            Header::Standard => (whole, body),
        };
        let seconds = self.timestamp.and_then(|text| text.trim().parse::<i64>().ok());
        let other =
            seconds.map(|at| if at > SECONDS_MAX { at / 1_000 } else { at.saturating_mul(1_000) });
        let other = other.filter(|_| header == Header::Standard);
        let other = other.and_then(|at| self.message(Some(&at.to_string()), self.body));
        let all = [
            (right, None),
            (wrong, Some(Mistake::OtherMessage)),
            (other, Some(Mistake::Milliseconds)),
        ];
        all.into_iter().filter_map(|(message, mistake)| Some((message?, mistake))).collect()
    }

    /// The message of a Standard Webhooks signature.
    fn message(&self, timestamp: Option<&str>, body: &[u8]) -> Option<Vec<u8>> {
        let (id, timestamp) = (self.id?.trim(), timestamp?.trim());
        Some([id.as_bytes(), timestamp.as_bytes(), body].join(&b'.'))
    }

    /// Whether a header has this signature, which is public here: the caller sent it.
    fn has(&self, header: Header, signature: &str) -> bool {
        let sent = match header {
            Header::Own => self.own,
            Header::Standard => self.standard,
        };
        let mut sent = sent.unwrap_or_default().split_whitespace();
        sent.any(|one| one.strip_prefix(VERSION).unwrap_or(one) == signature)
    }
}

impl Difference {
    /// Shows both texts from a little before where they part.
    fn between(received: &[u8], signed: &[u8]) -> Self {
        const BEFORE: usize = 6;
        const SHOWN: usize = 24;
        let same = received.iter().zip(signed).take_while(|(a, b)| a == b).count();
        let from = same.saturating_sub(BEFORE);
        let part = |bytes: &[u8]| {
            let end = bytes.len().min(from + SHOWN);
            String::from_utf8_lossy(&bytes[from.min(end)..end]).chars().map(visible).collect()
        };
        Self { received: part(received), signed: part(signed) }
    }
}

/// A character as it came, or its code where it would be invisible.
fn visible(character: char) -> String {
    match character {
        '"' | '\'' | '\\' => character.to_string(),
        _ => character.escape_debug().to_string(),
    }
}

/// The bytes that a secret's text stands for.
fn decoded(secret: &str) -> Vec<u8> {
    let encoded = secret.strip_prefix(PREFIX).unwrap_or(secret);
    STANDARD.decode(encoded).unwrap_or_default()
}

fn mac(key: &[u8], message: &[u8]) -> Vec<u8> {
    sign(&Key::new(HMAC_SHA256, key), message).as_ref().to_vec()
}

fn hex_text(bytes: &[u8]) -> String {
    hex(bytes)
}
