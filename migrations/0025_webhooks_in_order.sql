-- What a delivery is about, and which version of it. A delivery waits for older ones about the same
-- object until they have had their first answer; the job of the one that waits for this one is
-- named here. A sample waits for none.
alter table webhook_deliveries add column object_id {id};

alter table webhook_deliveries add column sequence {int};

alter table webhook_deliveries add column waiter_job_id {id};

alter table webhook_deliveries add column waiter_due_at {int};

-- Serves every first attempt: the newest of the older deliveries about its object that have not
-- been answered yet. Few deliveries are in it, because each leaves it with its first answer.
create index webhook_deliveries_unanswered
    on webhook_deliveries (merchant_id, mode, webhook_id, object_id, sequence, event_id)
 where status = 'PENDING' and last_attempt_at is null;

-- The query of an address, sealed: merchants put secrets there. `url` holds the rest of the
-- address, and all of it in rows that are older than this column.
alter table webhooks add column url_query {bytes};
