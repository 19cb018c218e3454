-- Things for sale. `stock_quantity` is what lies on the shelf; `stock_reserved` is promised to
-- payments that wait, and is counted even while the stock is not, so that either may be switched.
-- `search_text` holds what a list is searched in, in lower case: engines differ in what they fold.
create table products (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    version {int} not null,
    name text not null,
    description text,
    price_cents {int} not null,
    stock_enabled {bool} not null,
    stock_quantity {int},
    stock_reserved {int} not null,
    is_digital {bool} not null,
    image_url text,
    status text not null,
    created_at {int} not null,
    updated_at {int} not null,
    deleted_at {int},
    search_text text not null,
    primary key (merchant_id, mode, id),
    constraint products_price_positive check (price_cents > 0),
    constraint products_stock_known check (not stock_enabled or stock_quantity is not null),
    constraint products_stock_not_negative check (stock_quantity >= 0),
    constraint products_reserved_not_negative check (stock_reserved >= 0),
    constraint products_status_known check (status in ('ACTIVE', 'INACTIVE'))
) {clustered};
