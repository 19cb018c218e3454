-- The operator's contracts with banks and acquirers, through which real money moves. `settings` are
-- the fields that may be shown; a field that is secret is in `connection_secrets`, sealed.
create table connections (
    id {id} not null primary key,
    name text not null unique,
    profile text not null,
    environment text not null,
    settings {json} not null,
    certificate_subject text,
    certificate_fingerprint text,
    certificate_not_after {int},
    -- What its last check found to be wrong, in words for the operator.
    problem text,
    checked_at {int},
    disabled_at {int},
    -- Since when its lists are read: when a rail was first routed to it.
    started_at {int},
    created_at {int} not null,
    updated_at {int} not null,
    -- Counts the changes, by which every server notices one.
    version {int} not null,
    constraint connections_environment_known check (environment in ('production', 'sandbox')),
    constraint connections_certificate_together
        check ((certificate_subject is null) = (certificate_not_after is null)
           and (certificate_fingerprint is null) = (certificate_not_after is null))
) {clustered};

create table connection_secrets (
    connection_id {id} not null references connections (id),
    field text not null,
    sealed {bytes} not null,
    primary key (connection_id, field)
) {clustered};

-- Which connection new charges and payouts of a rail go to.
create table connection_routes (
    rail text not null primary key,
    connection_id {id} not null references connections (id),
    updated_at {int} not null,
    constraint connection_routes_rail_known check (rail in ('pix', 'boleto', 'card', 'payout'))
) {clustered};

-- Up to when each list of a connection has been read.
create table connection_watermarks (
    connection_id {id} not null references connections (id),
    list text not null,
    read_until {int} not null,
    primary key (connection_id, list)
) {clustered};

-- What a connection reports and nothing here explains; an administrator decides on it.
create table connection_differences (
    id {id} not null primary key,
    connection_id {id} not null references connections (id),
    kind text not null,
    -- The provider's own name of it; of one kind and name there is one row.
    reference text not null,
    amount_cents {int},
    details {json} not null,
    status text not null,
    note text,
    found_at {int} not null,
    decided_by {id},
    decided_at {int},
    decided_from text,
    constraint connection_differences_status_known check (status in ('OPEN', 'RESOLVED')),
    constraint connection_differences_decided
        check ((status = 'OPEN') = (decided_at is null)
           and (decided_by is null) = (decided_at is null)),
    constraint connection_differences_once unique (connection_id, kind, reference)
) {clustered};

create index connection_differences_status on connection_differences (status, id);

-- What a bank calls a payout, where it is asked by its own code. `reference` is ours.
create table payout_bank_codes (
    provider text not null,
    reference text not null,
    bank_code text not null,
    primary key (provider, reference)
) {clustered};

create unique index payout_bank_codes_code on payout_bank_codes (provider, bank_code);
