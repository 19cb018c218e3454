//! The notices of received payments and their refunds, of which only names are read.

use std::collections::HashSet;

use rails::connection::{Notice, Subject};
use rails::entries::is_name;
use rails::error::ProviderError;
use serde::Deserialize;
use serde_json::value::RawValue;

/// What else a message names is found by reading the window of its time.
const NOTICES_MAX: usize = 1_000;

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    pix: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Received {
    #[serde(rename = "endToEndId")]
    end_to_end_id: String,
}

/// Reads what a message names; a bank may test an address with a message that names nothing.
pub fn read(
    body: &[u8],
    name: impl Fn(&RawValue) -> Option<(Subject, String)>,
) -> Result<Vec<Notice>, ProviderError> {
    let message: Message = serde_json::from_slice(body)
        .map_err(|_| ProviderError::refused("the message is no JSON object with a list `pix`"))?;
    Ok(named(&message.pix, name))
}

/// What the entries of a message name, each object once.
pub fn named(
    entries: &[Box<RawValue>],
    name: impl Fn(&RawValue) -> Option<(Subject, String)>,
) -> Vec<Notice> {
    let mut seen = HashSet::new();
    let named = entries.iter().filter_map(|entry| name(entry));
    let notices = named.filter(|(_, id)| is_name(id)).map(|(subject, id)| Notice { subject, id });
    notices.filter(|notice| seen.insert(notice.clone())).take(NOTICES_MAX).collect()
}

/// The payment that an entry names.
pub fn received(entry: &RawValue) -> Option<(Subject, String)> {
    let named: Received = serde_json::from_str(entry.get()).ok()?;
    Some((Subject::ReceivedPix, named.end_to_end_id))
}
