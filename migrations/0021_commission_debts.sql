-- What of a commission the seller's sale could not pay because the seller owed the platform; it is
-- paid out of later sales before the commission is released. `held_reason` says why a commission
-- whose day has come still waits.
alter table affiliate_commissions add column unfunded_cents {int} not null default 0
    constraint affiliate_commissions_unfunded_nested
    check (unfunded_cents >= 0
           and (unfunded_cents = 0
                or status = 'PENDING' and unfunded_cents + held_cents <= amount_cents));
alter table affiliate_commissions add column held_reason text
    constraint affiliate_commissions_held_reason_known
    check (held_reason is null or held_reason = 'SELLER_DEBT' and status = 'PENDING');

-- What of a clawback the affiliate's balance could not give, so that the seller paid it, and what of
-- a released commission went to the seller for such a debt.
alter table affiliate_commissions add column owed_cents {int} not null default 0
    constraint affiliate_commissions_owed_nested
    check (owed_cents >= 0
           and (owed_cents = 0 or type = 'CLAWBACK' and owed_cents <= -amount_cents));
alter table affiliate_commissions add column repaid_cents {int} not null default 0
    constraint affiliate_commissions_repaid_nested
    check (repaid_cents >= 0
           and (repaid_cents = 0 or status = 'PAID' and repaid_cents <= earned_cents));

-- A released commission first repays what its affiliate owes the seller.
create index affiliate_commissions_owed
    on affiliate_commissions (merchant_id, mode, affiliate_id, id)
 where owed_cents > 0;
-- A withdrawal leaves what the seller still has to pay for commissions.
create index affiliate_commissions_unfunded
    on affiliate_commissions (merchant_id, mode)
 where unfunded_cents > 0;

-- What of a held share the affiliate's account did not have; the seller gave it.
alter table affiliate_takes add column unpaid_cents {int} not null default 0
    constraint affiliate_takes_unpaid_nested
    check (unpaid_cents >= 0 and unpaid_cents <= amount_cents);
