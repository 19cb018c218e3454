-- When an account was closed; null while it is open. A closed one has its own id in the place of its
-- e-mail, and keeps its name and document for as long as receipts have to name their seller.
alter table merchants add column closed_at {int};
