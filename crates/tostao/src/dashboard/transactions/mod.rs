//! Payments: the list with its filters, a payment, its refund and its cancellation.

pub mod export_words;
pub mod filter;
pub mod list_pages;
pub mod list_view;
pub mod payment_pages;
pub mod payment_view;
pub mod refund_form;
pub mod refund_pages;
pub mod refund_view;
pub mod sold;
