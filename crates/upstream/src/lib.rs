//! An HTTP client for the services that the operator has configured: banks and acquirers.

pub mod breaker;
pub mod failure;
pub mod identity;
pub mod roots;
pub mod token;
pub mod token_cache;
