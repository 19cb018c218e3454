//! The `clients` table.

use brazil::document::Document;
use db::args;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg, searchable};

use crate::clients::list::Filter;
use crate::clients::{Client, CustomerDetails};
use crate::platform::error::Result;
use crate::platform::ids::{ClientId, Scope};
use crate::store::document;

/// The columns of a client, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, name, email, document, phone, created_at, updated_at"
    };
}

/// The conditions of a filter besides document and address.
macro_rules! matching {
    () => {
        " merchant_id = $1 and mode = $2 and deleted_at is null
          and created_at >= $3 and created_at < $4
          and (cast($5 as text) is null
               or search_text like $5 escape '\\'
               or lower(document) like $6 escape '\\')"
    };
}

/// Clients with one address; the caller closes the bracket.
///
/// The subquery is needed because SQLite would scan all of a merchant's clients if whole rows were
/// selected by address, or ids within bounds were tested beside it.
macro_rules! with_address {
    () => {
        " and id in (select id
                       from clients
                      where merchant_id = $1 and mode = $2 and email = $7"
    };
}

/// Inserts a client; false if one with the same identity exists.
pub async fn insert(tx: &Tx, scope: Scope, new: &Client) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into clients
                    (merchant_id, mode, id, name, email, document, phone, created_at, updated_at,
                     search_text)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                 on conflict do nothing",
            args![
                scope.merchant,
                scope.mode,
                new.id,
                new.customer.name,
                new.customer.email,
                new.customer.document.as_ref().map(Document::as_str),
                new.customer.phone,
                new.created_at,
                new.updated_at,
                search_text(&new.customer),
            ],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn find(tx: &Tx, scope: Scope, id: ClientId) -> Result<Option<Client>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from clients
                 where merchant_id = $1 and mode = $2 and id = $3 and deleted_at is null"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn find_by_identity(tx: &Tx, scope: Scope, identity: &str) -> Result<Option<Client>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from clients
                 where merchant_id = $1 and mode = $2 and coalesce(document, email) = $3
                   and deleted_at is null"
            ),
            args![scope.merchant, scope.mode, identity],
        )
        .await?;
    row.map(read).transpose()
}

/// Lists clients that match; each kind of filter has an index of its own.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Client>> {
    let rows = match (&filter.document, &filter.email) {
        (Some(document), _) => list_by_document(tx, scope, filter, document).await?,
        (None, Some(email)) => list_by_email(tx, scope, filter, email).await?,
        (None, None) => list_all(tx, scope, filter).await?,
    };
    rows.into_iter().map(read).collect()
}

/// Counts clients that match, on every page.
pub async fn count(tx: &Tx, scope: Scope, filter: &Filter) -> Result<i64> {
    let mut row = match (&filter.document, &filter.email) {
        (Some(document), _) => count_by_document(tx, scope, filter, document).await?,
        (None, Some(email)) => count_by_email(tx, scope, filter, email).await?,
        (None, None) => count_all(tx, scope, filter).await?,
    };
    Ok(row.take()?)
}

/// Marks a client that is about to be changed, and locks the row until the unit ends.
pub async fn open(tx: &Tx, scope: Scope, id: ClientId) -> Result<Option<Client>> {
    let row = tx
        .opt(
            concat!(
                "update clients
                    set updated_at = $1
                  where merchant_id = $2 and mode = $3 and id = $4 and deleted_at is null
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn update(tx: &Tx, scope: Scope, client: &Client) -> Result<()> {
    tx.defer(
        "update clients
            set name = $1, email = $2, document = $3, phone = $4, search_text = $5
          where merchant_id = $6 and mode = $7 and id = $8",
        args![
            client.customer.name,
            client.customer.email,
            client.customer.document.as_ref().map(Document::as_str),
            client.customer.phone,
            search_text(&client.customer),
            scope.merchant,
            scope.mode,
            client.id,
        ],
    )
    .await?;
    Ok(())
}

/// Erases a client's personal data; the unit must have locked the row.
pub async fn anonymise(tx: &Tx, scope: Scope, id: ClientId) -> Result<()> {
    tx.defer(
        "update clients
            set name = '', email = '', document = null, phone = null, search_text = '',
                updated_at = $1, deleted_at = $1
          where merchant_id = $2 and mode = $3 and id = $4",
        args![scope.now(tx), scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

pub async fn some(tx: &Tx, scope: Scope, after: ClientId, most: i64) -> Result<Vec<ClientId>> {
    let rows = tx
        .all(
            "select id
               from clients
              where merchant_id = $1 and mode = $2 and id > $3 and deleted_at is null
              order by id
              limit $4",
            args![scope.merchant, scope.mode, after, most],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// Removes a row that no other unit has seen.
pub async fn remove(tx: &Tx, scope: Scope, id: ClientId) -> Result<()> {
    tx.defer(
        "delete from clients
          where merchant_id = $1 and mode = $2 and id = $3",
        args![scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

async fn list_all(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Row>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from clients where",
                matching!(),
                " and id < $7
                 order by id desc
                 limit $8 offset $9"
            ),
            &wanted(&scope, filter, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    Ok(rows)
}

async fn list_by_document(
    tx: &Tx,
    scope: Scope,
    filter: &Filter,
    document: &Document,
) -> Result<Vec<Row>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from clients where",
                matching!(),
                " and coalesce(document, email) = $7
                  and (cast($8 as text) is null or email = $8)
                  and id < $9
                 order by id desc
                 limit $10 offset $11"
            ),
            &wanted(
                &scope,
                filter,
                args![document.as_str(), filter.email, page.before(), page.fetch(), page.offset()],
            ),
        )
        .await?;
    Ok(rows)
}

async fn list_by_email(tx: &Tx, scope: Scope, filter: &Filter, email: &str) -> Result<Vec<Row>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from clients where",
                matching!(),
                with_address!(),
                " and id < $8)
                 order by id desc
                 limit $9 offset $10"
            ),
            &wanted(&scope, filter, args![email, page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    Ok(rows)
}

async fn count_all(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Row> {
    let row = tx
        .one(
            concat!("select count(*) from clients where", matching!()),
            &wanted(&scope, filter, &[]),
        )
        .await?;
    Ok(row)
}

async fn count_by_document(
    tx: &Tx,
    scope: Scope,
    filter: &Filter,
    document: &Document,
) -> Result<Row> {
    let row = tx
        .one(
            concat!(
                "select count(*) from clients where",
                matching!(),
                " and coalesce(document, email) = $7
                  and (cast($8 as text) is null or email = $8)"
            ),
            &wanted(&scope, filter, args![document.as_str(), filter.email]),
        )
        .await?;
    Ok(row)
}

async fn count_by_email(tx: &Tx, scope: Scope, filter: &Filter, email: &str) -> Result<Row> {
    let row = tx
        .one(
            concat!("select count(*) from clients where", matching!(), with_address!(), ")"),
            &wanted(&scope, filter, args![email]),
        )
        .await?;
    Ok(row)
}

/// The parameters of `matching`, then `more`.
fn wanted<'a>(scope: &'a Scope, filter: &'a Filter, more: &[Arg<'a>]) -> Vec<Arg<'a>> {
    let own = [
        scope.merchant.to_arg(),
        scope.mode.to_arg(),
        filter.created.from.to_arg(),
        filter.created.to.to_arg(),
        filter.pattern.to_arg(),
        filter.document_pattern.to_arg(),
    ];
    [own.as_slice(), more].concat()
}

fn read(mut row: Row) -> Result<Client> {
    Ok(Client {
        id: row.take()?,
        customer: CustomerDetails {
            name: row.take()?,
            email: row.take()?,
            document: document(&mut row)?,
            phone: row.take()?,
        },
        created_at: row.take()?,
        updated_at: row.take()?,
    })
}

fn search_text(customer: &CustomerDetails) -> String {
    searchable([customer.name.as_str(), customer.email.as_str()])
}
