-- Both halves of an account's entries have one type, without which SQLite reads and sorts all of
-- them to find the last ones.
drop view ledger_legs;

create view ledger_legs as
select debit_owner_id as owner_id, book, debit_code as code, debit_sequence as sequence,
       cast(-amount_cents as {int}) as amount_cents, debit_balance_cents as balance_cents,
       kind, subject_id, booked_at
  from ledger_transfers
 union all
select credit_owner_id as owner_id, book, credit_code as code, credit_sequence as sequence,
       amount_cents, credit_balance_cents as balance_cents,
       kind, subject_id, booked_at
  from ledger_transfers;
