-- A subscription of a developer's machine, which asks for its deliveries: it has a name of the
-- developer's and no URL. It was last asked for at `listener_seen_at`, by the server's clock, and
-- only its newest connection, the one with the number `listener_connection`, is served.
alter table webhooks add column listener_name text;

alter table webhooks add column listener_seen_at {int};

alter table webhooks add column listener_connection {int};

create unique index webhooks_listeners
    on webhooks (merchant_id, mode, listener_name)
 where listener_name is not null and deleted_at is null;

-- Serves the sweep: few rows are listeners.
create index webhooks_listeners_seen
    on webhooks (listener_seen_at) where listener_name is not null;
