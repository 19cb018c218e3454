-- Partial chargebacks, and second charges under one reference.

-- The refund by which a dispute about a part of a payment was lost; the refund counts what it cost.
alter table disputes add column refund_id {id};

-- Whether a dispute is about less than was left of its payment; null means about all of it.
alter table disputes add column is_part {bool};

-- How many charges of the same reference had been captured before this one was; null until it is
-- captured. More than none is a second charge of one payment.
alter table acquirer_charges add column captures_before {int};

create index acquirer_charges_reference on acquirer_charges (connection_id, reference);

-- Administrators name a refund by its id alone.
create index refunds_ids on refunds (id);
