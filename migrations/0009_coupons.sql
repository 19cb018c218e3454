-- Codes that take something off. `discount_value` is hundredths of a percent, or cents.
-- `usage_count` is what waits for payment and what is paid, `paid_count` the latter alone.
-- `expiry_told` is set when the end was told of, and taken back when there is another end.
create table coupons (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    version {int} not null,
    code text not null,
    discount_type text not null,
    discount_value {int} not null,
    description text,
    min_purchase_cents {int},
    max_discount_cents {int},
    usage_limit {int},
    per_user_limit {int},
    usage_count {int} not null,
    paid_count {int} not null,
    valid_from {int},
    valid_until {int},
    product_ids {json},
    active {bool} not null,
    expiry_told {bool} not null,
    created_at {int} not null,
    updated_at {int} not null,
    deleted_at {int},
    primary key (merchant_id, mode, id),
    constraint coupons_code_long_enough check (length(code) >= 3),
    constraint coupons_discount_type_known check (discount_type in ('PERCENTAGE', 'FIXED')),
    constraint coupons_discount_in_range check (
        discount_value >= 1
        and (discount_type = 'FIXED' or (discount_value >= 100 and discount_value <= 10000))),
    constraint coupons_min_purchase_not_negative check (min_purchase_cents >= 0),
    constraint coupons_max_discount_positive check (max_discount_cents >= 1),
    constraint coupons_usage_limit_positive check (usage_limit >= 1),
    constraint coupons_per_user_limit_positive check (per_user_limit >= 1),
    constraint coupons_counts_nested check (paid_count >= 0 and paid_count <= usage_count),
    constraint coupons_ends_after_it_begins check (valid_until > valid_from)
) {clustered};

-- A code names one living coupon of a merchant. It comes first, because a buyer who does not say
-- where he buys is looked up by the code alone.
create unique index coupons_code on coupons (code, merchant_id, mode) where deleted_at is null;

-- What each payment takes of a coupon, and by which signs its buyer is known again.
create table coupon_uses (
    merchant_id {id} not null,
    mode {int} not null,
    transaction_id {id} not null,
    coupon_id {id} not null,
    state text not null,
    discount_cents {int} not null,
    document text,
    email text not null,
    card_fingerprint text,
    created_at {int} not null,
    updated_at {int} not null,
    released_at {int},
    primary key (merchant_id, mode, transaction_id),
    constraint coupon_uses_state_known check (state in ('RESERVED', 'USED', 'RELEASED', 'FREED')),
    constraint coupon_uses_discount_not_negative check (discount_cents >= 0),
    constraint coupon_uses_released_together
        check (state <> 'RELEASED' or released_at is not null)
) {clustered};

-- How often one buyer has used a coupon is asked by each of his signs.
create index coupon_uses_document
    on coupon_uses (merchant_id, mode, coupon_id, document)
 where document is not null;
create index coupon_uses_email on coupon_uses (merchant_id, mode, coupon_id, email);
create index coupon_uses_card
    on coupon_uses (merchant_id, mode, coupon_id, card_fingerprint)
 where card_fingerprint is not null;

-- Whoever asks about a coupon without a key names what he buys by its id alone.
create unique index products_id on products (id);
