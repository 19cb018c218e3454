//! The `first_steps` table.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;

use crate::first_steps::{AccountSteps, FirstSteps, Step};
use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::{MerchantId, Mode};
use crate::platform::role::Role;

/// The columns of the steps, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "key_at, link_at, payment_at, webhook_at"
    };
}

/// The accounts of merchants whose steps are kept.
macro_rules! counted {
    () => {
        " from merchants
          join first_steps
            on first_steps.merchant_id = merchants.id and first_steps.mode = $1
         where merchants.closed_at is null and merchants.role = $2"
    };
}

/// Keeps a step, unless it was taken before.
macro_rules! noting {
    ($column:literal) => {
        concat!(
            "update first_steps set ",
            $column,
            " = $1 where merchant_id = $2 and mode = $3 and ",
            $column,
            " is null"
        )
    };
}

pub async fn insert(tx: &Tx, merchant: MerchantId, mode: Mode) -> Result<()> {
    let sql = "insert into first_steps (merchant_id, mode) values ($1, $2)";
    tx.insert_row(sql, args![merchant, mode]).await?;
    Ok(())
}

pub async fn note(tx: &Tx, merchant: MerchantId, mode: Mode, step: Step) -> Result<()> {
    let now = tx.now();
    let taken = args![now, merchant, mode];
    match step {
        Step::Key => tx.defer(noting!("key_at"), taken).await?,
        Step::Link => tx.defer(noting!("link_at"), taken).await?,
        Step::Payment => tx.defer(noting!("payment_at"), taken).await?,
        Step::Webhook => tx.defer(noting!("webhook_at"), taken).await?,
    }
    Ok(())
}

pub async fn delete(tx: &Tx, merchant: MerchantId) -> Result<()> {
    tx.exec("delete from first_steps where merchant_id = $1", args![merchant]).await?;
    Ok(())
}

pub async fn find(tx: &Tx, merchant: MerchantId, mode: Mode) -> Result<Option<FirstSteps>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from first_steps where merchant_id = $1 and mode = $2"
            ),
            args![merchant, mode],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

pub async fn list(tx: &Tx, mode: Mode, page: Page) -> Result<Vec<AccountSteps>> {
    let rows = tx
        .all(
            concat!(
                "select merchants.id, merchants.name, merchants.email, merchants.created_at, ",
                columns!(),
                counted!(),
                " and merchants.id < $3
                 order by merchants.id desc
                 limit $4 offset $5"
            ),
            args![mode, Role::Merchant.name(), page.before(), page.fetch(), page.offset()],
        )
        .await?;
    let account = |mut row: Row| {
        Ok(AccountSteps {
            merchant: row.take()?,
            name: row.take()?,
            email: row.take()?,
            opened_at: row.take()?,
            steps: read(&mut row)?,
        })
    };
    rows.into_iter().map(account).collect()
}

pub async fn count(tx: &Tx, mode: Mode) -> Result<i64> {
    let sql = concat!("select count(*)", counted!());
    Ok(tx.one(sql, args![mode, Role::Merchant.name()]).await?.take()?)
}

/// When the newest accounts were opened, and their steps.
pub async fn newest(tx: &Tx, mode: Mode, most: i64) -> Result<Vec<(Timestamp, FirstSteps)>> {
    let rows = tx
        .all(
            concat!(
                "select merchants.created_at, ",
                columns!(),
                counted!(),
                " order by merchants.id desc limit $3"
            ),
            args![mode, Role::Merchant.name(), most],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, read(&mut row)?))).collect()
}

fn read(row: &mut Row) -> Result<FirstSteps> {
    Ok(FirstSteps {
        key: row.take()?,
        link: row.take()?,
        payment: row.take()?,
        webhook: row.take()?,
    })
}
