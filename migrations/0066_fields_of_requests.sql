-- Keyed hashes of the first request's fields, which say in what another request with the key differs:
-- eight bytes that show the secret, then for each field the length of its name, the name and eight
-- bytes of its hash.
alter table idempotency_keys add column field_hashes {bytes};

-- Whether the request was run dry; null in rows of earlier releases.
alter table request_log add column is_dry_run {bool};
