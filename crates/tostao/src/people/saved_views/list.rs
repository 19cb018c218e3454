//! The lists whose filters can be saved, and what their queries may name.

use db::text_enum;
use url::form_urlencoded::{Serializer, parse};

use crate::people::saved_views::QUERY_MAX;
use crate::platform::error::FieldFault;
use crate::platform::fields;

/// What a query says beside its filter: where the list goes on, and the language of the page.
const NOT_A_FILTER: [&str; 4] = ["cursor", "lang", "limit", "page"];

text_enum! {
    /// A list of the dashboard that has filters.
    pub enum ViewedList as "ViewedList" {
        Transactions = "transactions",
        PaymentLinks = "paymentLinks",
        Products = "products",
        Coupons = "coupons",
        Clients = "clients",
        Subscriptions = "subscriptions",
        Plans = "plans",
        Commissions = "commissions",
        BalanceEntries = "balanceEntries",
        Withdrawals = "withdrawals",
        Events = "events",
        Requests = "requests",
        /// It belongs to neither environment.
        Audit = "audit",
    }
}

impl ViewedList {
    /// The names of the filters that the list's page takes.
    pub const fn filters(self) -> &'static [&'static str] {
        match self {
            Self::Transactions => &[
                "q",
                "status",
                "method",
                "from",
                "to",
                "searchAll",
                "customerId",
                "paymentLinkId",
                "paid",
            ],
            Self::PaymentLinks | Self::Products | Self::Coupons => &["q", "status"],
            Self::Clients => &["q"],
            Self::Subscriptions => &["planId", "clientId", "paying", "q", "status"],
            Self::Plans => &["active", "q"],
            Self::Commissions => &["linkId", "status"],
            Self::BalanceEntries => &["account", "kind", "transactionId", "from", "to"],
            Self::Withdrawals => &["status"],
            Self::Events => &["event", "status", "objectId", "from", "to"],
            Self::Requests => {
                &["status", "method", "route", "code", "idempotencyKey", "credentialId"]
            }
            Self::Audit => &["actorId", "action", "from", "to"],
        }
    }

    /// Whether a query is of a part of the list that is no filter: a balance goes on, so numbers of
    /// its entries are of one moment.
    pub fn is_part(self, query: &str) -> bool {
        let numbers: &[&str] = match self {
            Self::BalanceEntries => &["sequenceFrom", "sequenceTo"],
            _ => &[],
        };
        let mut given = parse(query.as_bytes());
        given.any(|(name, value)| numbers.contains(&&*name) && !value.is_empty())
    }

    /// What a page's query says of the list's filters, in their order; empty if it sets none.
    pub fn filter_of(self, query: &str) -> String {
        let given: Vec<_> = parse(query.as_bytes()).collect();
        let mut filter = Serializer::new(String::new());
        for name in self.filters() {
            let value = given.iter().find(|(given, value)| given == name && !value.is_empty());
            if let Some((_, value)) = value {
                filter.append_pair(name, value);
            }
        }
        filter.finish()
    }

    /// Checks a query of the list's page; returns its filter.
    pub fn read(self, query: &str) -> Result<String, FieldFault> {
        let query = fields::text(query, 1, QUERY_MAX)?;
        let query = query.trim_start_matches('?');
        let mut names = Vec::new();
        for (name, _) in parse(query.as_bytes()) {
            let is_known = self.filters().contains(&&*name) || NOT_A_FILTER.contains(&&*name);
            if !is_known || names.contains(&name) {
                let known = self.filters().join(", ");
                let message = format!("must set each of these once, and no other: {known}");
                return Err(FieldFault::new("INVALID_VALUE", message));
            }
            names.push(name);
        }
        let filter = self.filter_of(query);
        if filter.is_empty() {
            return Err(FieldFault::new("REQUIRED", "must set a filter"));
        }
        // Encoded, a text is longer.
        fields::text(&filter, 1, QUERY_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::ViewedList;

    #[test]
    fn a_query_is_one_of_its_list_and_of_no_other_page() {
        let list = ViewedList::Transactions;
        let good = [
            ("?status=FAILED&q=", "status=FAILED"),
            (
                "to=2026-11-30&q=caf%C3%A9+%26&cursor=x&page=2&lang=en",
                "q=caf%C3%A9+%26&to=2026-11-30",
            ),
            ("q=https%3A%2F%2Fevil.example", "q=https%3A%2F%2Fevil.example"),
            ("q=\"><script>", "q=%22%3E%3Cscript%3E"),
        ];
        for (query, filter) in good {
            assert_eq!(list.read(query).unwrap(), filter);
        }
        let statement = "account=pending&kind=payment_captured&from=2026-11-01&to=2026-11-30";
        assert_eq!(ViewedList::BalanceEntries.read(statement).unwrap(), statement);
        let part = "account=pending&sequenceFrom=3&sequenceTo=";
        assert!(ViewedList::BalanceEntries.is_part(part) && !ViewedList::Events.is_part(part));
        assert!(!ViewedList::BalanceEntries.is_part("sequenceFrom=&sequenceTo="));
        let long = format!("q={}", "ç".repeat(400));
        let bad = [
            ("", "INVALID_LENGTH"),
            ("?", "REQUIRED"),
            ("q=&cursor=x", "REQUIRED"),
            ("planId=1", "INVALID_VALUE"),
            ("q=a&q=b", "INVALID_VALUE"),
            ("//evil.example/", "INVALID_VALUE"),
            ("https://evil.example/?q=a", "INVALID_VALUE"),
            (&long, "INVALID_LENGTH"),
        ];
        for (query, code) in bad {
            assert_eq!(list.read(query).unwrap_err().code, code, "{query}");
        }
    }
}
