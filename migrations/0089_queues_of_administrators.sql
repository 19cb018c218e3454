-- Serves the queue of withdrawals that wait for an administrator, oldest first, and its count.
create index withdrawals_undecided on withdrawals (mode, id)
    where status = 'PENDING' and (processed_at is null or contradiction is not null);

-- Serves the question whether a PIX key was paid before.
create index withdrawals_paid_to on withdrawals (merchant_id, mode, pix_key)
    where status = 'COMPLETED';

-- Serves the queue of advances that wait for an administrator, oldest first, and its count.
create index advances_undecided on advances (mode, id)
    where status = 'PENDING';

-- Serves the list of mails that wait or have failed, oldest first.
create index mails_unsent on mails (id)
    where status in ('WAITING', 'FAILED') and cancelled_at is null;
