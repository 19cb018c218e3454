-- Reports to the central bank that a PIX was fraud, by the bank's own id of each, as they were last
-- seen. `dispute_id` is the dispute by which one holds its payment's money.
create table pix_infractions (
    provider text not null,
    infraction_id text not null,
    end_to_end_id text not null,
    amount_cents {int} not null,
    state text not null,
    opened_at {int} not null,
    changed_at {int} not null,
    dispute_id {id},
    primary key (provider, infraction_id),
    constraint pix_infractions_state_known check (state in ('OPEN', 'ACCEPTED', 'REJECTED')),
    constraint pix_infractions_amount_positive check (amount_cents > 0)
) {clustered};

-- A dispute is won when the last of its reports is rejected.
create index pix_infractions_dispute on pix_infractions (dispute_id) where dispute_id is not null;
