-- How many of each account's legs are proved without a fault, and the state after them. A proof
-- goes on from there, and reads the legs before it only now and then.
create table ledger_positions (
    owner_id {id} not null,
    book {int} not null,
    code {int} not null,
    floor_cents {int} not null,
    chained_after {int} not null,
    sequence {int} not null,
    balance_cents {int} not null,
    chain_head {bytes},
    transfers {int} not null,
    transfers_before_chain {int} not null,
    proven_at {int} not null,
    primary key (owner_id, book, code),
    constraint ledger_positions_sequence_positive check (sequence > 0),
    constraint ledger_positions_chain_head_hash
        check (chain_head is null or length(chain_head) = 32)
) {clustered};

-- The proof of a ledger from its first transfer: how far it is, and what the last one found. Each
-- step increments the revision, so that of two workers one goes on.
create table ledger_proofs (
    owner_id {id} not null,
    book {int} not null,
    revision {int} not null,
    started_at {int} not null,
    due_at {int} not null,
    entries {int} not null,
    progress {json},
    completed_at {int},
    found {json},
    comparison {json},
    is_sound {bool} not null,
    primary key (owner_id, book)
) {clustered};
