-- Hosted pages that take payments. `items` lists products with their quantities; with them
-- `amount_cents` is the fixed price of all together. `stock_*` and `search_text` are as in
-- `products`.
create table payment_links (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    version {int} not null,
    slug text not null,
    status text not null,
    title text not null,
    description text,
    product_description text,
    amount_cents {int},
    items {json},
    expires_at {int},
    redirect_url text,
    settings {json} not null,
    stock_enabled {bool} not null,
    stock_quantity {int},
    stock_reserved {int} not null,
    meta_pixel_code text,
    sales_count {int} not null,
    times_used {int} not null,
    created_at {int} not null,
    updated_at {int} not null,
    deleted_at {int},
    search_text text not null,
    primary key (merchant_id, mode, id),
    constraint payment_links_amount_positive check (amount_cents > 0),
    constraint payment_links_priced check (amount_cents is not null or items is not null),
    constraint payment_links_expires_at_known check (status <> 'EXPIRED' or expires_at is not null),
    constraint payment_links_stock_known check (not stock_enabled or stock_quantity is not null),
    constraint payment_links_stock_not_negative check (stock_quantity >= 0),
    constraint payment_links_reserved_not_negative check (stock_reserved >= 0),
    constraint payment_links_status_known check (status in ('ACTIVE', 'INACTIVE', 'EXPIRED'))
) {clustered};

-- The public address names a link by its slug alone, for ever.
create unique index payment_links_slug on payment_links (slug);
