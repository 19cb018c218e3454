//! A form whose session ended while it was filled in: it is drawn again, with its values, once its
//! person has signed in.
//!
//! What was posted goes with the browser, sealed for its person, account and page, so the server
//! stores nothing and no one else's sign-in shows it. It is never carried out: the form comes back
//! as it was before the button.

use std::io::{Read, Write};
use std::time::Duration;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::de::DeserializeOwned;
use url::form_urlencoded;
use uuid::Uuid;

use crate::app::App;
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::{Error, Result};
use crate::platform::http::card_data;
use crate::platform::ids::{MerchantId, PersonId};
use crate::platform::signed_tokens::{open, seal};

/// The parameter of an address that holds what was posted there.
const PARAMETER: &str = "kept";
/// How long a person has to sign in.
const KEPT_FOR: Duration = Duration::from_mins(15);
/// The address is in a header beside cookies, for all of which some proxies have 4 KiB.
const SEALED_LENGTH_MAX: usize = 2_800;
/// What the names of fields say that a person types again.
const SECRETS: [&str; 2] = ["password", "proof"];
/// Where all that is typed is secret; only where a person goes on is kept.
const SECRET_PAGES: [&str; 2] = ["/account/security", "/account/close"];
/// Where a code stands beside what may be kept.
const EMAIL_PAGE: &str = "/account/profile/email";
/// What a button does at an address that has no page: the page above it has the button.
const ACTIONS: [&str; 18] = [
    "/cancel",
    "/clear",
    "/confirm",
    "/decide",
    "/diagnose",
    "/document",
    "/enable",
    "/end",
    "/logo",
    "/pause",
    "/receipt",
    "/recover",
    "/resend",
    "/review",
    "/simulate",
    "/switch",
    "/switch-on",
    "/test",
];

/// What was posted, and by whom.
struct KeptForm {
    who: (MerchantId, PersonId),
    /// URL-encoded and compressed.
    posted: Vec<u8>,
}

/// The page of the form that was posted to a path, which draws it again.
pub fn page_of(
    app: &App,
    (merchant, person): (MerchantId, PersonId),
    path: &str,
    posted: &[u8],
) -> Result<String> {
    let page = ACTIONS.iter().find_map(|action| path.strip_suffix(action)).unwrap_or(path);
    let posted = compressed(&without_secrets(page, posted))?;
    let content = [&merchant.0.as_bytes()[..], &person.0.as_bytes()[..], &posted].concat();
    let (nonce, ends_at) = (app.database.sources().random(), app.now().plus(KEPT_FOR));
    let sealed = seal(&app.secrets, nonce, &purpose(page), &content, ends_at);
    if sealed.len() > SEALED_LENGTH_MAX {
        return Ok(page.to_owned());
    }
    Ok(format!("{page}?{PARAMETER}={sealed}"))
}

/// Whose form an address holds, and in which account; `None` if it holds none.
pub fn whose(app: &App, address: &str) -> Option<(MerchantId, PersonId)> {
    let (path, query) = address.split_once('?')?;
    find(app, path, query).map(|kept| kept.who)
}

/// The form of a page as its person filled it in before their session ended; `None` if the page is
/// opened as usual.
pub fn read<T: DeserializeOwned>(
    app: &App,
    who: (MerchantId, PersonId),
    visit: &Visit,
) -> Option<T> {
    let kept = find(app, &visit.path, &visit.query).filter(|kept| kept.who == who)?;
    let mut posted = Vec::new();
    DeflateDecoder::new(&*kept.posted).read_to_end(&mut posted).ok()?;
    serde_urlencoded::from_bytes(&posted).ok()
}

fn find(app: &App, path: &str, query: &str) -> Option<KeptForm> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let (_, sealed) = pairs.find(|(name, _)| name == PARAMETER)?;
    let content = open(&app.secrets, app.now(), &purpose(path), &sealed)?;
    let (merchant, rest) = content.split_at_checked(16)?;
    let (person, posted) = rest.split_at_checked(16)?;
    let (merchant, person) = (Uuid::from_slice(merchant).ok()?, Uuid::from_slice(person).ok()?);
    Some(KeptForm { who: (MerchantId(merchant), PersonId(person)), posted: posted.to_vec() })
}

fn purpose(page: &str) -> String {
    format!("form {page}")
}

/// The fields without passwords, codes and numbers of cards.
fn without_secrets(page: &str, posted: &[u8]) -> String {
    let is_kept = |name: &str, value: &str| {
        let name = name.to_ascii_lowercase();
        if SECRET_PAGES.iter().any(|secret| page.starts_with(secret)) {
            return name == "next";
        }
        if page == EMAIL_PAGE {
            return name == "email";
        }
        !SECRETS.iter().any(|secret| name.contains(secret)) && !card_data::stands_in(&name, value)
    };
    let mut kept = form_urlencoded::Serializer::new(String::new());
    kept.extend_pairs(form_urlencoded::parse(posted).filter(|(name, value)| is_kept(name, value)));
    kept.finish()
}

fn compressed(text: &str) -> Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).map_err(|error| Error::Internal(error.into()))?;
    encoder.finish().map_err(|error| Error::Internal(error.into()))
}

#[cfg(test)]
mod tests {
    use super::without_secrets;

    #[test]
    fn what_a_person_types_again_is_not_kept() {
        let posted = b"title=Caf%C3%A9&password=x&newPassword=y&amountCents=49%2C90\
                       &note=4111+1111+1111+1111";
        assert_eq!(
            without_secrets("/dashboard/dev/links/new", posted),
            "title=Caf%C3%A9&amountCents=49%2C90"
        );
        let posted = b"code=123456&email=a%40example.com&password=x";
        assert_eq!(without_secrets("/account/profile/email", posted), "email=a%40example.com");
        let posted = b"code=123456&next=%2Fdashboard";
        assert_eq!(without_secrets("/account/security/second-step", posted), "next=%2Fdashboard");
    }
}
