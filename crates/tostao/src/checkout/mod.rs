//! The hosted checkout: a link's page, the code to pay, the receipt; as pages and as JSON.

pub mod api;
mod attempts;
mod bill;
mod buyer_view;
pub mod card_pages;
pub mod closed_pages;
pub mod coupon_api;
pub mod coupon_check;
mod form;
pub mod instalments_api;
pub mod link_api;
mod live_api;
mod order;
pub mod page_cache;
pub mod pages;
pub mod pay_pages;
mod pay_view;
pub mod return_pages;
mod sealed;
pub mod slip_pages;
mod views;
