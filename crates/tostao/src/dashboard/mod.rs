//! The dashboard: what the people of an account see and do in a browser.

pub mod chart;
pub mod why;
