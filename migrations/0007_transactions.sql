-- Buyers, as each merchant knows them. Of a deleted one nothing personal is left. `search_text`
-- holds what a list is searched in, in lower case: engines differ in what they fold.
create table clients (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    name text not null,
    email text not null,
    document text,
    phone text,
    created_at {int} not null,
    updated_at {int} not null,
    deleted_at {int},
    search_text text not null,
    primary key (merchant_id, mode, id),
    constraint clients_deleted_anonymous check (deleted_at is null or (
        name = '' and email = '' and search_text = '' and document is null and phone is null))
) {clustered};

-- A buyer with a document is known by it, one without by his address.
create unique index clients_identity
    on clients (merchant_id, mode, coalesce(document, email))
 where deleted_at is null;
-- The merchant lists those with one address, newest first.
create index clients_email on clients (merchant_id, mode, email, id);

-- Payments. `version` grows with every change; it orders the payment's events. `unmatched_cents` is
-- what arrived beside the charge and is not decided on; its parts are in `unmatched_receipts`.
-- `search_text` holds what a list is searched in, in lower case: engines differ in what they fold.
create table transactions (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    version {int} not null,
    status text not null,
    method text not null,
    external_id text,
    payment_link_id {id},
    link_slug text,
    items {json},
    client_id {id} not null,
    customer_name text not null,
    customer_email text not null,
    customer_document text,
    customer_phone text,
    customer_address {json},
    amount_cents {int} not null,
    paid_cents {int},
    refunding_cents {int} not null default 0,
    refunded_cents {int} not null,
    discount_cents {int} not null,
    interest_cents {int} not null,
    fee_cents {int} not null,
    installments {int} not null,
    coupon_code text,
    provider text not null,
    pix_txid text,
    pix_code text,
    end_to_end_id text,
    slip_number text,
    slip_barcode text,
    slip_due_on text,
    slip_payment_id text,
    card_brand text,
    card_last4 text,
    card_fingerprint text,
    authorization_code text,
    paid_late {bool} not null,
    oversold {bool} not null default false,
    unmatched_cents {int} not null default 0,
    decline_code text,
    failure_reason text,
    metadata {json} not null,
    created_at {int} not null,
    updated_at {int} not null,
    expires_at {int},
    paid_at {int},
    cancelled_at {int},
    expired_at {int},
    failed_at {int},
    refunded_at {int},
    search_text text not null,
    primary key (merchant_id, mode, id),
    constraint transactions_amount_positive
        check (amount_cents > 0 or (amount_cents = 0 and method = 'FREE')),
    constraint transactions_refunds_within_paid
        check (refunding_cents >= 0 and refunded_cents >= 0
               and refunding_cents + refunded_cents <= coalesce(paid_cents, 0)),
    constraint transactions_method_known
        check (method in ('PIX', 'BOLETO', 'CREDIT_CARD', 'FREE')),
    constraint transactions_unmatched_not_negative check (unmatched_cents >= 0),
    constraint transactions_oversold_late check (not oversold or paid_late),
    constraint transactions_status_known check (status in (
        'PENDING', 'PROCESSING', 'PAID', 'FAILED', 'EXPIRED', 'CANCELLED', 'REFUNDED',
        'DISPUTED', 'CHARGED_BACK')),
    constraint transactions_paid_together
        check (status <> 'PAID' or (paid_at is not null and paid_cents is not null)),
    constraint transactions_cancelled_together
        check (status <> 'CANCELLED' or cancelled_at is not null),
    constraint transactions_expired_together
        check (status <> 'EXPIRED' or expired_at is not null),
    constraint transactions_failed_together
        check (status <> 'FAILED' or (failed_at is not null and failure_reason is not null))
) {clustered};

-- The bank names a payment by its txid alone.
create unique index transactions_pix_txid on transactions (pix_txid) where pix_txid is not null;
-- The bank names a slip by its own number alone.
create unique index transactions_slip_number
    on transactions (slip_number) where slip_number is not null;
-- The merchant looks a payment up by his own number.
create index transactions_external_id
    on transactions (merchant_id, mode, external_id, id)
 where external_id is not null;

-- Money that arrived beside a charge: too little, too much, or a second time. It is open until the
-- merchant decides.
create table unmatched_receipts (
    provider text not null,
    payment_id text not null,
    id {id} not null,
    merchant_id {id} not null,
    mode {int} not null,
    transaction_id {id} not null,
    amount_cents {int} not null,
    reason text not null,
    status text not null,
    received_at {int} not null,
    decided_at {int},
    primary key (provider, payment_id),
    constraint unmatched_receipts_amount_not_negative check (amount_cents >= 0),
    constraint unmatched_receipts_status_known check (status in ('OPEN', 'ACCEPTED')),
    constraint unmatched_receipts_decided_together
        check ((status = 'OPEN') = (decided_at is null))
) {clustered};

create index unmatched_receipts_transaction
    on unmatched_receipts (merchant_id, mode, transaction_id);
