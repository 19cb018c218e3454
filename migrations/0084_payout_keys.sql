-- The PIX keys that the people of an account withdraw to. A key of production is usable a while
-- after it was added; `created_by` is the person who added it.
create table payout_keys (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    label text not null,
    pix_key_type text not null,
    pix_key text not null,
    usable_from {int} not null,
    created_at {int} not null,
    created_by {id} not null,
    primary key (merchant_id, mode, id),
    constraint payout_keys_key_type_known
        check (pix_key_type in ('cpf', 'cnpj', 'email', 'phone', 'random')),
    constraint payout_keys_usable_once_added check (usable_from >= created_at)
) {clustered};

-- Refuses the same key a second time in an account's mode.
create unique index payout_keys_once on payout_keys (merchant_id, mode, pix_key_type, pix_key);
