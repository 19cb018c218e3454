//! Saved views: the filters of lists that people keep under a name, each for their own eyes.
//!
//! A view is the query of a list's page and nothing else, so it leads to that page alone. It goes
//! with its person's place in the account, and a customer whom it names is erased from it.

use std::borrow::Cow;

use db::time::Timestamp;
use db::tx::Tx;
use url::form_urlencoded::parse;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::people::locked_role;
use crate::people::saved_views::list::ViewedList;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{ClientId, MerchantId, PersonId, SavedViewId, Scope};

pub mod api;
pub mod list;
mod store;

/// The most characters of a name, and of a query.
pub const NAME_MAX: usize = 60;
pub const QUERY_MAX: usize = 1_000;
/// How many views a person keeps of a list, in each mode.
const VIEWS_MAX: usize = 20;

/// A view.
#[derive(Debug, Clone)]
pub struct SavedView {
    pub id: SavedViewId,
    pub list: ViewedList,
    pub name: String,
    /// The query of the list's page.
    pub query: String,
    pub created_at: Timestamp,
}

/// A valid view that is not saved yet.
#[derive(Debug, Clone)]
pub struct NewView {
    pub list: ViewedList,
    pub name: String,
    pub query: String,
}

/// Lists a person's views of a list, or of all lists, by their names.
pub async fn of_person(
    tx: &Tx,
    scope: Scope,
    person: PersonId,
    list: Option<ViewedList>,
) -> Result<Vec<SavedView>> {
    store::of_person(tx, scope, person, list).await
}

/// Saves a view for a person who is still a member.
pub async fn save(
    tx: &Tx,
    by: &ActorContext,
    (scope, person): (Scope, PersonId),
    NewView { list, name, query }: NewView,
) -> Result<SavedView> {
    // Views that are saved at once are counted one after the other.
    locked_role(tx, scope.merchant, person).await?;
    let others = store::of_person(tx, scope, person, Some(list)).await?;
    if others.len() >= VIEWS_MAX {
        let message = format!("A list has at most {VIEWS_MAX} views; delete one first.");
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    if others.iter().any(|other| other.name == name) {
        let message = "This list has a view of this name already.";
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    let view = SavedView { id: SavedViewId::new(tx), list, name, query, created_at: tx.now() };
    store::insert(tx, scope, person, &view).await?;
    note(tx, by, Action::SavedViewCreated, scope, &view).await?;
    Ok(view)
}

/// Deletes a person's view.
pub async fn delete(
    tx: &Tx,
    by: &ActorContext,
    (scope, person): (Scope, PersonId),
    id: SavedViewId,
) -> Result<()> {
    let deleted = store::delete(tx, scope, person, id).await?;
    let view = deleted.ok_or(Error::NotFound("Saved view"))?;
    note(tx, by, Action::SavedViewDeleted, scope, &view).await
}

/// Deletes the views of a person who leaves an account.
pub async fn delete_of(tx: &Tx, merchant: MerchantId, person: PersonId) -> Result<()> {
    store::delete_of(tx, merchant, person).await
}

/// Deletes all views of an account.
pub async fn delete_all(tx: &Tx, merchant: MerchantId) -> Result<()> {
    store::delete_all(tx, merchant).await
}

/// Deletes the views that name a customer by their id or their email.
pub async fn delete_naming(tx: &Tx, scope: Scope, client: ClientId, email: &str) -> Result<()> {
    let (id, email) = (client.to_string(), email.to_lowercase());
    for (person, view) in store::of_all(tx, scope).await? {
        let names = |(_, value): (_, Cow<'_, str>)| {
            let value = value.to_lowercase();
            value.contains(&id) || (!email.is_empty() && value.contains(&email))
        };
        if parse(view.query.as_bytes()).any(names) {
            store::delete(tx, scope, person, view.id).await?;
        }
    }
    Ok(())
}

/// Notes the list alone: what a person calls a view may be anything.
async fn note(
    tx: &Tx,
    by: &ActorContext,
    action: Action,
    scope: Scope,
    view: &SavedView,
) -> Result<()> {
    let entry = Entry::new(action, scope.merchant).in_mode(scope.mode).on(view.id.0);
    audit::record(tx, by, entry.with("list", view.list.name())).await
}
