//! Saved views above the lists, and the page where they are saved and deleted.

use crate::auth::seat::ACCOUNT;
use crate::dashboard::listing::joined;
use crate::dashboard::shell::{account_url, url};
use crate::people::saved_views::SavedView;
use crate::people::saved_views::list::ViewedList;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;

mod filter_words;
pub mod view;
pub mod views_pages;

/// The path of the page about views in its mode.
pub const VIEWS: &str = "/views";
/// The list that belongs to no mode.
const AUDIT: &str = "/audit";

/// The views of a list, as the list shows them.
pub struct Views {
    /// The whole list first.
    pub links: Vec<ViewLink>,
    /// Where the present filter is saved, and the views are deleted; its name says which.
    pub edit: (String, &'static str),
}

/// A view above its list.
pub struct ViewLink {
    pub name: String,
    pub url: String,
    pub is_current: bool,
}

/// The list at an address, if it has filters.
pub fn list_at(path: &str, mode: Option<Mode>) -> Option<ViewedList> {
    match mode {
        Some(mode) => {
            let folder = url(mode, "");
            let within = path.strip_prefix(&folder)?;
            ViewedList::ALL.iter().copied().find(|list| path_of(*list) == within)
        }
        None => path.strip_prefix(ACCOUNT).filter(|rest| *rest == AUDIT).map(|_| ViewedList::Audit),
    }
}

/// The address of a list with a filter.
pub fn address(list: ViewedList, mode: Mode, filter: &str) -> String {
    let page = match list {
        ViewedList::Audit => account_url(AUDIT),
        list => url(mode, path_of(list)),
    };
    if filter.is_empty() { page } else { format!("{page}?{filter}") }
}

/// The address of the page about the views of a list.
pub fn page_of(list: ViewedList, mode: Mode, filter: &str) -> String {
    let given = [("list", list.name()), ("query", filter)];
    let given = given.into_iter().filter(|(_, value)| !value.is_empty());
    let page = match list {
        ViewedList::Audit => account_url(&format!("{AUDIT}{VIEWS}")),
        _ => url(mode, VIEWS),
    };
    joined(&page, given.map(|(name, value)| (name, value.to_owned())))
}

/// The name of a list.
pub fn name_of(list: ViewedList, lang: Lang) -> &'static str {
    match list {
        ViewedList::Transactions => lang.payments_title(),
        ViewedList::PaymentLinks => lang.links_title(),
        ViewedList::Products => lang.products_title(),
        ViewedList::Coupons => lang.coupons_title(),
        ViewedList::Clients => lang.clients_title(),
        ViewedList::Subscriptions => lang.client_subscriptions(),
        ViewedList::Plans => lang.plans_title(),
        ViewedList::Commissions => lang.commissions_title(),
        ViewedList::BalanceEntries => lang.balance_statement(),
        ViewedList::Withdrawals => lang.withdrawals_title(),
        ViewedList::Events => lang.events_title(),
        ViewedList::Requests => lang.requests_title(),
        ViewedList::Audit => lang.audit_title(),
    }
}

impl Views {
    /// Those of a list whose page has a query; `None` if there is nothing to choose or to save.
    pub fn of(
        list: ViewedList,
        saved: Vec<SavedView>,
        (mode, query): (Mode, &str),
        lang: Lang,
    ) -> Option<Self> {
        let (filter, is_part) = (list.filter_of(query), list.is_part(query));
        if saved.is_empty() && (filter.is_empty() || is_part) {
            return None;
        }
        let is_saved = saved.iter().any(|view| view.query == filter);
        let is_new = !filter.is_empty() && !is_saved && !is_part;
        let all = ViewLink {
            name: lang.views_all().to_owned(),
            url: address(list, mode, ""),
            is_current: filter.is_empty() && !is_part,
        };
        let link = |view: SavedView| ViewLink {
            url: address(list, mode, &view.query),
            is_current: view.query == filter && !is_part,
            name: view.name,
        };
        let edit =
            if is_new { (&*filter, lang.views_save_this()) } else { ("", lang.views_edit()) };
        Some(Self {
            links: [all].into_iter().chain(saved.into_iter().map(link)).collect(),
            edit: (page_of(list, mode, edit.0), edit.1),
        })
    }
}

/// The path of a list in its mode.
const fn path_of(list: ViewedList) -> &'static str {
    match list {
        ViewedList::Transactions => "/transactions",
        ViewedList::PaymentLinks => "/links",
        ViewedList::Products => "/products",
        ViewedList::Coupons => "/coupons",
        ViewedList::Clients => "/clients",
        ViewedList::Subscriptions => "/subscriptions",
        ViewedList::Plans => "/subscriptions/plans",
        ViewedList::Commissions => "/affiliates/mine/commissions",
        ViewedList::BalanceEntries => "/balance",
        ViewedList::Withdrawals => "/balance/withdrawals",
        ViewedList::Events => "/developers/events",
        ViewedList::Requests => "/developers/requests",
        // It has no page in a mode.
        ViewedList::Audit => AUDIT,
    }
}
