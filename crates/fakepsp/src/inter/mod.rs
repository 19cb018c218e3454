//! Banco Inter: API Pix with its spellings, slips that are made later, and payouts.
//!
//! From Inter's SDKs: paths, fields, spellings of statuses, scopes, pages, notices of slips. From
//! its documents as others quote them: five token calls a minute, the limits of `seuNumero`,
//! `valorNominal` and `numDiasAgenda`, the refusal of an equal slip for half an hour, one payment
//! for two requests with one idempotency key.
//!
//! Inferred:
//! - Slips: 404 once, then `EM_PROCESSAMENTO` once, then registered; the settings change the
//!   counts.
//! - Notices are arrays, of slips and of payouts; those of payouts have `codigoSolicitacao`.
//! - The statuses and texts of errors; 409 for an equal slip and for a key with another body.
//! - An idempotency key lives for ever, a webhook needs no proof of mutual TLS.
//! - A payout that waits for approval is `AGUARDANDO_APROVACAO`, a refused one `FALHA`.

pub mod banking;
pub mod hooks;
pub mod pay;
pub mod problem;
pub mod requests;
pub mod routes;
pub mod slips;
pub mod token;
