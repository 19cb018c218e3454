//! The table of programs.

use db::args;
use db::tx::Tx;
use db::value::Row;

use crate::affiliates::programs::{ListedProgram, Program, ProgramStats};
use crate::affiliates::terms::ProgramTerms;
use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::{AffiliateProgramId, Mode, Scope};

/// The columns of a program, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, product_id, commission_type, commission_value, extended, cookie_days, active,
         description, rules, affiliate_page, sales_page, created_at, updated_at"
    };
}

/// The links of a program.
macro_rules! of_its_links {
    () => {
        " from affiliate_links
         where affiliate_links.merchant_id = affiliate_programs.merchant_id
           and affiliate_links.mode = affiliate_programs.mode
           and affiliate_links.program_id = affiliate_programs.id)"
    };
}

/// Columns read with a program: its owner, and how many affiliates have joined.
macro_rules! beside {
    () => {
        concat!(", owner_id, owner_name, (select count(*)", of_its_links!())
    };
}

/// What came of a program, for its owner.
macro_rules! outcome {
    () => {
        concat!(
            ", (select cast(coalesce(sum(clicks), 0) as bigint)",
            of_its_links!(),
            ", (select cast(coalesce(sum(conversions), 0) as bigint)",
            of_its_links!(),
            ", (select cast(coalesce(sum(pending_cents), 0) as bigint)",
            of_its_links!(),
            ", (select cast(coalesce(sum(earned_cents), 0) as bigint)",
            of_its_links!()
        )
    };
}

/// The link that an affiliate has in a program; the affiliate follows.
macro_rules! link_of {
    () => {
        ", (select affiliate_links.id
              from affiliate_links
             where affiliate_links.merchant_id = affiliate_programs.merchant_id
               and affiliate_links.mode = affiliate_programs.mode
               and affiliate_links.program_id = affiliate_programs.id
               and affiliate_links.affiliate_id = "
    };
}

/// Where a program and its owner are read from.
macro_rules! owned {
    () => {
        " from affiliate_programs
          join (select id as owner_id, name as owner_name from merchants) as owners
            on owner_id = merchant_id"
    };
}

/// Programs that can be joined: active, for an existing product, of an open account.
macro_rules! joinable {
    () => {
        " and active and deleted_at is null
          and exists (
              select 1
                from products
               where products.merchant_id = affiliate_programs.merchant_id
                 and products.mode = affiliate_programs.mode
                 and products.id = affiliate_programs.product_id
                 and products.deleted_at is null)
          and exists (
              select 1
                from merchants
               where merchants.id = affiliate_programs.merchant_id
                 and merchants.closed_at is null)"
    };
}

/// Inserts a program; false if its product has one.
pub async fn insert(tx: &Tx, scope: Scope, new: &Program) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into affiliate_programs
                    (merchant_id, mode, id, product_id, commission_type, commission_value,
                     extended, cookie_days, active, description, rules, affiliate_page,
                     sales_page, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
                 on conflict do nothing",
            args![
                scope.merchant,
                scope.mode,
                new.id,
                new.product,
                new.terms.kind.name(),
                new.terms.value,
                new.terms.extended,
                new.cookie_days,
                new.active,
                new.description,
                new.rules,
                new.affiliate_page,
                new.sales_page,
                new.created_at,
                new.updated_at,
            ],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn find(tx: &Tx, scope: Scope, id: AffiliateProgramId) -> Result<Option<ListedProgram>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                beside!(),
                outcome!(),
                owned!(),
                " where merchant_id = $1 and mode = $2 and id = $3 and deleted_at is null"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read_own).transpose()
}

/// Finds a program by its id alone, if it can be joined.
pub async fn find_open(
    tx: &Tx,
    scope: Scope,
    id: AffiliateProgramId,
) -> Result<Option<ListedProgram>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                beside!(),
                link_of!(),
                "$3) as link_id",
                owned!(),
                " where id = $1 and mode = $2",
                joinable!()
            ),
            args![id, scope.mode, scope.merchant],
        )
        .await?;
    row.map(read_open).transpose()
}

pub async fn list(tx: &Tx, scope: Scope, page: &Page) -> Result<Vec<ListedProgram>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                beside!(),
                outcome!(),
                owned!(),
                " where merchant_id = $1 and mode = $2 and id < $3 and deleted_at is null
                  order by id desc
                  limit $4 offset $5"
            ),
            args![scope.merchant, scope.mode, page.before(), page.fetch(), page.offset()],
        )
        .await?;
    rows.into_iter().map(read_own).collect()
}

pub async fn count(tx: &Tx, scope: Scope) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*)
               from affiliate_programs
              where merchant_id = $1 and mode = $2 and deleted_at is null",
            args![scope.merchant, scope.mode],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn list_open(tx: &Tx, scope: Scope, page: &Page) -> Result<Vec<ListedProgram>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                beside!(),
                link_of!(),
                "$5) as link_id",
                owned!(),
                " where mode = $1 and id < $2",
                joinable!(),
                " order by id desc
                  limit $3 offset $4"
            ),
            args![scope.mode, page.before(), page.fetch(), page.offset(), scope.merchant],
        )
        .await?;
    rows.into_iter().map(read_open).collect()
}

pub async fn count_open(tx: &Tx, mode: Mode) -> Result<i64> {
    let sql = concat!("select count(*) from affiliate_programs where mode = $1", joinable!());
    Ok(tx.one(sql, args![mode]).await?.take()?)
}

/// Starts a change that is about to be stored; the unit holds the row lock from here on.
pub async fn open(tx: &Tx, scope: Scope, id: AffiliateProgramId) -> Result<Option<Program>> {
    let row = tx
        .opt(
            concat!(
                "update affiliate_programs
                    set updated_at = $1
                  where merchant_id = $2 and mode = $3 and id = $4 and deleted_at is null
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

pub async fn update(tx: &Tx, scope: Scope, program: &Program) -> Result<()> {
    tx.defer(
        "update affiliate_programs
            set commission_type = $1, commission_value = $2, extended = $3, cookie_days = $4,
                active = $5, description = $6, rules = $7, affiliate_page = $8, sales_page = $9
          where merchant_id = $10 and mode = $11 and id = $12",
        args![
            program.terms.kind.name(),
            program.terms.value,
            program.terms.extended,
            program.cookie_days,
            program.active,
            program.description,
            program.rules,
            program.affiliate_page,
            program.sales_page,
            scope.merchant,
            scope.mode,
            program.id,
        ],
    )
    .await?;
    Ok(())
}

/// Ends a program; false if it does not exist.
pub async fn delete(tx: &Tx, scope: Scope, id: AffiliateProgramId) -> Result<bool> {
    let deleted = tx
        .exec(
            "update affiliate_programs
                set deleted_at = $1
              where merchant_id = $2 and mode = $3 and id = $4 and deleted_at is null",
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(deleted == 1)
}

pub fn read(row: &mut Row) -> Result<Program> {
    let (id, product) = (row.take()?, row.take()?);
    let terms = ProgramTerms::read(row)?;
    Ok(Program {
        id,
        product,
        terms,
        cookie_days: row.take()?,
        active: row.take()?,
        description: row.take()?,
        rules: row.take()?,
        affiliate_page: row.take()?,
        sales_page: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
    })
}

fn read_own(mut row: Row) -> Result<ListedProgram> {
    let mut shown = read_shown(&mut row)?;
    shown.stats = Some(ProgramStats {
        clicks: row.take()?,
        conversions: row.take()?,
        pending: row.take()?,
        earned: row.take()?,
    });
    Ok(shown)
}

fn read_open(mut row: Row) -> Result<ListedProgram> {
    let shown = read_shown(&mut row)?;
    Ok(ListedProgram { link: row.take()?, ..shown })
}

fn read_shown(row: &mut Row) -> Result<ListedProgram> {
    Ok(ListedProgram {
        program: read(row)?,
        owner: row.take()?,
        owner_name: row.take()?,
        links: row.take()?,
        stats: None,
        link: None,
        product: None,
    })
}
