//! The filter of a statement, as its address has it.

use std::str::FromStr;

use serde::Deserialize;

use crate::books::api::AccountName;
use crate::books::movements::MovementKind;
use crate::dashboard::form::day;
use crate::dashboard::listing::joined;
use crate::figures::period::{after, start};
use crate::platform::error::{Error, Result};
use crate::platform::ids::TransactionId;
use crate::statements::api::{ENTRIES, EntriesQuery};

/// The fields of the filter; a form sends those that are empty, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct StatementForm {
    pub account: String,
    pub kind: String,
    /// The payment that the entries belong to.
    pub transaction_id: String,
    /// The first and the last day.
    pub from: String,
    pub to: String,
    /// The number of the first entry, and the one before which the last is.
    pub sequence_from: String,
    pub sequence_to: String,
    pub cursor: String,
}

impl StatementForm {
    /// The account whose statement it is.
    pub fn account(&self) -> Result<AccountName> {
        if self.account.is_empty() {
            return Ok(AccountName::Available);
        }
        let wrong = || Error::field("account", "INVALID_VALUE", "must be an account");
        AccountName::parse(&self.account).ok_or_else(wrong)
    }

    /// The query of the same list in the API.
    pub fn query(&self, limit: i64) -> Result<EntriesQuery> {
        let wrong = || Error::field("kind", "INVALID_VALUE", "must be a kind of movement");
        let kind = Some(&*self.kind).filter(|kind| !kind.is_empty());
        let kind = kind.map(|kind| MovementKind::parse(kind).ok_or_else(wrong)).transpose()?;
        let from = day(&self.from).map_err(|fault| fault.of("from"))?;
        let to = day(&self.to).map_err(|fault| fault.of("to"))?;
        Ok(EntriesQuery {
            account: Some(self.account()?),
            kind,
            transaction_id: parsed::<TransactionId>(&self.transaction_id, "transactionId")?,
            created_from: from.map(start),
            created_to: to.map(|last| start(after(last))),
            sequence_from: parsed(&self.sequence_from, "sequenceFrom")?,
            sequence_to: parsed(&self.sequence_to, "sequenceTo")?,
            limit: Some(limit),
            cursor: Some(self.cursor.clone()).filter(|cursor| !cursor.is_empty()),
            format: None,
        })
    }

    /// Whether it leaves out entries of the account.
    pub fn is_narrow(&self) -> bool {
        let narrow = [&self.kind, &self.transaction_id, &self.from, &self.to];
        narrow.iter().any(|field| !field.is_empty()) || self.is_part()
    }

    /// Whether it is of a part of the account's entries, by their numbers.
    pub fn is_part(&self) -> bool {
        !(self.sequence_from.is_empty() && self.sequence_to.is_empty())
    }

    /// The numbers of such a part, by the names of the fields.
    pub fn part(&self) -> Vec<(&'static str, String)> {
        let both = [("sequenceFrom", &self.sequence_from), ("sequenceTo", &self.sequence_to)];
        let given = both.into_iter().filter(|(_, value)| !value.is_empty());
        given.map(|(name, value)| (name, value.clone())).collect()
    }

    /// The whole statement of the same account.
    #[must_use]
    pub fn all_kinds(&self) -> Self {
        Self { account: self.account.clone(), ..Self::default() }
    }

    /// The same filter from a place in the list on.
    #[must_use]
    pub fn at(&self, cursor: &str) -> Self {
        Self { cursor: cursor.to_owned(), ..self.clone() }
    }

    /// The address of a page with this filter.
    pub fn url(&self, page: &str) -> String {
        let fields = [
            ("account", &self.account),
            ("kind", &self.kind),
            ("transactionId", &self.transaction_id),
            ("from", &self.from),
            ("to", &self.to),
            ("sequenceFrom", &self.sequence_from),
            ("sequenceTo", &self.sequence_to),
            ("cursor", &self.cursor),
        ];
        let given = fields.into_iter().filter(|(_, value)| !value.is_empty());
        joined(page, given.map(|(name, value)| (name, value.clone())))
    }

    /// The same list in the API.
    pub fn api_path(&self, limit: i64) -> String {
        let typed = |text: &str| day(text).ok().flatten();
        let from = typed(&self.from).map(start);
        let to = typed(&self.to).map(|last| start(after(last)));
        let account = self.account().map_or("", AccountName::name);
        let fields = [
            ("account", Some(account.to_owned())),
            ("kind", Some(self.kind.clone())),
            ("transactionId", Some(self.transaction_id.trim().to_owned())),
            ("createdFrom", from.map(|from| from.to_string())),
            ("createdTo", to.map(|to| to.to_string())),
            ("sequenceFrom", Some(self.sequence_from.clone())),
            ("sequenceTo", Some(self.sequence_to.clone())),
            ("cursor", Some(self.cursor.clone())),
            ("limit", Some(limit.to_string())),
        ];
        let given = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
        joined(ENTRIES, given.filter(|(_, value)| !value.is_empty()))
    }
}

/// Reads a field that may be empty.
fn parsed<T: FromStr>(text: &str, field: &'static str) -> Result<Option<T>> {
    let wrong = |_| Error::field(field, "INVALID_VALUE", "must be one that the statement has");
    let given = Some(text.trim()).filter(|text| !text.is_empty());
    given.map(|text| text.parse().map_err(wrong)).transpose()
}

#[cfg(test)]
mod tests {
    use super::StatementForm;

    #[test]
    fn a_statement_is_the_same_on_the_page_and_in_the_api() {
        let form = StatementForm {
            kind: "refund_requested".to_owned(),
            from: "2026-11-01".to_owned(),
            to: "2026-11-30".to_owned(),
            ..StatementForm::default()
        };
        assert_eq!(
            form.url("/balance"),
            "/balance?kind=refund_requested&from=2026-11-01&to=2026-11-30"
        );
        assert_eq!(
            form.api_path(50),
            "/api/balance/entries?account=available&kind=refund_requested\
             &createdFrom=2026-11-01T03%3A00%3A00.000Z&createdTo=2026-12-01T03%3A00%3A00.000Z\
             &limit=50"
        );
        assert!(form.query(50).is_ok() && form.is_narrow());
        let payment = "01931b2c-0000-7000-8000-000000000000";
        let part = StatementForm {
            transaction_id: format!(" {payment} "),
            sequence_from: "3".to_owned(),
            sequence_to: "9".to_owned(),
            ..StatementForm::default()
        };
        assert_eq!(
            part.api_path(50),
            format!(
                "/api/balance/entries?account=available&transactionId={payment}\
                 &sequenceFrom=3&sequenceTo=9&limit=50"
            )
        );
        assert!(part.query(50).is_ok() && part.is_part());
        let wrong = StatementForm { transaction_id: "x".to_owned(), ..StatementForm::default() };
        assert!(wrong.query(50).is_err());
        let lost = StatementForm { kind: "lost".to_owned(), ..StatementForm::default() };
        assert!(lost.query(50).is_err());
    }
}
