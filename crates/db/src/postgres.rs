//! The server engine: threads that drive connections and pipeline statements.

pub mod apart;
pub mod calls;
pub mod engine;
pub mod lane;
pub mod rows;
pub mod session;
pub mod traffic;
pub mod wire;
