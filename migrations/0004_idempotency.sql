-- Answers that a repeated request gets again; `status` is null while the first one is at work, and
-- `subject_id` is what it has made so far where that takes more than one unit. A body that holds a
-- secret is sealed. Bodies are wide and keys come in no order: in a heap the rows stay as they
-- came, and only the short keys are spread.
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
) {heap};

-- What housekeeping may forget.
create index idempotency_keys_expires on idempotency_keys (expires_at);
