//! Version 1 of the API: `isActive`, and responses with `subscription`.

pub mod api;
