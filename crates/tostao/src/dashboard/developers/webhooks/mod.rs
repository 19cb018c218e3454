//! Webhooks: whether they receive, why a delivery failed, and what gets it there.

pub mod act_pages;
mod delete_pages;
pub mod diagnosis_pages;
pub mod form;
pub mod form_pages;
pub mod list_pages;
pub mod rotate_pages;
pub mod show_pages;
pub mod view;
pub mod wording;
