//! The `people` and `memberships` tables.

use db::args;
use db::tx::Tx;
use db::value::Row;

use crate::auth::elevation::{Elevation, SessionHolder};
use crate::merchants;
use crate::people::sessions::{SignInAttempt, SignInSource};
use crate::people::{Account, Member, Membership, Person, SignedIn};
use crate::platform::error::Result;
use crate::platform::fields::spellings;
use crate::platform::ids::{MerchantId, Mode, PersonId, SessionId};
use crate::platform::member_role::MemberRole;

/// A person's password: of who opened an account, what the version before this one reads and
/// writes.
macro_rules! password {
    () => {
        "coalesce((select merchants.password_hash
                     from merchants
                    where merchants.id = people.id and merchants.closed_at is null),
                  people.password_hash)"
    };
}

/// The other columns of a person, in the order in which `read` takes them, the password last.
macro_rules! columns {
    () => {
        "people.id, people.name, people.email"
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
    let row = tx
        .opt(
            concat!("select ", columns!(), ", ", password!(), " from people where id = $1"),
            args![id],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

/// Whether there is a person.
pub async fn any(tx: &Tx) -> Result<bool> {
    Ok(tx.opt("select 1 from people limit 1", args![]).await?.is_some())
}

pub async fn find_by_email(tx: &Tx, email: &str) -> Result<Option<Person>> {
    let [typed, spelled] = spellings(email);
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                ", ",
                password!(),
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
                "select ",
                columns!(),
                ", ",
                password!(),
                ", memberships.role, memberships.merchant_id,
                   coalesce(accounts.device_hash = $4 and accounts.id = people.id, false)
                   or exists (select 1
                                from sessions
                               where (sessions.person_id = people.id
                                      or sessions.person_id is null
                                         and sessions.merchant_id = people.id)
                                 and sessions.device_hash = $4),
                   exists (select 1
                             from sessions
                            where (sessions.person_id = people.id
                                   or sessions.person_id is null
                                      and sessions.merchant_id = people.id)
                              and sessions.network = $3)
                  from people
                  join memberships on memberships.person_id = people.id
                  join merchants as accounts
                    on accounts.id = memberships.merchant_id and accounts.closed_at is null
                 where people.email in ($1, $2)
                   and accounts.id = coalesce($5, accounts.id)
                 order by people.email = $1 desc, accounts.id = people.id desc,
                          memberships.created_at
                 limit 1"
            ),
            args![typed, spelled, from.network, from.device_hash, account],
        )
        .await?;
    let Some(mut row) = row else { return Ok(None) };
    let (person, role, account) = (read(&mut row)?, row.take()?, row.take()?);
    let merchant = merchants::find(tx, account).await?;
    let who = SignedIn { person, merchant, role };
    Ok(Some(SignInAttempt { who, knows_device: row.take()?, knows_network: row.take()? }))
}

pub async fn signed_in(
    tx: &Tx,
    merchant: MerchantId,
    person: PersonId,
) -> Result<Option<SignedIn>> {
    let Some(member) = member(tx, merchant, person).await? else { return Ok(None) };
    let merchant = merchants::find(tx, merchant).await?;
    let person = find(tx, person).await?;
    let open = person.filter(|_| merchant.closed_at.is_none());
    Ok(open.map(|person| SignedIn { person, merchant, role: member.role }))
}

/// The account of a session of the API that has not ended, and what its person is there.
pub async fn membership(tx: &Tx, session: SessionId, mode: Mode) -> Result<Option<Membership>> {
    let row = tx
        .opt(
            "select merchants.id, merchants.dev_ahead_micros, merchants.role,
                    memberships.person_id, memberships.role,
                    coalesce(sessions.elevated_until > $2, false),
                    exists (select 1
                              from second_steps
                             where second_steps.person_id = memberships.person_id
                               and second_steps.confirmed_at is not null)
               from sessions
               join merchants on merchants.id = sessions.merchant_id
               join memberships
                 on memberships.merchant_id = sessions.merchant_id
                and memberships.person_id = coalesce(sessions.person_id, sessions.merchant_id)
              where sessions.id = $1 and sessions.kind is null and sessions.revoked_at is null
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
            elevation: Elevation {
                is_recent: row.take()?,
                has_second_step: row.take()?,
                held_by: SessionHolder::Program,
            },
        })
    };
    row.map(read).transpose()
}

pub async fn accounts(tx: &Tx, person: PersonId) -> Result<Vec<Account>> {
    let rows = tx
        .all(
            "select merchants.id, merchants.name, memberships.role, memberships.created_at
               from memberships
               join merchants
                 on merchants.id = memberships.merchant_id and merchants.closed_at is null
              where memberships.person_id = $1
              order by merchants.id = memberships.person_id desc, memberships.created_at",
            args![person],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(Account { id: row.take()?, name: row.take()?, role: row.take()?, since: row.take()? })
    };
    rows.into_iter().map(read).collect()
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

pub async fn count_accounts(tx: &Tx, person: PersonId) -> Result<i64> {
    let sql = "select count(*) from memberships where person_id = $1";
    Ok(tx.one(sql, args![person]).await?.take()?)
}

pub async fn accounts_of(tx: &Tx, person: PersonId) -> Result<Vec<MerchantId>> {
    let sql = "select merchant_id from memberships where person_id = $1 order by created_at";
    let rows = tx.all(sql, args![person]).await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
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

/// Deletes a person who is no member of any account; false if they are one.
///
/// The row is locked first, so that an account which they join meanwhile is seen.
pub async fn delete_without_membership(tx: &Tx, person: PersonId) -> Result<bool> {
    lock(tx, person).await?;
    let deleted = tx
        .exec(
            "delete from people
              where id = $1
                and not exists (
                    select 1 from memberships where memberships.person_id = people.id)",
            args![person],
        )
        .await?;
    Ok(deleted == 1)
}

/// Deletes an account's memberships; returns whose they were.
pub async fn delete_memberships_of(tx: &Tx, merchant: MerchantId) -> Result<Vec<PersonId>> {
    let sql = "select person_id from memberships where merchant_id = $1 order by person_id";
    let rows = tx.all(sql, args![merchant]).await?;
    tx.exec("delete from memberships where merchant_id = $1", args![merchant]).await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// The account of a person: their own, or else the one that they joined first.
pub async fn home(tx: &Tx, person: PersonId) -> Result<Option<MerchantId>> {
    let row = tx
        .opt(
            "select merchant_id
               from memberships
              where person_id = $1
              order by merchant_id = $1 desc, created_at
              limit 1",
            args![person],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// Makes the people and memberships of owners that are missing; returns how many.
pub async fn adopt(tx: &Tx) -> Result<u64> {
    let people = tx
        .exec(
            "insert into people (id, name, email, password_hash, created_at, updated_at)
             select id, name, email, password_hash, created_at, updated_at
               from merchants
              where closed_at is null
                and not exists (select 1 from people where people.id = merchants.id)
                 on conflict do nothing",
            args![],
        )
        .await?;
    let owners = tx
        .exec(
            "insert into memberships (merchant_id, person_id, role, created_at)
             select id, id, 'OWNER', created_at
               from merchants
              where closed_at is null
                and exists (select 1 from people where people.id = merchants.id)
                and not exists (
                    select 1
                      from memberships
                     where memberships.merchant_id = merchants.id
                       and memberships.person_id = merchants.id)
                 on conflict do nothing",
            args![],
        )
        .await?;
    Ok(people + owners)
}

/// Closed accounts that still have members, at most `most`.
pub async fn closed_with_members(tx: &Tx, most: i64) -> Result<Vec<MerchantId>> {
    let rows = tx
        .all(
            "select id
               from merchants
              where closed_at is not null
                and exists (
                    select 1 from memberships where memberships.merchant_id = merchants.id)
              limit $1",
            args![most],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// People who are members of no account, at most `most`.
pub async fn without_membership(tx: &Tx, most: i64) -> Result<Vec<PersonId>> {
    let rows = tx
        .all(
            "select id
               from people
              where not exists (
                    select 1 from memberships where memberships.person_id = people.id)
              limit $1",
            args![most],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// Locks a person's row by writing its current value.
pub async fn lock(tx: &Tx, id: PersonId) -> Result<()> {
    tx.exec("update people set updated_at = updated_at where id = $1", args![id]).await?;
    Ok(())
}

/// Locks a person's row if the password is still the one that was verified; false if it is not.
pub async fn lock_password(tx: &Tx, person: &Person) -> Result<bool> {
    let held = tx
        .exec(
            concat!(
                "update people
                    set updated_at = updated_at
                  where id = $1 and ",
                password!(),
                " = $2"
            ),
            args![person.id, person.password_hash],
        )
        .await?;
    Ok(held == 1)
}

pub async fn set_name(tx: &Tx, id: PersonId, name: &str) -> Result<()> {
    tx.exec(
        "update people set name = $1, updated_at = $2 where id = $3",
        args![name, tx.now(), id],
    )
    .await?;
    Ok(())
}

/// Sets a person's address, also where the version before this one reads an owner's; false if
/// another person or account has it, also one that takes it at the same moment.
pub async fn set_email(tx: &Tx, id: PersonId, email: &str) -> Result<bool> {
    let changed = tx
        .exec_unique(
            "update people
                set email = $1, updated_at = $2
              where id = $3
                and not exists (
                    select 1
                      from people as others
                     where others.email = $1 and others.id <> $3)
                and not exists (
                    select 1
                      from merchants
                     where merchants.email = $1 and merchants.id <> $3)",
            args![email, tx.now(), id],
        )
        .await?;
    if changed == 0 {
        return Ok(false);
    }
    tx.exec_unique(
        "update merchants set email = $1, updated_at = $2 where id = $3 and closed_at is null",
        args![email, tx.now(), id],
    )
    .await?;
    Ok(true)
}

/// Sets a person's password, also where the version before this one reads an owner's.
pub async fn set_password(tx: &Tx, id: PersonId, hash: &str) -> Result<()> {
    tx.exec(
        "update people set password_hash = $1, updated_at = $2 where id = $3",
        args![hash, tx.now(), id],
    )
    .await?;
    tx.exec(
        "update merchants
            set password_hash = $1, updated_at = $2
          where id = $3 and closed_at is null",
        args![hash, tx.now(), id],
    )
    .await?;
    Ok(())
}

fn read(row: &mut Row) -> Result<Person> {
    Ok(Person {
        id: row.take()?,
        name: row.take()?,
        email: row.take()?,
        password_hash: row.take()?,
    })
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
