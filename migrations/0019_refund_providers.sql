-- Who gives a refund's money back, so that whoever asks later how it stands asks the right one,
-- whichever providers are configured by then. There was one so far, which the default names.
alter table refunds add column provider text not null default 'sandbox';

-- The oldest order whose end nobody knows, which operators watch.
create index withdrawals_unresolved
    on withdrawals (mode, sent_at)
 where status = 'PENDING' and sent_at is not null;
create index refunds_unresolved
    on refunds (mode, sent_at)
 where status = 'PENDING' and sent_at is not null;
