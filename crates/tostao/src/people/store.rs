//! The `people`, `memberships` and `sessions` tables.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;

use crate::merchants::{self, merchant_columns};
use crate::platform::member_role::MemberRole;
use crate::people::sessions::{Session, SessionRecord, SignInAttempt, SignInSource};
use crate::people::{Member, Membership, Person, SignedIn};
use crate::platform::error::Result;
use crate::platform::fields::spellings;
use crate::platform::ids::{MerchantId, Mode, PersonId, SessionId};

/// The columns of a person, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "people.id, people.name, people.email, people.password_hash"
    };
}

/// The person, the role and the account of members of open accounts, in the order in which
/// `read_signed_in` takes them, with `$more` columns.
macro_rules! signed_in {
    ($more:literal) => {
        concat!(
            "select ",
            columns!(),
            ", memberships.role, ",
            merchant_columns!(),
            $more,
            " from people
              join memberships on memberships.person_id = people.id
              join merchants
                on merchants.id = memberships.merchant_id and merchants.closed_at is null"
        )
    };
}

/// Inserts a person; false if the email address belongs to one already.
pub async fn insert(tx: &Tx, person: &Person) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into people (id, name, email, password_hash, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $5)
                 on conflict (email) do nothing",
            args![person.id, person.name, person.email, person.password_hash, tx.now()],
        )
        .await?;
    Ok(inserted == 1)
}

/// False if the person is a member already.
pub async fn insert_membership(
    tx: &Tx,
    merchant: MerchantId,
    person: PersonId,
    role: MemberRole,
) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into memberships (merchant_id, person_id, role, created_at)
             values ($1, $2, $3, $4)
                 on conflict (merchant_id, person_id) do nothing",
            args![merchant, person, role.name(), tx.now()],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn find(tx: &Tx, id: PersonId) -> Result<Option<Person>> {
    let sql = concat!("select ", columns!(), " from people where id = $1");
    tx.opt(sql, args![id]).await?.map(|mut row| read(&mut row)).transpose()
}

pub async fn find_by_email(tx: &Tx, email: &str) -> Result<Option<Person>> {
    let [typed, spelled] = spellings(email);
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from people
                 where email in ($1, $2)
                 order by email = $1 desc
                 limit 1"
            ),
            args![typed, spelled],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

pub async fn find_to_sign_in(
    tx: &Tx,
    email: &str,
    account: Option<MerchantId>,
    from: &SignInSource,
) -> Result<Option<SignInAttempt>> {
    let [typed, spelled] = spellings(email);
    let row = tx
        .opt(
            concat!(
                signed_in!(
                    ", coalesce(merchants.device_hash = $4 and merchants.id = people.id, false)
                       or exists (select 1
                                    from sessions
                                   where sessions.person_id = people.id
                                     and sessions.device_hash = $4),
                       exists (select 1
                                 from sessions
                                where sessions.person_id = people.id
                                  and sessions.network = $3)"
                ),
                " where people.email in ($1, $2)
                    and merchants.id = coalesce($5, merchants.id)
                  order by people.email = $1 desc, merchants.id = people.id desc,
                           memberships.created_at
                  limit 1"
            ),
            args![typed, spelled, from.network, from.device_hash, account],
        )
        .await?;
    let read = |mut row: Row| {
        let who = read_signed_in(&mut row)?;
        Ok(SignInAttempt { who, knows_device: row.take()?, knows_network: row.take()? })
    };
    row.map(read).transpose()
}

pub async fn signed_in(
    tx: &Tx,
    merchant: MerchantId,
    person: PersonId,
) -> Result<Option<SignedIn>> {
    let sql = concat!(signed_in!(""), " where merchants.id = $1 and people.id = $2");
    tx.opt(sql, args![merchant, person]).await?.map(|mut row| read_signed_in(&mut row)).transpose()
}

/// The account of a session that has not ended, and what its person is there.
pub async fn membership(tx: &Tx, session: SessionId, mode: Mode) -> Result<Option<Membership>> {
    let row = tx
        .opt(
            "select merchants.id, merchants.dev_ahead_micros, merchants.role,
                    memberships.person_id, memberships.role
               from sessions
               join merchants on merchants.id = sessions.merchant_id
               join memberships
                 on memberships.merchant_id = sessions.merchant_id
                and memberships.person_id = coalesce(sessions.person_id, sessions.merchant_id)
              where sessions.id = $1 and sessions.revoked_at is null
                and sessions.expires_at > $2",
            args![session, tx.now()],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(Membership {
            scope: merchants::scope_of(&mut row, mode)?,
            account_role: row.take()?,
            person: row.take()?,
            role: row.take()?,
        })
    };
    row.map(read).transpose()
}

pub async fn members(tx: &Tx, merchant: MerchantId) -> Result<Vec<Member>> {
    let rows = tx
        .all(
            "select people.id, people.name, people.email, memberships.role, memberships.created_at
               from memberships
               join people on people.id = memberships.person_id
              where memberships.merchant_id = $1
              order by memberships.role = 'OWNER' desc, memberships.created_at, people.id",
            args![merchant],
        )
        .await?;
    rows.into_iter().map(read_member).collect()
}

pub async fn member(tx: &Tx, merchant: MerchantId, person: PersonId) -> Result<Option<Member>> {
    let row = tx
        .opt(
            "select people.id, people.name, people.email, memberships.role, memberships.created_at
               from memberships
               join people on people.id = memberships.person_id
              where memberships.merchant_id = $1 and memberships.person_id = $2",
            args![merchant, person],
        )
        .await?;
    row.map(read_member).transpose()
}

pub async fn count_members(tx: &Tx, merchant: MerchantId) -> Result<i64> {
    let sql = "select count(*) from memberships where merchant_id = $1";
    Ok(tx.one(sql, args![merchant]).await?.take()?)
}

pub async fn count_owners(tx: &Tx, merchant: MerchantId) -> Result<i64> {
    let sql = "select count(*) from memberships where merchant_id = $1 and role = $2";
    Ok(tx.one(sql, args![merchant, MemberRole::Owner.name()]).await?.take()?)
}

pub async fn set_role(
    tx: &Tx,
    merchant: MerchantId,
    person: PersonId,
    role: MemberRole,
) -> Result<()> {
    tx.exec(
        "update memberships set role = $1 where merchant_id = $2 and person_id = $3",
        args![role.name(), merchant, person],
    )
    .await?;
    Ok(())
}

pub async fn delete_membership(tx: &Tx, merchant: MerchantId, person: PersonId) -> Result<()> {
    tx.exec(
        "delete from memberships where merchant_id = $1 and person_id = $2",
        args![merchant, person],
    )
    .await?;
    Ok(())
}

/// Deletes a person who is no member of any account.
pub async fn delete_without_membership(tx: &Tx, person: PersonId) -> Result<()> {
    tx.exec(
        "delete from people
          where id = $1
            and not exists (select 1 from memberships where memberships.person_id = people.id)",
        args![person],
    )
    .await?;
    Ok(())
}

/// Deletes an account's memberships, and the people who have no other.
pub async fn delete_members_of(tx: &Tx, merchant: MerchantId) -> Result<()> {
    tx.exec(
        "delete from people
          where id in (select person_id from memberships where merchant_id = $1)
            and not exists (
                select 1
                  from memberships
                 where memberships.person_id = people.id and memberships.merchant_id <> $1)",
        args![merchant],
    )
    .await?;
    tx.exec("delete from memberships where merchant_id = $1", args![merchant]).await?;
    Ok(())
}

/// Locks a person's row if the password is still the one that was verified; false if it is not.
pub async fn lock_password(tx: &Tx, person: &Person) -> Result<bool> {
    let held = tx
        .exec(
            "update people
                set updated_at = updated_at
              where id = $1 and password_hash = $2",
            args![person.id, person.password_hash],
        )
        .await?;
    Ok(held == 1)
}

/// Sets a person's password, also where the version before this one reads an owner's.
pub async fn set_password(tx: &Tx, id: PersonId, hash: &str) -> Result<()> {
    for sql in [
        "update people set password_hash = $1, updated_at = $2 where id = $3",
        "update merchants set password_hash = $1, updated_at = $2 where id = $3",
    ] {
        tx.exec(sql, args![hash, tx.now(), id]).await?;
    }
    Ok(())
}

pub async fn insert_session(tx: &Tx, session: &Session, from: &SignInSource) -> Result<()> {
    tx.exec(
        "insert into sessions
                (id, merchant_id, person_id, refresh_hash, network, created_at, used_at,
                 expires_at, ends_at, device_hash)
         values ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9)",
        args![
            session.id,
            session.merchant,
            session.person,
            session.refresh_hash,
            from.network,
            tx.now(),
            session.expires_at,
            session.ends_at,
            from.device_hash,
        ],
    )
    .await?;
    Ok(())
}

pub async fn find_session(tx: &Tx, id: SessionId) -> Result<Option<Session>> {
    let row = tx
        .opt(
            "select id, merchant_id, coalesce(person_id, merchant_id), refresh_hash, expires_at,
                    ends_at, revoked_at
               from sessions
              where id = $1",
            args![id],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(Session {
            id: row.take()?,
            merchant: row.take()?,
            person: row.take()?,
            refresh_hash: row.take()?,
            expires_at: row.take()?,
            ends_at: row.take()?,
            revoked_at: row.take()?,
        })
    };
    row.map(read).transpose()
}

/// Replaces the only valid refresh token with the next; false if it is no longer valid.
pub async fn rotate_session(
    tx: &Tx,
    session: &Session,
    hash: &[u8],
    expires_at: Timestamp,
) -> Result<bool> {
    let rotated = tx
        .exec(
            "update sessions
                set refresh_hash = $1, expires_at = $2, used_at = $3
              where id = $4 and refresh_hash = $5 and revoked_at is null",
            args![hash, expires_at, tx.now(), session.id, session.refresh_hash],
        )
        .await?;
    Ok(rotated == 1)
}

/// Replaces the current refresh token, whatever it is.
pub async fn renew_session(tx: &Tx, id: SessionId, hash: &[u8]) -> Result<()> {
    tx.exec(
        "update sessions set refresh_hash = $1 where id = $2 and revoked_at is null",
        args![hash, id],
    )
    .await?;
    Ok(())
}

pub async fn end_session(tx: &Tx, id: SessionId) -> Result<()> {
    tx.exec(
        "update sessions set revoked_at = $1 where id = $2 and revoked_at is null",
        args![tx.now(), id],
    )
    .await?;
    Ok(())
}

/// Ends a session of a person; false if they have no such session that has not ended.
pub async fn end_session_of(tx: &Tx, person: PersonId, id: SessionId) -> Result<bool> {
    let ended = tx
        .exec(
            "update sessions
                set revoked_at = $1
              where id = $2 and coalesce(person_id, merchant_id) = $3 and revoked_at is null
                and expires_at > $1",
            args![tx.now(), id, person],
        )
        .await?;
    Ok(ended == 1)
}

/// Ends a person's sessions, all of them or all but one; returns how many.
pub async fn end_sessions(tx: &Tx, person: PersonId, kept: Option<SessionId>) -> Result<u64> {
    let ended = tx
        .exec(
            "update sessions
                set revoked_at = $1
              where (person_id = $2 or person_id is null and merchant_id = $2)
                and revoked_at is null and id is distinct from $3",
            args![tx.now(), person, kept],
        )
        .await?;
    Ok(ended)
}

/// Ends a person's sessions in one account; returns how many.
pub async fn end_sessions_in(tx: &Tx, merchant: MerchantId, person: PersonId) -> Result<u64> {
    let ended = tx
        .exec(
            "update sessions
                set revoked_at = $1
              where merchant_id = $2 and coalesce(person_id, merchant_id) = $3
                and revoked_at is null",
            args![tx.now(), merchant, person],
        )
        .await?;
    Ok(ended)
}

/// Ends every session in an account, and erases where they came from; returns how many ended.
pub async fn end_all_sessions_in(tx: &Tx, merchant: MerchantId) -> Result<u64> {
    let ended = tx
        .exec(
            "update sessions set revoked_at = $1 where merchant_id = $2 and revoked_at is null",
            args![tx.now(), merchant],
        )
        .await?;
    tx.exec(
        "update sessions set network = null, device_hash = null where merchant_id = $1",
        args![merchant],
    )
    .await?;
    Ok(ended)
}

/// Erases the networks and devices of a person's sessions, of all of them or all but one.
pub async fn blank_sessions(tx: &Tx, person: PersonId, kept: Option<SessionId>) -> Result<()> {
    tx.exec(
        "update sessions
            set network = null, device_hash = null
          where (person_id = $1 or person_id is null and merchant_id = $1)
            and id is distinct from $2",
        args![person, kept],
    )
    .await?;
    Ok(())
}

/// The newest sessions of a person that have not ended.
pub async fn sessions(tx: &Tx, person: PersonId) -> Result<Vec<SessionRecord>> {
    let rows = tx
        .all(
            "select id, merchant_id, network, created_at, coalesce(used_at, created_at), expires_at
               from sessions
              where (person_id = $1 or person_id is null and merchant_id = $1)
                and revoked_at is null and expires_at > $2
              order by id desc
              limit 100",
            args![person, tx.now()],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(SessionRecord {
            id: row.take()?,
            merchant: row.take()?,
            network: row.take()?,
            created_at: row.take()?,
            used_at: row.take()?,
            expires_at: row.take()?,
        })
    };
    rows.into_iter().map(read).collect()
}

pub async fn delete_expired_sessions(tx: &Tx, most: i64) -> Result<u64> {
    let deleted = tx
        .exec(
            "delete from sessions
              where id in (
                    select id from sessions where expires_at <= $1 or ends_at <= $1 limit $2)",
            args![tx.now(), most],
        )
        .await?;
    Ok(deleted)
}

fn read(row: &mut Row) -> Result<Person> {
    Ok(Person {
        id: row.take()?,
        name: row.take()?,
        email: row.take()?,
        password_hash: row.take()?,
    })
}

fn read_signed_in(row: &mut Row) -> Result<SignedIn> {
    Ok(SignedIn { person: read(row)?, role: row.take()?, merchant: merchants::read(row)? })
}

fn read_member(mut row: Row) -> Result<Member> {
    Ok(Member {
        person: row.take()?,
        name: row.take()?,
        email: row.take()?,
        role: row.take()?,
        since: row.take()?,
    })
}
