-- How often the development data was reset: what was summed before a reset is not kept after it.
alter table figure_starts add column resets {int};

-- Serves the list of what awaits a decision, and its count.
create index unmatched_receipts_open on unmatched_receipts (merchant_id, mode, id)
    where status = 'OPEN';
