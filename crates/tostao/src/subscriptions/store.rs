//! The tables of subscriptions and their periods.

use brazil::card_brand::CardBrand;
use brazil::document::Document;
use db::args;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg, searchable};
use rails::card::{CardDetails, StoredCard};
use sandbox::SANDBOX;

use crate::clients::CustomerDetails;
use crate::platform::error::Result;
use crate::platform::ids::{ClientId, PlanId, Scope, SubscriptionId, TransactionId};
use crate::store::counting;
use crate::subscriptions::list::Filter;
use crate::subscriptions::plans::RetryPolicy;
use crate::subscriptions::status::Status;
use crate::subscriptions::{Charge, ChargeReason, Dunning, Method, Period, Subscription};

/// The columns of a subscription, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, version, plan_id, plan_name, amount_cents, recurs, retry_max, retry_every_days,
         client_id, customer_name, customer_email, customer_document, customer_phone, status,
         method, card_id, card_brand, card_last4, card_fingerprint, card_exp_month,
         card_exp_year, card_provider, trial_ends_at, trial_end_told, anchor_at, anchor_day,
         next_cycle, period_start, period_end, next_billing_at, charge_id, charge_cause, paid_once,
         cancel_at_period_end, cancelled_at, ended_at, cancel_reason, cancel_comment, paused_at,
         resumes_at, failed_attempts, retries_done, manual_retries, next_retry_at,
         last_failure_code, awaits_card, past_due_at, affiliate_code, coupon_code, next_plan_id,
         created_at, updated_at"
    };
}

/// The subscriptions that match a filter.
macro_rules! matching {
    () => {
        " from subscriptions
         where merchant_id = $1 and mode = $2
           and (cast($3 as text) is null or status = $3)
           and ($4 or plan_id = $5)
           and ($6 or client_id = $7)
           and created_at >= $8 and created_at < $9
           and (cast($10 as text) is null or search_text like $10 escape '\\')
           and ($11 or (status in ('ACTIVE', 'PAST_DUE')) = $12)"
    };
}

/// Inserts a new subscription: nothing has been paid, has failed or was recorded about it yet.
pub async fn insert(tx: &Tx, scope: Scope, new: &Subscription) -> Result<()> {
    tx.defer(
        "insert into subscriptions
                (merchant_id, mode, id, version, status, trial_ends_at, anchor_at, anchor_day,
                 period_start, period_end, next_billing_at, charge_id, charge_cause, client_id,
                 customer_name, customer_email, customer_document, customer_phone, identity,
                 affiliate_code, coupon_code, created_at, updated_at, trial_plan_id, annual_cents,
                 next_cycle, trial_end_told, cancel_at_period_end, paid_once, awaits_card,
                 failed_attempts, retries_done, manual_retries, plan_id, plan_name, amount_cents,
                 recurs, retry_max, retry_every_days, method, card_id, card_brand, card_last4,
                 card_fingerprint, card_exp_month, card_exp_year, card_provider,
                 search_text)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19, $20, $21, $22, $22, $23, 0, 0, false, false, false, false, 0, 0, 0, $24,
                 $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38)",
        &with_terms(
            args![
                scope.merchant,
                scope.mode,
                new.id,
                new.version,
                new.status.name(),
                new.trial_ends_at,
                new.anchor_at,
                new.anchor_day,
                new.period.map(|period| period.start),
                new.period.map(|period| period.end),
                new.next_billing_at,
                new.charge.map(|charge| charge.transaction),
                new.charge.map(|charge| charge.cause.name()),
                new.client,
                new.customer.name,
                new.customer.email,
                new.customer.document.as_ref().map(Document::as_str),
                new.customer.phone,
                new.customer.person(),
                new.affiliate_code,
                new.coupon_code,
                new.created_at,
                new.trial_ends_at.map(|_| new.plan),
            ],
            new,
            &search_text(new),
        ),
    )
    .await?;
    Ok(())
}

/// Stores a change, if the row still has the version it is based on.
///
/// Price and payment method are stored by [`update_terms`].
pub async fn update(tx: &Tx, scope: Scope, version: i64, new: &Subscription) -> Result<bool> {
    let updated = tx
        .exec(
            "update subscriptions
                set version = $1, annual_cents = $2, status = $3, trial_ends_at = $4,
                    trial_end_told = $5, anchor_at = $6, anchor_day = $7, next_cycle = $8,
                    period_start = $9, period_end = $10, next_billing_at = $11, charge_id = $12,
                    charge_cause = $13, paid_once = $14, cancel_at_period_end = $15,
                    failed_attempts = $16, retries_done = $17, manual_retries = $18,
                    awaits_card = $19, updated_at = $20, cancelled_at = $21, ended_at = $22,
                    cancel_reason = $23, cancel_comment = $24, paused_at = $25, resumes_at = $26,
                    next_retry_at = $27, last_failure_code = $28, past_due_at = $29,
                    next_plan_id = $30
              where merchant_id = $31 and mode = $32 and id = $33 and version = $34",
            args![
                new.version,
                new.annual(),
                new.status.name(),
                new.trial_ends_at,
                new.trial_end_announced,
                new.anchor_at,
                new.anchor_day,
                new.next_cycle,
                new.period.map(|period| period.start),
                new.period.map(|period| period.end),
                new.next_billing_at,
                new.charge.map(|charge| charge.transaction),
                new.charge.map(|charge| charge.cause.name()),
                new.paid_once,
                new.cancel_at_period_end,
                new.dunning.failed_attempts,
                new.dunning.retries_done,
                new.dunning.manual_retries,
                new.dunning.awaits_card,
                new.updated_at,
                new.cancelled_at,
                new.ended_at,
                new.cancel_reason,
                new.cancel_comment,
                new.paused_at,
                new.resumes_at,
                new.dunning.next_retry_at,
                new.dunning.last_failure_code,
                new.dunning.past_due_at,
                new.next_plan,
                scope.merchant,
                scope.mode,
                new.id,
                version,
            ],
        )
        .await?;
    Ok(updated == 1)
}

/// Stores the price and the payment method; the unit holds the row lock by then. A trial stays one
/// of the plan that it began with.
pub async fn update_terms(tx: &Tx, scope: Scope, new: &Subscription) -> Result<()> {
    tx.defer(
        "update subscriptions
            set plan_id = $4, plan_name = $5, amount_cents = $6, recurs = $7, retry_max = $8,
                retry_every_days = $9, method = $10, card_id = $11, card_brand = $12,
                card_last4 = $13, card_fingerprint = $14, card_exp_month = $15,
                card_exp_year = $16, card_provider = $17, search_text = $18
          where merchant_id = $1 and mode = $2 and id = $3",
        &with_terms(args![scope.merchant, scope.mode, new.id], new, &search_text(new)),
    )
    .await?;
    Ok(())
}

pub async fn find(tx: &Tx, scope: Scope, id: SubscriptionId) -> Result<Option<Subscription>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from subscriptions
                 where merchant_id = $1 and mode = $2 and id = $3"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

/// Lists matching subscriptions, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Subscription>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching!(),
                " and id < $13
                 order by id desc
                 limit $14 offset $15"
            ),
            &filter_args(&scope, filter, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    rows.into_iter().map(|mut row| read(&mut row)).collect()
}

/// Counts matching subscriptions, on every page, and what recurs of them in twelve months.
pub async fn totals(tx: &Tx, scope: Scope, filter: &Filter) -> Result<(i64, i64)> {
    let sql =
        concat!("select count(*), cast(coalesce(sum(annual_cents), 0) as bigint)", matching!());
    let mut row = tx.one(sql, &filter_args(&scope, filter, &[])).await?;
    Ok((row.take()?, row.take()?))
}

/// Whether a buyer has had a trial of a plan, also of one that they changed from; older releases
/// stored an email address with its alias.
pub async fn had_trial(
    tx: &Tx,
    scope: Scope,
    plan: PlanId,
    buyer: &CustomerDetails,
) -> Result<bool> {
    let row = tx
        .opt(
            "select id
               from subscriptions
              where merchant_id = $1 and mode = $2 and trial_plan_id = $3
                and identity in ($4, $5)
              limit 1",
            args![scope.merchant, scope.mode, plan, buyer.person(), buyer.identity()],
        )
        .await?;
    Ok(row.is_some())
}

/// Whether a person has a running or pending subscription to a plan; `own` is ignored. Older rows
/// may identify them by an email address with its alias.
pub async fn subscribes(
    tx: &Tx,
    scope: Scope,
    plan: PlanId,
    buyer: &CustomerDetails,
    own: SubscriptionId,
) -> Result<bool> {
    let (person, identity) = (buyer.person(), buyer.identity());
    let row = tx
        .opt(
            "select id
               from subscriptions
              where merchant_id = $1 and mode = $2 and plan_id = $3 and identity in ($4, $5)
                and id <> $6 and status in ('TRIALING', 'ACTIVE', 'PAST_DUE', 'PAUSED')
              union all
             select id
               from subscriptions
              where merchant_id = $1 and mode = $2 and next_plan_id = $3 and identity in ($4, $5)
                and id <> $6 and status in ('TRIALING', 'ACTIVE', 'PAST_DUE', 'PAUSED')
              limit 1",
            args![scope.merchant, scope.mode, plan, person, identity, own],
        )
        .await?;
    Ok(row.is_some())
}

/// Whether a card of a person is being charged for their first period of a plan.
pub async fn is_charged(
    tx: &Tx,
    scope: Scope,
    plan: PlanId,
    buyer: &CustomerDetails,
) -> Result<bool> {
    let row = tx
        .opt(
            "select id
               from subscriptions
              where merchant_id = $1 and mode = $2 and plan_id = $3 and identity in ($4, $5)
                and method = $6 and status = 'INCOMPLETE' and charge_id is not null
              limit 1",
            args![
                scope.merchant,
                scope.mode,
                plan,
                buyer.person(),
                buyer.identity(),
                Method::CreditCard.name(),
            ],
        )
        .await?;
    Ok(row.is_some())
}

pub async fn count_running(tx: &Tx, scope: Scope) -> Result<i64> {
    let sql = counting!("subscriptions", "status not in ('CANCELLED', 'EXPIRED')");
    Ok(tx.one(sql, args![scope.merchant, scope.mode]).await?.take()?)
}

pub async fn running(tx: &Tx, scope: Scope, client: ClientId) -> Result<Vec<SubscriptionId>> {
    let rows = tx
        .all(
            "select id
               from subscriptions
              where merchant_id = $1 and mode = $2 and client_id = $3
                and status not in ('CANCELLED', 'EXPIRED')
              order by id",
            args![scope.merchant, scope.mode, client],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// A stored card can be charged only with its id.
pub async fn blank(tx: &Tx, scope: Scope, client: ClientId) -> Result<()> {
    tx.defer(
        "update subscriptions
            set customer_name = '', customer_email = '', customer_document = null,
                customer_phone = null, identity = '', search_text = '', cancel_comment = null,
                card_id = case when card_id is null then null else '' end,
                card_fingerprint = case when card_id is null then null else '' end
          where merchant_id = $1 and mode = $2 and client_id = $3
            and status in ('CANCELLED', 'EXPIRED') and customer_email <> ''",
        args![scope.merchant, scope.mode, client],
    )
    .await?;
    Ok(())
}

/// Reads the two columns of a retry policy; plans have the same.
pub fn retry_policy(row: &mut Row) -> Result<Option<RetryPolicy>> {
    let (max, every): (Option<i64>, Option<i64>) = (row.take()?, row.take()?);
    let small = |number: i64| u8::try_from(number).ok();
    Ok(max
        .and_then(small)
        .zip(every.and_then(small))
        .map(|(max_retry, retry_every)| RetryPolicy { max_retry, retry_every }))
}

/// The parameters of `matching`, then `more`.
fn filter_args<'a>(scope: &'a Scope, filter: &'a Filter, more: &[Arg<'a>]) -> Vec<Arg<'a>> {
    let own = [
        scope.merchant.to_arg(),
        scope.mode.to_arg(),
        filter.status.map(Status::name).map_or(Arg::Null, Arg::Text),
        Arg::Bool(filter.plan.is_none()),
        filter.plan.to_arg(),
        Arg::Bool(filter.client.is_none()),
        filter.client.to_arg(),
        filter.created.from.to_arg(),
        filter.created.to.to_arg(),
        filter.pattern.to_arg(),
        Arg::Bool(filter.paying.is_none()),
        Arg::Bool(filter.paying.unwrap_or_default()),
    ];
    [own.as_slice(), more].concat()
}

/// The parameters `first`, then price, payment method and search columns: from `plan_id` to
/// `search_text`.
fn with_terms<'a>(first: &[Arg<'a>], of: &'a Subscription, searched: &'a str) -> Vec<Arg<'a>> {
    let (policy, card) = (of.retry_policy.as_ref(), of.card.as_ref());
    let terms = [
        of.plan.to_arg(),
        of.plan_name.to_arg(),
        of.price.to_arg(),
        Arg::Text(of.interval.name()),
        policy.map_or(Arg::Null, |policy| Arg::Int(policy.max_retry.into())),
        policy.map_or(Arg::Null, |policy| Arg::Int(policy.retry_every.into())),
        Arg::Text(of.method.name()),
        card.map_or(Arg::Null, |card| card.id.to_arg()),
        card.map_or(Arg::Null, |card| Arg::Text(card.details.brand.name())),
        card.map_or(Arg::Null, |card| card.details.last4.to_arg()),
        card.map_or(Arg::Null, |card| card.details.fingerprint.to_arg()),
        card.map_or(Arg::Null, |card| card.details.exp_month.to_arg()),
        card.map_or(Arg::Null, |card| card.details.exp_year.to_arg()),
        card.map_or(Arg::Null, |card| card.provider.to_arg()),
        Arg::Text(searched),
    ];
    [first, terms.as_slice()].concat()
}

fn search_text(subscription: &Subscription) -> String {
    let CustomerDetails { name, email, .. } = &subscription.customer;
    searchable([name.as_str(), email.as_str(), subscription.plan_name.as_str()])
}

fn read(row: &mut Row) -> Result<Subscription> {
    Ok(Subscription {
        id: row.take()?,
        version: row.take()?,
        plan: row.take()?,
        plan_name: row.take()?,
        price: row.take()?,
        interval: row.take()?,
        retry_policy: retry_policy(row)?,
        client: row.take()?,
        customer: CustomerDetails {
            name: row.take()?,
            email: row.take()?,
            document: row.take::<Option<String>>()?.and_then(|text| Document::parse(&text).ok()),
            phone: row.take()?,
        },
        status: row.take()?,
        method: row.take()?,
        card: card(row)?,
        trial_ends_at: row.take()?,
        trial_end_announced: row.take()?,
        anchor_at: row.take()?,
        anchor_day: row.take()?,
        next_cycle: row.take()?,
        period: period(row)?,
        next_billing_at: row.take()?,
        charge: charge(row)?,
        paid_once: row.take()?,
        cancel_at_period_end: row.take()?,
        cancelled_at: row.take()?,
        ended_at: row.take()?,
        cancel_reason: row.take()?,
        cancel_comment: row.take()?,
        paused_at: row.take()?,
        resumes_at: row.take()?,
        dunning: dunning(row)?,
        affiliate_code: row.take()?,
        coupon_code: row.take()?,
        next_plan: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
    })
}

fn card(row: &mut Row) -> Result<Option<StoredCard>> {
    let id: Option<String> = row.take()?;
    let brand = row.take::<Option<String>>()?.and_then(|text| CardBrand::parse(&text));
    let (last4, fingerprint): (Option<String>, Option<String>) = (row.take()?, row.take()?);
    let (exp_month, exp_year): (Option<i64>, Option<i64>) = (row.take()?, row.take()?);
    let provider: Option<String> = row.take()?;
    let (Some(id), Some(brand), Some(last4), Some(fingerprint), Some(exp_month), Some(exp_year)) =
        (id, brand, last4, fingerprint, exp_month, exp_year)
    else {
        return Ok(None);
    };
    let details = CardDetails { brand, last4, fingerprint, exp_month, exp_year };
    let provider = provider.unwrap_or_else(|| SANDBOX.to_owned());
    Ok(Some(StoredCard { provider, id, details }))
}

fn period(row: &mut Row) -> Result<Option<Period>> {
    let (start, end): (Option<_>, Option<_>) = (row.take()?, row.take()?);
    Ok(start.zip(end).map(|(start, end)| Period { start, end }))
}

fn charge(row: &mut Row) -> Result<Option<Charge>> {
    let transaction: Option<TransactionId> = row.take()?;
    let cause = row.take::<Option<String>>()?.and_then(|text| ChargeReason::parse(&text));
    Ok(transaction.zip(cause).map(|(transaction, cause)| Charge { transaction, cause }))
}

fn dunning(row: &mut Row) -> Result<Dunning> {
    Ok(Dunning {
        failed_attempts: row.take()?,
        retries_done: row.take()?,
        manual_retries: row.take()?,
        next_retry_at: row.take()?,
        last_failure_code: row.take()?,
        awaits_card: row.take()?,
        past_due_at: row.take()?,
    })
}
