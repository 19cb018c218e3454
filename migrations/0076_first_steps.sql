-- When an account first made a key and a payment link, was paid, and had a webhook delivered, in
-- each mode and by the server's clock. An account gets its rows when it is opened; one from before
-- has none, because its steps were not kept.
create table first_steps (
    merchant_id {id} not null,
    mode {int} not null,
    key_at {int},
    link_at {int},
    payment_at {int},
    webhook_at {int},
    primary key (merchant_id, mode)
) {clustered};
