//! The hosted pages of subscriptions: a plan's, and a subscriber's own.
//!
//! ```text
//! plan ──form──▶ card, at the tokenizer ──▶ subscribed, or a trial ──▶ the subscriber's own page
//!          └──▶ PIX code ──▶ receipt ───────────────────────────────────────────┘
//! ```
//!
//! They decide nothing: `billing` executes a form, as for the API. What a payment page needs is in
//! `checkout`.

pub mod offer;
pub mod plan_pages;
pub mod plan_view;
mod portal;
pub mod portal_cancel_pages;
pub mod portal_card_pages;
pub mod portal_pages;
mod portal_view;
mod signup_pages;
pub mod views;
