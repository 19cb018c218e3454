//! Elevation: what a session may do for ten minutes after its person gave their password or a code.
//!
//! A sign-in is the first time. A token that was stolen later, or a browser that was left open, can
//! do less than its person.

use std::time::Duration;

use crate::platform::error::{Error, ErrorCode, Result};

pub mod api;

/// For how long a password or a code counts.
pub const ELEVATED_FOR: Duration = Duration::from_mins(10);

/// Whether the person of a session has proved lately who they are, and how they could.
#[derive(Debug, Clone, Copy)]
pub struct Elevation {
    pub is_recent: bool,
    pub has_second_step: bool,
}

impl Elevation {
    /// Refuses a session whose person did not give their password or a code lately.
    pub fn expect(self) -> Result<()> {
        if self.is_recent {
            return Ok(());
        }
        let minutes = ELEVATED_FOR.as_secs() / 60;
        let message = format!(
            "This needs your password or a code from the last {minutes} minutes. Send one to POST \
             /api/auth/elevate, and then this request again."
        );
        Err(Error::refused(ErrorCode::ElevationRequired, message))
    }

    /// The same of people with a second step alone: of others, programs use access tokens that they
    /// cannot elevate.
    pub fn expect_if_enrolled(self) -> Result<()> {
        if self.has_second_step { self.expect() } else { Ok(()) }
    }
}
