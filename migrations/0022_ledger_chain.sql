-- A hash chain over each account's legs: `chain_head` is the hash of the last one, `chained_after`
-- the sequence after which the chain begins. What was booked before it cannot be filled in, because
-- transfers are never changed.
alter table ledger_accounts add column chained_after {int} not null default 0
    constraint ledger_accounts_chained_after_not_negative check (chained_after >= 0);
alter table ledger_accounts add column chain_head {bytes}
    constraint ledger_accounts_chain_head_hash
    check (chain_head is null or length(chain_head) = 32);
update ledger_accounts set chained_after = sequence;

-- The hashes of a transfer's two legs, each over the leg before it on its account. A check of their
-- length would read all rows there are while nobody can write.
alter table ledger_transfers add column debit_hash {bytes};
alter table ledger_transfers add column credit_hash {bytes};

-- Starting over in development deletes in several units; until the last one has emptied the books,
-- they are not compared with the rows that are left.
alter table merchants add column dev_clearing {bool} not null default false;

-- The proof of the books asks for whom that is so.
create index merchants_dev_clearing on merchants (id) where dev_clearing;
