-- Money that arrived under a name that no charge has, as after an older backup was restored. It is
-- the house's until an administrator matches it to a charge or sends it back. `payment_id` is its
-- name on its rail, so one that is told twice is one row; `reference` is the charge that it named.
-- Of a decision the last is kept: who made it, when, and from which address.
create table unknown_payments (
    provider text not null,
    payment_id text not null,
    id {id} not null,
    mode {int} not null,
    rail text not null,
    reference text not null,
    amount_cents {int} not null,
    status text not null,
    paid_at {int} not null,
    received_at {int} not null,
    transaction_id {id},
    failure_reason text,
    decided_by {id},
    decided_at {int},
    decided_from text,
    primary key (provider, payment_id),
    constraint unknown_payments_amount_not_negative check (amount_cents >= 0),
    constraint unknown_payments_rail_known check (rail in ('PIX', 'SLIP')),
    constraint unknown_payments_status_known
        check (status in ('OPEN', 'MATCHED', 'RETURNING', 'RETURNED')),
    constraint unknown_payments_matched_together
        check ((status = 'MATCHED') = (transaction_id is not null)),
    constraint unknown_payments_decided_together
        check ((decided_by is null) = (decided_at is null)
               and (decided_by is null) = (decided_from is null)
               and (status = 'OPEN' or decided_by is not null))
) {clustered};

-- Administrators list a mode's, newest first, and find one by its id.
create unique index unknown_payments_id on unknown_payments (mode, id);

-- Money that no payment accounts for, on its way back to its payer: what was set aside beside a
-- payment or, where `transaction_id` is null and `merchant_id` is zero, an unknown payment of the
-- house. `of_id` names it, and `payment_id` is what the rail gives back. The rest is as in `refunds`.
create table payment_returns (
    id {id} not null,
    merchant_id {id} not null,
    mode {int} not null,
    transaction_id {id},
    of_id {id} not null,
    status text not null,
    way text not null,
    provider text not null,
    payment_id text not null,
    amount_cents {int} not null,
    pix_key_type text,
    pix_key text,
    rail_id text,
    failure_reason text,
    created_at {int} not null,
    sent_at {int},
    acknowledged_at {int},
    completed_at {int},
    failed_at {int},
    primary key (id),
    constraint payment_returns_amount_positive check (amount_cents > 0),
    constraint payment_returns_status_known check (status in ('PENDING', 'COMPLETED', 'FAILED')),
    constraint payment_returns_way_known check (way in ('PIX', 'PAYOUT')),
    constraint payment_returns_key_together
        check ((way = 'PAYOUT') = (pix_key is not null)
               and (pix_key is null) = (pix_key_type is null)),
    constraint payment_returns_completed_together
        check ((status = 'COMPLETED') = (completed_at is not null)),
    constraint payment_returns_failed_together
        check ((status = 'FAILED') = (failed_at is not null)
               and (status = 'FAILED') = (failure_reason is not null))
) {clustered};

-- The same money goes back once; only what the provider refused can be asked for again.
create unique index payment_returns_once on payment_returns (of_id) where status <> 'FAILED';
-- Starting over deletes what a merchant has in development.
create index payment_returns_scope on payment_returns (merchant_id, mode);

-- How money that was set aside came; older rows do not say. What is going back, or is back, counts
-- as accepted to a release that does not know of returns, so that it is not decided on again.
alter table unmatched_receipts add column rail text;
alter table unmatched_receipts add column return_id {id};
alter table unmatched_receipts add column returned_at {int};
alter table unmatched_receipts add column failure_reason text;
