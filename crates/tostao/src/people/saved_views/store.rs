//! The `saved_views` table.

use db::args;
use db::tx::Tx;
use db::value::Row;

use crate::people::saved_views::SavedView;
use crate::people::saved_views::list::ViewedList;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, PersonId, SavedViewId, Scope};

/// A person's views of a list, or of all lists, by their names.
pub async fn of_person(
    tx: &Tx,
    scope: Scope,
    person: PersonId,
    list: Option<ViewedList>,
) -> Result<Vec<SavedView>> {
    let rows = match list {
        Some(list) => {
            tx.all(
                "select id, list, name, query, created_at
                   from saved_views
                  where merchant_id = $1 and person_id = $2 and mode = $3 and list = $4
                  order by name",
                args![scope.merchant, person, scope.mode, list],
            )
            .await?
        }
        None => {
            tx.all(
                "select id, list, name, query, created_at
                   from saved_views
                  where merchant_id = $1 and person_id = $2 and mode = $3
                  order by list, name",
                args![scope.merchant, person, scope.mode],
            )
            .await?
        }
    };
    rows.into_iter().map(read).collect()
}

/// The views of all people in a mode, each with whose it is.
pub async fn of_all(tx: &Tx, scope: Scope) -> Result<Vec<(PersonId, SavedView)>> {
    let rows = tx
        .all(
            "select person_id, id, list, name, query, created_at
               from saved_views
              where merchant_id = $1 and mode = $2",
            args![scope.merchant, scope.mode],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, read(row)?))).collect()
}

pub async fn insert(tx: &Tx, scope: Scope, person: PersonId, view: &SavedView) -> Result<()> {
    tx.exec(
        "insert into saved_views
                (merchant_id, person_id, id, mode, list, name, query, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        args![
            scope.merchant,
            person,
            view.id,
            scope.mode,
            view.list,
            view.name,
            view.query,
            view.created_at,
        ],
    )
    .await?;
    Ok(())
}

/// Deletes a person's view; returns it, if there is one.
pub async fn delete(
    tx: &Tx,
    scope: Scope,
    person: PersonId,
    id: SavedViewId,
) -> Result<Option<SavedView>> {
    let row = tx
        .opt(
            "delete from saved_views
              where merchant_id = $1 and person_id = $2 and id = $3 and mode = $4
             returning id, list, name, query, created_at",
            args![scope.merchant, person, id, scope.mode],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn delete_of(tx: &Tx, merchant: MerchantId, person: PersonId) -> Result<()> {
    tx.exec(
        "delete from saved_views where merchant_id = $1 and person_id = $2",
        args![merchant, person],
    )
    .await?;
    Ok(())
}

pub async fn delete_all(tx: &Tx, merchant: MerchantId) -> Result<()> {
    tx.exec("delete from saved_views where merchant_id = $1", args![merchant]).await?;
    Ok(())
}

fn read(mut row: Row) -> Result<SavedView> {
    Ok(SavedView {
        id: row.take()?,
        list: row.take()?,
        name: row.take()?,
        query: row.take()?,
        created_at: row.take()?,
    })
}
