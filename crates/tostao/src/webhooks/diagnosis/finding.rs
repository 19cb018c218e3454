//! What a step finds, how bad it is, and what to do about it.

use db::text_enum;
use db::time::Timestamp;
use outbound::examination::TlsFault;
use outbound::failure::Failure;

use crate::platform::ids::WebhookId;
use crate::platform::messages::Lang;

/// What most receivers answer to a signature that they cannot verify.
const BAD_REQUEST: u16 = 400;

text_enum! {
    /// How a step has ended.
    pub enum StepOutcome as "DiagnosisOutcome" {
        /// Nothing is to be done.
        Ok = "ok",
        /// It works, and something should be done.
        Warn = "warn",
        /// Deliveries fail, or anybody may forge them.
        Fail = "fail",
        /// It was not tried, because a step before it failed or it was not asked for.
        Skipped = "skipped",
    }
}

/// Why a step was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A step before it failed.
    StepFailed,
    /// Its owner did not ask for it.
    NotAskedFor,
    /// The address is without TLS.
    NoTls,
    /// The sample was not accepted.
    NotAccepted,
    /// The sample took too long.
    TooSlow,
}

/// What a step found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    Skipped(Reason),
    Enabled,
    Disabled,
    AddressGood,
    SecretInAddress(String),
    AddressRefused(String),
    Unreadable,
    Resolved { addresses: usize },
    NoAddress { other: Option<String> },
    Blocked,
    Connected,
    PartlyConnected { dead: String },
    NotConnected,
    NothingListens { port: u16 },
    TlsGood { version: &'static str },
    CertificateEndsSoon { days: u64 },
    TlsFailed(TlsFault),
    Accepted { status: u16 },
    AcceptedSlowly,
    Redirected { to: Option<String> },
    LoginWanted { status: u16 },
    NothingThere { status: u16 },
    PostNotAllowed,
    JsonNotAccepted,
    ReceiverFailed { status: u16, excerpt: String },
    Refused { status: u16, excerpt: String },
    NoAnswer(Failure),
    RepetitionAccepted,
    RepetitionRefused { status: u16 },
    ForgeryRefused { status: u16 },
    ForgeryAccepted,
    OldAccepted,
    NeverDelivered,
    AllDelivered { count: usize },
    AllFailed { count: usize, error: String },
    FailsSince { since: Timestamp, error: String },
    FailsAtHours { from: i8, to: i8 },
    FailsSometimes { failed: usize, of: usize, error: String },
}

impl Finding {
    /// How bad it is.
    pub const fn outcome(&self) -> StepOutcome {
        match self {
            Self::Skipped(_) => StepOutcome::Skipped,
            Self::Enabled
            | Self::AddressGood
            | Self::Resolved { .. }
            | Self::Connected
            | Self::TlsGood { .. }
            | Self::Accepted { .. }
            | Self::RepetitionAccepted
            | Self::ForgeryRefused { .. }
            | Self::NeverDelivered
            | Self::AllDelivered { .. } => StepOutcome::Ok,
            Self::SecretInAddress(_)
            | Self::PartlyConnected { .. }
            | Self::CertificateEndsSoon { .. }
            | Self::AcceptedSlowly
            | Self::RepetitionRefused { .. }
            | Self::FailsAtHours { .. }
            | Self::FailsSometimes { .. } => StepOutcome::Warn,
            _ => StepOutcome::Fail,
        }
    }

    /// The name, for a program.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Skipped(_) => "SKIPPED",
            Self::Enabled => "ENABLED",
            Self::Disabled => "DISABLED",
            Self::AddressGood => "ADDRESS_GOOD",
            Self::SecretInAddress(_) => "SECRET_IN_ADDRESS",
            Self::AddressRefused(_) => "ADDRESS_REFUSED",
            Self::Unreadable => "UNREADABLE",
            Self::Resolved { .. } => "RESOLVED",
            Self::NoAddress { .. } => "NO_ADDRESS",
            Self::Blocked => "BLOCKED",
            Self::Connected => "CONNECTED",
            Self::PartlyConnected { .. } => "PARTLY_CONNECTED",
            Self::NotConnected | Self::NothingListens { .. } => "NOT_CONNECTED",
            Self::TlsGood { .. } => "TLS_GOOD",
            Self::CertificateEndsSoon { .. } => "CERTIFICATE_ENDS_SOON",
            Self::TlsFailed(fault) => tls_code(*fault),
            Self::Accepted { .. } => "ACCEPTED",
            Self::AcceptedSlowly => "ACCEPTED_SLOWLY",
            Self::Redirected { .. } => "REDIRECTED",
            Self::LoginWanted { .. } => "LOGIN_WANTED",
            Self::NothingThere { .. } => "NOTHING_THERE",
            Self::PostNotAllowed => "POST_NOT_ALLOWED",
            Self::JsonNotAccepted => "JSON_NOT_ACCEPTED",
            Self::ReceiverFailed { .. } => "RECEIVER_FAILED",
            Self::Refused { .. } => "REFUSED",
            Self::NoAnswer(_) => "NO_ANSWER",
            Self::RepetitionAccepted => "REPETITION_ACCEPTED",
            Self::RepetitionRefused { .. } => "REPETITION_REFUSED",
            Self::ForgeryRefused { .. } => "FORGERY_REFUSED",
            Self::ForgeryAccepted => "FORGERY_ACCEPTED",
            Self::OldAccepted => "OLD_ACCEPTED",
            Self::NeverDelivered => "NEVER_DELIVERED",
            Self::AllDelivered { .. } => "ALL_DELIVERED",
            Self::AllFailed { .. } => "ALL_FAILED",
            Self::FailsSince { .. } => "FAILS_SINCE",
            Self::FailsAtHours { .. } => "FAILS_AT_HOURS",
            Self::FailsSometimes { .. } => "FAILS_SOMETIMES",
        }
    }

    /// What was found, for a person.
    pub fn message(&self, lang: Lang) -> String {
        match self {
            Self::Skipped(reason) => skipped_message(*reason, lang).to_owned(),
            Self::Enabled => lang.diagnosis_enabled().to_owned(),
            Self::Disabled => lang.diagnosis_disabled().to_owned(),
            Self::AddressGood => lang.diagnosis_address_good().to_owned(),
            Self::SecretInAddress(name) => lang.diagnosis_secret_in_address(name),
            Self::AddressRefused(why) => lang.diagnosis_address_refused(why),
            Self::Unreadable => lang.diagnosis_unreadable().to_owned(),
            Self::Resolved { addresses } => lang.diagnosis_resolved(addresses),
            Self::NoAddress { other: None } => lang.diagnosis_no_address().to_owned(),
            Self::NoAddress { other: Some(other) } => lang.diagnosis_other_address(other),
            Self::Blocked => lang.diagnosis_blocked().to_owned(),
            Self::Connected => lang.diagnosis_connected().to_owned(),
            Self::PartlyConnected { dead } => lang.diagnosis_partly_connected(dead),
            Self::NotConnected => lang.diagnosis_not_connected().to_owned(),
            Self::NothingListens { port } => lang.diagnosis_nothing_listens(port),
            Self::TlsGood { version } => lang.diagnosis_tls_good(version),
            Self::CertificateEndsSoon { days } => lang.diagnosis_certificate_ends_soon(days),
            Self::TlsFailed(fault) => tls_message(*fault, lang).to_owned(),
            Self::Accepted { status } => lang.diagnosis_accepted(status),
            Self::AcceptedSlowly => lang.diagnosis_accepted_slowly().to_owned(),
            Self::Redirected { to } => lang.diagnosis_redirected(to.as_deref().unwrap_or("?")),
            Self::LoginWanted { status } => lang.diagnosis_login_wanted(status),
            Self::NothingThere { status } => lang.diagnosis_nothing_there(status),
            Self::PostNotAllowed => lang.diagnosis_post_not_allowed().to_owned(),
            Self::JsonNotAccepted => lang.diagnosis_json_not_accepted().to_owned(),
            Self::ReceiverFailed { status, excerpt } | Self::Refused { status, excerpt }
                if excerpt.trim().is_empty() =>
            {
                lang.diagnosis_refused_silently(status)
            }
            Self::ReceiverFailed { status, excerpt } | Self::Refused { status, excerpt } => {
                lang.diagnosis_refused(status, excerpt)
            }
            Self::NoAnswer(failure) => lang.diagnosis_no_answer(failure.code()),
            Self::RepetitionAccepted => lang.diagnosis_repetition_accepted().to_owned(),
            Self::RepetitionRefused { status } => lang.diagnosis_repetition_refused(status),
            Self::ForgeryRefused { status } => lang.diagnosis_forgery_refused(status),
            Self::ForgeryAccepted => lang.diagnosis_forgery_accepted().to_owned(),
            Self::OldAccepted => lang.diagnosis_old_accepted().to_owned(),
            Self::NeverDelivered => lang.diagnosis_never_delivered().to_owned(),
            Self::AllDelivered { count } => lang.diagnosis_all_delivered(count),
            Self::AllFailed { count, error } => lang.diagnosis_all_failed(count, error),
            Self::FailsSince { since, error } => lang.diagnosis_fails_since(since, error),
            Self::FailsAtHours { from, to } => lang.diagnosis_fails_at_hours(from, to),
            Self::FailsSometimes { failed, of, error } => {
                lang.diagnosis_fails_sometimes(failed, of, error)
            }
        }
    }

    /// What to do about it at this webhook, for a person; `None` if nothing is to be done.
    pub fn remedy(&self, webhook: WebhookId, lang: Lang) -> Option<String> {
        match self {
            Self::Disabled => Some(lang.remedy_disabled(webhook)),
            Self::AllFailed { .. }
            | Self::FailsSince { .. }
            | Self::FailsAtHours { .. }
            | Self::FailsSometimes { .. } => Some(lang.remedy_past(webhook)),
            _ => self.remedy_anywhere(lang).map(str::to_owned),
        }
    }

    /// What to do about it at any webhook.
    fn remedy_anywhere(&self, lang: Lang) -> Option<&'static str> {
        Some(match self {
            Self::SecretInAddress(_) => lang.remedy_secret_in_address(),
            Self::AddressRefused(_) | Self::NoAddress { .. } | Self::NothingThere { .. } => {
                lang.remedy_address()
            }
            Self::Unreadable => lang.remedy_unreadable(),
            Self::Blocked => lang.remedy_blocked(),
            Self::PartlyConnected { .. } => lang.remedy_partly_connected(),
            Self::NotConnected => lang.remedy_not_connected(),
            Self::NothingListens { .. } => lang.remedy_start(),
            Self::CertificateEndsSoon { .. } => lang.remedy_renew(),
            Self::TlsFailed(fault) => tls_remedy(*fault, lang),
            Self::AcceptedSlowly | Self::NoAnswer(Failure::Timeout) => lang.remedy_slow(),
            Self::Redirected { .. } => lang.remedy_redirected(),
            Self::LoginWanted { .. } => lang.remedy_login(),
            Self::PostNotAllowed => lang.remedy_post(),
            Self::JsonNotAccepted => lang.remedy_json(),
            Self::Refused { status: BAD_REQUEST, .. } => lang.remedy_body(),
            Self::ReceiverFailed { .. } | Self::Refused { .. } | Self::NoAnswer(_) => {
                lang.remedy_receiver()
            }
            Self::RepetitionRefused { .. } => lang.remedy_repetition(),
            Self::ForgeryAccepted => lang.remedy_forgery(),
            Self::OldAccepted => lang.remedy_old(),
            _ => return None,
        })
    }
}

fn skipped_message(reason: Reason, lang: Lang) -> &'static str {
    match reason {
        Reason::StepFailed => lang.diagnosis_skipped(),
        Reason::NotAskedFor => lang.diagnosis_not_asked_for(),
        Reason::NoTls => lang.diagnosis_no_tls(),
        Reason::NotAccepted => lang.diagnosis_not_accepted(),
        Reason::TooSlow => lang.diagnosis_too_slow(),
    }
}

const fn tls_code(fault: TlsFault) -> &'static str {
    match fault {
        TlsFault::Expired => "CERTIFICATE_ENDED",
        TlsFault::NotYetValid => "CERTIFICATE_NOT_YET_VALID",
        TlsFault::OtherName => "CERTIFICATE_OF_ANOTHER_NAME",
        TlsFault::IntermediateMissing => "INTERMEDIATE_MISSING",
        TlsFault::UnknownAuthority => "UNKNOWN_AUTHORITY",
        TlsFault::Handshake => "TLS_FAILED",
        TlsFault::Timeout => "TLS_TIMEOUT",
    }
}

fn tls_message(fault: TlsFault, lang: Lang) -> &'static str {
    match fault {
        TlsFault::Expired => lang.diagnosis_certificate_ended(),
        TlsFault::NotYetValid => lang.diagnosis_certificate_not_yet_valid(),
        TlsFault::OtherName => lang.diagnosis_certificate_of_another_name(),
        TlsFault::IntermediateMissing => lang.diagnosis_intermediate_missing(),
        TlsFault::UnknownAuthority => lang.diagnosis_unknown_authority(),
        TlsFault::Handshake => lang.diagnosis_tls_failed(),
        TlsFault::Timeout => lang.diagnosis_tls_timeout(),
    }
}

fn tls_remedy(fault: TlsFault, lang: Lang) -> &'static str {
    match fault {
        TlsFault::Expired | TlsFault::NotYetValid => lang.remedy_renew(),
        TlsFault::OtherName => lang.remedy_name(),
        TlsFault::IntermediateMissing => lang.remedy_intermediate(),
        TlsFault::UnknownAuthority => lang.remedy_authority(),
        TlsFault::Handshake | TlsFault::Timeout => lang.remedy_tls(),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::Finding;
    use crate::platform::ids::WebhookId;
    use crate::platform::messages::Lang;

    #[test]
    fn a_refusal_without_a_text_is_not_shown_as_an_empty_one() {
        let refused = |excerpt: &str| {
            let excerpt = excerpt.to_owned();
            Finding::Refused { status: 400, excerpt }.message(Lang::En)
        };
        assert_eq!(refused("  "), "The response was 400, without a text.");
        assert_eq!(refused("no"), "The response was 400: no");
    }

    #[test]
    fn a_remedy_names_the_webhook_that_it_is_for() {
        let webhook = WebhookId(Uuid::from_u128(7));
        let past = Finding::FailsSometimes { failed: 1, of: 2, error: "tls".to_owned() };
        for finding in [Finding::Disabled, past] {
            for lang in [Lang::PtBr, Lang::En] {
                let remedy = finding.remedy(webhook, lang).unwrap();
                assert_eq!(remedy.matches(&webhook.to_string()).count(), 2, "{remedy}");
            }
        }
    }
}
