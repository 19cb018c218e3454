//! Filters for the list of clients.

use brazil::document::Document;
use db::time::Timestamp;
use db::value::pattern;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::platform::error::{FieldErrors, Result};
use crate::platform::fields;
use crate::platform::http::page::{Page, PageQuery, TimeRange, search};
use crate::platform::masked::Documents;

/// What a list of clients accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    /// The CPF or CNPJ, with or without punctuation.
    pub document: Option<String>,
    /// Filter by the exact email.
    pub email: Option<String>,
    /// Created at or after this time.
    pub created_from: Option<Timestamp>,
    /// Created before this time.
    pub created_to: Option<Timestamp>,
    /// Search in name, email and document; members who see masked documents find only
    /// whole ones.
    #[schemars(length(max = 255))]
    pub q: Option<String>,
}

/// A validated filter.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub document: Option<Document>,
    pub email: Option<String>,
    pub created: TimeRange,
    pub pattern: Option<String>,
    /// The same for the document, which is stored without punctuation.
    pub document_pattern: Option<String>,
}

impl ListQuery {
    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<Filter> {
        let mut wrong = FieldErrors::new();
        let document = given(self.document.as_deref()).map(fields::document).transpose();
        let document = wrong.read("document", document).flatten();
        let email = given(self.email.as_deref()).map(fields::email).transpose();
        let email = wrong.read("email", email).flatten();
        wrong.finish()?;
        let q = self.q.as_deref();
        Ok(Filter {
            page: page.read()?,
            document,
            email,
            created: TimeRange::new(self.created_from, self.created_to),
            pattern: search(q)?,
            document_pattern: q.and_then(part_of_document),
        })
    }
}

impl Filter {
    /// The same for somebody who sees documents like this: where they are masked, only a whole one
    /// is found, because a search by its parts would reveal it.
    #[must_use]
    pub fn seeing(self, documents: Documents) -> Self {
        let document_pattern = match documents {
            Documents::Whole => self.document_pattern,
            Documents::Masked => self.document_pattern.filter(|pattern| is_whole(pattern)),
        };
        Self { document_pattern, ..self }
    }

    /// Whether clients are found by their documents.
    pub fn names_document(&self) -> bool {
        self.document.is_some() || self.document_pattern.is_some()
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

/// Whether a pattern is that of a complete document.
fn is_whole(pattern: &str) -> bool {
    Document::parse(pattern.trim_matches('%')).is_ok()
}

/// The pattern for a part of a document, with any punctuation.
fn part_of_document(text: &str) -> Option<String> {
    let kept: String = text.chars().filter(|c| !matches!(c, '.' | '-' | '/' | ' ')).collect();
    let fits = !kept.is_empty() && kept.chars().all(|c| c.is_ascii_alphanumeric());
    fits.then(|| pattern(&kept))
}

#[cfg(test)]
mod tests {
    use super::{is_whole, part_of_document};

    #[test]
    fn punctuation_does_not_hide_a_document() {
        let table = [
            ("529.982", Some("%529982%")),
            ("529 982 247-25", Some("%52998224725%")),
            ("12.ABC.345/01DE-35", Some("%12abc34501de35%")),
            ("7-25", Some("%725%")),
            ("ana@example.com", None),
            ("100%", None),
            ("5_9", None),
            (".-/ ", None),
            ("João", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(part_of_document(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn only_a_whole_document_is_whole() {
        let whole = |text| part_of_document(text).is_some_and(|pattern| is_whole(&pattern));
        assert!(whole("529.982.247-25") && whole("12.ABC.345/01DE-35"));
        assert!(!whole("529.982.247-2") && !whole("529"));
    }
}
