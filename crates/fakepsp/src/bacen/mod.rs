//! The central bank's API Pix, which Efí and Inter both serve, each with its spellings.

pub mod book;
pub mod cob;
pub mod page;
pub mod pix;
pub mod receive;
pub mod refund;
pub mod refusal;
pub mod webhook;
