-- The statements of one charge as functions, one for each unit, so that a charge is three round
-- trips and three commits. They follow the product's stores.

insert into merchants (id, name, email, password_hash, role, dev_ahead_micros, created_at, updated_at)
values (md5('merchant')::uuid, 'Padaria', 'ana@example.com', '', 'MERCHANT', 0, 0, 0);

insert into payment_links
       (merchant_id, mode, id, version, slug, status, title, amount_cents, settings, stock_enabled,
        stock_reserved, sales_count, times_used, created_at, updated_at, search_text)
values (md5('merchant')::uuid, 0, md5('link')::uuid, 1, 'abcdefghijkl', 'ACTIVE', 'Curso', 14990,
        '{}', false, 0, 0, 0, 0, 0, 'curso');

insert into webhooks
       (merchant_id, mode, id, url, events, active, secret, failures, created_at, updated_at)
values (md5('merchant')::uuid, 0, md5('webhook')::uuid, 'https://example.com/',
        '["transaction.paid"]', true, '\x00', 0, 0, 0);

insert into ledger_accounts (owner_id, book, code, floor_cents, balance_cents, sequence)
values (md5('merchant')::uuid, 0, 1000, -9223372036854775808, 0, 0),
       (md5('merchant')::uuid, 0, 2000, 0, 0, 0),
       (md5('merchant')::uuid, 0, 4000, 0, 0, 0);

create function bench_now() returns bigint language sql volatile as
$$ select (extract(epoch from clock_timestamp()) * 1000000)::bigint $$;

-- Grows with time, as the product's ids do.
create function bench_id() returns uuid language sql volatile as
$$ select (lpad(to_hex(bench_now()), 16, '0') || substr(md5(random()::text), 1, 16))::uuid $$;

create function bench_emit(event_id uuid, event_name text, object uuid, at bigint) returns void
language plpgsql as $$
begin
    insert into events (merchant_id, mode, id, name, object_id, sequence, data, sample, created_at)
    values (md5('merchant')::uuid, 0, event_id, event_name, object, 1, repeat('e', 2000), false, at);
    perform id, events, active from webhooks
      where merchant_id = md5('merchant')::uuid and mode = 0 and deleted_at is null order by id;
end $$;

create function bench_create() returns uuid language plpgsql as $$
declare
    owner constant uuid := md5('merchant')::uuid;
    link constant uuid := md5('link')::uuid;
    path constant text := 'POST /api/payment-links/public/slug/{slug}/checkout';
    charge constant uuid := bench_id();
    client constant uuid := bench_id();
    at constant bigint := bench_now();
    until constant bigint := at + 3600000000;
    buyer constant text := replace(charge::text, '-', '') || '@example.com';
begin
    perform links.*, merchants.name, dev_ahead_micros from payment_links as links
       join merchants on merchants.id = merchant_id
      where slug = 'abcdefghijkl' and deleted_at is null;
    perform fingerprint, status, body, sealed_body, subject_id from idempotency_keys
      where merchant_id = owner and mode = 0 and route = path
        and key = charge::text and expires_at > at;
    perform * from payment_links where merchant_id = owner and mode = 0 and id = link;
    perform * from merchants where id = owner;
    insert into idempotency_keys (merchant_id, mode, route, key, fingerprint, expires_at)
    values (owner, 0, path, charge::text, '\x00', until)
        on conflict (merchant_id, mode, route, key) do update
       set fingerprint = excluded.fingerprint, status = null, body = null, sealed_body = null,
           subject_id = null, expires_at = excluded.expires_at
     where idempotency_keys.expires_at <= at;
    perform * from payment_links where merchant_id = owner and mode = 0 and id = link;
    update payment_links
       set times_used = times_used + 1, stock_reserved = stock_reserved + 1
     where merchant_id = owner and mode = 0 and id = link and deleted_at is null
       and status = 'ACTIVE' and (expires_at is null or expires_at > at)
       and (not stock_enabled or stock_quantity > stock_reserved);
    perform id from clients
      where merchant_id = owner and mode = 0 and coalesce(document, email) = buyer
        and deleted_at is null;
    insert into clients
           (merchant_id, mode, id, name, email, created_at, updated_at, search_text)
    values (owner, 0, client, 'Fulano de Tal', buyer, at, at, 'fulano de tal' || buyer)
        on conflict do nothing;
    insert into transactions
           (merchant_id, mode, id, version, status, method, payment_link_id, link_slug, client_id,
            customer_name, customer_email, amount_cents, refunded_cents, discount_cents,
            interest_cents, fee_cents, installments, provider, pix_txid, pix_code, paid_late,
            metadata, created_at, updated_at, expires_at, search_text)
    values (owner, 0, charge, 1, 'PENDING', 'PIX', link, 'abcdefghijkl', client, 'Fulano de Tal',
            buyer, 14990, 0, 0, 0, 0, 1, 'sandbox', replace(charge::text, '-', ''),
            repeat('0', 150), false, '{}', at, at, until, 'fulano de tal' || buyer);
    insert into jobs (lane, run_at, id, kind, payload, attempt, clock_id)
    values ('work', until, charge, 'job', repeat('j', 120), 0, owner)
        on conflict (lane, run_at, id) do nothing;
    perform bench_emit(bench_id(), 'transaction.created', charge, at);
    update idempotency_keys set status = 201, body = repeat('a', 3000), sealed_body = null
     where merchant_id = owner and mode = 0 and route = path
       and key = charge::text;
    return charge;
end $$;

create function bench_add(account bigint, amount bigint, legs bigint, out balance bigint, out leg bigint)
language sql volatile as $$
    update ledger_accounts
       set balance_cents = balance_cents + amount, sequence = sequence + legs
     where owner_id = md5('merchant')::uuid and book = 0 and code = account
       and (balance_cents + amount >= floor_cents or amount >= 0)
    returning balance_cents, sequence
$$;

create function bench_confirm(charge uuid) returns uuid language plpgsql as $$
declare
    owner constant uuid := md5('merchant')::uuid;
    event constant uuid := bench_id();
    at constant bigint := bench_now();
    waits record;
    outside record;
    available record;
    revenue record;
begin
    select t.*, merchants.dev_ahead_micros into waits from transactions as t
      join merchants on merchants.id = t.merchant_id
     where pix_txid = replace(charge::text, '-', '') and provider = 'sandbox';
    update transactions
       set version = 2, status = 'PAID', paid_cents = 14990, fee_cents = 80, paid_late = false,
           paid_at = at, updated_at = at, end_to_end_id = waits.pix_txid, slip_payment_id = null,
           authorization_code = null
     where merchant_id = owner and mode = 0 and id = charge and status = 'PENDING' and version = 1;
    delete from jobs where lane = 'work' and run_at = waits.expires_at and id = charge;
    update payment_links
       set sales_count = sales_count + 1, version = version + 1, updated_at = at,
           stock_reserved = stock_reserved - 1,
           stock_quantity = case when stock_enabled and stock_quantity > 0
                                 then stock_quantity - 1
                                 else stock_quantity end
     where merchant_id = owner and mode = 0 and id = md5('link')::uuid;
    outside := bench_add(1000, -14990, 1);
    available := bench_add(2000, 14910, 2);
    revenue := bench_add(4000, 80, 1);
    insert into ledger_transfers
           (subject_id, kind, line, book, amount_cents, booked_at, debit_owner_id, debit_code,
            debit_sequence, debit_balance_cents, credit_owner_id, credit_code, credit_sequence,
            credit_balance_cents)
    values (charge, 'payment_captured', 0, 0, 14990, at, owner, 1000, outside.leg, outside.balance,
            owner, 2000, available.leg - 1, available.balance + 80);
    insert into ledger_transfers
           (subject_id, kind, line, book, amount_cents, booked_at, debit_owner_id, debit_code,
            debit_sequence, debit_balance_cents, credit_owner_id, credit_code, credit_sequence,
            credit_balance_cents)
    values (charge, 'payment_captured', 1, 0, 80, at, owner, 2000, available.leg,
            available.balance, owner, 4000, revenue.leg, revenue.balance);
    perform bench_emit(event, 'transaction.paid', charge, at);
    insert into webhook_deliveries
           (merchant_id, mode, webhook_id, event_id, event_name, status, series, attempts,
            next_attempt_at, log, created_at)
    values (owner, 0, md5('webhook')::uuid, event, 'transaction.paid', 'PENDING', 0, 0, at, '[]', at);
    insert into jobs (lane, run_at, id, kind, payload, attempt, clock_id)
    values ('webhooks', at, event, 'job', repeat('j', 120), 0, owner)
        on conflict (lane, run_at, id) do nothing;
    perform bench_emit(bench_id(), 'payment_link.paid', md5('link')::uuid, at);
    perform code, balance_cents, sequence from ledger_accounts
      where owner_id = owner and book = 0;
    perform bench_emit(bench_id(), 'balance.updated', owner, at);
    return event;
end $$;

create function bench_deliver(event uuid) returns void language plpgsql as $$
declare
    owner constant uuid := md5('merchant')::uuid;
    at constant bigint := bench_now();
begin
    update jobs set run_at = at + 60000000, attempt = attempt + 1
     where (lane, run_at, id) in (
           select d.lane, d.run_at, d.id
             from jobs as d
             join webhook_deliveries as w
               on w.merchant_id = owner and w.mode = 0 and w.webhook_id = md5('webhook')::uuid
              and w.event_id = event and d.run_at = w.created_at
            where d.lane = 'webhooks' and d.id = event
              for update of d skip locked);
    perform deliveries.*, webhooks.*, events.* from webhook_deliveries as deliveries
       join webhooks on webhooks.merchant_id = deliveries.merchant_id
        and webhooks.mode = deliveries.mode and webhooks.id = deliveries.webhook_id
       join events on events.merchant_id = deliveries.merchant_id
        and events.mode = deliveries.mode and events.id = deliveries.event_id
      where deliveries.merchant_id = owner and deliveries.mode = 0
        and deliveries.webhook_id = md5('webhook')::uuid and deliveries.event_id = event
        and deliveries.status = 'PENDING';
    perform * from merchants where id = owner;
    delete from jobs where lane = 'webhooks' and run_at = at + 60000000 and id = event;
    update webhook_deliveries
       set status = 'DELIVERED', attempts = 1, last_status_code = 200, last_attempt_at = at,
           next_attempt_at = null, log = repeat('l', 90)
     where merchant_id = owner and mode = 0 and webhook_id = md5('webhook')::uuid
       and event_id = event and series = 0 and status = 'PENDING';
end $$;
