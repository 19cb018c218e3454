//! The `logos` table, and what `merchants` has of a logo.

use db::args;
use db::tx::Tx;

use crate::merchants::look::picture::Format;
use crate::merchants::look::{Logo, LogoFile};
use crate::platform::error::Result;
use crate::platform::ids::MerchantId;

/// Stores an account's logo in the place of another one.
pub async fn put(
    tx: &Tx,
    id: MerchantId,
    logo: &Logo,
    format: Format,
    content: &[u8],
) -> Result<()> {
    tx.exec(
        "insert into logos (merchant_id, hash, content_type, content, created_at)
         values ($1, $2, $3, $4, $5)
             on conflict (merchant_id) do update
            set hash = excluded.hash, content_type = excluded.content_type,
                content = excluded.content, created_at = excluded.created_at",
        args![id, logo.hash, format, content, tx.now()],
    )
    .await?;
    Ok(())
}

/// Writes what pages need of an account's logo.
pub async fn note(tx: &Tx, id: MerchantId, logo: Option<&Logo>) -> Result<()> {
    tx.exec(
        "update merchants
            set logo_hash = $1, logo_width = $2, logo_height = $3, updated_at = $4
          where id = $5",
        args![
            logo.map(|logo| logo.hash.clone()),
            logo.map(|logo| logo.width),
            logo.map(|logo| logo.height),
            tx.now(),
            id,
        ],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &Tx, id: MerchantId) -> Result<()> {
    tx.exec("delete from logos where merchant_id = $1", args![id]).await?;
    Ok(())
}

/// Finds a logo by the hash of its content; several accounts may have the same.
pub async fn find(tx: &Tx, hash: &str) -> Result<Option<LogoFile>> {
    let row = tx
        .opt(
            "select content_type, content
               from logos
              where hash = $1
                and exists (select 1
                              from merchants
                             where merchants.id = logos.merchant_id
                               and merchants.closed_at is null)
              limit 1",
            args![hash],
        )
        .await?;
    row.map(|mut row| Ok(LogoFile { format: row.take()?, content: row.take()? })).transpose()
}
