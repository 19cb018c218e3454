-- Serves what a merchant still receives: its list, its sum, the next of it, and what may be pledged.
create index receivables_pending on receivables (merchant_id, mode, due_at, id)
    where status = 'PENDING';
