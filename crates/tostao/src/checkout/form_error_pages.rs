//! What a form shows besides its fields: errors that the buyer can correct, and a notice.

use http::{HeaderMap, StatusCode};

use crate::checkout::card_step_pages::{card_page_lost, is_card_page_lost};
use crate::checkout::form::{ALREADY_SUBSCRIBED, COUPON, FormFields, INSTALLMENTS};
use crate::checkout::views::Notice;
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::error_response;
use crate::platform::messages::Lang;

/// Errors that the buyer can correct; none by default.
#[derive(Default)]
pub struct FormErrors {
    pub status: StatusCode,
    pub wrong: Vec<FieldError>,
    /// What the form says above its fields.
    pub notice: Option<FormNotice>,
    /// When to submit it again, if it is nothing in the form that is wrong.
    pub headers: HeaderMap,
}

/// What the buyer must know before they go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormNotice {
    /// What the page showed has changed.
    TotalChanged,
    /// The card page did not open.
    CardPageLost,
    /// The provider did not answer, and nothing was stored or charged.
    NotAnswered,
    /// The provider refused, and nothing was stored or charged.
    ChargeRefused,
    /// The rate limit of the form, for so many seconds.
    TooMany(u64),
}

impl FormErrors {
    /// Converts a refusal; any other error stays an error.
    pub fn read(error: Error) -> Result<Self> {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        let noticed = |error: &Error, notice| Self {
            status: error_response::status(error),
            notice: Some(notice),
            headers: error_response::headers(error),
            ..Self::default()
        };
        let field = |field: &str, code, message| {
            let wrong = vec![FieldError { field: field.to_owned(), code, message }];
            Self { status, wrong, ..Self::default() }
        };
        match error {
            Error::Invalid(wrong) => Ok(Self { status, wrong, ..Self::default() }),
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
                let notice = Some(FormNotice::TotalChanged);
                Ok(Self { status: StatusCode::CONFLICT, notice, ..Self::default() })
            }
            Error::NotAnswered(ref cause) => {
                tracing::warn!("a form is shown again: {cause}");
                Ok(noticed(&error, FormNotice::NotAnswered))
            }
            Error::Refused(ErrorCode::ChargeRefused, _) => {
                Ok(noticed(&error, FormNotice::ChargeRefused))
            }
            Error::TooMany { retry_after_seconds, .. } => {
                Ok(noticed(&error, FormNotice::TooMany(retry_after_seconds)))
            }
            error => Err(error),
        }
    }

    /// No errors, and the notice that a URL asks for; other values are ignored.
    pub fn none(asked: &str) -> Self {
        let notice = is_card_page_lost(asked).then_some(FormNotice::CardPageLost);
        Self { notice, ..Self::default() }
    }

    /// The notice in words; `changed` says why the total has changed.
    pub fn notice(&self, lang: Lang, total: &str, changed: &'static str) -> Option<Notice> {
        Some(match self.notice? {
            FormNotice::TotalChanged => {
                Notice::new(format!("{}: {total}", lang.look_again()), changed)
            }
            FormNotice::CardPageLost => card_page_lost(lang),
            FormNotice::NotAnswered => Notice::new(lang.not_answered(), lang.not_answered_note()),
            FormNotice::ChargeRefused => {
                Notice::new(lang.charge_refused(), lang.charge_refused_form_note())
            }
            FormNotice::TooMany(seconds) => {
                Notice::new(lang.too_many_requests(), lang.wait_seconds(seconds))
            }
        })
    }

    /// The coupon to use: the typed one, unless it is what is wrong, or may not be tried now.
    pub fn coupon<'a>(&self, typed: Option<&'a str>) -> Option<&'a str> {
        let may_try = !matches!(self.notice, Some(FormNotice::TooMany(_)));
        typed.filter(|_| may_try && self.wrong.iter().all(|wrong| wrong.field != COUPON))
    }

    /// Adds the card numbers in a form of which no other error is known.
    pub fn add_card_data(&mut self, posted: &FormFields) {
        if self.wrong.is_empty()
            && let Err(Error::Invalid(wrong)) = posted.refuse_card_data()
        {
            self.wrong = wrong;
        }
    }

    /// Adds that the coupon is invalid.
    pub fn add_coupon(&mut self, message: String) {
        self.wrong.push(FieldError { field: COUPON.to_owned(), code: "INVALID", message });
    }
}

#[cfg(test)]
mod tests {
    use super::{FormErrors, FormNotice};
    use crate::platform::error::Error;

    #[test]
    fn only_a_provider_that_did_not_answer_lets_a_form_say_that_nothing_was_charged() {
        let errors = FormErrors::read(Error::NotAnswered("a bank".to_owned()));
        let notice = errors.expect("is shown in the form").notice;
        assert_eq!(notice, Some(FormNotice::NotAnswered));
        // Such as the database, while a payment of the same form is being charged.
        assert!(FormErrors::read(Error::Unavailable("other".to_owned())).is_err());
        assert!(FormErrors::read(Error::Unknown("other".to_owned())).is_err());
    }
}
