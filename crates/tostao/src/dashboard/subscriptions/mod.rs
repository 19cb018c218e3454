//! Subscriptions: their list, one of them, what is done with it, and the recurring revenue; plans.

pub mod act;
pub mod act_form;
pub mod act_pages;
pub mod act_view;
pub mod changes_pages;
pub mod export_words;
pub mod link_pages;
pub mod list_pages;
pub mod list_view;
pub mod metrics_pages;
pub mod metrics_view;
pub mod paths;
pub mod plans;
pub mod review_pages;
pub mod subscription_pages;
pub mod subscription_view;
