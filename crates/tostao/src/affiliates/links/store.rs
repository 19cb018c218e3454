//! The table of affiliates' links.

use db::args;
use db::tx::Tx;
use db::value::Row;
use ledger::cents::Cents;

use crate::affiliates::links::{AffiliateLink, LinkWithProgram, Stats};
use crate::affiliates::programs;
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::{AffiliateLinkId, AffiliateProgramId, MerchantId, Scope};
use crate::store::{Sums, add_up, summing};

/// A link, its affiliate and its program, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "links.mode, owners.id, owners.dev_ahead_micros, affiliates.name,
         case when affiliates.closed_at is null then affiliates.email else '' end,
         links.id, links.affiliate_id, links.code,
         links.active and affiliates.closed_at is null, links.clicks, links.conversions,
         links.pending_cents, links.earned_cents, links.created_at, links.updated_at,
         programs.id, programs.product_id, programs.commission_type, programs.commission_value,
         programs.extended, programs.cookie_days,
         programs.active and programs.deleted_at is null and owners.closed_at is null,
         programs.description, programs.rules, programs.affiliate_page, programs.sales_page,
         programs.created_at, programs.updated_at
           from affiliate_links as links
           join affiliate_programs as programs
             on programs.merchant_id = links.merchant_id and programs.mode = links.mode
            and programs.id = links.program_id
           join merchants as owners on owners.id = links.merchant_id
           join merchants as affiliates on affiliates.id = links.affiliate_id"
    };
}

/// Inserts a link; false if its code is taken, or its affiliate has one.
pub async fn insert(
    tx: &Tx,
    scope: Scope,
    program: AffiliateProgramId,
    new: &AffiliateLink,
) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into affiliate_links
                    (merchant_id, mode, id, program_id, affiliate_id, code, active, clicks,
                     conversions, pending_cents, earned_cents, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, 0, 0, 0, 0, $8, $8)
                 on conflict do nothing",
            args![
                scope.merchant,
                scope.mode,
                new.id,
                program,
                new.affiliate,
                new.code,
                new.active,
                new.created_at,
            ],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn has_joined(
    tx: &Tx,
    scope: Scope,
    program: AffiliateProgramId,
    affiliate: MerchantId,
) -> Result<bool> {
    let row = tx
        .opt(
            "select id
               from affiliate_links
              where merchant_id = $1 and mode = $2 and program_id = $3 and affiliate_id = $4",
            args![scope.merchant, scope.mode, program, affiliate],
        )
        .await?;
    Ok(row.is_some())
}

pub async fn find(tx: &Tx, scope: Scope, id: AffiliateLinkId) -> Result<Option<LinkWithProgram>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " where links.merchant_id = $1 and links.mode = $2 and links.id = $3"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn find_own(
    tx: &Tx,
    scope: Scope,
    id: AffiliateLinkId,
) -> Result<Option<LinkWithProgram>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " where links.affiliate_id = $1 and links.mode = $2 and links.id = $3"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn list_own(tx: &Tx, scope: Scope, page: &Page) -> Result<Vec<LinkWithProgram>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " where links.affiliate_id = $1 and links.mode = $2 and links.id < $3
                  order by links.id desc
                  limit $4 offset $5"
            ),
            args![scope.merchant, scope.mode, page.before(), page.fetch(), page.offset()],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count_own(tx: &Tx, scope: Scope) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*) from affiliate_links where affiliate_id = $1 and mode = $2",
            args![scope.merchant, scope.mode],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn list_by_program(
    tx: &Tx,
    scope: Scope,
    program: AffiliateProgramId,
    page: &Page,
) -> Result<Vec<LinkWithProgram>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " where links.merchant_id = $1 and links.mode = $2 and links.program_id = $3
                    and links.id < $4
                  order by links.id desc
                  limit $5 offset $6"
            ),
            args![scope.merchant, scope.mode, program, page.before(), page.fetch(), page.offset(),],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count_joined(tx: &Tx, scope: Scope, program: AffiliateProgramId) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*)
               from affiliate_links
              where merchant_id = $1 and mode = $2 and program_id = $3",
            args![scope.merchant, scope.mode, program],
        )
        .await?;
    Ok(row.take()?)
}

/// Enables or disables a link; false if it does not exist.
pub async fn switch(tx: &Tx, scope: Scope, id: AffiliateLinkId, active: bool) -> Result<bool> {
    let switched = tx
        .exec(
            "update affiliate_links
                set active = $1, updated_at = $2
              where merchant_id = $3 and mode = $4 and id = $5",
            args![active, scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(switched == 1)
}

pub async fn stats(tx: &Tx, scope: Scope) -> Result<Stats> {
    let mut row = tx
        .one(
            "select count(*),
                    cast(coalesce(sum(case when active then 1 else 0 end), 0) as bigint),
                    cast(coalesce(sum(clicks), 0) as bigint),
                    cast(coalesce(sum(conversions), 0) as bigint),
                    cast(coalesce(sum(pending_cents), 0) as bigint),
                    cast(coalesce(sum(earned_cents), 0) as bigint)
               from affiliate_links
              where affiliate_id = $1 and mode = $2",
            args![scope.merchant, scope.mode],
        )
        .await?;
    Ok(Stats {
        links: row.take()?,
        active: row.take()?,
        clicks: row.take()?,
        conversions: row.take()?,
        pending: row.take()?,
        earned: row.take()?,
    })
}

pub async fn count_click(tx: &Tx, scope: Scope, id: AffiliateLinkId) -> Result<()> {
    tx.defer(
        "update affiliate_links
            set clicks = clicks + 1
          where merchant_id = $1 and mode = $2 and id = $3",
        args![scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

pub async fn count(
    tx: &Tx,
    scope: Scope,
    id: AffiliateLinkId,
    conversions: i64,
    pending: Cents,
    earned: Cents,
) -> Result<()> {
    tx.defer(
        "update affiliate_links
            set conversions = conversions + $1, pending_cents = pending_cents + $2,
                earned_cents = earned_cents + $3
          where merchant_id = $4 and mode = $5 and id = $6",
        args![conversions, pending, earned, scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// What is pending for the affiliates of a merchant, and for the merchant as an affiliate.
pub async fn sum_pending_commissions(tx: &Tx, scope: Scope) -> Result<Cents> {
    let mut row = tx
        .one(
            "select cast(coalesce(sum(pending_cents), 0) as bigint)
               from affiliate_links
              where (merchant_id = $1 or affiliate_id = $1) and mode = $2",
            args![scope.merchant, scope.mode],
        )
        .await?;
    Ok(row.take()?)
}

/// Sums of the links' counters for their affiliates: what is pending, and what was earned.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "affiliate_id",
        "cast(coalesce(sum(pending_cents), 0) as bigint),
         cast(coalesce(sum(earned_cents), 0) as bigint)",
        "affiliate_links",
        "true"
    );
    add_up(tx, of, sums).await
}

fn read(mut row: Row) -> Result<LinkWithProgram> {
    let owner = merchants::owner(&mut row)?;
    let (name, email) = (row.take()?, row.take()?);
    let link = AffiliateLink {
        id: row.take()?,
        affiliate: row.take()?,
        code: row.take()?,
        active: row.take()?,
        clicks: row.take()?,
        conversions: row.take()?,
        pending: row.take()?,
        earned: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
    };
    let program = programs::read(&mut row)?;
    Ok(LinkWithProgram { link, program, owner, name, email, product: None, url: None })
}
