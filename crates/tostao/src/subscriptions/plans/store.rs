//! The table of plans.

use db::args;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg, searchable};

use crate::merchants;
use crate::merchants::look::{Look, SellerProfile};
use crate::platform::error::Result;
use crate::platform::ids::{Mode, PlanId, Scope};
use crate::store::{of_open_account, owners};
use crate::subscriptions::plans::Plan;
use crate::subscriptions::plans::list::Filter;
use crate::subscriptions::store::retry_policy;

/// The columns of a plan, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, name, description, amount_cents, recurs, trial_days, max_subscribers, retry_max,
         retry_every_days, product_id, active, seats, created_at, updated_at"
    };
}

/// The plans that match a filter.
macro_rules! matching {
    () => {
        " from plans
         where merchant_id = $1 and mode = $2
           and ($3 or active = $4)
           and (cast($5 as text) is null or search_text like $5 escape '\\')"
    };
}

pub async fn insert(tx: &Tx, scope: Scope, new: &Plan) -> Result<()> {
    tx.defer(
        "insert into plans
                (merchant_id, mode, id, name, description, amount_cents, recurs, trial_days,
                 max_subscribers, retry_max, retry_every_days, product_id, active, seats,
                 created_at, updated_at, search_text)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, $14, $14, $15)",
        args![
            scope.merchant,
            scope.mode,
            new.id,
            new.name,
            new.description,
            new.price,
            new.interval.name(),
            i64::from(new.trial_days),
            new.max_subscribers,
            new.retry_policy.map(|policy| i64::from(policy.max_retry)),
            new.retry_policy.map(|policy| i64::from(policy.retry_every)),
            new.product,
            new.active,
            new.created_at,
            search_text(new),
        ],
    )
    .await?;
    Ok(())
}

pub async fn find(tx: &Tx, scope: Scope, id: PlanId) -> Result<Option<Plan>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from plans
                 where merchant_id = $1 and mode = $2 and id = $3"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

/// Finds a plan by its id, with its scope and its merchant.
pub async fn find_anywhere(tx: &Tx, id: PlanId) -> Result<Option<(Scope, Plan, SellerProfile)>> {
    let row = tx
        .opt(
            concat!(
                "select mode, owner_id, dev_ahead_micros, owner_name, accent_color, logo_hash,
                        logo_width, logo_height, closed_at is null, ",
                columns!(),
                " from plans",
                owners!(),
                " where id = $1"
            ),
            args![id],
        )
        .await?;
    let Some(mut row) = row else { return Ok(None) };
    let mode: Mode = row.take()?;
    let scope = merchants::scope_of(&mut row, mode)?;
    let seller = SellerProfile { name: row.take()?, look: Look::read(&mut row)? };
    let is_open: bool = row.take()?;
    let plan = read(&mut row)?;
    Ok(Some((scope, Plan { active: plan.active && is_open, ..plan }, seller)))
}

pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Plan>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching!(),
                " and id < $6
                 order by id desc
                 limit $7 offset $8"
            ),
            &filter_args(&scope, filter, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    rows.into_iter().map(|mut row| read(&mut row)).collect()
}

pub async fn count(tx: &Tx, scope: Scope, filter: &Filter) -> Result<i64> {
    let sql = concat!("select count(*)", matching!());
    Ok(tx.one(sql, &filter_args(&scope, filter, &[])).await?.take()?)
}

/// Starts a change that is about to be stored; the unit holds the row lock from here on.
pub async fn open(tx: &Tx, scope: Scope, id: PlanId) -> Result<Option<Plan>> {
    let row = tx
        .opt(
            concat!(
                "update plans
                    set updated_at = $1
                  where merchant_id = $2 and mode = $3 and id = $4
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

pub async fn update(tx: &Tx, scope: Scope, plan: &Plan) -> Result<()> {
    tx.defer(
        "update plans
            set name = $1, description = $2, amount_cents = $3, trial_days = $4,
                max_subscribers = $5, retry_max = $6, retry_every_days = $7, product_id = $8,
                active = $9, search_text = $10
          where merchant_id = $11 and mode = $12 and id = $13",
        args![
            plan.name,
            plan.description,
            plan.price,
            i64::from(plan.trial_days),
            plan.max_subscribers,
            plan.retry_policy.map(|policy| i64::from(policy.max_retry)),
            plan.retry_policy.map(|policy| i64::from(policy.retry_every)),
            plan.product,
            plan.active,
            search_text(plan),
            scope.merchant,
            scope.mode,
            plan.id,
        ],
    )
    .await?;
    Ok(())
}

/// Reserves a slot; `None` if none is free, or the plan is inactive.
pub async fn reserve_slot(tx: &Tx, scope: Scope, id: PlanId) -> Result<Option<Plan>> {
    let row = tx
        .opt(
            concat!(
                "update plans
                    set seats = seats + 1
                  where merchant_id = $1 and mode = $2 and id = $3 and active
                    and (max_subscribers is null or seats < max_subscribers) and",
                of_open_account!(),
                " returning ",
                columns!()
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

pub async fn lock(tx: &Tx, scope: Scope, id: PlanId) -> Result<()> {
    tx.exec(
        "update plans
            set seats = seats
          where merchant_id = $1 and mode = $2 and id = $3",
        args![scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

pub async fn release_slot(tx: &Tx, scope: Scope, id: PlanId) -> Result<()> {
    tx.defer(
        "update plans
            set seats = seats - 1
          where merchant_id = $1 and mode = $2 and id = $3",
        args![scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// The parameters of `matching`, then `more`.
fn filter_args<'a>(scope: &'a Scope, filter: &'a Filter, more: &[Arg<'a>]) -> Vec<Arg<'a>> {
    let own = [
        scope.merchant.to_arg(),
        scope.mode.to_arg(),
        Arg::Bool(filter.active.is_none()),
        Arg::Bool(filter.active.unwrap_or_default()),
        filter.pattern.to_arg(),
    ];
    [own.as_slice(), more].concat()
}

fn search_text(plan: &Plan) -> String {
    let texts = [Some(plan.name.as_str()), plan.description.as_deref()];
    searchable(texts.into_iter().flatten())
}

fn read(row: &mut Row) -> Result<Plan> {
    Ok(Plan {
        id: row.take()?,
        name: row.take()?,
        description: row.take()?,
        price: row.take()?,
        interval: row.take()?,
        trial_days: u32::try_from(row.take::<i64>()?).unwrap_or(0),
        max_subscribers: row.take()?,
        retry_policy: retry_policy(row)?,
        product: row.take()?,
        active: row.take()?,
        seats: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
    })
}
