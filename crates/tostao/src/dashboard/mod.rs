//! The dashboard: what the people of an account see and do in a browser.
//!
//! It is a face of the features below it, as their `api.rs` are: it has no SQL and no rules of its
//! own, and what it can do, the API can. A section is a folder: `*_pages.rs` its handlers,
//! `view.rs` what its pages show, `form.rs` what its forms post. Every page is complete without
//! scripts.
//!
//! `frame_pages` wraps all of them: on which hosts they are (`host_pages`), who may post, and what
//! a refusal looks like, with what `elsewhere_pages` finds; `unframed_pages` has the refusals that
//! come from outside of it. `shell` is what stands around the content; `parts`, `listing`, `form`
//! and `form_frame` are what sections build pages from; `form_pages` drives the forms that change
//! objects, `review_pages` those that take effect after a review, and `deletion_pages` the pages
//! that delete objects.

pub mod account;
pub mod admin;
mod admin_sections;
pub mod affiliates;
pub mod api_call;
pub mod attempt;
pub mod balance;
pub mod chart;
pub mod clients;
pub mod confirm;
pub mod coupons;
pub mod deletion_pages;
pub mod developers;
mod elsewhere_pages;
pub mod entry;
pub mod figures;
pub mod form;
pub mod form_frame;
pub mod form_pages;
pub mod frame_pages;
pub mod home;
mod host_pages;
pub mod kept_form;
pub mod links;
pub mod listing;
pub mod live_pages;
pub mod parts;
pub mod products;
pub mod referrals;
mod refusal_words;
pub mod review;
pub mod review_pages;
pub mod search;
pub mod secret;
pub mod shell;
pub mod subscriptions;
pub mod transactions;
pub mod unframed_pages;
pub mod view;
pub mod views;
pub mod visit_pages;
pub mod why;
pub mod words;
