-- Balances, kept by the engine and provable from the transfers.
create table ledger_accounts (
    owner_id {id} not null,
    book {int} not null,
    code {int} not null,
    floor_cents {int} not null,
    balance_cents {int} not null,
    sequence {int} not null,
    primary key (owner_id, book, code)
) {clustered};

-- Every movement of money, once; the sequences and balances are the accounts' right after it.
create table ledger_transfers (
    subject_id {id} not null,
    kind text not null,
    line {int} not null,
    book {int} not null,
    amount_cents {int} not null,
    booked_at {int} not null,
    debit_owner_id {id} not null,
    debit_code {int} not null,
    debit_sequence {int} not null,
    debit_balance_cents {int} not null,
    credit_owner_id {id} not null,
    credit_code {int} not null,
    credit_sequence {int} not null,
    credit_balance_cents {int} not null,
    primary key (subject_id, kind, line),
    constraint ledger_transfers_amount_positive check (amount_cents > 0)
) {clustered};

-- An account's statement, from either side, and the proof that no leg is counted twice.
create unique index ledger_transfers_debit
    on ledger_transfers (debit_owner_id, book, debit_code, debit_sequence);
create unique index ledger_transfers_credit
    on ledger_transfers (credit_owner_id, book, credit_code, credit_sequence);

create view ledger_legs as
select debit_owner_id as owner_id, book, debit_code as code, debit_sequence as sequence,
       -amount_cents as amount_cents, debit_balance_cents as balance_cents,
       kind, subject_id, booked_at
  from ledger_transfers
 union all
select credit_owner_id as owner_id, book, credit_code as code, credit_sequence as sequence,
       amount_cents, credit_balance_cents as balance_cents,
       kind, subject_id, booked_at
  from ledger_transfers;

{append_only ledger_transfers};
