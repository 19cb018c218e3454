//! The `webhooks` table.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;

use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::http::patch::Patch;
use crate::platform::ids::{MerchantId, Mode, Scope, WebhookId};
use crate::webhooks::endpoint_url::EndpointUrl;
use crate::webhooks::health::{Disabled, DisabledReason, FailureStreak};
use crate::webhooks::{Change, Recipient, Subscriber, WebhookEndpoint};

/// The columns of a subscription, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, url, url_query, description, events, active, disabled_at, disabled_reason,
         failing_since, failures, last_triggered_at, created_at, updated_at"
    };
}

pub async fn insert(tx: &Tx, scope: Scope, webhook: &WebhookEndpoint, sealed: &[u8]) -> Result<()> {
    tx.defer(
        "insert into webhooks
                (merchant_id, mode, id, url, url_query, description, events, active, secret,
                 failures, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $10)",
        args![
            scope.merchant,
            scope.mode,
            webhook.id,
            webhook.url.rest,
            webhook.url.sealed_query,
            webhook.description,
            serde_json::to_string(&webhook.events)?,
            webhook.active,
            sealed,
            webhook.created_at,
        ],
    )
    .await?;
    Ok(())
}

/// All subscriptions of a scope, listeners included.
pub async fn subscribers(tx: &Tx, scope: Scope) -> Result<Vec<Subscriber>> {
    let rows = tx
        .all(
            "select id, listener_name is not null, events, active
               from webhooks
              where merchant_id = $1 and mode = $2 and deleted_at is null
              order by id",
            args![scope.merchant, scope.mode],
        )
        .await?;
    let read = |mut row: Row| {
        let id = row.take()?;
        let to = if row.take()? { Recipient::Listener(id) } else { Recipient::Endpoint(id) };
        let events = serde_json::from_str(&row.take::<String>()?)?;
        Ok(Subscriber { to, events, active: row.take()? })
    };
    rows.into_iter().map(read).collect()
}

pub async fn count(tx: &Tx, scope: Scope) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*)
               from webhooks
              where merchant_id = $1 and mode = $2 and deleted_at is null
                and listener_name is null",
            args![scope.merchant, scope.mode],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn find(tx: &Tx, scope: Scope, id: WebhookId) -> Result<Option<WebhookEndpoint>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from webhooks
                 where merchant_id = $1 and mode = $2 and id = $3 and deleted_at is null
                   and listener_name is null"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn list(tx: &Tx, scope: Scope, page: Page) -> Result<Vec<WebhookEndpoint>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from webhooks
                 where merchant_id = $1 and mode = $2 and deleted_at is null and id < $3
                   and listener_name is null
                 order by id desc
                 limit $4 offset $5"
            ),
            args![scope.merchant, scope.mode, page.before(), page.fetch(), page.offset()],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// Updates the given columns. Enabling, disabling or another URL clears the failures; the reason
/// for an automatic disabling stays until the owner enables or disables it.
pub async fn update(
    tx: &Tx,
    scope: Scope,
    id: WebhookId,
    change: &Change,
    url: Option<EndpointUrl>,
) -> Result<Option<WebhookEndpoint>> {
    let (url, query) = url.map_or((None, None), |new| (Some(new.rest), new.sealed_query));
    let events = change.events.as_ref().map(serde_json::to_string).transpose()?;
    let row = tx
        .opt(
            concat!(
                "update webhooks
                    set url = coalesce($1, url),
                        url_query = case when $12 then $13 else url_query end,
                        description = case when $2 then $3 else description end,
                        events = coalesce($4, events),
                        active = coalesce($5, active),
                        failing_since = case when $6 then null else failing_since end,
                        failures = case when $6 then 0 else failures end,
                        failure_mailed_at = case when $6 then null else failure_mailed_at end,
                        disabled_at = case when $7 then null else disabled_at end,
                        disabled_reason = case when $7 then null else disabled_reason end,
                        updated_at = $8
                  where merchant_id = $9 and mode = $10 and id = $11 and deleted_at is null
                    and listener_name is null
                 returning ",
                columns!()
            ),
            args![
                url,
                change.description != Patch::Keep,
                change.description.set(),
                events,
                change.active,
                change.active.is_some() || change.url.is_some(),
                change.active.is_some(),
                scope.now(tx),
                scope.merchant,
                scope.mode,
                id,
                url.is_some(),
                query,
            ],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn delete(tx: &Tx, scope: Scope, id: WebhookId) -> Result<bool> {
    let deleted = tx
        .exec(
            "update webhooks
                set active = false, deleted_at = $1
              where merchant_id = $2 and mode = $3 and id = $4 and deleted_at is null
                and listener_name is null",
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(deleted == 1)
}

pub async fn delete_all(tx: &Tx, merchant: MerchantId) -> Result<()> {
    tx.exec(
        "update webhooks
            set active = false, deleted_at = $1
          where merchant_id = $2 and deleted_at is null",
        args![tx.now(), merchant],
    )
    .await?;
    Ok(())
}

/// The sealed secrets of a subscription.
pub struct SealedSecrets {
    pub mode: Mode,
    pub id: WebhookId,
    pub current: Vec<u8>,
    pub previous: Option<Vec<u8>>,
}

/// The sealed secrets of all of a merchant's subscriptions.
pub async fn secrets(tx: &Tx, merchant: MerchantId) -> Result<Vec<SealedSecrets>> {
    let rows = tx
        .all(
            "select mode, id, secret, previous_secret
               from webhooks
              where merchant_id = $1 and deleted_at is null
              order by mode, id",
            args![merchant],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(SealedSecrets {
            mode: row.take()?,
            id: row.take()?,
            current: row.take()?,
            previous: row.take()?,
        })
    };
    rows.into_iter().map(read).collect()
}

/// The sealed secret of a subscription.
pub async fn secret(tx: &Tx, scope: Scope, id: WebhookId) -> Result<Option<Vec<u8>>> {
    let row = tx
        .opt(
            "select secret
               from webhooks
              where merchant_id = $1 and mode = $2 and id = $3 and deleted_at is null
                and listener_name is null",
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// Replaces the current secret, which stays valid until `ends_at`, if given.
pub async fn rotate(
    tx: &Tx,
    scope: Scope,
    id: WebhookId,
    sealed: &[u8],
    ends_at: Option<Timestamp>,
) -> Result<Option<WebhookEndpoint>> {
    let row = tx
        .opt(
            concat!(
                "update webhooks
                    set previous_secret = case when $7 then secret end,
                        previous_secret_ends_at = $1, secret = $2, updated_at = $3
                  where merchant_id = $4 and mode = $5 and id = $6 and deleted_at is null
                 returning ",
                columns!()
            ),
            args![
                ends_at,
                sealed,
                scope.now(tx),
                scope.merchant,
                scope.mode,
                id,
                ends_at.is_some(),
            ],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn note_success(tx: &Tx, scope: Scope, id: WebhookId, now: Timestamp) -> Result<()> {
    tx.defer(
        "update webhooks
            set last_triggered_at = $1, failing_since = null, failures = 0
          where merchant_id = $2 and mode = $3 and id = $4",
        args![now, scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// Counts a failure; returns the streak of failures.
pub async fn note_failure(
    tx: &Tx,
    scope: Scope,
    id: WebhookId,
    now: Timestamp,
) -> Result<Option<FailureStreak>> {
    let row = tx
        .opt(
            "update webhooks
                set last_triggered_at = $1, failing_since = coalesce(failing_since, $1),
                    failures = failures + 1
              where merchant_id = $2 and mode = $3 and id = $4
             returning failing_since, failures",
            args![now, scope.merchant, scope.mode, id],
        )
        .await?;
    let read = |mut row: Row| Ok(FailureStreak { since: row.take()?, failures: row.take()? });
    row.map(read).transpose()
}

/// Notes that the owner of a failing subscription gets a mail; false if they got one already.
pub async fn note_failure_mailed(tx: &Tx, scope: Scope, id: WebhookId) -> Result<bool> {
    let changed = tx
        .exec(
            "update webhooks
                set failure_mailed_at = $1
              where merchant_id = $2 and mode = $3 and id = $4 and failure_mailed_at is null
                and active and deleted_at is null",
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(changed == 1)
}

/// Notes that a subscription works again; false if its owner got no mail that it failed.
pub async fn note_recovered(tx: &Tx, scope: Scope, id: WebhookId) -> Result<bool> {
    let changed = tx
        .exec(
            "update webhooks
                set failure_mailed_at = null
              where merchant_id = $1 and mode = $2 and id = $3
                and failure_mailed_at is not null",
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(changed == 1)
}

/// Disables a subscription for a reason; false if it is disabled already.
pub async fn disable(tx: &Tx, scope: Scope, id: WebhookId, disabled: Disabled) -> Result<bool> {
    let Disabled { at, reason } = disabled;
    let changed = tx
        .exec(
            "update webhooks
                set active = false, disabled_at = $1, disabled_reason = $2, updated_at = $1
              where merchant_id = $3 and mode = $4 and id = $5 and active
                and deleted_at is null",
            args![at, reason, scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(changed == 1)
}

/// Clears the results of deliveries, and moves dates set by a clock that ran ahead back to the
/// present.
pub async fn start_over(tx: &Tx, scope: Scope) -> Result<()> {
    let ahead = i64::try_from(scope.ahead.as_micros()).unwrap_or(i64::MAX);
    tx.exec(
        "update webhooks
            set failing_since = null, failures = 0, last_triggered_at = null,
                failure_mailed_at = null,
                previous_secret_ends_at = previous_secret_ends_at - $1,
                disabled_at = case when disabled_at > $2 then $2 else disabled_at end,
                created_at = case when created_at > $2 then $2 else created_at end,
                updated_at = case when updated_at > $2 then $2 else updated_at end
          where merchant_id = $3 and mode = $4 and deleted_at is null",
        args![ahead, tx.now(), scope.merchant, scope.mode],
    )
    .await?;
    Ok(())
}

fn read(mut row: Row) -> Result<WebhookEndpoint> {
    Ok(WebhookEndpoint {
        id: row.take()?,
        url: EndpointUrl { rest: row.take()?, sealed_query: row.take()? },
        description: row.take()?,
        events: serde_json::from_str(&row.take::<String>()?)?,
        active: row.take()?,
        disabled: disabled(row.take()?, row.take()?),
        failing: failing(row.take()?, row.take()?),
        last_triggered_at: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
    })
}

fn disabled(at: Option<Timestamp>, reason: Option<DisabledReason>) -> Option<Disabled> {
    Some(Disabled { at: at?, reason: reason? })
}

fn failing(since: Option<Timestamp>, failures: i64) -> Option<FailureStreak> {
    Some(FailureStreak { since: since?, failures })
}
