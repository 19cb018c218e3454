-- The payments that banks have told of, by the name that each has on its rail. A payment is booked
-- once, under whatever reference its bank tells of it, and so is a row here before it is booked.
create table received_payments (
    provider text not null,
    payment_id text not null,
    primary key (provider, payment_id)
) {clustered};

-- What was booked before this table existed.
insert into received_payments (provider, payment_id)
select provider, payment_id from unknown_payments
 union
select provider, payment_id from unmatched_receipts
 union
select provider, coalesce(end_to_end_id, slip_payment_id)
  from transactions
 where coalesce(end_to_end_id, slip_payment_id) is not null;
