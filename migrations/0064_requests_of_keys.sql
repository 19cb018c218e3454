-- The `X-Request-Id` of the first request with the key, by which the request log shows it.
alter table idempotency_keys add column request_id text;
