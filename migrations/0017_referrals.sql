-- Whether somebody invited the account; only then is it looked up for whom its sales count.
alter table merchants add column invited {bool} not null default false;
-- What the account was opened on, as a hash, by which somebody who invites himself is known.
alter table merchants add column device_hash {bytes};

-- The code by which a merchant invites others, in both modes.
create table referral_codes (
    code text not null primary key,
    merchant_id {id} not null,
    created_at {int} not null
) {clustered};

-- A merchant has one code.
create unique index referral_codes_merchant on referral_codes (merchant_id);

-- Who was invited, once for each mode. The row belongs to whoever invited and keeps what he was
-- promised then. `volume_cents` is what counts towards the goal, `commissions` how many sales
-- earned something, `*_earned_cents` what was earned less what was taken back.
create table referrals (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    invited_id {id} not null,
    referred_name text not null,
    status text not null,
    goal_cents {int} not null,
    fixed_cents {int} not null,
    basis_points {int} not null,
    volume_cents {int} not null,
    fixed_earned_cents {int} not null,
    commissions {int} not null,
    commission_earned_cents {int} not null,
    created_at {int} not null,
    expires_at {int} not null,
    earns_until {int} not null,
    completed_at {int},
    primary key (merchant_id, mode, id),
    constraint referrals_status_known
        check (status in ('PENDING', 'COMPLETED', 'EXPIRED', 'REJECTED')),
    constraint referrals_completed_together
        check ((status = 'COMPLETED') = (completed_at is not null)),
    constraint referrals_sums_not_negative
        check (volume_cents >= 0 and fixed_earned_cents >= 0 and commissions >= 0
               and commission_earned_cents >= 0)
) {clustered};

-- A sale asks for whom it counts; nobody is invited twice.
create unique index referrals_invited on referrals (invited_id, mode);

-- What a referral earned. A commission has its sale: `base_cents` is what of it was not given back,
-- `counted` whether it counts towards the goal.
create table referral_rewards (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    referral_id {id} not null,
    kind text not null,
    status text not null,
    transaction_id {id},
    base_cents {int} not null,
    counted {bool} not null,
    amount_cents {int} not null,
    taken_cents {int} not null,
    created_at {int} not null,
    available_at {int} not null,
    released_at {int},
    primary key (merchant_id, mode, id),
    constraint referral_rewards_kind_known check (kind in ('FIXED', 'COMMISSION')),
    constraint referral_rewards_status_known
        check (status in ('PENDING', 'AVAILABLE', 'CANCELLED')),
    constraint referral_rewards_sale_known
        check ((kind = 'COMMISSION') = (transaction_id is not null)),
    constraint referral_rewards_within_amount
        check (base_cents >= 0 and taken_cents >= 0 and taken_cents <= amount_cents)
) {clustered};

-- A sale earns once, and a refund finds what it earned.
create unique index referral_rewards_sale
    on referral_rewards (transaction_id) where transaction_id is not null;
-- The fixed reward is earned once.
create unique index referral_rewards_fixed
    on referral_rewards (merchant_id, mode, referral_id) where kind = 'FIXED';

-- Rewards that were moved to the balance.
create table referral_withdrawals (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    amount_cents {int} not null,
    created_at {int} not null,
    primary key (merchant_id, mode, id),
    constraint referral_withdrawals_amount_positive check (amount_cents > 0)
) {clustered};
