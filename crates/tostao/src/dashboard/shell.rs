//! What stands around the content of every page: mode, account, sections, messages.

use std::time::Duration;

use db::tx::Tx;

use crate::app::App;
use crate::auth::seat::{ADMIN, DASHBOARD, SeatHolder, folder};
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words;
use crate::merchants;
use crate::people::{self, Account, Person};
use crate::platform::error::{Error, Result};
use crate::platform::ids::{MerchantId, Mode};
use crate::platform::member_role::MemberRole;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, PersonalPermission};

/// The path of the administrators' page about accounts.
pub const ACCOUNTS: &str = "/accounts";

/// How the sections of a mode are listed, in this order.
const SECTIONS: &[SectionEntry] = &[
    SectionEntry {
        section: Section::Home,
        path: "",
        needs: Needed::Nothing,
        name: Lang::shell_home,
    },
    SectionEntry {
        section: Section::Transactions,
        path: "/transactions",
        needs: Needed::OfKey(Permission::TransactionsRead),
        name: Lang::payments_title,
    },
    SectionEntry {
        section: Section::Balance,
        path: "/balance",
        needs: Needed::OfKey(Permission::WithdrawalsRead),
        name: Lang::balance_title,
    },
    SectionEntry {
        section: Section::Links,
        path: "/links",
        needs: Needed::OfKey(Permission::PaymentLinksRead),
        name: Lang::links_title,
    },
    SectionEntry {
        section: Section::Products,
        path: "/products",
        needs: Needed::OfKey(Permission::ProductsRead),
        name: Lang::products_title,
    },
    SectionEntry {
        section: Section::Coupons,
        path: "/coupons",
        needs: Needed::OfKey(Permission::CouponsRead),
        name: Lang::coupons_title,
    },
    SectionEntry {
        section: Section::Clients,
        path: "/clients",
        needs: Needed::OfKey(Permission::CustomersRead),
        name: Lang::clients_title,
    },
    SectionEntry {
        section: Section::Keys,
        path: "/developers/keys",
        needs: Needed::OfPerson(PersonalPermission::CredentialsRead),
        name: Lang::keys_title,
    },
    SectionEntry {
        section: Section::Webhooks,
        path: "/developers/webhooks",
        needs: Needed::OfKey(Permission::WebhooksRead),
        name: Lang::webhooks_title,
    },
    SectionEntry {
        section: Section::Requests,
        path: "/developers/requests",
        needs: Needed::OfKey(Permission::RequestsRead),
        name: Lang::requests_title,
    },
];

/// A section of the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Home,
    Transactions,
    Balance,
    Links,
    Products,
    Coupons,
    Clients,
    Keys,
    Webhooks,
    Requests,
    /// The accounts of the platform, for its administrators.
    Accounts,
    /// None of those in the menu.
    Other,
}

struct SectionEntry {
    section: Section,
    /// After the folder of the mode.
    path: &'static str,
    /// A section that one may not read is not listed.
    needs: Needed,
    name: fn(Lang) -> &'static str,
}

/// What the role of a reader has to include.
#[derive(Debug, Clone, Copy)]
enum Needed {
    Nothing,
    /// What a key may do, too.
    OfKey(Permission),
    OfPerson(PersonalPermission),
}

/// A section in the menu.
pub struct MenuItem {
    pub name: &'static str,
    pub url: String,
    pub is_current: bool,
}

/// Another account of the person.
pub struct OtherAccount {
    pub id: MerchantId,
    pub name: String,
}

/// The frame of a page.
pub struct Shell {
    pub mode: Mode,
    pub account: String,
    pub person: String,
    pub role: &'static str,
    pub others: Vec<OtherAccount>,
    /// In how many seconds the session ends if no other page is opened, and in any case.
    pub idle_seconds: u64,
    pub most_seconds: u64,
    /// The developer's clock, where it runs ahead.
    pub clock: Option<String>,
    pub menu: Vec<MenuItem>,
    /// The name of the section; empty outside of the menu.
    pub section: &'static str,
    /// This section in the other mode.
    pub other_mode_url: String,
    pub language_url: String,
    /// What a form has done that led here.
    pub flash: Option<String>,
}

impl Shell {
    /// Reads the frame of a page in a section.
    pub async fn read(
        app: &App,
        holder: SeatHolder,
        mode: Mode,
        visit: &Visit,
        section: Section,
    ) -> Result<Self> {
        let SeatHolder { merchant, person, role, is_administrator, ahead, ends_at } = holder;
        let read = async move |tx: &Tx| {
            let account = merchants::find(tx, merchant).await?.name;
            let person = people::find(tx, person).await?;
            let accounts = people::accounts(tx, person.id).await?;
            Ok::<_, Error>((account, person, accounts))
        };
        let (account, Person { name, .. }, accounts) = app.read(read).await?;
        let lang = visit.lang;
        let other = match mode {
            Mode::Development => Mode::Production,
            Mode::Production => Mode::Development,
        };
        let mut menu = menu(mode, section, role, lang);
        if is_administrator {
            let (url, is_current) =
                (address(mode, Section::Accounts), section == Section::Accounts);
            menu.push(MenuItem { name: lang.admin_accounts(), url, is_current });
        }
        Ok(Self {
            mode,
            account,
            person: name,
            role: words::role(role, lang),
            others: others(accounts, merchant),
            idle_seconds: app.settings.dashboard.lifetime().idle.as_secs(),
            most_seconds: ends_at.since(app.now()).as_secs(),
            clock: (!ahead.is_zero()).then(|| clock(app, ahead, lang)),
            section: menu.iter().find(|item| item.is_current).map_or("", |item| item.name),
            menu,
            other_mode_url: address(other, section),
            language_url: visit.language_url(),
            flash: visit.flash.as_ref().map(|flash| flash.0.clone()),
        })
    }

    /// A path of this page's mode.
    pub fn url(&self, path: &str) -> String {
        url(self.mode, path)
    }

    /// The folder of this page's mode.
    pub fn folder(&self) -> &'static str {
        folder(self.mode)
    }
}

/// The address of a page of a mode; `path` is empty, or begins with a slash.
pub fn url(mode: Mode, path: &str) -> String {
    format!("{DASHBOARD}/{}{path}", folder(mode))
}

/// The address of an administrators' page of a mode.
pub fn admin_url(mode: Mode, path: &str) -> String {
    format!("{ADMIN}/{}{path}", folder(mode))
}

/// The address of a section in a mode; outside of the menu, that of the first page.
fn address(mode: Mode, section: Section) -> String {
    if section == Section::Accounts {
        return admin_url(mode, ACCOUNTS);
    }
    let entry = SECTIONS.iter().find(|entry| entry.section == section);
    url(mode, entry.map_or("", |entry| entry.path))
}

fn menu(mode: Mode, current: Section, role: MemberRole, lang: Lang) -> Vec<MenuItem> {
    let permissions = role.permissions(mode);
    let may = |entry: &&SectionEntry| match entry.needs {
        Needed::Nothing => true,
        Needed::OfKey(needed) => permissions.contains(needed),
        Needed::OfPerson(needed) => role.may(needed),
    };
    let listed = SECTIONS.iter().filter(may);
    let item = |entry: &SectionEntry| MenuItem {
        name: (entry.name)(lang),
        url: url(mode, entry.path),
        is_current: entry.section == current,
    };
    listed.map(item).collect()
}

fn others(accounts: Vec<Account>, current: MerchantId) -> Vec<OtherAccount> {
    let others = accounts.into_iter().filter(|account| account.id != current);
    others.map(|account| OtherAccount { id: account.id, name: account.name }).collect()
}

/// The time on the developer's clock, and how far that is ahead.
fn clock(app: &App, ahead: Duration, lang: Lang) -> String {
    let now = lang.date_time(app.now().plus(ahead).micros());
    let ahead = match ahead.as_secs() / 86_400 {
        0 => lang.shell_under_a_day_ahead().to_owned(),
        1 => lang.shell_a_day_ahead().to_owned(),
        days => lang.shell_days_ahead(days),
    };
    lang.shell_clock(now, ahead)
}
