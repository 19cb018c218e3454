-- Money on its way out to a PIX key. `processed_at` is the claim: whoever sets it, together with
-- the provider and the name by which the provider will know the order, is the only one to send it.
-- `sent_at` is kept before the order leaves, so that an order which may have left is asked about
-- and never sent again; `acknowledged_at` is when the provider first said that it knows the order.
-- `contradiction` is what the provider said after the withdrawal had ended otherwise.
create table withdrawals (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    version {int} not null,
    status text not null,
    amount_cents {int} not null,
    fee_cents {int} not null,
    pix_key_type text not null,
    pix_key text not null,
    description text,
    idempotency_key {id},
    provider text,
    external_id text,
    end_to_end_id text,
    failure_reason text,
    failure_message text,
    contradiction text,
    created_at {int} not null,
    updated_at {int} not null,
    processed_at {int},
    sent_at {int},
    acknowledged_at {int},
    completed_at {int},
    failed_at {int},
    primary key (merchant_id, mode, id),
    constraint withdrawals_amount_above_fee check (fee_cents >= 0 and amount_cents > fee_cents),
    constraint withdrawals_status_known check (status in ('PENDING', 'COMPLETED', 'FAILED')),
    constraint withdrawals_key_type_known
        check (pix_key_type in ('cpf', 'cnpj', 'email', 'phone', 'random')),
    constraint withdrawals_claimed_together
        check ((processed_at is null) = (provider is null)
               and (processed_at is null) = (external_id is null)),
    constraint withdrawals_sent_when_claimed check (sent_at is null or processed_at is not null),
    constraint withdrawals_completed_together
        check ((status = 'COMPLETED') = (completed_at is not null)
               and (status <> 'COMPLETED'
                    or (processed_at is not null and end_to_end_id is not null))),
    constraint withdrawals_failed_together
        check ((status = 'FAILED') = (failed_at is not null)
               and (status = 'FAILED') = (failure_reason is not null))
) {clustered};

-- A merchant's own key stands for one withdrawal, for ever.
create unique index withdrawals_idempotency_key
    on withdrawals (merchant_id, mode, idempotency_key)
 where idempotency_key is not null;
-- The bank names a payout by its reference alone.
create unique index withdrawals_external_id
    on withdrawals (external_id)
 where external_id is not null;
-- Administrators see everybody's.
create unique index withdrawals_everybodys on withdrawals (mode, id);
-- What the caps count.
create index withdrawals_counted
    on withdrawals (merchant_id, mode, created_at)
 where status <> 'FAILED';

-- The orders that the sandbox bank has taken; `orders` counts how often each arrived.
create table sandbox_payouts (
    reference text not null primary key,
    amount_cents {int} not null,
    end_to_end_id text,
    refusal text,
    settled {bool} not null,
    orders {int} not null,
    ordered_at {int} not null,
    constraint sandbox_payouts_outcome_known
        check ((end_to_end_id is null) <> (refusal is null))
) {clustered};
