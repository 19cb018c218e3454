//! What the features' stores have in common.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use std::time::Duration;

use brazil::document::Document;
use brazil::pix_key::{PixKey, PixKeyType};
use db::args;
use db::tx::Tx;
use db::value::Row;
use futures_util::future::try_join_all;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::Scope;

/// The statement that deletes at most a number of a scope's rows from a table; `key` identifies a
/// row within its scope.
macro_rules! delete_scope {
    ($table:literal, $key:literal) => {
        concat!(
            "delete from ",
            $table,
            " where merchant_id = $1 and mode = $2 and (",
            $key,
            ") in (
                    select ",
            $key,
            "
                      from ",
            $table,
            "
                     where merchant_id = $1 and mode = $2
                     limit $3)"
        )
    };
}

/// The statement that deletes at most a number of a scope's rows from before an id, oldest first.
macro_rules! delete_rows_before {
    ($table:literal) => {
        concat!(
            "delete from ",
            $table,
            " where merchant_id = $1 and mode = $2 and id in (
                    select id
                      from ",
            $table,
            "
                     where merchant_id = $1 and mode = $2 and id < $3
                     order by id
                     limit $4)"
        )
    };
}

/// The same for rows that name the scope's merchant as their affiliate, whatever merchant they
/// belong to.
macro_rules! delete_scope_as_affiliate {
    ($table:literal, $key:literal) => {
        concat!(
            "delete from ",
            $table,
            " where affiliate_id = $1 and mode = $2 and (",
            $key,
            ") in (
                    select ",
            $key,
            "
                      from ",
            $table,
            "
                     where affiliate_id = $1 and mode = $2
                     limit $3)"
        )
    };
}

/// Joins rows with the merchants that own them, under names that no table has: `owner_id`,
/// `owner_name`, `dev_ahead_micros`, `closed_at`, `was_invited`, and the look of their shops.
macro_rules! owners {
    () => {
        " join (select id as owner_id, name as owner_name, dev_ahead_micros, closed_at,
                       invited as was_invited, accent_color, logo_hash, logo_width, logo_height
                  from merchants) as owners
            on owner_id = merchant_id"
    };
}

/// The condition that the account that owns a row is not closed.
macro_rules! of_open_account {
    () => {
        " exists (select 1
                    from merchants as owner
                   where owner.id = merchant_id and owner.closed_at is null)"
    };
}

/// The statement that finds, of a table's orders whose result is unknown, the one sent first: its
/// owner, when it was sent, and how many there are. The platform, which is not a merchant, has
/// orders, too.
macro_rules! unresolved {
    ($table:literal) => {
        concat!(
            "select mode, merchant_id, coalesce(dev_ahead_micros, 0), sent_at, count(*) over ()
               from ",
            $table,
            "
               left join merchants on merchants.id = merchant_id
              where mode = $1 and status = 'PENDING' and sent_at is not null
              order by sent_at
              limit 1"
        )
    };
}

/// The statement that finds the ids of a table's newest rows about a payment.
macro_rules! newest_of {
    ($table:literal) => {
        concat!(
            "select id from ",
            $table,
            " where merchant_id = $1 and mode = $2 and transaction_id = $3
              order by id desc
              limit $4"
        )
    };
}

/// The two statements that sum rows by owner, named by `$whose`, and mode: for all merchants, and
/// for one merchant in one mode. The second is a statement of its own, so that it reads only that
/// merchant's rows.
macro_rules! summing {
    ($whose:literal, $sums:literal, $table:literal, $rows:literal) => {
        [
            concat!(
                "select ",
                $whose,
                ", mode, ",
                $sums,
                " from ",
                $table,
                " where ",
                $rows,
                " group by ",
                $whose,
                ", mode"
            ),
            concat!(
                "select ",
                $whose,
                ", mode, ",
                $sums,
                " from ",
                $table,
                " where ",
                $whose,
                " = $1 and mode = $2 and ",
                $rows,
                " group by ",
                $whose,
                ", mode"
            ),
        ]
    };
}

/// The statement that counts a scope's rows in a table that meet a condition.
macro_rules! counting {
    ($table:literal, $rows:literal) => {
        concat!(
            "select count(*) from ",
            $table,
            " where merchant_id = $1 and mode = $2 and ",
            $rows
        )
    };
}

pub(crate) use {
    counting, delete_rows_before, delete_scope, delete_scope_as_affiliate, newest_of,
    of_open_account, owners, summing, unresolved,
};

/// Sums by merchant and mode.
pub type Sums<const N: usize> = BTreeMap<(Uuid, i64), [i64; N]>;

/// Orders that were sent and whose result is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PendingOrders {
    pub count: i64,
    /// How long the one that was sent first has waited.
    pub longest: Duration,
}

impl PendingOrders {
    /// Reads the row of `unresolved`.
    pub fn read(tx: &Tx, row: Option<Row>) -> Result<Self> {
        let Some(mut row) = row else { return Ok(Self::default()) };
        let scope = merchants::owner(&mut row)?;
        let longest = scope.now(tx).since(row.take()?);
        Ok(Self { count: row.take()?, longest })
    }
}

/// Sums rows with the statements of `summing`.
pub async fn add_up<const N: usize>(
    tx: &Tx,
    of: Option<Scope>,
    [all_owners, own]: [&'static str; 2],
) -> Result<Sums<N>> {
    let rows = match of {
        None => tx.all(all_owners, &[]).await?,
        Some(scope) => tx.all(own, args![scope.merchant, scope.mode]).await?,
    };
    rows.into_iter().map(read_sums).collect()
}

/// Reads a row of `summing`.
fn read_sums<const N: usize>(mut row: Row) -> Result<((Uuid, i64), [i64; N])> {
    let key = (row.take()?, row.take()?);
    let mut sums = [0; N];
    for sum in &mut sums {
        *sum = row.take()?;
    }
    Ok((key, sums))
}

/// Finds rows by their ids, all at once; those that are not found are left out.
pub async fn find_all<Id, Found, Finding>(
    ids: BTreeSet<Id>,
    find: impl Fn(Id) -> Finding,
) -> Result<HashMap<Id, Found>>
where
    Id: Copy + Eq + Hash,
    Finding: Future<Output = Result<Option<Found>>>,
{
    let found = try_join_all(ids.iter().map(|id| find(*id))).await?;
    let pairs = ids.into_iter().zip(found);
    Ok(pairs.filter_map(|(id, found)| Some((id, found?))).collect())
}

/// Reads JSON, if it is not null.
pub fn json<T: DeserializeOwned>(row: &mut Row) -> Result<Option<T>> {
    let text: Option<String> = row.take()?;
    Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
}

/// Reads a person's document, if it is not null and still valid.
pub fn document(row: &mut Row) -> Result<Option<Document>> {
    let text: Option<String> = row.take()?;
    Ok(text.and_then(|text| Document::parse(&text).ok()))
}

/// Reads a PIX key by its type and its text, if they are not null and match.
pub fn pix_key(row: &mut Row) -> Result<Option<PixKey>> {
    let (key_type, text): (Option<String>, Option<String>) = (row.take()?, row.take()?);
    let key = |(key_type, text): (String, String)| {
        let key_type = PixKeyType::parse(&key_type).ok()?;
        PixKey::parse(key_type, &text).ok()
    };
    Ok(key_type.zip(text).and_then(key))
}

/// How many rows may still be deleted, after some were.
pub fn remaining(most: i64, deleted: u64) -> i64 {
    most - i64::try_from(deleted).unwrap_or(most)
}
