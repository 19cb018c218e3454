//! The page that leads to everything else: conventions, guides, operations, events and errors.

use askama::Template;

use crate::events::names::Name;
use crate::guides::{ALL, PATH};
use crate::openapi::docs::fields::FieldRow;
use crate::openapi::docs::reference::Reference;
use crate::openapi::docs::texts::plain;
use crate::openapi::webhooks::HEADERS;
use crate::platform::assets;
use crate::platform::error::ErrorCode;

/// The page.
#[derive(Template)]
#[template(path = "docs/index.html")]
pub struct Index<'a> {
    reference: &'a Reference,
    codes: Vec<Code>,
    event_headers: Vec<FieldRow>,
    events: Vec<EventType>,
}

/// An error code.
struct Code {
    name: &'static str,
    status: u16,
    when: String,
}

/// An event that webhooks may subscribe to.
struct EventType {
    name: &'static str,
    aliases: String,
    when: String,
}

impl<'a> Index<'a> {
    /// The page of a reference.
    pub fn of(reference: &'a Reference) -> Self {
        Self {
            reference,
            codes: ErrorCode::ALL.iter().map(|code| Code::of(*code)).collect(),
            event_headers: HEADERS.iter().map(header).collect(),
            events: Name::ALL.iter().map(|name| EventType::of(*name)).collect(),
        }
    }
}

impl Code {
    fn of(code: ErrorCode) -> Self {
        Self { name: code.name(), status: code.status(), when: plain(code.when()) }
    }
}

impl EventType {
    fn of(name: Name) -> Self {
        let aliases = name.aliases().collect::<Vec<_>>().join(", ");
        Self { name: name.text(), aliases, when: plain(name.when()) }
    }
}

/// A header of a delivery.
fn header((name, kind, meaning): &(&str, &str, &str)) -> FieldRow {
    FieldRow {
        name: (*name).to_owned(),
        kind: (*kind).to_owned(),
        required: true,
        meaning: plain(meaning),
        limits: String::new(),
        values: Vec::new(),
    }
}
