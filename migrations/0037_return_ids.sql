-- The ids of PIX returns are in `payout_payments` like those of payouts: one return completes one
-- refund, or one return of unmatched money. These were completed before the ids were stored.
insert into payout_payments (provider, end_to_end_id, kind, order_id)
select provider, rail_id, 'refund', id
  from refunds
 where way = 'PIX' and provider is not null and rail_id is not null
 union all
select provider, rail_id, 'return', id
  from payment_returns
 where way = 'PIX' and rail_id is not null
    on conflict do nothing;
