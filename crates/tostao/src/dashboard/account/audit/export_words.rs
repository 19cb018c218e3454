//! The words of the history, in its file as on its page.

use std::sync::Arc;

use serde_json::Value;

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

    fn details(&self, entry: &StoredEntry) -> String {
        details(entry, self.lang).collect::<Vec<_>>().join(" · ")
    }
}

/// What somebody did.
pub fn what(entry: &StoredEntry, lang: Lang) -> &'static str {
    // A version after this one may have written an action that this one does not know.
    Action::parse(&entry.action)
        .map_or_else(|| lang.audit_other(), |action| words::action(action)(lang))
}

/// What is known beside that, a text each.
pub fn details(entry: &StoredEntry, lang: Lang) -> impl Iterator<Item = String> {
    let known = entry.details.iter().filter(|(_, value)| !value.is_null());
    known.map(move |(name, value)| detail(name, value, lang))
}

/// A detail, with words for those that many entries have.
fn detail(name: &str, value: &Value, lang: Lang) -> String {
    let label = match name {
        "permissions" => lang.key_may(),
        "secondStep" => lang.security_step(),
        name => name,
    };
    let said = match value {
        Value::String(text) => match (name, &**text) {
            ("secondStep", "none") => lang.audit_no_code().to_owned(),
            ("secondStep", "app") => lang.audit_code_of_app().to_owned(),
            ("secondStep", "backup_code") => lang.audit_backup_code().to_owned(),
            (_, text) => text.to_owned(),
        },
        Value::Array(all) => {
            let text = |one: &Value| one.as_str().map_or_else(|| one.to_string(), str::to_owned);
            all.iter().map(text).collect::<Vec<_>>().join(", ")
        }
        value => value.to_string(),
    };
    format!("{label}: {said}")
}

/// In which mode.
pub fn in_mode(mode: Mode, lang: Lang) -> &'static str {
    match mode {
        Mode::Development => lang.audit_test(),
        Mode::Production => lang.audit_production(),
    }
}
