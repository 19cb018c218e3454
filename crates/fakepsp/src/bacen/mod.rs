//! The central bank's API Pix, which Efí and Inter both serve, each with its spellings.
//!
//! From its document: paths, fields, patterns, problem types, the window and the pages of lists,
//! the 90 days of a refund, and that a Pix without a txid is not notified. Its schema contradicts
//! its text twice: it demands `loc.txid`, which is sent, and `idCob` in lists, which Efí's own
//! schema refuses, so that Efí's list of charges is a known violation.
//!
//! Inferred: which problem type belongs to which refusal where the document names several; the
//! balance that an account begins with.

pub mod book;
pub mod cob;
pub mod page;
pub mod pix;
pub mod receive;
pub mod refund;
pub mod refusal;
pub mod webhook;
