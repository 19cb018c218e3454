//! The hosted pages of subscriptions: a plan's, and a subscriber's own.
//!
//! ```text
//! plan ──form──▶ card, at the tokeniser ──▶ subscribed, or a trial ──▶ the subscriber's own page
//!          └──▶ PIX code ──▶ receipt ───────────────────────────────────────────┘
//! ```
//!
//! They decide nothing: `billing` executes a form, as for the API. What a payment page needs is in
//! `checkout`.

pub mod card_pages;
mod offer;
mod own;
pub mod own_cancel_pages;
pub mod own_card_pages;
pub mod own_pages;
mod own_view;
pub mod plan_pages;
mod plan_view;
mod signup_pages;
pub mod views;
