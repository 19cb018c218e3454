//! A whole list as a file for spreadsheets, CSV or XLSX.
//!
//! Its rows are read page after page while it is written, so a long list takes little memory, and a
//! row that changes meanwhile is written as it was when its page was read. Times are those of São
//! Paulo, and amounts are in reais, as people in Brazil read them.

use std::future::Future;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use db::time::Timestamp;
use futures_util::stream::try_unfold;
use futures_util::{StreamExt, stream};
use http::{HeaderValue, header};
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::platform::error::{Error, Result};
use crate::platform::http::page::{Listed, Page};
use crate::platform::openapi::describe::DescribeReply;
use crate::platform::openapi::operation::Operation;
use crate::platform::spreadsheet::workbook::{ROWS_MAX, Workbook};

pub mod csv;
mod workbook;

/// How many rows are read at once.
pub const PAGE_ROWS: i64 = 1_000;

/// The format of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SpreadsheetFormat {
    #[default]
    Csv,
    Xlsx,
}

/// What a file is asked for by, beside the filters of its list.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub struct SpreadsheetQuery {
    /// The format. Defaults to `csv`; `xlsx` holds at most 100,000 rows.
    #[serde(default)]
    pub format: SpreadsheetFormat,
}

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    Empty,
    Text(String),
    Whole(i64),
    Money(Cents),
    At(Timestamp),
}

/// Some rows, and the position after them; `None` after the last ones.
pub type Rows<P> = (Vec<Vec<Cell>>, Option<P>);

/// A list as a file.
#[derive(Debug, Clone)]
pub struct Spreadsheet {
    /// The name of the file, without its ending.
    pub name: &'static str,
    /// The headings of the columns.
    pub head: Vec<&'static str>,
    pub format: SpreadsheetFormat,
}

/// The response with a file.
#[derive(Debug)]
pub struct SpreadsheetReply(Response);

impl Spreadsheet {
    /// Writes the rows that `read` finds from `first` on.
    ///
    /// The first rows are read before the response begins, so that a refusal has its status.
    pub async fn reply<P, R>(
        self,
        first: P,
        read: impl Fn(P) -> R + Clone + Send + Sync + 'static,
    ) -> Result<SpreadsheetReply>
    where
        P: Send + 'static,
        R: Future<Output = Result<Rows<P>>> + Send + 'static,
    {
        let started = read(first).await?;
        let body = match self.format {
            SpreadsheetFormat::Csv => self.csv(started, read),
            SpreadsheetFormat::Xlsx => self.xlsx(started, read).await?,
        };
        let (kind, ending) = self.format.kind();
        let name = format!("attachment; filename=\"{}.{ending}\"", self.name);
        let mut response = body.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(
            header::CONTENT_DISPOSITION,
            HeaderValue::from_str(&name).map_err(anyhow::Error::from)?,
        );
        Ok(SpreadsheetReply(response))
    }

    /// Writes the objects of a list that `read` finds page by page.
    pub async fn listed<T, R>(
        self,
        read: impl Fn(Page) -> R + Clone + Send + Sync + 'static,
        row: impl Fn(&T) -> Vec<Cell> + Clone + Send + Sync + 'static,
    ) -> Result<SpreadsheetReply>
    where
        R: Future<Output = Result<Listed<T>>> + Send + 'static,
    {
        let rows = move |before: Option<Uuid>| {
            let (listed, row) = (read(Page::after(before, PAGE_ROWS)), row.clone());
            async move {
                let listed = listed.await?;
                Ok((listed.rows.iter().map(row).collect(), listed.next.map(Some)))
            }
        };
        self.reply(None, rows).await
    }

    fn csv<P, R>(
        &self,
        (rows, next): Rows<P>,
        read: impl Fn(P) -> R + Send + Sync + 'static,
    ) -> Body
    where
        P: Send + 'static,
        R: Future<Output = Result<Rows<P>>> + Send + 'static,
    {
        let started = csv::head(&self.head) + &csv::lines(&rows);
        let rest = try_unfold((next, read), async |(next, read)| {
            let Some(position) = next else { return Ok(None) };
            let (rows, next) = read(position).await?;
            Ok(Some((csv::lines(&rows), (next, read))))
        });
        Body::from_stream(stream::iter([Ok::<_, Error>(started)]).chain(rest))
    }

    async fn xlsx<P, R>(&self, started: Rows<P>, read: impl Fn(P) -> R) -> Result<Body>
    where
        R: Future<Output = Result<Rows<P>>>,
    {
        let mut workbook = Workbook::new(&self.head)?;
        let (mut rows, mut next) = started;
        loop {
            if workbook.rows() + rows.len() > ROWS_MAX {
                return Err(Error::field("format", "OUT_OF_RANGE", TOO_LONG));
            }
            workbook.push(rows)?;
            let Some(position) = next else { break };
            (rows, next) = read(position).await?;
        }
        Ok(Body::from(workbook.finish().await?))
    }
}

const TOO_LONG: &str = "a list of more than 100,000 rows is exported as csv, or in parts";

impl SpreadsheetFormat {
    fn kind(self) -> (&'static str, &'static str) {
        match self {
            Self::Csv => (CSV, "csv"),
            Self::Xlsx => (XLSX, "xlsx"),
        }
    }
}

const CSV: &str = "text/csv; charset=utf-8";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

impl Cell {
    /// A text that may be missing.
    pub fn text(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::Empty, |text| Self::Text(text.into()))
    }

    /// A time that may be missing.
    pub fn at(at: Option<Timestamp>) -> Self {
        at.map_or(Self::Empty, Self::At)
    }
}

impl IntoResponse for SpreadsheetReply {
    fn into_response(self) -> Response {
        self.0
    }
}

impl DescribeReply for SpreadsheetReply {
    fn describe_reply(operation: &mut Operation) {
        operation.other_reply(200, "text/csv", "A file for spreadsheets.");
        operation.also_as(XLSX);
    }
}

#[cfg(test)]
mod tests {
    use axum::response::{IntoResponse, Response};
    use http_body_util::BodyExt;

    use super::{Cell, Rows, Spreadsheet, SpreadsheetFormat};
    use crate::platform::error::{Error, Result};

    /// A list of five rows, two a page.
    async fn pages(first: i64) -> Result<Rows<i64>> {
        let rows = (first..5).take(2).map(|number| vec![Cell::Whole(number)]).collect();
        Ok((rows, Some(first + 2).filter(|next| *next < 5)))
    }

    fn sheet(format: SpreadsheetFormat) -> Spreadsheet {
        Spreadsheet { name: "numbers", head: vec!["number"], format }
    }

    async fn body(response: Response) -> Vec<u8> {
        response.into_body().collect().await.expect("is whole").to_bytes().to_vec()
    }

    #[tokio::test]
    async fn a_file_has_the_rows_of_every_page() {
        let reply = sheet(SpreadsheetFormat::Csv).reply(0, pages).await.expect("is written");
        let text = body(reply.into_response()).await;
        assert_eq!(String::from_utf8_lossy(&text), "\u{feff}number\r\n0\r\n1\r\n2\r\n3\r\n4\r\n");
    }

    #[tokio::test]
    async fn a_file_whose_first_page_cannot_be_read_is_an_error() {
        let failing = async |_: i64| Err(Error::field("status", "INVALID_VALUE", "is unknown"));
        for format in [SpreadsheetFormat::Csv, SpreadsheetFormat::Xlsx] {
            assert!(sheet(format).reply(0, failing).await.is_err());
        }
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_read_to_its_end_does_not_end_like_a_whole_one() {
        let failing = async |first: i64| match first {
            0 => pages(0).await,
            _ => Err(Error::field("status", "INVALID_VALUE", "is unknown")),
        };
        let reply = sheet(SpreadsheetFormat::Csv).reply(0, failing).await.expect("has started");
        assert!(reply.into_response().into_body().collect().await.is_err());
    }
}
