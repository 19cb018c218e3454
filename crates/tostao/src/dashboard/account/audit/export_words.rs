//! The words in the file of the history.

use std::sync::Arc;

use crate::audit::export::Wording;
use crate::audit::{Action, StoredEntry};
use crate::dashboard::account::audit::names::Names;
use crate::dashboard::account::audit::words;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;

/// The names in the language of the file's reader.
#[derive(Debug, Clone)]
pub struct InWords {
    pub lang: Lang,
    pub names: Arc<Names>,
}

impl Wording for InWords {
    fn head(&self) -> [&'static str; 11] {
        let lang = self.lang;
        [
            lang.export_when(),
            lang.audit_what(),
            lang.audit_who(),
            lang.export_actor(),
            lang.export_mode(),
            lang.export_about(),
            lang.export_count(),
            lang.audit_where(),
            lang.export_request(),
            lang.export_details(),
            lang.export_id(),
        ]
    }

    fn action(&self, entry: &StoredEntry) -> String {
        what(entry, self.lang).to_owned()
    }

    fn actor(&self, entry: &StoredEntry) -> String {
        self.names.actor(entry, self.lang)
    }

    fn mode(&self, mode: Mode) -> &'static str {
        in_mode(mode, self.lang)
    }
}

/// What somebody did.
pub fn what(entry: &StoredEntry, lang: Lang) -> &'static str {
    // A version after this one may have written an action that this one does not know.
    Action::parse(&entry.action)
        .map_or_else(|| lang.audit_other(), |action| words::action(action)(lang))
}

/// In which mode.
pub fn in_mode(mode: Mode, lang: Lang) -> &'static str {
    match mode {
        Mode::Development => lang.audit_test(),
        Mode::Production => lang.audit_production(),
    }
}
