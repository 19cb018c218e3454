//! The `invitations` table.

use db::args;
use db::tx::Tx;
use db::value::Row;

use crate::people::invitations::Invitation;
use crate::platform::error::Result;
use crate::platform::ids::{InvitationId, MerchantId, PersonId};

/// The columns of an invitation, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "merchant_id, id, email, role, invited_by, created_at, expires_at,
         coalesce(is_mailed, false)"
    };
}

pub async fn insert(tx: &Tx, invitation: &Invitation, token_hash: &[u8]) -> Result<()> {
    tx.exec(
        "insert into invitations
                (merchant_id, id, email, role, token_hash, invited_by, created_at, expires_at,
                 is_mailed)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        args![
            invitation.merchant,
            invitation.id,
            invitation.email,
            invitation.role.name(),
            token_hash,
            invitation.invited_by,
            invitation.created_at,
            invitation.expires_at,
            invitation.is_mailed,
        ],
    )
    .await?;
    Ok(())
}

pub async fn list(tx: &Tx, merchant: MerchantId) -> Result<Vec<Invitation>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from invitations
                 where merchant_id = $1 and ended_at is null and expires_at > $2
                 order by id desc"
            ),
            args![merchant, tx.now()],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count_open(tx: &Tx, merchant: MerchantId) -> Result<i64> {
    let sql = "select count(*)
                 from invitations
                where merchant_id = $1 and ended_at is null and expires_at > $2";
    Ok(tx.one(sql, args![merchant, tx.now()]).await?.take()?)
}

/// The open invitation of a token.
pub async fn find(tx: &Tx, token_hash: &[u8]) -> Result<Option<Invitation>> {
    let sql = concat!(
        "select ",
        columns!(),
        " from invitations
         where token_hash = $1 and ended_at is null and expires_at > $2"
    );
    tx.opt(sql, args![token_hash, tx.now()]).await?.map(read).transpose()
}

/// Ends an open invitation; false if there is none.
pub async fn end(tx: &Tx, merchant: MerchantId, id: InvitationId) -> Result<bool> {
    let ended = tx
        .exec(
            "update invitations
                set ended_at = $1
              where merchant_id = $2 and id = $3 and ended_at is null and expires_at > $1",
            args![tx.now(), merchant, id],
        )
        .await?;
    Ok(ended == 1)
}

/// Ends an address's invitation that was not accepted, whether or not it has expired; returns
/// which, if there was one.
pub async fn end_open(tx: &Tx, merchant: MerchantId, email: &str) -> Result<Option<InvitationId>> {
    let row = tx
        .opt(
            "update invitations
                set ended_at = $1
              where merchant_id = $2 and email = $3 and ended_at is null
             returning id",
            args![tx.now(), merchant, email],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// Ends the open invitations that a member made; returns which.
pub async fn end_of(
    tx: &Tx,
    merchant: MerchantId,
    invited_by: PersonId,
) -> Result<Vec<InvitationId>> {
    let rows = tx
        .all(
            "update invitations
                set ended_at = $1
              where merchant_id = $2 and invited_by = $3 and ended_at is null
             returning id",
            args![tx.now(), merchant, invited_by],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// Deletes invitations whose time is over, accepted or not.
pub async fn delete_expired(tx: &Tx, most: i64) -> Result<u64> {
    let deleted = tx
        .exec(
            "delete from invitations
              where (merchant_id, id) in (
                    select merchant_id, id from invitations where expires_at <= $1 limit $2)",
            args![tx.now(), most],
        )
        .await?;
    Ok(deleted)
}

/// Deletes all invitations of an account; returns which.
pub async fn delete_all(tx: &Tx, merchant: MerchantId) -> Result<Vec<InvitationId>> {
    let sql = "delete from invitations where merchant_id = $1 returning id";
    let rows = tx.all(sql, args![merchant]).await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

fn read(mut row: Row) -> Result<Invitation> {
    Ok(Invitation {
        merchant: row.take()?,
        id: row.take()?,
        email: row.take()?,
        role: row.take()?,
        invited_by: row.take()?,
        created_at: row.take()?,
        expires_at: row.take()?,
        is_mailed: row.take()?,
    })
}
