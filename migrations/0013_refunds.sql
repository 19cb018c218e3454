-- What its owner was not asked about, such as a dispute: it may leave a debt.
alter table ledger_transfers add column forced {bool} not null default false;

-- The proof adds up what was taken from an account by force.
create index ledger_transfers_forced
    on ledger_transfers (debit_owner_id, book, debit_code) where forced;

-- Money on its way back to a payer. `way` is how it goes; only a payout has a key, because a slip
-- that was paid by its barcode says nothing of who paid it. `sent_at` is kept before the order
-- leaves, so that an order which may have left is asked about; `acknowledged_at` is when the
-- provider first said that it knows the order. `rail_id` is the refund's name on its rail.
create table refunds (
    merchant_id {id} not null,
    mode {int} not null,
    transaction_id {id} not null,
    id {id} not null,
    status text not null,
    way text not null,
    amount_cents {int} not null,
    reason text not null,
    external_id text,
    restock {bool} not null,
    pix_key_type text,
    pix_key text,
    rail_id text,
    failure_reason text,
    created_at {int} not null,
    sent_at {int},
    acknowledged_at {int},
    completed_at {int},
    failed_at {int},
    primary key (merchant_id, mode, transaction_id, id),
    constraint refunds_amount_positive check (amount_cents > 0),
    constraint refunds_status_known check (status in ('PENDING', 'COMPLETED', 'FAILED')),
    constraint refunds_way_known check (way in ('PIX', 'CARD', 'PAYOUT')),
    constraint refunds_key_together
        check ((way = 'PAYOUT') = (pix_key is not null)
               and (pix_key is null) = (pix_key_type is null)),
    constraint refunds_completed_together
        check ((status = 'COMPLETED') = (completed_at is not null)),
    constraint refunds_failed_together
        check ((status = 'FAILED') = (failed_at is not null)
               and (status = 'FAILED') = (failure_reason is not null))
) {clustered};

-- A merchant's own number stands for one refund of a payment.
create unique index refunds_external_id
    on refunds (merchant_id, mode, transaction_id, external_id)
 where external_id is not null;
-- The bank names a payout by its reference alone, which is the refund's id.
create unique index refunds_payouts on refunds (id) where way = 'PAYOUT';

-- Payments that their buyers contest, with what is held meanwhile.
create table disputes (
    merchant_id {id} not null,
    mode {int} not null,
    transaction_id {id} not null,
    id {id} not null,
    kind text not null,
    status text not null,
    amount_cents {int} not null,
    opened_at {int} not null,
    decided_at {int},
    primary key (merchant_id, mode, transaction_id, id),
    constraint disputes_kind_known check (kind in ('CHARGEBACK', 'MED')),
    constraint disputes_status_known check (status in ('OPEN', 'WON', 'LOST')),
    constraint disputes_amount_positive check (amount_cents > 0),
    constraint disputes_decided_together check ((status = 'OPEN') = (decided_at is null))
) {clustered};

-- A payment is contested once at a time.
create unique index disputes_open
    on disputes (merchant_id, mode, transaction_id) where status = 'OPEN';
