//! What pages are built from: states, figures, lists in pages, and parts that cannot be read.

use std::borrow::Cow;

use crate::platform::error::Result;
use crate::platform::http::context::RequestContext;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, Permissions};

/// A text in the language of a page.
pub type Text = fn(Lang) -> &'static str;

/// What a state means for its reader: its colour and its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Done, as wanted.
    Good,
    /// Not over yet.
    Wait,
    /// Failed.
    Bad,
    /// Over, without a success or a failure.
    Off,
}

/// A state: shape, colour and word.
#[derive(Debug, Clone)]
pub struct State {
    pub tone: Tone,
    pub word: &'static str,
}

/// A figure, what it means, and the list that it is the sum of, where there is one.
pub struct Figure {
    pub label: &'static str,
    pub value: String,
    pub note: Cow<'static, str>,
    pub list_url: Option<String>,
}

/// What can be done with an object: where, or why not.
pub enum Action {
    Possible(String),
    /// It is shown with the reason, not hidden.
    Refused(&'static str),
}

/// The form that switches an object on or off.
pub struct Switch {
    pub action: Action,
    /// The field of the body that it sets, the value, and the name of that.
    pub field: &'static str,
    pub status: &'static str,
    pub name: &'static str,
}

/// One of the values of a filter or a field.
pub struct Choice {
    pub value: &'static str,
    pub name: &'static str,
    pub is_chosen: bool,
}

/// Where a list is had as a file for spreadsheets, with the same filter.
#[derive(Debug, Clone)]
pub struct Exports {
    pub csv_url: String,
    pub xlsx_url: String,
}

impl Exports {
    /// By the address of the list's export, which may have a query.
    pub fn of(address: &str) -> Self {
        let separator = if address.contains('?') { '&' } else { '?' };
        let url = |format: &str| format!("{address}{separator}format={format}");
        Self { csv_url: url("csv"), xlsx_url: url("xlsx") }
    }
}

/// One of the objects that a filter or a field chooses among.
#[derive(Debug, Clone)]
pub struct NamedChoice {
    pub value: String,
    pub name: String,
    pub is_chosen: bool,
}

/// A choice among objects, and its error.
#[derive(Debug, Clone, Default)]
pub struct NamedSelect {
    pub choices: Vec<NamedChoice>,
    pub error: Option<String>,
}

/// Where a list goes on, and where it begins.
#[derive(Debug, Clone, Default)]
pub struct Pager {
    /// The newest rows, on every page but theirs.
    pub first_url: Option<String>,
    /// The rows after these, if there are any.
    pub next_url: Option<String>,
}

/// A list without a row: nothing exists yet.
pub struct NothingYet {
    pub heading: &'static str,
    pub note: &'static str,
    /// The one next step: where, and its name.
    pub step: Option<(String, &'static str)>,
}

/// A list without a row: no row passes the filters.
pub struct NothingMatches {
    pub heading: String,
    /// The same list without the filters.
    pub all_url: String,
}

/// A part of a page, or the request in which it could not be read.
pub enum Part<T> {
    Read(T),
    Unreadable { request_id: String },
}

/// The form that switches what is on or off by the field `isActive`; of the names the first is that
/// of switching it on.
pub fn switch_between(is_active: bool, action: Action, [on, off]: [&'static str; 2]) -> Switch {
    let (status, name) = if is_active { ("false", off) } else { ("true", on) };
    Switch { action, field: "isActive", status, name }
}

impl Tone {
    /// The class of the state in the style sheet, which adds the shape.
    pub fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Wait => "wait",
            Self::Bad => "bad",
            Self::Off => "off",
        }
    }
}

impl Action {
    /// Leads people there whose permissions include the one that is needed.
    pub fn needing(needed: Permission, held: &Permissions, url: String, lang: Lang) -> Self {
        if held.contains(needed) {
            Self::Possible(url)
        } else {
            Self::Refused(lang.payment_role_may_not())
        }
    }
}

impl<T> Part<T> {
    /// What was read; an error is logged, and the rest of the page stands.
    pub fn of(read: Result<T>, context: &RequestContext) -> Self {
        read.map_or_else(
            |error| {
                let request_id = context.request_id.clone();
                tracing::error!(request_id, "a part of a page could not be read: {error}");
                Self::Unreadable { request_id }
            },
            Self::Read,
        )
    }

    /// What was read, for a part without which the page is complete.
    pub fn read(self) -> Option<T> {
        match self {
            Self::Read(read) => Some(read),
            Self::Unreadable { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::Part;
    use crate::platform::error::Error;
    use crate::platform::http::context::RequestContext;

    #[test]
    fn a_part_that_cannot_be_read_names_its_request() {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let context = RequestContext::new("a-request".to_owned(), "/".to_owned(), address);
        let failed = Part::<u8>::of(Err(Error::Unavailable("locked".to_owned())), &context);
        assert!(matches!(failed, Part::Unreadable { request_id } if request_id == "a-request"));
        assert!(matches!(Part::of(Ok(1_u8), &context), Part::Read(1)));
    }
}
