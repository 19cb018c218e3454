-- Forms that were begun and not sent. `fresh` marks the one that a further capture of the same
-- buyer goes into, `told_at` when receivers heard that he left. What is personal is taken out in
-- time; the rest of the row stays.
create table carts (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    version {int} not null,
    payment_link_id {id} not null,
    status text not null,
    fresh {bool} not null,
    email text,
    name text,
    document text,
    phone text,
    items {json},
    utm {json},
    transaction_id {id},
    created_at {int} not null,
    updated_at {int} not null,
    told_at {int},
    recovered_at {int},
    erased_at {int},
    primary key (merchant_id, mode, id),
    constraint carts_status_known check (status in ('ABANDONED', 'RECOVERED')),
    constraint carts_recovered_together
        check ((status = 'RECOVERED') = (recovered_at is not null)),
    constraint carts_paid_is_recovered check (transaction_id is null or status = 'RECOVERED'),
    constraint carts_fresh_is_open
        check (not fresh or (status = 'ABANDONED' and email is not null)),
    constraint carts_erased_is_empty
        check (erased_at is null
               or (email is null and name is null and document is null and phone is null))
) {clustered};

-- A buyer has one form at a time on a link.
create unique index carts_fresh
    on carts (merchant_id, mode, payment_link_id, email) where fresh;
-- A payment asks for the forms of its buyer, those of earlier days included.
create index carts_buyer
    on carts (merchant_id, mode, payment_link_id, email) where email is not null;
-- A merchant lists the forms of one link, newest first.
create index carts_link on carts (merchant_id, mode, payment_link_id, id);

-- Who captured which form a short while ago, as a keyed hash of both: whether an answer says "new"
-- or "updated" follows from what its caller did himself, never from what others did.
create table cart_visits (
    merchant_id {id} not null,
    mode {int} not null,
    visit_hash {bytes} not null,
    times {int} not null,
    until_at {int} not null,
    primary key (merchant_id, mode, visit_hash)
) {clustered};

-- Those whose time is over are forgotten.
create index cart_visits_until on cart_visits (until_at);

-- Until when a link may have a form that is still open; a payment after that asks for none.
alter table payment_links add column carts_until {int};
