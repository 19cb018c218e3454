-- Serves the statement of one payment: what went back of the money set aside beside it.
create index payment_returns_payment on payment_returns (merchant_id, mode, transaction_id);
