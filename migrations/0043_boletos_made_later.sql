-- A bank names a boleto by its code from the order on; the number and the barcode come when it has
-- made it. Numbers of two banks may be equal, and those of earlier boletos are their codes.
update transactions
   set slip_bank_code = slip_number
 where slip_number is not null and slip_bank_code is null;
drop index transactions_slip_number;
create unique index transactions_slip_bank_code
    on transactions (provider, slip_bank_code) where slip_bank_code is not null;
-- Money that names no charge is compared with the boletos that were paid at about that time.
create index transactions_boletos_paid
    on transactions (provider, paid_cents, paid_at) where slip_payment_id is not null;
