-- Boletos by banks of real money. Both are null in rows of the sandbox's earlier boletos, whose
-- number is what the sandbox is asked by.

-- What a bank is asked about a boleto by, and what it closes it by.
alter table transactions add column slip_bank_code text;
-- Our reference, which the bank was given with the order.
alter table transactions add column slip_reference text;
