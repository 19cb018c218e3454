-- The dispute that took a dispute's place, because its acquirer reports another amount. What was held
-- is released, and the new amount is held; such a dispute is stored as won.
alter table disputes add column replaced_by {id};
