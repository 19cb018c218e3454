//! The server engine: threads that drive connections, statements that travel together.

pub mod engine;
pub mod session;
pub mod wire;
