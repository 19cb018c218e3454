//! The test clock: what waits, advancing it, and starting over.

pub mod clock_pages;
pub mod reset_pages;
mod view;
mod wording;
