-- What a payment brings later, in parts. Each is worth its amount less its fee and less what was
-- taken back of it, and becomes the merchant's to withdraw when it falls due.
create table receivables (
    merchant_id {id} not null,
    mode {int} not null,
    transaction_id {id} not null,
    installment {int} not null,
    id {id} not null,
    status text not null,
    amount_cents {int} not null,
    fee_cents {int} not null,
    taken_cents {int} not null,
    due_at {int} not null,
    settled_at {int},
    primary key (merchant_id, mode, transaction_id, installment),
    constraint receivables_status_known check (status in ('PENDING', 'SETTLED')),
    constraint receivables_settled_together
        check ((status = 'SETTLED') = (settled_at is not null)),
    constraint receivables_within_amount
        check (fee_cents >= 0 and taken_cents >= 0
               and fee_cents + taken_cents <= amount_cents)
) {clustered};

-- What a refund or a dispute took of each part, so that it can be given back.
create table receivable_takes (
    merchant_id {id} not null,
    mode {int} not null,
    transaction_id {id} not null,
    by_id {id} not null,
    installment {int} not null,
    amount_cents {int} not null,
    primary key (merchant_id, mode, transaction_id, by_id, installment),
    constraint receivable_takes_amount_positive check (amount_cents > 0)
) {clustered};
