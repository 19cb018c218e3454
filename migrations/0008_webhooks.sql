-- The outbox: what happened, as it was told; a `sample` did not happen. Its rows are too wide for
-- the pages of an index, where each would take a page of its own beside its place.
create table events (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    name text not null,
    object_id {id} not null,
    sequence {int} not null,
    data {json} not null,
    sample {bool} not null,
    created_at {int} not null,
    primary key (merchant_id, mode, id)
) {heap};

-- Merchants' addresses for events; secrets are sealed.
create table webhooks (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    url text not null,
    description text,
    events {json} not null,
    active {bool} not null,
    secret {bytes} not null,
    previous_secret {bytes},
    previous_secret_ends_at {int},
    failing_since {int},
    failures {int} not null,
    last_triggered_at {int},
    disabled_at {int},
    disabled_reason text,
    created_at {int} not null,
    updated_at {int} not null,
    deleted_at {int},
    primary key (merchant_id, mode, id),
    constraint webhooks_disabled_at_has_reason
        check ((disabled_at is null) = (disabled_reason is null))
) {clustered};

-- Serves the fan-out of an event and every list: the few addresses that are not deleted.
create index webhooks_live on webhooks (merchant_id, mode, id) where deleted_at is null;

-- One row for each event and address that wants it; `log` holds the attempts. Every redelivery
-- begins a new `series`, in which `attempts` counts from zero.
create table webhook_deliveries (
    merchant_id {id} not null,
    mode {int} not null,
    webhook_id {id} not null,
    event_id {id} not null,
    event_name text not null,
    status text not null,
    series {int} not null,
    attempts {int} not null,
    last_status_code {int},
    last_error text,
    last_attempt_at {int},
    next_attempt_at {int},
    log {json} not null,
    created_at {int} not null,
    primary key (merchant_id, mode, webhook_id, event_id),
    constraint webhook_deliveries_status_known
        check (status in ('PENDING', 'DELIVERED', 'FAILED'))
) {clustered};
