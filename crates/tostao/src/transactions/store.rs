//! The payments' tables.

use brazil::document::Document;
use db::args;
use db::error::Error as DbError;
use db::tx::Tx;
use db::value::{Row, searchable};

use crate::clients::Customer;
use crate::error::Result;
use crate::events::payloads::LinkReference;
use crate::ids::{Mode, PaymentLinkId, Scope, TransactionId};
use crate::merchants;
use crate::transactions::list::Filter;
use crate::transactions::status::Status;
use crate::transactions::{Method, Pix, Transaction};

/// The columns of a payment, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, version, status, method, external_id, payment_link_id, link_slug, items, client_id,
         customer_name, customer_email, customer_document, customer_phone, customer_address,
         amount_cents, paid_cents, refunded_cents, discount_cents, interest_cents, fee_cents,
         installments, provider, pix_txid, pix_code, end_to_end_id, paid_late, oversold,
         unmatched_cents, failure_reason, metadata, created_at, updated_at, expires_at, paid_at,
         cancelled_at, expired_at"
    };
}

/// The payments that match a filter, by the status that the scope's clock shows.
macro_rules! matching {
    () => {
        " from transactions
         where merchant_id = $1 and mode = $2
           and (cast($3 as text) is null
                or case when status = 'PENDING' and expires_at <= $4
                        then 'EXPIRED' else status end = $3)
           and (cast($5 as text) is null or method = $5)
           and (cast($6 as text) is null or external_id = $6)
           and client_id = coalesce($7, client_id)
           and ($8 or payment_link_id = $9)
           and created_at >= $10 and created_at < $11
           and amount_cents >= $12 and amount_cents <= $13
           and (cast($14 as text) is null or search_text like $14 escape '\\')"
    };
}

pub async fn insert(tx: &Tx, scope: Scope, new: &Transaction) -> Result<()> {
    let items = if new.items.is_empty() { None } else { Some(serde_json::to_string(&new.items)?) };
    tx.defer(
        "insert into transactions
                (merchant_id, mode, id, version, status, method, external_id, payment_link_id,
                 link_slug, items, client_id, customer_name, customer_email, customer_document,
                 customer_phone, customer_address, amount_cents, refunded_cents, discount_cents,
                 interest_cents, fee_cents, installments, provider, pix_txid, pix_code, paid_late,
                 metadata, created_at, updated_at, expires_at, search_text)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $28, $29, $30)",
        args![
            scope.merchant,
            scope.mode,
            new.id,
            new.version,
            new.status.name(),
            new.method.name(),
            new.external_id,
            new.link.as_ref().map(|link| link.id),
            new.link.as_ref().map(|link| link.slug.as_str()),
            items,
            new.client,
            new.customer.name,
            new.customer.email,
            new.customer.document.as_ref().map(Document::as_str),
            new.customer.phone,
            new.address.as_ref().map(serde_json::to_string).transpose()?,
            new.amount,
            new.refunded,
            new.discount,
            new.interest,
            new.fee,
            new.installments,
            new.provider,
            new.pix.as_ref().map(|pix| pix.txid.as_str()),
            new.pix.as_ref().map(|pix| pix.code.as_str()),
            new.paid_late,
            new.metadata.to_string(),
            new.created_at,
            new.expires_at,
            search_text(new),
        ],
    )
    .await?;
    Ok(())
}

pub async fn find(tx: &Tx, scope: Scope, id: TransactionId) -> Result<Option<Transaction>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from transactions
                 where merchant_id = $1 and mode = $2 and id = $3"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

/// Finds a payment by the name the bank knows it under, with the scope it belongs to.
pub async fn find_by_txid(
    tx: &Tx,
    provider: &str,
    txid: &str,
) -> Result<Option<(Scope, Transaction)>> {
    let row = tx
        .opt(
            concat!(
                "select mode, owner_id, dev_ahead_micros, ",
                columns!(),
                " from transactions
                  join (select id as owner_id, dev_ahead_micros from merchants) as owners
                    on owner_id = merchant_id
                 where pix_txid = $1 and provider = $2"
            ),
            args![txid, provider],
        )
        .await?;
    let Some(mut row) = row else { return Ok(None) };
    let mode: Mode = row.take()?;
    let scope = merchants::scope_of(&mut row, mode)?;
    Ok(Some((scope, read(&mut row)?)))
}

/// Writes a payment as paid, if nobody changed it meanwhile.
pub async fn pay(tx: &Tx, scope: Scope, before: &Transaction, paid: &Transaction) -> Result<bool> {
    let end_to_end_id = paid.pix.as_ref().and_then(|pix| pix.end_to_end_id.as_deref());
    let updated = tx
        .exec(
            "update transactions
                set version = $1, status = $2, paid_cents = $3, fee_cents = $4, paid_late = $5,
                    paid_at = $6, updated_at = $6, end_to_end_id = $7
              where merchant_id = $8 and mode = $9 and id = $10
                and status = $11 and version = $12",
            args![
                paid.version,
                paid.status.name(),
                paid.paid,
                paid.fee,
                paid.paid_late,
                paid.paid_at,
                end_to_end_id,
                scope.merchant,
                scope.mode,
                before.id,
                before.status.name(),
                before.version,
            ],
        )
        .await?;
    Ok(updated == 1)
}

/// Writes a payment as cancelled or expired, if nobody changed it meanwhile.
pub async fn close(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    closed: &Transaction,
) -> Result<bool> {
    let updated = tx
        .exec(
            "update transactions
                set version = $1, status = $2, cancelled_at = $3, expired_at = $4, updated_at = $5
              where merchant_id = $6 and mode = $7 and id = $8
                and status = $9 and version = $10",
            args![
                closed.version,
                closed.status.name(),
                closed.cancelled_at,
                closed.expired_at,
                closed.updated_at,
                scope.merchant,
                scope.mode,
                before.id,
                before.status.name(),
                before.version,
            ],
        )
        .await?;
    Ok(updated == 1)
}

/// Notes that nothing was left for a payment; the unit has just written it as paid.
pub async fn mark_oversold(tx: &Tx, scope: Scope, id: TransactionId) -> Result<()> {
    tx.defer(
        "update transactions
            set oversold = true
          where merchant_id = $1 and mode = $2 and id = $3",
        args![scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// Writes down how much is set aside beside a payment, if nobody changed it meanwhile.
pub async fn change_unmatched(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    changed: &Transaction,
) -> Result<bool> {
    let updated = tx
        .exec(
            "update transactions
                set version = $1, unmatched_cents = $2, updated_at = $3
              where merchant_id = $4 and mode = $5 and id = $6 and version = $7",
            args![
                changed.version,
                changed.unmatched,
                changed.updated_at,
                scope.merchant,
                scope.mode,
                before.id,
                before.version,
            ],
        )
        .await?;
    Ok(updated == 1)
}

/// Lists payments that match, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Transaction>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching!(),
                " and id < $15
                 order by id desc
                 limit $16 offset $17"
            ),
            args![
                scope.merchant,
                scope.mode,
                filter.status.map(Status::name),
                scope.now(tx),
                filter.method.map(Method::name),
                filter.external_id,
                filter.client,
                filter.link.is_none(),
                filter.link,
                filter.created.from,
                filter.created.to,
                filter.amount_from,
                filter.amount_to,
                filter.pattern,
                filter.page.before(),
                filter.page.fetch(),
                filter.page.offset(),
            ],
        )
        .await?;
    rows.into_iter().map(|mut row| read(&mut row)).collect()
}

/// Counts payments that match, on every page.
pub async fn count(tx: &Tx, scope: Scope, filter: &Filter) -> Result<i64> {
    let mut row = tx
        .one(
            concat!("select count(*)", matching!()),
            args![
                scope.merchant,
                scope.mode,
                filter.status.map(Status::name),
                scope.now(tx),
                filter.method.map(Method::name),
                filter.external_id,
                filter.client,
                filter.link.is_none(),
                filter.link,
                filter.created.from,
                filter.created.to,
                filter.amount_from,
                filter.amount_to,
                filter.pattern,
            ],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let cleared = tx
        .exec(
            "delete from transactions
              where merchant_id = $1 and mode = $2 and id in (
                    select id
                      from transactions
                     where merchant_id = $1 and mode = $2
                     limit $3)",
            args![scope.merchant, scope.mode, most],
        )
        .await?;
    Ok(cleared)
}

fn search_text(transaction: &Transaction) -> String {
    let Customer { name, email, .. } = &transaction.customer;
    let texts = [Some(name), Some(email), transaction.external_id.as_ref()];
    searchable(texts.into_iter().flatten().map(String::as_str))
}

fn read(row: &mut Row) -> Result<Transaction> {
    Ok(Transaction {
        id: row.take()?,
        version: row.take()?,
        status: word(row, Status::parse)?,
        method: word(row, |text| (text == Method::Pix.name()).then_some(Method::Pix))?,
        external_id: row.take()?,
        link: read_link(row)?,
        items: json(row)?.unwrap_or_default(),
        client: row.take()?,
        customer: Customer {
            name: row.take()?,
            email: row.take()?,
            document: row.take::<Option<String>>()?.and_then(|text| Document::parse(&text).ok()),
            phone: row.take()?,
        },
        address: json(row)?,
        amount: row.take()?,
        paid: row.take()?,
        refunded: row.take()?,
        discount: row.take()?,
        interest: row.take()?,
        fee: row.take()?,
        installments: row.take()?,
        provider: row.take()?,
        pix: read_pix(row)?,
        paid_late: row.take()?,
        oversold: row.take()?,
        unmatched: row.take()?,
        failure_reason: row.take()?,
        metadata: json(row)?.unwrap_or_default(),
        created_at: row.take()?,
        updated_at: row.take()?,
        expires_at: row.take()?,
        paid_at: row.take()?,
        cancelled_at: row.take()?,
        expired_at: row.take()?,
    })
}

fn read_link(row: &mut Row) -> Result<Option<LinkReference>> {
    let id: Option<PaymentLinkId> = row.take()?;
    let slug: Option<String> = row.take()?;
    Ok(id.zip(slug).map(|(id, slug)| LinkReference { id, slug }))
}

fn read_pix(row: &mut Row) -> Result<Option<Pix>> {
    let txid: Option<String> = row.take()?;
    let code: Option<String> = row.take()?;
    let end_to_end_id = row.take()?;
    Ok(txid.zip(code).map(|(txid, code)| Pix { txid, code, end_to_end_id }))
}

/// Reads a word of the contract.
pub fn word<T>(row: &mut Row, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
    let text: String = row.take()?;
    parse(&text).ok_or_else(|| DbError::Row(format!("unknown word {text}")).into())
}

fn json<T: serde::de::DeserializeOwned>(row: &mut Row) -> Result<Option<T>> {
    let text: Option<String> = row.take()?;
    Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
}
