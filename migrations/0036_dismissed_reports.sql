-- An entry of a bank's message that could not be read, and that an administrator closed without a
-- charge. Its status is that of money that was returned, which an earlier release takes it for.
alter table unknown_payments add column dismissed {bool} not null default false
    constraint unknown_payments_dismissed_no_money check (not dismissed or amount_cents = 0);

-- Housekeeping finds the reports that were decided on long ago, and blanks them.
create index unknown_payments_reports on unknown_payments (decided_at)
 where unreadable_report is not null;
