-- When a withdrawal's order last certainly did not reach its bank. Until it is sent again, an
-- administrator may reject it.
alter table withdrawals add column not_sent_at {int};

-- What banks sent back of it after it was paid.
alter table withdrawals add column returned_cents {int} not null default 0
    constraint withdrawals_returned_part
        check (returned_cents >= 0 and returned_cents <= amount_cents - fee_cents);

-- A part of a paid withdrawal that its bank sent back, by the bank's own name of it.
create table withdrawal_returns (
    merchant_id {id} not null,
    mode {int} not null,
    withdrawal_id {id} not null,
    id {id} not null,
    provider text not null,
    return_id text not null,
    amount_cents {int} not null,
    returned_at {int} not null,
    primary key (merchant_id, mode, id),
    constraint withdrawal_returns_once unique (provider, return_id),
    constraint withdrawal_returns_amount check (amount_cents > 0)
) {clustered};
