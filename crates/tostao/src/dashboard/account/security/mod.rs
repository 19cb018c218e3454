//! Who can sign in as a person: the second step, the password, the sessions.

pub mod agents;
pub mod codes_pages;
pub mod password_pages;
pub mod proof_pages;
pub mod second_step_pages;
pub mod security_pages;
pub mod view;
