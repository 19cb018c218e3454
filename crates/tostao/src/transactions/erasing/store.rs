//! The payments table, as far as personal data is concerned.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;

use crate::platform::error::Result;
use crate::platform::ids::{ClientId, Scope, TransactionId};
use crate::transactions::erasing::PersonalData;

/// Skips payments whose payer has been erased, which have an empty email.
pub async fn personal_data(tx: &Tx, scope: Scope, client: ClientId) -> Result<PersonalData> {
    let mut row = tx
        .one(
            "select max(case when status not in ('PENDING', 'PROCESSING')
                             then coalesce(paid_at, updated_at) end),
                    min(case when status not in ('PENDING', 'PROCESSING')
                             then coalesce(paid_at, updated_at) end),
                    count(case when status in ('PENDING', 'PROCESSING') then 1 end)
               from transactions
              where merchant_id = $1 and mode = $2 and client_id = $3 and customer_email <> ''",
            args![scope.merchant, scope.mode, client],
        )
        .await?;
    let (newest, oldest) = (row.take()?, row.take()?);
    Ok(PersonalData { newest, oldest, open: row.take::<i64>()? > 0 })
}

/// The addresses with which a client paid.
pub async fn addresses(tx: &Tx, scope: Scope, client: ClientId) -> Result<Vec<String>> {
    let rows = tx
        .all(
            "select distinct customer_email
               from transactions
              where merchant_id = $1 and mode = $2 and client_id = $3 and customer_email <> ''",
            args![scope.merchant, scope.mode, client],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

pub async fn last_paid_at(tx: &Tx, scope: Scope) -> Result<Option<Timestamp>> {
    let mut row = tx
        .one(
            "select max(coalesce(paid_at, updated_at))
               from transactions
              where merchant_id = $1 and mode = $2 and amount_cents > 0
                and (paid_at is not null
                     or exists (
                        select 1
                          from unmatched_receipts as beside
                         where beside.merchant_id = $1 and beside.mode = $2
                           and beside.transaction_id = transactions.id))",
            args![scope.merchant, scope.mode],
        )
        .await?;
    Ok(row.take()?)
}

/// Erases payers; unmatched receipts count as money too, whatever became of the payment.
pub async fn erase(
    tx: &Tx,
    scope: Scope,
    client: ClientId,
    before: Timestamp,
    most: i64,
) -> Result<Vec<TransactionId>> {
    let rows = tx
        .all(
            "update transactions
                set customer_name = '', customer_email = '', customer_document = null,
                    customer_phone = null, customer_address = null, search_text = ''
              where merchant_id = $1 and mode = $2 and id in (
                    select id
                      from transactions
                     where merchant_id = $1 and mode = $2 and client_id = $3
                       and customer_email <> '' and status not in ('PENDING', 'PROCESSING')
                       and (amount_cents = 0
                            or coalesce(paid_at, updated_at) <= $4
                            or paid_at is null and not exists (
                               select 1
                                 from unmatched_receipts as beside
                                where beside.merchant_id = $1 and beside.mode = $2
                                  and beside.transaction_id = transactions.id))
                     limit $5)
             returning id",
            args![scope.merchant, scope.mode, client, before, most],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}
