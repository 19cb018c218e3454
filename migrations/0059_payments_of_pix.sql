-- A report of fraud, or a return of money, is about the payment that its PIX paid, whichever charge
-- the PIX names.
create index transactions_end_to_end_id
    on transactions (end_to_end_id) where end_to_end_id is not null;
