-- The merchant whose sale, refund or payout a difference is about, who does not close it as an
-- administrator; null where none is known.
alter table connection_differences add column merchant_id {id};
