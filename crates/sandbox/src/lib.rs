//! The sandbox: a simulated bank and acquirer that behave like real ones.
//!
//! It issues valid PIX codes and boletos, decides charges of published test cards, and confirms
//! payments in a bank's own format, signed. It keeps its own records, in units of its own: like a
//! bank it can be queried later for the result of an order, and like a bank it does not know the
//! gateway's tables. Its own are created by the gateway's migrations.
//!
//! Its behavior is controlled by the card's number, by the PIX key of a payout, by the amount and
//! the options of a simulated payment, and by [`bank::SandboxBank::fail_next`] and
//! [`bank::SandboxBank::arm_refund`].

pub mod bank;
pub mod callback_parser;
pub mod callback_signature;
pub mod fault_injection;
pub mod keys;
pub mod payouts;
pub mod refunds;
pub mod test_cards;
pub mod tokens;

mod boleto;
mod cards;
mod pix;
mod store;

/// The name of the bank of simulated money.
pub const SANDBOX: &str = "sandbox";
/// Where a page exchanges a card for a token.
pub const CARD_TOKENS: &str = "/sandbox/card-tokens";
/// Where a browser without scripts posts a card.
pub const CARD_FORM: &str = "/sandbox/card-form";
