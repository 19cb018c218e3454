//! A page of the statement as CSV. A CSV has no place for a cursor: that is a header.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, header};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::books::api::{BalanceEntryList, EntryView};
use crate::books::export::HEAD;
use crate::platform::error::Error;
use crate::platform::http::reply::Ok200;
use crate::platform::openapi::describe::{Describe, DescribeReply};
use crate::platform::openapi::operation::Operation;
use crate::platform::spreadsheet::{Cell, csv};

const KIND: &str = "text/csv";
const NEXT_CURSOR: HeaderName = HeaderName::from_static("x-next-cursor");

/// The format of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ListFormat {
    Json,
    Csv,
}

/// The format that the `Accept` header asks for.
#[derive(Debug, Clone, Copy)]
pub struct Accepted(pub ListFormat);

/// A statement in the requested format.
#[derive(Debug)]
pub enum Statement {
    Json(BalanceEntryList),
    Csv(BalanceEntryList),
}

impl FromRequestParts<App> for Accepted {
    type Rejection = Error;

    /// CSV is sent only to clients that name it; all others, browsers included, get JSON.
    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Error> {
        let accept = parts.headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
        let mut kinds = accept.unwrap_or_default().split(',');
        let names_csv = kinds.any(|kind| {
            kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(KIND))
        });
        Ok(Self(if names_csv { ListFormat::Csv } else { ListFormat::Json }))
    }
}

impl Describe for Accepted {
    fn describe(operation: &mut Operation) {
        let description = "`text/csv` for CSV; the cursor is then in `X-Next-Cursor`.";
        operation.header("Accept", description, &json!({ "type": "string" }));
    }
}

impl IntoResponse for Statement {
    fn into_response(self) -> Response {
        match self {
            Self::Json(reply) => Ok200(reply).into_response(),
            Self::Csv(reply) => {
                let kind = HeaderValue::from_static("text/csv; charset=utf-8");
                let name = HeaderValue::from_static("attachment; filename=\"statement.csv\"");
                let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, name)];
                let cursor = reply.next_cursor.as_deref().map(HeaderValue::from_str);
                let mut response = (headers, table(&reply.data)).into_response();
                if let Some(Ok(cursor)) = cursor {
                    response.headers_mut().insert(NEXT_CURSOR, cursor);
                }
                response
            }
        }
    }
}

impl DescribeReply for Statement {
    fn describe_reply(operation: &mut Operation) {
        operation.reply::<BalanceEntryList>(200);
        operation.also_as(KIND);
    }
}

fn table(lines: &[EntryView]) -> String {
    let row = |line: &EntryView| {
        vec![
            Cell::Whole(line.sequence),
            Cell::At(line.created_at),
            Cell::Text(line.kind.clone()),
            Cell::Money(line.amount_cents),
            Cell::Money(line.balance_cents),
            Cell::Text(line.subject_id.to_string()),
        ]
    };
    csv::head(&HEAD) + &csv::lines(&lines.iter().map(row).collect::<Vec<_>>())
}
