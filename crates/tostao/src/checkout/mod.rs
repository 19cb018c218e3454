//! The hosted checkout: a link's page, the code to pay, the receipt; as pages and as JSON.

pub mod api;
mod attempts;
mod buyer_view;
pub mod coupon_api;
pub mod coupon_check;
mod form;
mod live_api;
pub mod page_cache;
pub mod pages;
pub mod pay_pages;
pub mod return_pages;
mod views;
