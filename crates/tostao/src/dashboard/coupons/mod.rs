//! Coupons: the list, a coupon with its uses and limits, its form, and its deletion.

pub mod coupon_pages;
pub mod coupon_view;
pub mod coupon_words;
mod delete_pages;
pub mod export_words;
pub mod form;
pub mod form_pages;
pub mod list_pages;
pub mod list_view;
