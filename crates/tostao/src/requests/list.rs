//! Filters of the request log.

use std::ops::RangeInclusive;

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::platform::error::{Error, Result};
use crate::platform::fields;
use crate::platform::http::page::TimeRange;
use crate::platform::ids::CredentialId;

/// How many statuses may be named.
const STATUSES_MAX: usize = 2;
const TEXT_LENGTH_MAX: usize = 255;

/// What lists of requests accept.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FilterQuery {
    /// Statuses or classes of them, at most two: `404`, `5xx` or `4xx,5xx`.
    #[schemars(regex(pattern = "^[1-5]([0-9]{2}|[xX]{2})(,[1-5]([0-9]{2}|[xX]{2}))?$"))]
    pub status: Option<String>,
    /// The method, such as `POST`.
    #[schemars(length(max = 10))]
    pub method: Option<String>,
    /// The route's pattern, such as `/api/v1/transactions/{id}`; all that begin so, such as
    /// `/api/v1/transactions*`.
    #[schemars(length(max = 255))]
    pub route: Option<String>,
    /// The error code, such as `VALIDATION_ERROR`.
    #[schemars(length(max = 255))]
    pub code: Option<String>,
    /// The API key.
    pub credential_id: Option<CredentialId>,
    /// The last four characters of the API key.
    #[schemars(length(max = 4))]
    pub key_last4: Option<String>,
    /// The `Idempotency-Key`.
    #[schemars(length(max = 255))]
    pub idempotency_key: Option<String>,
    /// The object of the response, or the one that the path names.
    #[schemars(extend("format" = "uuid"))]
    pub object_id: Option<Uuid>,
    /// Received at or after this time.
    pub from: Option<Timestamp>,
    /// Received before this time.
    pub to: Option<Timestamp>,
}

/// A validated filter.
#[derive(Debug, Clone)]
pub struct Filter {
    /// Two ranges of statuses; a request matches either.
    pub statuses: [RangeInclusive<i64>; STATUSES_MAX],
    pub method: Option<String>,
    pub route: Option<String>,
    /// How many characters of a route are compared; all of them without a number.
    pub route_length: Option<i64>,
    pub code: Option<String>,
    /// Whether the API key does not matter.
    pub any_credential: bool,
    pub credential: CredentialId,
    pub key_last4: Option<String>,
    pub idempotency_key: Option<String>,
    /// Whether the object does not matter.
    pub any_object: bool,
    pub object: Uuid,
    pub created: TimeRange,
}

impl FilterQuery {
    /// Validates the query.
    pub fn read(self) -> Result<Filter> {
        let Self { status, method, route, code, key_last4, idempotency_key, .. } = self;
        let texts = [
            ("method", &method, 10),
            ("route", &route, TEXT_LENGTH_MAX),
            ("code", &code, TEXT_LENGTH_MAX),
            ("keyLast4", &key_last4, 4),
            ("idempotencyKey", &idempotency_key, TEXT_LENGTH_MAX),
        ];
        for (field, text, most) in texts {
            fields::optional_text(text.as_deref(), most).map_err(|it| it.of(field))?;
        }
        let beginning = route.as_deref().and_then(|route| route.strip_suffix('*'));
        let (route, route_length) = match beginning {
            Some(beginning) => {
                let length = i64::try_from(beginning.chars().count()).ok();
                (Some(beginning.to_owned()), length)
            }
            None => (route, None),
        };
        Ok(Filter {
            statuses: status.as_deref().map_or(Ok([100..=599, 100..=599]), statuses)?,
            method: method.map(|method| method.to_ascii_uppercase()),
            route,
            route_length,
            code,
            any_credential: self.credential_id.is_none(),
            credential: self.credential_id.unwrap_or(CredentialId(Uuid::nil())),
            key_last4,
            idempotency_key,
            any_object: self.object_id.is_none(),
            object: self.object_id.unwrap_or_default(),
            created: TimeRange::new(self.from, self.to),
        })
    }
}

/// Reads statuses like `404`, `5xx` or `4xx,5xx`.
fn statuses(text: &str) -> Result<[RangeInclusive<i64>; STATUSES_MAX]> {
    let ranges = text.split(',').map(|part| range(part.trim())).collect::<Option<Vec<_>>>();
    match ranges.as_deref() {
        Some([one]) => Ok([one.clone(), one.clone()]),
        Some([one, other]) => Ok([one.clone(), other.clone()]),
        _ => Err(Error::field(
            "status",
            "INVALID_VALUE",
            "must be a status such as 404, a class such as 5xx, or two of them with a comma",
        )),
    }
}

fn range(text: &str) -> Option<RangeInclusive<i64>> {
    let (first, rest) = text.split_at_checked(1)?;
    let class = first.parse::<i64>().ok().filter(|class| (1..=5).contains(class))?;
    if rest.eq_ignore_ascii_case("xx") {
        return Some(class * 100..=class * 100 + 99);
    }
    let exact = text.parse::<i64>().ok().filter(|status| (100..=599).contains(status))?;
    Some(exact..=exact)
}

#[cfg(test)]
mod tests {
    use super::statuses;

    #[test]
    fn a_status_is_a_number_a_class_or_two_of_them() {
        let table = [
            ("404", Some([404..=404, 404..=404])),
            ("5xx", Some([500..=599, 500..=599])),
            ("4xx, 5XX", Some([400..=499, 500..=599])),
            ("4xx,5xx,404", None),
            ("", None),
            ("9xx", None),
            ("éxx", None),
            ("40", None),
        ];
        for (text, expected) in table {
            assert_eq!(statuses(text).ok(), expected, "{text}");
        }
    }
}
