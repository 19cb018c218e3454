//! Payments: the list with its filters, a new charge, a payment, its refund and its cancellation,
//! and the money that came beside payments.

pub mod act_pages;
pub mod disputed;
pub mod entries;
pub mod export_words;
pub mod filter;
pub mod list_pages;
pub mod list_view;
pub mod new_form;
pub mod new_pages;
pub mod new_view;
pub mod payment_pages;
pub mod payment_view;
pub mod refund_form;
pub mod refund_pages;
pub mod refund_view;
pub mod simulate_form;
pub mod sold;
pub mod to_pay;
pub mod unmatched;
