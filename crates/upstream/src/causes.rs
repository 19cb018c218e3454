//! What the errors of lower layers say: about certificates, and in words.

use std::error::Error as StdError;
use std::io;

use hyper_util::client::legacy::Error as PoolError;
use rustls::{AlertDescription, CertificateError};

/// Hyper's words for an answer that does not begin as one.
const NO_HTTP: &str = "invalid HTTP version parsed";

/// The error and its causes, outermost first.
///
/// An I/O error hides the error that it carries from its own chain, and TLS reports all of its
/// errors inside one.
pub(crate) fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error| {
        let error: &'a (dyn StdError + 'static) = *error;
        let carried = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        match carried {
            Some(carried) => Some(carried as &(dyn StdError + 'static)),
            None => error.source(),
        }
    })
}

/// Says what the service's TLS alert finds wrong with our certificate, if it is about that.
pub(crate) fn complaint_about_our_certificate(
    error: &(dyn StdError + 'static),
) -> Option<&'static str> {
    causes(error).find_map(|cause| match cause.downcast_ref()? {
        rustls::Error::AlertReceived(alert) => complaint(*alert),
        _ => None,
    })
}

fn complaint(alert: AlertDescription) -> Option<&'static str> {
    Some(match alert {
        AlertDescription::CertificateRequired => "requires a client certificate",
        AlertDescription::CertificateExpired => "says that our certificate has expired",
        AlertDescription::CertificateRevoked => "says that our certificate is revoked",
        AlertDescription::CertificateUnknown => "does not accept our certificate",
        AlertDescription::BadCertificate => "says that our certificate is damaged",
        AlertDescription::UnsupportedCertificate => "does not support our kind of certificate",
        AlertDescription::UnknownCA => "does not know the authority of our certificate",
        AlertDescription::AccessDenied => "denies access to the owner of our certificate",
        _ => return None,
    })
}

/// Says why the service's certificate was not accepted, if that is what happened.
pub(crate) fn complaint_about_their_certificate(
    error: &(dyn StdError + 'static),
) -> Option<&'static str> {
    causes(error).find_map(|cause| match cause.downcast_ref()? {
        rustls::Error::InvalidCertificate(error) => Some(match error {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => "has expired",
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "is not valid yet"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "is for another name"
            }
            CertificateError::UnknownIssuer => "is not from a trusted authority",
            CertificateError::Revoked => "is revoked",
            _ => "is not valid",
        }),
        _ => None,
    })
}

/// Joins the texts of an error and its causes, without those that only repeat a deeper one.
///
/// The pool's own text says nothing but that there was an error.
pub(crate) fn in_words(error: &(dyn StdError + 'static)) -> String {
    let mut texts: Vec<String> = Vec::new();
    for cause in causes(error).filter(|cause| !cause.is::<PoolError>()) {
        let text = cause.to_string();
        let text = match text.trim_end_matches('.') {
            NO_HTTP => format!("{NO_HTTP}, as at a port for https whose address says http"),
            text => text.to_owned(),
        };
        texts.retain(|outer| !outer.ends_with(&text));
        texts.push(text);
    }
    texts.join(": ")
}

#[cfg(test)]
mod tests {
    use std::io;

    use rustls::{AlertDescription, CertificateError, Error, OtherError};

    use super::{complaint_about_our_certificate, complaint_about_their_certificate, in_words};

    fn nested(error: Error) -> io::Error {
        io::Error::other(io::Error::new(io::ErrorKind::InvalidData, error))
    }

    #[test]
    fn every_alert_about_a_certificate_is_found_inside_io_errors_and_no_other_alert() {
        for alert in [
            AlertDescription::CertificateRequired,
            AlertDescription::CertificateExpired,
            AlertDescription::CertificateRevoked,
            AlertDescription::CertificateUnknown,
            AlertDescription::BadCertificate,
            AlertDescription::UnsupportedCertificate,
            AlertDescription::UnknownCA,
            AlertDescription::AccessDenied,
        ] {
            let error = nested(Error::AlertReceived(alert));
            assert!(complaint_about_our_certificate(&error).is_some(), "{alert:?}");
        }
        for alert in [
            AlertDescription::HandshakeFailure,
            AlertDescription::InternalError,
            AlertDescription::CloseNotify,
        ] {
            let error = nested(Error::AlertReceived(alert));
            assert_eq!(complaint_about_our_certificate(&error), None, "{alert:?}");
        }
    }

    #[test]
    fn our_judgement_of_their_certificate_is_not_theirs_of_ours() {
        for (error, expected) in [
            (CertificateError::Expired, "has expired"),
            (CertificateError::NotValidYet, "is not valid yet"),
            (CertificateError::NotValidForName, "is for another name"),
            (CertificateError::UnknownIssuer, "is not from a trusted authority"),
            (CertificateError::Revoked, "is revoked"),
            (CertificateError::BadSignature, "is not valid"),
        ] {
            let error = nested(Error::InvalidCertificate(error));
            assert_eq!(complaint_about_their_certificate(&error), Some(expected));
            assert_eq!(complaint_about_our_certificate(&error), None);
        }
        let other = nested(Error::Other(OtherError(std::sync::Arc::new(io::Error::other("no")))));
        assert_eq!(complaint_about_their_certificate(&other), None);
    }

    #[test]
    fn what_is_no_http_is_said_to_come_perhaps_from_a_port_for_https() {
        let said = in_words(&io::Error::other("invalid HTTP version parsed"));
        assert!(said.ends_with("as at a port for https whose address says http"), "{said}");
    }

    #[test]
    fn a_cause_that_its_outer_error_repeats_is_said_once() {
        let error = nested(Error::AlertReceived(AlertDescription::InternalError));
        assert_eq!(in_words(&error), "received fatal alert: InternalError");
    }
}
