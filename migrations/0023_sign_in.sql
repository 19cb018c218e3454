-- Where a session was begun and when it was last renewed, so that its owner recognises it. Sessions
-- from before know neither.
alter table sessions add column network text;
alter table sessions add column used_at {int};

-- The sessions of an account: their list, ending them all, and whether it has signed in from a
-- network before.
create index sessions_of_merchant on sessions (merchant_id, network);
