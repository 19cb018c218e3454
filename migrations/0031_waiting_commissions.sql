-- A seller who owes is looked at once a day for the commissions that wait for it.
create index affiliate_commissions_waiting
    on affiliate_commissions (merchant_id, mode, available_at, id)
 where held_reason is not null;
