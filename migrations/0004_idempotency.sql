-- Answers that a repeated request gets again; `status` is null while the first one is at work, and
-- `subject_id` is what it has made so far where that takes more than one unit. A body that holds a
-- secret is sealed.
create table idempotency_keys (
    merchant_id {id} not null,
    mode {int} not null,
    route text not null,
    key text not null,
    fingerprint {bytes} not null,
    status {int},
    body {json},
    sealed_body {bytes},
    subject_id {id},
    expires_at {int} not null,
    primary key (merchant_id, mode, route, key)
) {clustered};

-- What housekeeping may forget.
create index idempotency_keys_expires on idempotency_keys (expires_at);
