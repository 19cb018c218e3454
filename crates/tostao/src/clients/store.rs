//! The clients' table.

use brazil::document::Document;
use db::args;
use db::tx::Tx;

use crate::clients::Customer;
use crate::error::Result;
use crate::ids::{ClientId, Scope};

pub async fn find_by_identity(tx: &Tx, scope: Scope, identity: &str) -> Result<Option<ClientId>> {
    let row = tx
        .opt(
            "select id
               from clients
              where merchant_id = $1 and mode = $2 and coalesce(document, email) = $3
                and deleted_at is null",
            args![scope.merchant, scope.mode, identity],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

pub async fn find(tx: &Tx, scope: Scope, id: ClientId) -> Result<Option<Customer>> {
    let row = tx
        .opt(
            "select name, email, document, phone
               from clients
              where merchant_id = $1 and mode = $2 and id = $3 and deleted_at is null",
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    let Some(mut row) = row else { return Ok(None) };
    Ok(Some(Customer {
        name: row.take()?,
        email: row.take()?,
        document: row.take::<Option<String>>()?.and_then(|text| Document::parse(&text).ok()),
        phone: row.take()?,
    }))
}

/// Inserts a client; false if a client with the same identity is there.
pub async fn insert(tx: &Tx, scope: Scope, id: ClientId, customer: &Customer) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into clients
                    (merchant_id, mode, id, name, email, document, phone, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
                 on conflict do nothing",
            args![
                scope.merchant,
                scope.mode,
                id,
                customer.name,
                customer.email,
                customer.document.as_ref().map(Document::as_str),
                customer.phone,
                scope.now(tx),
            ],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let cleared = tx
        .exec(
            "delete from clients
              where merchant_id = $1 and mode = $2 and id in (
                    select id
                      from clients
                     where merchant_id = $1 and mode = $2
                     limit $3)",
            args![scope.merchant, scope.mode, most],
        )
        .await?;
    Ok(cleared)
}
