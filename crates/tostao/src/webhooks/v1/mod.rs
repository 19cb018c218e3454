//! The first form of the API: `isActive`, and answers with `subscription`.

pub mod api;
