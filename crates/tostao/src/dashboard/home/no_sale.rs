//! What stands where a mode has no sale yet: the way to the first one.

use crate::dashboard::links::new_pages::NEW;
use crate::dashboard::parts::NothingYet;
use crate::dashboard::shell::url;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, Permissions};

/// Leads to a new link, or to how one is made for a role that may not make one.
pub fn no_sale(mode: Mode, permissions: &Permissions, lang: Lang) -> NothingYet {
    NothingYet {
        heading: lang.home_no_sale(),
        note: match mode {
            Mode::Development => lang.home_no_sale_note(),
            Mode::Production => lang.home_no_sale_note_production(),
        },
        step: Some(way_to_link(mode, permissions, lang)),
    }
}

/// Where a link is made, and the name of that.
pub fn way_to_link(mode: Mode, permissions: &Permissions, lang: Lang) -> (String, &'static str) {
    if permissions.contains(Permission::PaymentLinksWrite) {
        return (url(mode, NEW), lang.links_make_one());
    }
    ("/docs/api/payment-links".to_owned(), lang.home_how())
}
