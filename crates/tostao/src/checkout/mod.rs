//! The hosted checkout: a link's page, the code to pay, the receipt; as pages and as JSON.

pub mod api;
mod attempts;
pub mod bill;
pub mod buyer_view;
pub mod card_pages;
pub mod card_step_pages;
pub mod closed_pages;
pub mod coupon_api;
pub mod coupon_check;
pub mod form;
pub mod instalments_api;
pub mod kept;
pub mod link_api;
mod live_api;
pub mod order;
pub mod own_address_pages;
pub mod pages;
pub mod pay_pages;
mod pay_view;
pub mod refused_pages;
pub mod return_pages;
pub mod sealed;
pub mod slip_pages;
pub mod views;
