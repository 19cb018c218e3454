-- What callers sent and what they were answered, written a little after the answer. `path` and
-- `query` have their personal values masked, and so have the bodies, which are kept for what was
-- refused and for everything in development. `client_network` is the caller's address without its
-- last part. `field` and `field_code` are the first fault of a refusal that names fields.
create table request_log (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    request_id text not null,
    created_at {int} not null,
    method text not null,
    route text not null,
    path text not null,
    query text,
    status {int} not null,
    code text,
    field text,
    field_code text,
    duration_micros {int} not null,
    credential_id {id},
    key_last4 text,
    client_network text not null,
    idempotency_key text,
    is_replayed {bool} not null,
    request_bytes {int} not null,
    response_bytes {int} not null,
    object_id {id},
    request_body text,
    response_body text,
    primary key (merchant_id, mode, id)
) {clustered};

-- Shows one request by the id that its caller saw.
create index request_log_request_id on request_log (merchant_id, mode, request_id, id);

-- Groups what was refused.
create index request_log_refused on request_log (merchant_id, mode, id) where status >= 400;
