-- What can be subscribed to. `seats` counts the subscriptions that live or may yet, so that a limit
-- is a condition of one update; a deleted plan is one that is not active.
create table plans (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    name text not null,
    description text,
    amount_cents {int} not null,
    recurs text not null,
    trial_days {int} not null,
    max_subscribers {int},
    retry_max {int},
    retry_every_days {int},
    product_id {id},
    active {bool} not null,
    seats {int} not null,
    created_at {int} not null,
    updated_at {int} not null,
    search_text text not null,
    primary key (merchant_id, mode, id),
    constraint plans_amount_at_least check (amount_cents >= 500),
    constraint plans_recurs_known
        check (recurs in ('MONTHLY', 'QUARTERLY', 'SEMIANNUAL', 'ANNUAL')),
    constraint plans_trial_days_not_negative check (trial_days >= 0),
    constraint plans_max_subscribers_positive check (max_subscribers >= 1),
    constraint plans_seats_within
        check (seats >= 0 and (max_subscribers is null or seats <= max_subscribers)),
    constraint plans_retries_together check ((retry_max is null) = (retry_every_days is null)),
    constraint plans_retries_in_range
        check (retry_max between 1 and 10 and retry_every_days between 1 and 30)
) {clustered};

-- A buyer names a plan by its id alone.
create unique index plans_id on plans (id);

-- Subscribers. `annual_cents` is what twelve months cost while that counts as recurring, and 0
-- otherwise, so that prices of all intervals add up without a fraction. `next_cycle` is the number, counted from the anchor, of the period that is
-- billed next. `charge_id` is the payment whose outcome is awaited: while there is one, no other is
-- made. `identity` is by which a buyer is known again when a trial is asked for.
create table subscriptions (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    version {int} not null,
    plan_id {id} not null,
    plan_name text not null,
    amount_cents {int} not null,
    recurs text not null,
    annual_cents {int} not null,
    retry_max {int},
    retry_every_days {int},
    client_id {id} not null,
    customer_name text not null,
    customer_email text not null,
    customer_document text,
    customer_phone text,
    identity text not null,
    status text not null,
    method text not null,
    card_id text,
    card_brand text,
    card_last4 text,
    card_fingerprint text,
    card_exp_month {int},
    card_exp_year {int},
    trial_ends_at {int},
    trial_end_told {bool} not null,
    anchor_at {int} not null,
    anchor_day {int} not null,
    next_cycle {int} not null,
    period_start {int},
    period_end {int},
    next_billing_at {int} not null,
    charge_id {id},
    charge_cause text,
    paid_once {bool} not null,
    cancel_at_period_end {bool} not null,
    cancelled_at {int},
    ended_at {int},
    cancel_reason text,
    cancel_comment text,
    paused_at {int},
    resumes_at {int},
    failed_attempts {int} not null,
    retries_done {int} not null,
    manual_retries {int} not null,
    next_retry_at {int},
    last_failure_code text,
    awaits_card {bool} not null,
    past_due_at {int},
    affiliate_code text,
    coupon_code text,
    next_plan_id {id},
    created_at {int} not null,
    updated_at {int} not null,
    search_text text not null,
    primary key (merchant_id, mode, id),
    constraint subscriptions_status_known check (status in (
        'INCOMPLETE', 'TRIALING', 'ACTIVE', 'PAST_DUE', 'PAUSED', 'CANCELLED', 'EXPIRED')),
    constraint subscriptions_recurs_known
        check (recurs in ('MONTHLY', 'QUARTERLY', 'SEMIANNUAL', 'ANNUAL')),
    constraint subscriptions_method_known check (method in ('CREDIT_CARD', 'PIX')),
    constraint subscriptions_card_kept check ((method = 'CREDIT_CARD') = (card_id is not null)),
    constraint subscriptions_charge_together
        check ((charge_id is null) = (charge_cause is null)),
    constraint subscriptions_trial_dated check (status <> 'TRIALING' or trial_ends_at is not null),
    constraint subscriptions_past_due_dated
        check (status <> 'PAST_DUE' or past_due_at is not null),
    constraint subscriptions_paused_together check ((status = 'PAUSED') = (paused_at is not null)),
    constraint subscriptions_cancelled_together
        check (status <> 'CANCELLED' or (cancelled_at is not null and cancel_reason is not null)),
    constraint subscriptions_ended_together
        check ((status in ('CANCELLED', 'EXPIRED')) = (ended_at is not null)),
    constraint subscriptions_period_forward check (period_end > period_start)
) {clustered};

-- What the metrics count, and nothing but it.
create index subscriptions_status on subscriptions (merchant_id, mode, status, annual_cents);
-- Who subscribes to a plan: the list by plan, trials had before, and who is there already.
create index subscriptions_plan on subscriptions (merchant_id, mode, plan_id, identity, id);

-- What each subscription owes. The key is what makes a second charge for a period impossible.
create table subscription_periods (
    merchant_id {id} not null,
    mode {int} not null,
    subscription_id {id} not null,
    starts_at {int} not null,
    ends_at {int} not null,
    status text not null,
    attempts {int} not null,
    transaction_id {id} not null,
    created_at {int} not null,
    paid_at {int},
    primary key (merchant_id, mode, subscription_id, starts_at),
    constraint subscription_periods_forward check (ends_at > starts_at),
    constraint subscription_periods_status_known check (status in ('DUE', 'PAID', 'VOID')),
    constraint subscription_periods_paid_together
        check ((status = 'PAID') = (paid_at is not null))
) {clustered};

-- Every change of what recurs, as a difference; rows are only added. They stand in the order in
-- which the metrics add them up.
create table subscription_changes (
    merchant_id {id} not null,
    mode {int} not null,
    changed_at {int} not null,
    id {id} not null,
    subscription_id {id} not null,
    kind text not null,
    annual_cents {int} not null,
    paying {int} not null,
    lost {int} not null,
    primary key (merchant_id, mode, kind, changed_at, id),
    constraint subscription_changes_kind_known
        check (kind in ('NEW', 'EXPANSION', 'CONTRACTION', 'CHURN')),
    constraint subscription_changes_paying_one check (paying between -1 and 1),
    constraint subscription_changes_lost_one check (lost in (0, 1))
) {clustered};

-- A payment for a period of a subscription, with the period that it is for.
alter table transactions add column subscription_id {id};
alter table transactions add column subscription_period_at {int};
alter table transactions add column description text;

-- What was charged for a subscription.
create index transactions_subscription
    on transactions (merchant_id, mode, subscription_id, id)
 where subscription_id is not null;
