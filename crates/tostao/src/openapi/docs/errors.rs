//! The errors of an operation: those that follow from what it takes, which are its credentials,
//! parameters and body, and those of its own rules.

use serde_json::Value;

use crate::platform::error::ErrorCode;
use crate::platform::openapi::operation::Security;
use crate::routes::refusals;

/// What any operation can answer.
pub const OF_ALL: [ErrorCode; 3] =
    [ErrorCode::RateLimited, ErrorCode::InternalError, ErrorCode::Unavailable];

/// The errors of an operation, each once and by status.
pub fn all(method: &str, needs: Option<Security>, operation: &Value) -> Vec<ErrorCode> {
    let own = refusals::of(operation["operationId"].as_str().unwrap_or_default());
    let taken: Vec<_> = of(method, needs, operation).collect();
    let listed = |code: &&ErrorCode| taken.contains(*code) || own.contains(*code);
    ErrorCode::ALL.iter().filter(listed).copied().collect()
}

/// The errors that follow from what an operation takes, by status.
fn of(method: &str, needs: Option<Security>, operation: &Value) -> impl Iterator<Item = ErrorCode> {
    let takes = |place, name| self::takes(operation, place, name);
    let (has_body, has_query) = (operation["requestBody"].is_object(), is_any(operation, "query"));
    let has_key = takes("header", "Idempotency-Key");
    let can_change = method != "GET";
    let is_limited =
        matches!(needs, Some(Security::Permissions([_, ..]) | Security::Person([_, ..])));
    let causes = [
        (ErrorCode::ValidationError, has_body || has_query),
        (ErrorCode::InvalidJson, has_body),
        (ErrorCode::CardDataNotAccepted, has_body),
        (ErrorCode::DryRunNotSupported, can_change && !takes("query", "dryRun")),
        (ErrorCode::InvalidIdempotencyKey, has_key),
        (ErrorCode::InvalidCursor, takes("query", "cursor")),
        (ErrorCode::PaginationTooDeep, takes("query", "page")),
        (ErrorCode::Unauthorized, needs.is_some()),
        (ErrorCode::TokenExpired, needs.is_some()),
        (ErrorCode::InsufficientPermission, is_limited),
        (ErrorCode::AdminRequired, needs == Some(Security::Admin)),
        (ErrorCode::NotFound, is_any(operation, "path")),
        (ErrorCode::IdempotencyKeyInProgress, has_key),
        (ErrorCode::ConcurrentUpdate, can_change),
        (ErrorCode::PayloadTooLarge, has_body),
        (ErrorCode::UnsupportedMediaType, has_body),
        (ErrorCode::IdempotencyKeyReused, has_key),
    ];
    causes.into_iter().filter(|(_, is_there)| *is_there).map(|(code, _)| code)
}

/// Whether an operation has a parameter of this name in this place.
pub fn takes(operation: &Value, place: &str, name: &str) -> bool {
    parameters(operation).any(|one| one["in"] == place && one["name"] == name)
}

fn is_any(operation: &Value, place: &str) -> bool {
    parameters(operation).any(|one| one["in"] == place)
}

fn parameters(operation: &Value) -> impl Iterator<Item = &Value> {
    operation["parameters"].as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::of;
    use crate::platform::error::ErrorCode;
    use crate::platform::openapi::operation::Security;
    use crate::platform::permissions::Permission;

    #[test]
    fn an_operation_has_the_errors_of_what_it_takes() {
        let names = |codes: &mut dyn Iterator<Item = ErrorCode>| {
            codes.map(ErrorCode::name).collect::<Vec<_>>().join(" ")
        };
        let list = json!({ "parameters": [{ "in": "query", "name": "cursor" }] });
        let needs = Some(Security::Permissions(&[Permission::ProductsRead]));
        let expected = "VALIDATION_ERROR INVALID_CURSOR UNAUTHORIZED TOKEN_EXPIRED \
                        INSUFFICIENT_PERMISSION";
        assert_eq!(names(&mut of("GET", needs, &list)), expected);
        let change = json!({
            "parameters": [{ "in": "path", "name": "id" }, { "in": "query", "name": "dryRun" }],
            "requestBody": {},
        });
        let expected = "VALIDATION_ERROR INVALID_JSON CARD_DATA_NOT_ACCEPTED UNAUTHORIZED \
                        TOKEN_EXPIRED ADMIN_REQUIRED NOT_FOUND CONCURRENT_UPDATE \
                        PAYLOAD_TOO_LARGE UNSUPPORTED_MEDIA_TYPE";
        assert_eq!(names(&mut of("POST", Some(Security::Admin), &change)), expected);
        assert_eq!(
            names(&mut of("POST", None, &json!({}))),
            "DRY_RUN_NOT_SUPPORTED CONCURRENT_UPDATE"
        );
        assert_eq!(names(&mut of("GET", None, &json!({}))), "");
    }
}
