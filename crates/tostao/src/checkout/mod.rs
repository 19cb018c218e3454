//! The hosted checkout: a link's page, the code to pay, the receipt; as pages and as JSON.

pub mod api;
mod attempts;
pub mod boleto_document_pages;
pub mod buyer_view;
pub mod card_pages;
pub mod card_step_pages;
pub mod closed_pages;
pub mod coupon_api;
pub mod coupon_check;
pub mod form;
pub mod form_error_pages;
pub mod form_pages;
pub mod installments_api;
pub mod link_api;
pub mod order_summary;
pub mod pages;
pub mod pay_pages;
pub mod pay_view;
pub mod payment_from_form;
pub mod portal_cookie_pages;
pub mod prefilled;
pub mod redirect_pages;
pub mod sealed_form;
mod status_stream_api;
pub mod views;
