//! The SQL of a charge's statements, for both engines; it mirrors the product's stores.
//!
//! On PostgreSQL a parameter is `$1` instead of `?1`.

pub const SETTINGS: &str = "pragma journal_mode = wal;
     pragma synchronous = full;
     pragma temp_store = memory;
     pragma cache_size = -16384;
     pragma wal_autocheckpoint = 16384;";

pub const INSERT_MERCHANT: &str = "insert into merchants
            (id, name, email, password_hash, role, dev_ahead_micros, created_at, updated_at)
     values (?1, 'Padaria', ?3, '', 'MERCHANT', 0, ?2, ?2)";

pub const INSERT_LINK: &str = "insert into payment_links
            (merchant_id, mode, id, version, slug, status, title, amount_cents, settings,
             stock_enabled, stock_reserved, sales_count, times_used, created_at, updated_at,
             search_text)
     values (?1, ?2, ?3, 1, ?4, 'ACTIVE', 'Curso', ?5, '{}', false, 0, 0, 0, ?6, ?6, 'curso')";

pub const INSERT_WEBHOOK: &str = "insert into webhooks
            (merchant_id, mode, id, url, events, active, secret, failures, created_at,
             updated_at)
     values (?1, ?2, ?3, 'https://example.com/', '[\"transaction.paid\"]', true, ?5, 0, ?4, ?4)";

pub const OPEN_ACCOUNT: &str = "insert into ledger_accounts
            (owner_id, book, code, floor_cents, balance_cents, sequence)
     values (?1, ?2, ?3, ?4, 0, 0)";

pub const FIND_PUBLIC: &str = "select links.*, merchants.name, dev_ahead_micros
       from payment_links as links
       join merchants on merchants.id = merchant_id
      where slug = ?1 and deleted_at is null";

pub const FIND_LINK: &str = "select *
       from payment_links
      where merchant_id = ?1 and mode = ?2 and id = ?3 and deleted_at is null";

pub const FIND_MERCHANT: &str = "select * from merchants where id = ?1";

pub const FIND_ANSWER: &str = "select fingerprint, status, body, sealed_body, subject_id
       from idempotency_keys
      where merchant_id = ?1 and mode = ?2 and route = ?3 and key = ?4 and expires_at > ?5";

pub const TAKE_KEY: &str = "insert into idempotency_keys
            (merchant_id, mode, route, key, fingerprint, expires_at)
     values (?1, ?2, ?3, ?4, ?5, ?6)
         on conflict (merchant_id, mode, route, key) do update
        set fingerprint = excluded.fingerprint, status = null, body = null, sealed_body = null,
            subject_id = null, expires_at = excluded.expires_at
      where idempotency_keys.expires_at <= ?7";

pub const KEEP_ANSWER: &str = "update idempotency_keys
        set status = 201, body = ?1, sealed_body = null
      where merchant_id = ?2 and mode = ?3 and route = ?4 and key = ?5";

pub const COUNT_USE: &str = "update payment_links
        set times_used = times_used + 1, stock_reserved = stock_reserved + 1
      where merchant_id = ?1 and mode = ?2 and id = ?3 and deleted_at is null
        and status = 'ACTIVE' and (expires_at is null or expires_at > ?4)
        and (not stock_enabled or stock_quantity > stock_reserved)";

pub const COUNT_SALE: &str = "update payment_links
        set sales_count = sales_count + 1, version = version + 1, updated_at = ?1,
            stock_reserved = stock_reserved - 1,
            stock_quantity = case when stock_enabled and stock_quantity > 0
                                  then stock_quantity - 1
                                  else stock_quantity end
      where merchant_id = ?2 and mode = ?3 and id = ?4";

pub const FIND_CLIENT: &str = "select id
       from clients
      where merchant_id = ?1 and mode = ?2 and coalesce(document, email) = ?3
        and deleted_at is null";

pub const INSERT_CLIENT: &str = "insert into clients
            (merchant_id, mode, id, name, email, created_at, updated_at, search_text)
     values (?1, ?2, ?3, 'Fulano de Tal', ?4, ?5, ?5, 'fulano de tal' || ?4)
         on conflict do nothing";

pub const INSERT_TRANSACTION: &str = "insert into transactions
            (merchant_id, mode, id, version, status, method, payment_link_id, link_slug,
             client_id, customer_name, customer_email, amount_cents, refunded_cents,
             discount_cents, interest_cents, fee_cents, installments, provider, pix_txid,
             pix_code, paid_late, metadata, created_at, updated_at, expires_at, search_text)
     values (?1, ?2, ?3, 1, 'PENDING', 'PIX', ?4, ?5, ?6, 'Fulano de Tal', ?7, ?8, 0, 0, 0, 0, 1,
             'sandbox', ?9, ?10, false, '{}', ?11, ?11, ?12, 'fulano de tal' || ?7)";

pub const FIND_BY_TXID: &str = "select t.*, merchants.dev_ahead_micros
       from transactions as t
       join merchants on merchants.id = t.merchant_id
      where pix_txid = ?1 and provider = 'sandbox'";

pub const PAY: &str = "update transactions
        set version = 2, status = 'PAID', paid_cents = ?1, fee_cents = ?2, paid_late = false,
            paid_at = ?3, updated_at = ?3, end_to_end_id = ?4, slip_payment_id = null,
            authorization_code = null
      where merchant_id = ?5 and mode = ?6 and id = ?7 and status = 'PENDING' and version = 1";

pub const PUSH_JOB: &str = "insert into jobs (lane, run_at, id, kind, payload, attempt, clock_id)
     values (?1, ?2, ?3, 'job', ?4, 0, ?5)
         on conflict (lane, run_at, id) do nothing";

pub const CLAIM: &str = "update jobs
        set run_at = ?1, attempt = attempt + 1
      where (lane, run_at, id) in (
            select lane, run_at, id from jobs where lane = ?2 and run_at = ?3 and id = ?4)";

pub const DELETE_JOB: &str = "delete from jobs where lane = ?1 and run_at = ?2 and id = ?3";

pub const ADD: &str = "update ledger_accounts
        set balance_cents = balance_cents + ?1, sequence = sequence + ?2
      where owner_id = ?3 and book = ?4 and code = ?5
        and (balance_cents + ?1 >= floor_cents or ?1 >= 0)
     returning balance_cents, sequence";

pub const TRANSFER: &str = "insert into ledger_transfers
            (subject_id, kind, line, book, amount_cents, booked_at,
             debit_owner_id, debit_code, debit_sequence, debit_balance_cents,
             credit_owner_id, credit_code, credit_sequence, credit_balance_cents)
     values (?1, 'payment_captured', ?2, 0, ?3, ?4, ?5, ?6, ?7, ?8, ?5, ?9, ?10, ?11)";

/// Both transfers of a posting at once.
pub const TRANSFERS: &str = "insert into ledger_transfers
            (subject_id, kind, line, book, amount_cents, booked_at,
             debit_owner_id, debit_code, debit_sequence, debit_balance_cents,
             credit_owner_id, credit_code, credit_sequence, credit_balance_cents)
     values (?1, 'payment_captured', 0, 0, ?2, ?3, ?4, ?5, ?6, ?7, ?4, ?8, ?9, ?10),
            (?1, 'payment_captured', 1, 0, ?11, ?3, ?4, ?8, ?12, ?13, ?4, ?14, ?15, ?16)";

pub const HOLDINGS: &str = "select code, balance_cents, sequence
       from ledger_accounts
      where owner_id = ?1 and book = ?2";

pub const INSERT_EVENT: &str = "insert into events
            (merchant_id, mode, id, name, object_id, sequence, data, sample, created_at)
     values (?1, ?2, ?3, ?4, ?5, 1, ?6, false, ?7)";

/// The events of a confirmation at once.
pub const INSERT_EVENTS: &str = "insert into events
            (merchant_id, mode, id, name, object_id, sequence, data, sample, created_at)
     values (?1, ?2, ?3, 'transaction.paid', ?4, 1, ?5, false, ?6),
            (?1, ?2, ?7, 'payment_link.paid', ?8, 1, ?5, false, ?6),
            (?1, ?2, ?9, 'balance.updated', ?1, 1, ?5, false, ?6)";

pub const SUBSCRIBERS: &str = "select id, events, active
       from webhooks
      where merchant_id = ?1 and mode = ?2 and deleted_at is null
      order by id";

pub const INSERT_DELIVERY: &str = "insert into webhook_deliveries
            (merchant_id, mode, webhook_id, event_id, event_name, status, series, attempts,
             next_attempt_at, log, created_at)
     values (?1, ?2, ?3, ?4, 'transaction.paid', 'PENDING', 0, 0, ?5, '[]', ?5)";

pub const LOAD: &str = "select deliveries.*, webhooks.*, events.*
       from webhook_deliveries as deliveries
       join webhooks
         on webhooks.merchant_id = deliveries.merchant_id
        and webhooks.mode = deliveries.mode and webhooks.id = deliveries.webhook_id
       join events
         on events.merchant_id = deliveries.merchant_id
        and events.mode = deliveries.mode and events.id = deliveries.event_id
      where deliveries.merchant_id = ?1 and deliveries.mode = ?2
        and deliveries.webhook_id = ?3 and deliveries.event_id = ?4
        and deliveries.status = 'PENDING'";

pub const PROGRESS: &str = "update webhook_deliveries
        set status = 'DELIVERED', attempts = 1, last_status_code = 200, last_attempt_at = ?1,
            next_attempt_at = null,
            log = '[{\"at\":0,\"attempt\":1,\"status\":200,\"ms\":1,\"error\":null}]'
      where merchant_id = ?2 and mode = ?3 and webhook_id = ?4 and event_id = ?5
        and series = 0 and status = 'PENDING'";
