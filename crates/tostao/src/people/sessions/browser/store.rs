//! The rows of browsers in the `sessions` table.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;

use crate::auth::elevation::{Elevation, SessionHolder};
use crate::merchants;
use crate::people::Membership;
use crate::people::sessions::browser::{Browser, BrowserSession, NewSession};
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, PersonId, SessionId};

/// Inserts a session; its refresh hash is empty, which is the hash of no token.
pub async fn insert(
    tx: &Tx,
    session: &NewSession,
    browser: &Browser,
    elevated_until: Timestamp,
) -> Result<()> {
    tx.exec(
        "insert into sessions
                (id, merchant_id, person_id, refresh_hash, network, created_at, used_at,
                 expires_at, ends_at, device_hash, kind, token_hash, agent, address,
                 elevated_until)
         values ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9, 'BROWSER', $10, $11, $12, $13)",
        args![
            session.id,
            session.merchant,
            session.person,
            Vec::<u8>::new(),
            browser.source.network,
            tx.now(),
            session.expires_at,
            session.ends_at,
            browser.source.device_hash,
            session.token_hash,
            browser.agent,
            browser.address,
            elevated_until,
        ],
    )
    .await?;
    Ok(())
}

pub async fn find(tx: &Tx, token_hash: &[u8], mode: Mode) -> Result<Option<BrowserSession>> {
    let row = tx
        .opt(
            "select sessions.id, sessions.used_at, sessions.ends_at,
                    merchants.id, merchants.dev_ahead_micros, merchants.role,
                    memberships.person_id, memberships.role,
                    coalesce(sessions.token_hash = $1 and sessions.elevated_until > $2, false),
                    exists (select 1
                              from second_steps
                             where second_steps.person_id = memberships.person_id
                               and second_steps.confirmed_at is not null)
               from sessions
               join merchants
                 on merchants.id = sessions.merchant_id and merchants.closed_at is null
               join memberships
                 on memberships.merchant_id = sessions.merchant_id
                and memberships.person_id = sessions.person_id
              where (sessions.token_hash = $1
                     or sessions.earlier_token_hash = $1 and sessions.earlier_good_until > $2)
                and sessions.kind = 'BROWSER'
                and sessions.revoked_at is null and sessions.expires_at > $2",
            args![token_hash, tx.now()],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(BrowserSession {
            token_hash: token_hash.to_vec(),
            id: row.take()?,
            used_at: row.take()?,
            ends_at: row.take()?,
            member: Membership {
                scope: merchants::scope_of(&mut row, mode)?,
                account_role: row.take()?,
                person: row.take()?,
                role: row.take()?,
                elevation: Elevation {
                    is_recent: row.take()?,
                    has_second_step: row.take()?,
                    held_by: SessionHolder::Browser,
                },
            },
        })
    };
    row.map(read).transpose()
}

/// Whose session a token is of, if it ended after an instant.
pub async fn whose(
    tx: &Tx,
    token_hash: &[u8],
    ended_after: Timestamp,
) -> Result<Option<(MerchantId, PersonId)>> {
    let row = tx
        .opt(
            "select merchant_id, person_id
               from sessions
              where token_hash = $1 and kind = 'BROWSER' and revoked_at is null
                and expires_at > $2",
            args![token_hash, ended_after],
        )
        .await?;
    row.map(|mut row| Ok((row.take()?, row.take()?))).transpose()
}

pub async fn note_use(tx: &Tx, id: SessionId, expires_at: Timestamp) -> Result<()> {
    tx.exec(
        "update sessions set used_at = $1, expires_at = $2 where id = $3 and revoked_at is null",
        args![tx.now(), expires_at, id],
    )
    .await?;
    Ok(())
}

/// Moves a person's session that has not ended to another account; false if there is none.
pub async fn switch(
    tx: &Tx,
    id: SessionId,
    (from, person): (MerchantId, PersonId),
    to: MerchantId,
) -> Result<bool> {
    let moved = tx
        .exec(
            "update sessions
                set merchant_id = $1
              where id = $2 and merchant_id = $3 and person_id = $4 and kind = 'BROWSER'
                and revoked_at is null",
            args![to, id, from, person],
        )
        .await?;
    Ok(moved == 1)
}
