//! Who is who in the history of an account.

use std::collections::BTreeMap;

use db::tx::Tx;
use uuid::Uuid;

use crate::app::App;
use crate::audit::{ActorKind, StoredEntry};
use crate::credentials;
use crate::people;
use crate::platform::error::{Error, Result};
use crate::platform::ids::MerchantId;
use crate::platform::messages::Lang;

/// The names of the people and keys of an account.
#[derive(Debug)]
pub struct Names {
    people: BTreeMap<Uuid, String>,
    keys: BTreeMap<Uuid, String>,
}

impl Names {
    /// Reads them.
    pub async fn read(app: &App, merchant: MerchantId) -> Result<Self> {
        let read = async move |tx: &Tx| {
            let members = people::members(tx, merchant).await?;
            Ok::<_, Error>((members, credentials::list(tx, merchant).await?))
        };
        let (members, keys) = app.read(read).await?;
        Ok(Self {
            people: members.into_iter().map(|member| (member.person.0, member.name)).collect(),
            keys: keys.into_iter().map(|key| (key.id.0, key.name)).collect(),
        })
    }

    /// Who can be chosen: people and keys, by their names.
    pub fn choices(&self, lang: Lang) -> Vec<(String, String)> {
        let people = self.people.iter().map(|(id, name)| (id.to_string(), name.clone()));
        let keys = self.keys.iter().map(|(id, name)| (id.to_string(), lang.audit_key(name)));
        people.chain(keys).collect()
    }

    /// Who did it.
    pub fn actor(&self, entry: &StoredEntry, lang: Lang) -> String {
        let of =
            |table: &BTreeMap<Uuid, String>| entry.actor_id.and_then(|id| table.get(&id)).cloned();
        match entry.actor_kind {
            ActorKind::Owner | ActorKind::Member => {
                of(&self.people).unwrap_or_else(|| lang.audit_somebody().to_owned())
            }
            ActorKind::Key => of(&self.keys)
                .map_or_else(|| lang.audit_old_key().to_owned(), |name| lang.audit_key(name)),
            ActorKind::Administrator | ActorKind::CommandLine => lang.audit_operator().to_owned(),
            ActorKind::System => lang.audit_system().to_owned(),
            ActorKind::Anonymous => lang.audit_stranger().to_owned(),
        }
    }

    /// The name of an object, if it is a person or a key; its id otherwise.
    pub fn subject(&self, id: Uuid) -> String {
        let known = self.people.get(&id).or_else(|| self.keys.get(&id));
        known.cloned().unwrap_or_else(|| id.to_string())
    }
}
