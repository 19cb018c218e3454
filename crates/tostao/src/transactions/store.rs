//! The payments' tables.

use brazil::document::Document;
use db::args;
use db::error::Error as DbError;
use db::tx::Tx;
use db::value::Row;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::clients::Customer;
use crate::error::Result;
use crate::events::payloads::LinkReference;
use crate::ids::{Mode, PaymentLinkId, Scope, TransactionId};
use crate::merchants;
use crate::providers::pix::PixReceipt;
use crate::transactions::list::Filter;
use crate::transactions::status::Status;
use crate::transactions::view::Unmatched;
use crate::transactions::{Method, Pix, Transaction};

pub async fn insert(tx: &Tx, scope: Scope, new: &Transaction) -> Result<()> {
    let items = if new.items.is_empty() { None } else { Some(serde_json::to_string(&new.items)?) };
    tx.defer(
        "insert into transactions
                (merchant_id, mode, id, version, status, method, external_id, payment_link_id,
                 link_slug, items, client_id, customer_name, customer_email, customer_document,
                 customer_phone, customer_address, amount_cents, refunded_cents, discount_cents,
                 interest_cents, fee_cents, installments, provider, pix_txid, pix_code, paid_late,
                 metadata, created_at, updated_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $28, $29)",
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
        ],
    )
    .await?;
    Ok(())
}

pub async fn find(tx: &Tx, scope: Scope, id: TransactionId) -> Result<Option<Transaction>> {
    let row = tx
        .opt(
            "select id, version, status, method, external_id, payment_link_id, link_slug, items,
                    client_id, customer_name, customer_email, customer_document, customer_phone,
                    customer_address, amount_cents, paid_cents, refunded_cents, discount_cents,
                    interest_cents, fee_cents, installments, provider, pix_txid, pix_code,
                    end_to_end_id, paid_late, failure_reason, metadata, created_at, updated_at,
                    expires_at, paid_at, cancelled_at, expired_at
               from transactions
              where merchant_id = $1 and mode = $2 and id = $3",
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
            "select t.id, version, status, method, external_id, payment_link_id, link_slug, items,
                    client_id, customer_name, customer_email, customer_document, customer_phone,
                    customer_address, amount_cents, paid_cents, refunded_cents, discount_cents,
                    interest_cents, fee_cents, installments, provider, pix_txid, pix_code,
                    end_to_end_id, paid_late, failure_reason, metadata, t.created_at,
                    t.updated_at, expires_at, paid_at, cancelled_at, expired_at,
                    mode, merchants.id, dev_ahead_micros
               from transactions as t
               join merchants on merchants.id = t.merchant_id
              where pix_txid = $1 and provider = $2",
            args![txid, provider],
        )
        .await?;
    let Some(mut row) = row else { return Ok(None) };
    let transaction = read(&mut row)?;
    let mode: Mode = row.take()?;
    Ok(Some((merchants::scope_of(&mut row, mode)?, transaction)))
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

/// Notes that something about a payment changed that its columns do not show; false if another
/// unit changed it meanwhile.
pub async fn touch(tx: &Tx, scope: Scope, touched: &Transaction) -> Result<bool> {
    let updated = tx
        .exec(
            "update transactions
                set version = $1, updated_at = $2
              where merchant_id = $3 and mode = $4 and id = $5 and version = $1 - 1",
            args![touched.version, touched.updated_at, scope.merchant, scope.mode, touched.id],
        )
        .await?;
    Ok(updated == 1)
}

/// Lists payments that match, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Transaction>> {
    let rows = tx
        .all(
            "select id, version, status, method, external_id, payment_link_id, link_slug, items,
                    client_id, customer_name, customer_email, customer_document, customer_phone,
                    customer_address, amount_cents, paid_cents, refunded_cents, discount_cents,
                    interest_cents, fee_cents, installments, provider, pix_txid, pix_code,
                    end_to_end_id, paid_late, failure_reason, metadata, created_at, updated_at,
                    expires_at, paid_at, cancelled_at, expired_at
               from transactions
              where merchant_id = $1 and mode = $2 and id < $3
                and (cast($4 as text) is null or status = $4)
                and (cast($5 as text) is null or method = $5)
                and (cast($6 as text) is null or external_id = $6)
                and client_id = coalesce($7, client_id)
                and ($8 or payment_link_id = $9)
                and created_at >= $10 and created_at < $11
                and amount_cents >= $12 and amount_cents <= $13
                and (cast($14 as text) is null
                     or lower(customer_name) like $14 escape '\\'
                     or customer_email like $14 escape '\\'
                     or lower(external_id) like $14 escape '\\')
              order by id desc
              limit $15 offset $16",
            args![
                scope.merchant,
                scope.mode,
                filter.page.before(),
                filter.status.map(Status::name),
                filter.method.map(Method::name),
                filter.external_id,
                filter.client,
                filter.link.is_none(),
                filter.link,
                filter.created_from,
                filter.created_to,
                filter.amount_from,
                filter.amount_to,
                filter.pattern,
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
            "select count(*)
               from transactions
              where merchant_id = $1 and mode = $2
                and (cast($3 as text) is null or status = $3)
                and (cast($4 as text) is null or method = $4)
                and (cast($5 as text) is null or external_id = $5)
                and client_id = coalesce($6, client_id)
                and ($7 or payment_link_id = $8)
                and created_at >= $9 and created_at < $10
                and amount_cents >= $11 and amount_cents <= $12
                and (cast($13 as text) is null
                     or lower(customer_name) like $13 escape '\\'
                     or customer_email like $13 escape '\\'
                     or lower(external_id) like $13 escape '\\')",
            args![
                scope.merchant,
                scope.mode,
                filter.status.map(Status::name),
                filter.method.map(Method::name),
                filter.external_id,
                filter.client,
                filter.link.is_none(),
                filter.link,
                filter.created_from,
                filter.created_to,
                filter.amount_from,
                filter.amount_to,
                filter.pattern,
            ],
        )
        .await?;
    Ok(row.take()?)
}

/// Notes money set aside; false if it was noted before.
pub async fn insert_unmatched(
    tx: &Tx,
    scope: Scope,
    transaction: &Transaction,
    id: Uuid,
    receipt: &PixReceipt,
    amount: Cents,
    reason: &str,
) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into unmatched_receipts
                    (provider, end_to_end_id, id, merchant_id, mode, transaction_id,
                     amount_cents, reason, received_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                 on conflict (provider, end_to_end_id) do nothing",
            args![
                transaction.provider,
                receipt.end_to_end_id,
                id,
                scope.merchant,
                scope.mode,
                transaction.id,
                amount,
                reason,
                scope.now(tx),
            ],
        )
        .await?;
    Ok(inserted == 1)
}

/// Lists money set aside beside a payment, oldest first.
pub async fn unmatched(tx: &Tx, scope: Scope, id: TransactionId) -> Result<Vec<Unmatched>> {
    let rows = tx
        .all(
            "select end_to_end_id, amount_cents, reason, received_at
               from unmatched_receipts
              where merchant_id = $1 and mode = $2 and transaction_id = $3
              order by received_at, end_to_end_id",
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(Unmatched {
            end_to_end_id: row.take()?,
            amount: row.take()?,
            reason: row.take()?,
            received_at: row.take()?,
        })
    };
    rows.into_iter().map(read).collect()
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

fn word<T>(row: &mut Row, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
    let text: String = row.take()?;
    parse(&text).ok_or_else(|| DbError::Row(format!("unknown word {text}")).into())
}

fn json<T: serde::de::DeserializeOwned>(row: &mut Row) -> Result<Option<T>> {
    let text: Option<String> = row.take()?;
    Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
}
