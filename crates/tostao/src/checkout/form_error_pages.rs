//! Errors of a form that was refused.

use http::StatusCode;

use crate::checkout::form::{ALREADY_SUBSCRIBED, COUPON, INSTALLMENTS};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};

/// Errors that the buyer can correct.
pub struct FormErrors {
    pub status: StatusCode,
    pub wrong: Vec<FieldError>,
    /// Whether what the page showed has changed.
    pub changed: bool,
}

impl FormErrors {
    /// Converts a refusal; any other error stays an error.
    pub fn read(error: Error) -> Result<Self> {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        let field = |field: &str, code, message| {
            let wrong = vec![FieldError { field: field.to_owned(), code, message }];
            Self { status, wrong, changed: false }
        };
        match error {
            Error::Invalid(wrong) => Ok(Self { status, wrong, changed: false }),
            Error::Refused(ErrorCode::CouponInvalid, message) => {
                Ok(field(COUPON, "INVALID", message))
            }
            Error::Refused(ErrorCode::InstallmentsNotAllowed, message) => {
                Ok(field(INSTALLMENTS, "INVALID", message))
            }
            Error::Refused(ErrorCode::AlreadySubscribed, message) => {
                Ok(field("customer.document", ALREADY_SUBSCRIBED, message))
            }
            Error::Refused(ErrorCode::ConcurrentUpdate, _) => {
                Ok(Self { status: StatusCode::CONFLICT, wrong: Vec::new(), changed: true })
            }
            error => Err(error),
        }
    }

    /// The coupon to use: the typed one, unless it is what is wrong.
    pub fn coupon<'a>(&self, typed: Option<&'a str>) -> Option<&'a str> {
        typed.filter(|_| self.wrong.iter().all(|wrong| wrong.field != COUPON))
    }

    /// Adds that the coupon is invalid.
    pub fn add_coupon(&mut self, message: String) {
        self.wrong.push(FieldError { field: COUPON.to_owned(), code: "INVALID", message });
    }
}
