-- When a withdrawal's order last certainly did not reach its bank. Until it is sent again, an
-- administrator may reject it.
alter table withdrawals add column not_sent_at {int};
