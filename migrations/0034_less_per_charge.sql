-- Nothing reads it any more: the proof judges what was forced leg by leg. Every fee had its row here.
drop index ledger_transfers_forced;
