-- What the sale of a product brings whoever sends its buyer. `commission_value` is hundredths of a
-- percent, or cents.
create table affiliate_programs (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    product_id {id} not null,
    commission_type text not null,
    commission_value {int} not null,
    extended {bool} not null,
    cookie_days {int} not null,
    active {bool} not null,
    description text,
    rules text,
    affiliate_page text,
    sales_page text,
    created_at {int} not null,
    updated_at {int} not null,
    deleted_at {int},
    primary key (merchant_id, mode, id),
    constraint affiliate_programs_type_known check (commission_type in ('PERCENTAGE', 'FIXED')),
    constraint affiliate_programs_value_in_range check (
        commission_value >= 1 and (commission_type = 'FIXED' or commission_value <= 10000)),
    constraint affiliate_programs_cookie_days_in_range check (
        cookie_days >= 1 and cookie_days <= 365)
) {clustered};

-- A product has one programme.
create unique index affiliate_programs_product
    on affiliate_programs (merchant_id, mode, product_id)
 where deleted_at is null;
-- Whoever joins names a programme by its id alone.
create unique index affiliate_programs_id on affiliate_programs (id);
-- The marketplace lists everybody's.
create index affiliate_programs_open
    on affiliate_programs (mode, id)
 where active and deleted_at is null;

-- Who sends buyers to a programme, by which code. `affiliate_id` is another account of this
-- installation. `pending_cents` is what is held for him, `earned_cents` what was released less what
-- was taken back since.
create table affiliate_links (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    program_id {id} not null,
    affiliate_id {id} not null,
    code text not null,
    active {bool} not null,
    clicks {int} not null,
    conversions {int} not null,
    pending_cents {int} not null,
    earned_cents {int} not null,
    created_at {int} not null,
    updated_at {int} not null,
    primary key (merchant_id, mode, id),
    constraint affiliate_links_not_own check (affiliate_id <> merchant_id),
    constraint affiliate_links_counts_not_negative check (
        clicks >= 0 and conversions >= 0 and pending_cents >= 0)
) {clustered};

-- A code names a link by itself, for ever.
create unique index affiliate_links_code on affiliate_links (code);
-- One joins a programme once; and a programme's links are listed.
create unique index affiliate_links_joined
    on affiliate_links (merchant_id, mode, program_id, affiliate_id);
-- An affiliate lists his links with all merchants.
create index affiliate_links_affiliate on affiliate_links (affiliate_id, mode, id);

-- When a visitor's click on a link was last counted, for as long as that keeps the next one from
-- counting. `visitor` is a keyed hash.
create table affiliate_clicks (
    merchant_id {id} not null,
    mode {int} not null,
    link_id {id} not null,
    visitor text not null,
    counted_at {int} not null,
    forget_at {int} not null,
    primary key (merchant_id, mode, link_id, visitor)
) {clustered};

-- Housekeeping forgets the oldest.
create index affiliate_clicks_forget_at on affiliate_clicks (forget_at);

-- Who brought the buyer of a payment, or a subscriber, how that is known, and what it will bring
-- him: the terms of the day on which the payment was issued, or he subscribed. `of_id` is the
-- payment or the subscription.
create table affiliate_attributions (
    merchant_id {id} not null,
    mode {int} not null,
    of_id {id} not null,
    kind text not null,
    program_id {id} not null,
    link_id {id} not null,
    affiliate_id {id} not null,
    product_id {id} not null,
    code text not null,
    source text not null,
    clicked_at {int},
    commission_type text not null,
    commission_value {int} not null,
    extended {bool} not null,
    base_cents {int} not null,
    amount_cents {int} not null,
    created_at {int} not null,
    primary key (merchant_id, mode, of_id),
    constraint affiliate_attributions_kind_known check (kind in ('SALE', 'RENEWAL')),
    constraint affiliate_attributions_source_known check (source in ('CODE', 'CLICK')),
    constraint affiliate_attributions_clicked_together
        check ((source = 'CLICK') = (clicked_at is not null)),
    constraint affiliate_attributions_amount_within_base
        check (amount_cents >= 0 and amount_cents <= base_cents)
) {clustered};

-- Starting over in development deletes what others owe an affiliate.
create index affiliate_attributions_affiliate on affiliate_attributions (affiliate_id, mode);

-- What an affiliate has of a payment. `earned_cents` is what the sale brought, `amount_cents` what
-- it is worth to him now; a clawback is a row of its own with a negative amount. Of what was earned,
-- `returned_cents` went back to buyers and `held_cents` may: refunds and disputes that are not
-- decided hold it. `sale_cents` and `sale_method` are the payment's.
create table affiliate_commissions (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    version {int} not null,
    type text not null,
    status text not null,
    program_id {id} not null,
    link_id {id} not null,
    affiliate_id {id} not null,
    transaction_id {id} not null,
    product_id {id} not null,
    code text not null,
    source text not null,
    clicked_at {int},
    attributed_at {int} not null,
    base_cents {int} not null,
    commission_type text not null,
    commission_value {int} not null,
    earned_cents {int} not null,
    amount_cents {int} not null,
    returned_cents {int} not null,
    held_cents {int} not null,
    sale_cents {int} not null,
    sale_method text not null,
    available_at {int} not null,
    paid_at {int},
    cancelled_at {int},
    cancel_reason text,
    created_at {int} not null,
    updated_at {int} not null,
    primary key (merchant_id, mode, id),
    constraint affiliate_commissions_type_known check (type in ('SALE', 'RENEWAL', 'CLAWBACK')),
    constraint affiliate_commissions_status_known
        check (status in ('PENDING', 'PAID', 'CANCELLED')),
    constraint affiliate_commissions_clawback_negative
        check (case when type = 'CLAWBACK' then amount_cents < 0 and status = 'PAID'
                    else amount_cents >= 0 end),
    constraint affiliate_commissions_shares_nested
        check (returned_cents >= 0 and held_cents >= 0
               and returned_cents + held_cents <= earned_cents),
    constraint affiliate_commissions_paid_together
        check ((status = 'PAID') = (paid_at is not null)),
    constraint affiliate_commissions_cancelled_together
        check ((status = 'CANCELLED') = (cancelled_at is not null)
               and (status <> 'CANCELLED' or cancel_reason is not null))
) {clustered};

-- A payment brings one commission.
create unique index affiliate_commissions_sale
    on affiliate_commissions (merchant_id, mode, transaction_id)
 where type <> 'CLAWBACK';
-- An affiliate lists what he has of all merchants.
create index affiliate_commissions_affiliate
    on affiliate_commissions (affiliate_id, mode, id);

-- What a refund or a dispute holds of a commission until it is decided. `released` says whether the
-- affiliate could take the money out already.
create table affiliate_takes (
    merchant_id {id} not null,
    mode {int} not null,
    transaction_id {id} not null,
    by_id {id} not null,
    affiliate_id {id} not null,
    amount_cents {int} not null,
    released {bool} not null,
    primary key (merchant_id, mode, transaction_id, by_id),
    constraint affiliate_takes_amount_positive check (amount_cents > 0)
) {clustered};

-- Starting over in development deletes what is held of an affiliate's commissions.
create index affiliate_takes_affiliate on affiliate_takes (affiliate_id, mode);

alter table transactions add column affiliate_code text;

-- A part's share of the commission; what is left of the part is the merchant's.
alter table receivables add column commission_cents {int} not null default 0
    constraint receivables_commission_within_amount
    check (commission_cents >= 0
           and fee_cents + commission_cents + taken_cents + pledged_cents <= amount_cents);
