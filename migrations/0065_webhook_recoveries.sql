-- The last recovery of each webhook, which sends again what it has not accepted: how far it has come
-- is `last_event_id`, and `checked_until` for people. Starting another one replaces it.
create table webhook_recoveries (
    merchant_id {id} not null,
    mode {int} not null,
    webhook_id {id} not null,
    id {id} not null,
    since_at {int} not null,
    until_at {int} not null,
    status text not null,
    resent {int} not null,
    last_event_id {id} not null,
    checked_until {int} not null,
    started_at {int} not null,
    finished_at {int},
    primary key (merchant_id, mode, webhook_id),
    constraint webhook_recoveries_status_known
        check (status in ('RUNNING', 'FINISHED', 'STOPPED')),
    constraint webhook_recoveries_finished_at_has_status
        check ((finished_at is null) = (status = 'RUNNING'))
) {clustered};
