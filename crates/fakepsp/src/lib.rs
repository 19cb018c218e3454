//! Efí, Inter and Pagar.me, faked on this machine for tests. Never in a release.
//!
//! ```text
//! connector ──TLS + certificate──▶ tls-client ┐            ┌▶ efi (API Pix), inter
//! connector ──TLS────────────────▶ tls ───────┤─▶ core ────┤
//! Prism, schemathesis ──HTTP─────▶ plain ─────┘  log       └▶ cobrancas, pagarme
//! test ──HTTP, `/__…`────────────▶ plain         faults         │ notices
//!                                                               └──▶ the merchant's door
//! ```
//!
//! It knows nothing of our connectors and shares no type with them: two readings of one mistake
//! prove nothing. It is written from the banks' documents, the schemas in their SDKs and the
//! central bank's OpenAPI document; each dialect's module says what of it is inferred. What it
//! proves is that a connector keeps to these documents, not how a real bank behaves.
//!
//! # Running it
//!
//! `fakepsp serve --folder DIR [--plain ADDR] [--tls-client ADDR] [--tls ADDR] [--through URL]`
//! makes a certificate authority, writes PEMs into the folder (`ca`, `crl`, `server`, `bank` and
//! `client-{good,expired,foreign,revoked}`, each with `.key.pem` and `.both.pem`) and prints one
//! line of JSON with its addresses. In a test, `fake::Fake::start` does the same, and `admin` calls
//! the operations below. Other addresses than loopback are refused, as are receivers of notices
//! that are not on this machine.
//!
//! Every client id and secret is known but the secret `wrong`; every `sk_…` key but `sk_wrong`. On
//! the plain listener the bearer token `x` is good for every operation, because a program that
//! attacks the core with the schema has no token door; it gets the central bank's error form.
//!
//! `--through` sends the central bank's paths from the TLS listener through a validator such as
//! Prism to `/v2` of the plain listener, and collects its `sl-violations` in the log.
//!
//! # Operations of the test
//!
//! ```text
//! POST /__fault       {operation, fault, …, skip?, times?}    operation may end in *
//! POST /__pay         {dialect, charge | key, amount_cents?, times?, late?, note?, by?}
//! POST /__med         {dialect?, action, e2e?, id?, amount_cents?}
//!                     action: open | accept | reject | cancel, or take_back | refund (id: its
//!                     return's), where the latter is one in the bank's app
//! POST /__chargeback  {charge, amount_cents?, outcome?: open | unlisted | won | lost}
//! POST /__payout      {dialect?, outcome, …, id? | times?}
//! POST /__refund      {dialect?, outcome: pay | refuse | process, (e2e, id)? | times?}
//! POST /__notify      {repeat?, reorder?, lose?, hold?, release?, again?, forge?, settle?}
//! POST /__clock       {now? | offset_seconds?, advance_seconds?}
//! POST /__tls         {server?: good | expired | other_name, refusal?: alert | close | html}
//! POST /__settings    the fields of settings::Settings to change
//! POST /__balance     {dialect?, cents}
//! GET  /__log         ?operation= and ?from=
//! GET  /__state, /__notices, /__fault
//! GET  /__operator    addresses of the APIs, and the PEMs that a client of the bank has
//! DELETE /__state     forgets everything but tokens, the clock and the row of ids
//! DELETE /__log, /__fault
//! ```
//!
//! Faults: `no_answer`, `cut_before`, `cut_after`, `status {status, processed?}`,
//! `html {processed?}`, `cut_in_half`, `too_many {retry_after?}`, `unauthorized`, `proxy_html`,
//! `slow {ms}`, `drip {ms?}`, and `expire_tokens`, which happens at once.
//!
//! Outcomes of payouts: `pay`, `refuse {code?}`, `process`, `return {parts_cents}`, `contradict`,
//! `reject {status, name, text}`. Without an `id` they are for the next `times` payouts.
#![expect(
    clippy::unnecessary_wraps,
    reason = "all handlers are of one type, and some have nothing to refuse"
)]

mod admin;
mod bacen;
mod brcode;
mod call;
pub mod certificates;
mod clock;
mod cobrancas;
mod core;
mod deliver;
mod documents;
mod efi;
pub mod fake;
mod fault;
mod ids;
mod inter;
mod log;
mod money;
mod net;
mod notices;
mod pagarme;
mod probe;
mod reply;
mod route;
pub mod settings;
mod slip;
mod through;
mod tokens;
mod world;
mod x509;
