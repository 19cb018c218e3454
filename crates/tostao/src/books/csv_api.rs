//! The statement as CSV for spreadsheets.
//!
//! Excel in Brazil reads a CSV correctly only with a byte-order mark, semicolons, decimal commas
//! and local time, so it is written that way. A CSV has no place for a cursor: that is a header.

use std::fmt::Write as _;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use brazil::calendar::sao_paulo_date_time;
use http::{HeaderName, HeaderValue, header};
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::books::api::{BalanceEntryList, EntryView};
use crate::platform::error::Error;
use crate::platform::http::reply::Ok200;
use crate::platform::openapi::describe::{Describe, DescribeReply};
use crate::platform::openapi::operation::Operation;

const KIND: &str = "text/csv";
const NEXT_CURSOR: HeaderName = HeaderName::from_static("x-next-cursor");
const BYTE_ORDER_MARK: char = '\u{feff}';
const HEAD: &str = "sequence;createdAt;kind;amount;balance;subjectId\r\n";

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
                let name = HeaderValue::from_static("attachment; filename=\"extrato.csv\"");
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

/// No value needs quotes: they are numbers, dates, ids and our own enum values.
fn table(lines: &[EntryView]) -> String {
    let mut table = String::from(BYTE_ORDER_MARK);
    table.push_str(HEAD);
    for line in lines {
        let EntryView { sequence, amount_cents, balance_cents, kind, subject_id, created_at } =
            line;
        let at = sao_paulo_date_time(created_at.micros()).strftime("%d/%m/%Y %H:%M:%S");
        let (amount, balance) = (with_comma(*amount_cents), with_comma(*balance_cents));
        write!(table, "{sequence};{at};{kind};{amount};{balance};{subject_id}\r\n")
            .expect("memory accepts every write");
    }
    table
}

/// An amount as a spreadsheet reads it: `-1234,56`.
fn with_comma(amount: Cents) -> String {
    let cents = amount.get();
    let (whole, rest) = (cents.unsigned_abs() / 100, cents.unsigned_abs() % 100);
    format!("{}{whole},{rest:02}", if cents < 0 { "-" } else { "" })
}

#[cfg(test)]
mod tests {
    use ledger::cents::Cents;

    use super::with_comma;

    #[test]
    fn an_amount_has_a_comma_and_two_digits_and_its_sign() {
        let table = [
            (0, "0,00"),
            (5, "0,05"),
            (-5, "-0,05"),
            (123_456, "1234,56"),
            (-100, "-1,00"),
            (i64::MIN, "-92233720368547758,08"),
        ];
        for (cents, text) in table {
            assert_eq!(with_comma(Cents::new(cents)), text);
        }
    }
}
