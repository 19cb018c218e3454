-- The account for whose charge the money is, and which was closed before it came; null where no charge
-- has the reference.
alter table unknown_payments add column closed_merchant_id {id};
