//! An HTTP client for the services that the operator has configured: banks and acquirers.

pub mod identity;
pub mod roots;
