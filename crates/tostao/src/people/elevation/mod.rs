//! Elevation: what a session may do for ten minutes after its person proved who they are.
//!
//! A session begins elevated, because a sign-in takes the password and the second step. Later its
//! person gives a code of their second step or, without one, their password again. So a stolen
//! token, or a browser that was left open, can do less than its person.

use std::time::Duration;

use crate::platform::error::{Error, ErrorCode, Permit, Result};
use crate::platform::ids::Mode;

pub mod api;

/// For how long such a proof counts.
pub const ELEVATED_FOR: Duration = Duration::from_mins(10);

/// Whether the person of a session has proved lately who they are, and how they could.
#[derive(Debug, Clone, Copy)]
pub struct Elevation {
    pub is_recent: bool,
    pub has_second_step: bool,
}

impl Elevation {
    /// Whether the person of the session proved lately who they are.
    pub fn permit(self) -> Permit {
        if self.is_recent { Ok(()) } else { Err(required) }
    }

    /// The same of people with a second step alone: of others, programs use access tokens that they
    /// cannot elevate.
    pub fn permit_if_enrolled(self) -> Permit {
        if self.has_second_step { self.permit() } else { Ok(()) }
    }

    /// The same for what moves or opens real money: in development there is none.
    pub fn permit_in(self, mode: Mode) -> Permit {
        if mode.is_development() { Ok(()) } else { self.permit_if_enrolled() }
    }
}

/// Refuses without a permit, where no earlier response could be sent again.
pub fn expect(permit: Permit) -> Result<()> {
    permit.map_err(|refusal| refusal())
}

fn required() -> Error {
    let minutes = ELEVATED_FOR.as_secs() / 60;
    let message = format!(
        "This needs a code of your second step or, without one, your password from the last \
         {minutes} minutes. Send it to POST /api/auth/elevate, and then this request again."
    );
    Error::refused(ErrorCode::ElevationRequired, message)
}
