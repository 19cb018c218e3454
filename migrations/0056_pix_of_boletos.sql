-- What an administrator found a PIX without a charge to be that may have paid a boleto: the boleto's
-- payment, which its bank reported twice, or other money. Null until then.
alter table unknown_payments add column resolution text
    constraint unknown_payments_resolution_known check (resolution in ('DUPLICATE', 'SEPARATE'));
alter table unknown_payments add column note text;

-- Money that names no charge is compared with the boletos that could be paid when it came.
create index transactions_boletos_unpaid
    on transactions (provider, amount_cents, expires_at)
 where slip_bank_code is not null and paid_at is null;
