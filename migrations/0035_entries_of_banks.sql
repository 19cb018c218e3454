-- An entry of a bank's message that could not be read, as JSON; null where the payment is known.
-- `payment_id` is then the SHA-256 of the entry, and nothing is booked for it.
alter table unknown_payments add column unreadable_report text;

-- The PIX payments that payouts were made by: one payment completes one payout, be it a withdrawal,
-- a refund or a return, which `kind` and `order_id` name.
create table payout_payments (
    provider text not null,
    end_to_end_id text not null,
    kind text not null,
    order_id {id} not null,
    primary key (provider, end_to_end_id)
) {clustered};

-- What was paid out before this table existed.
insert into payout_payments (provider, end_to_end_id, kind, order_id)
select provider, end_to_end_id, 'withdrawal', id
  from withdrawals
 where provider is not null and end_to_end_id is not null
 union all
select provider, rail_id, 'refund', id
  from refunds
 where way = 'PAYOUT' and provider is not null and rail_id is not null
 union all
select provider, rail_id, 'return', id
  from payment_returns
 where way = 'PAYOUT' and rail_id is not null
    on conflict do nothing;
