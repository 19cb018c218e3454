//! The error codes of an operation: those that any operation can answer, those that follow from
//! what it takes, which are its credentials, parameters and body, and those of its own rules.

use serde_json::Value;

use crate::platform::error::ErrorCode;
use crate::platform::openapi::operation::Security;
use crate::routes::refusals;

/// Under what name an operation of the document lists its codes.
pub const LISTED: &str = "x-error-codes";

/// What any operation can answer.
pub const OF_ALL: [ErrorCode; 3] =
    [ErrorCode::RateLimited, ErrorCode::InternalError, ErrorCode::Unavailable];

/// The codes of an operation, each once and by status.
pub fn all(method: &str, needs: Option<Security>, operation: &Value) -> Vec<ErrorCode> {
    let own = refusals::of(operation["operationId"].as_str().unwrap_or_default());
    let taken: Vec<_> = of(method, needs, operation).collect();
    let sources: [&[ErrorCode]; 3] = [&OF_ALL, &taken, own];
    let listed = |code: &&ErrorCode| sources.iter().any(|codes| codes.contains(*code));
    ErrorCode::ALL.iter().filter(listed).copied().collect()
}

/// The codes that a page lists with an operation: those of any operation it names once.
pub fn beside_those_of_all(operation: &Value) -> Vec<String> {
    let codes = operation[LISTED].as_array().into_iter().flatten().filter_map(Value::as_str);
    let is_of_all = |code: &str| OF_ALL.iter().any(|of_all| of_all.name() == code);
    codes.filter(|code| !is_of_all(code)).map(str::to_owned).collect()
}

/// The codes that follow from what an operation takes, by status.
fn of(method: &str, needs: Option<Security>, operation: &Value) -> impl Iterator<Item = ErrorCode> {
    let takes = |place, name| self::takes(operation, place, name);
    let (has_body, has_query) = (operation["requestBody"].is_object(), is_any(operation, "query"));
    let has_json = operation["requestBody"]["content"]["application/json"].is_object();
    let has_key = takes("header", "Idempotency-Key");
    let can_change = method != "GET";
    let is_limited =
        matches!(needs, Some(Security::Permissions([_, ..]) | Security::Person([_, ..])));
    let causes = [
        // Access tokens come with a mode.
        (ErrorCode::ValidationError, has_body || has_query || needs.is_some()),
        (ErrorCode::InvalidJson, has_body),
        (ErrorCode::CardDataNotAccepted, has_json),
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
            "requestBody": { "content": { "application/json": {} } },
        });
        let expected = "VALIDATION_ERROR INVALID_JSON CARD_DATA_NOT_ACCEPTED UNAUTHORIZED \
                        TOKEN_EXPIRED ADMIN_REQUIRED NOT_FOUND CONCURRENT_UPDATE \
                        PAYLOAD_TOO_LARGE UNSUPPORTED_MEDIA_TYPE";
        assert_eq!(names(&mut of("POST", Some(Security::Admin), &change)), expected);
        let picture = json!({ "requestBody": { "content": { "image/png": {} } } });
        let expected = "VALIDATION_ERROR INVALID_JSON DRY_RUN_NOT_SUPPORTED CONCURRENT_UPDATE \
                        PAYLOAD_TOO_LARGE UNSUPPORTED_MEDIA_TYPE";
        assert_eq!(names(&mut of("PUT", None, &picture)), expected);
        let any_key = Some(Security::Permissions(&[]));
        let expected = "VALIDATION_ERROR UNAUTHORIZED TOKEN_EXPIRED";
        assert_eq!(names(&mut of("GET", any_key, &json!({}))), expected);
        assert_eq!(
            names(&mut of("POST", None, &json!({}))),
            "DRY_RUN_NOT_SUPPORTED CONCURRENT_UPDATE"
        );
        assert_eq!(names(&mut of("GET", None, &json!({}))), "");
    }
}
