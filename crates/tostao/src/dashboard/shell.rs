//! What stands around the content of every page: mode, account, sections, messages.

use std::time::Duration;

use db::tx::Tx;

use crate::app::App;
use crate::auth::seat::{ACCOUNT, ADMIN, DASHBOARD, SeatHolder, folder};
use crate::dashboard::admin_sections::{ADMIN_SECTIONS, is_of_real_money};
use crate::dashboard::views::{self, Views};
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words;
use crate::merchants;
use crate::people::{self, Account, Person, saved_views};
use crate::platform::error::{Error, Result};
use crate::platform::ids::{MerchantId, Mode, Scope};
use crate::platform::member_role::MemberRole;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, PersonalPermission};

/// How the sections of a mode are listed, in this order.
const SECTIONS: &[SectionEntry] = &[
    SectionEntry {
        section: Section::Home,
        path: "",
        needs: Needed::Nothing,
        name: Lang::shell_home,
        group: None,
    },
    SectionEntry {
        section: Section::Search,
        path: "/search",
        needs: Needed::Nothing,
        name: Lang::search_title,
        group: None,
    },
    SectionEntry {
        section: Section::Transactions,
        path: "/transactions",
        needs: Needed::OfKey(Permission::TransactionsRead),
        name: Lang::payments_title,
        group: None,
    },
    SectionEntry {
        section: Section::Balance,
        path: "/balance",
        needs: Needed::OfKey(Permission::WithdrawalsRead),
        name: Lang::balance_title,
        group: None,
    },
    SectionEntry {
        section: Section::Links,
        path: "/links",
        needs: Needed::OfKey(Permission::PaymentLinksRead),
        name: Lang::links_title,
        group: None,
    },
    SectionEntry {
        section: Section::Products,
        path: "/products",
        needs: Needed::OfKey(Permission::ProductsRead),
        name: Lang::products_title,
        group: None,
    },
    SectionEntry {
        section: Section::Coupons,
        path: "/coupons",
        needs: Needed::OfKey(Permission::CouponsRead),
        name: Lang::coupons_title,
        group: None,
    },
    SectionEntry {
        section: Section::Subscriptions,
        path: "/subscriptions",
        needs: Needed::OfKey(Permission::SubscriptionsRead),
        name: Lang::client_subscriptions,
        group: None,
    },
    SectionEntry {
        section: Section::Clients,
        path: "/clients",
        needs: Needed::OfKey(Permission::CustomersRead),
        name: Lang::clients_title,
        group: None,
    },
    SectionEntry {
        section: Section::Affiliates,
        path: "/affiliates",
        needs: Needed::OfKey(Permission::AffiliatesRead),
        name: Lang::affiliates_title,
        group: None,
    },
    SectionEntry {
        section: Section::Referrals,
        path: "/referrals",
        needs: Needed::OfKey(Permission::ReferralsRead),
        name: Lang::referrals_title,
        group: None,
    },
    SectionEntry {
        section: Section::Developers,
        path: "/developers",
        needs: Needed::OfKey(Permission::RequestsRead),
        name: Lang::developers_title,
        group: None,
    },
    SectionEntry {
        section: Section::Keys,
        path: "/developers/keys",
        needs: Needed::OfPerson(PersonalPermission::CredentialsRead),
        name: Lang::keys_title,
        group: Some(Section::Developers),
    },
    SectionEntry {
        section: Section::Webhooks,
        path: "/developers/webhooks",
        needs: Needed::OfKey(Permission::WebhooksRead),
        name: Lang::webhooks_title,
        group: Some(Section::Developers),
    },
    SectionEntry {
        section: Section::Events,
        path: "/developers/events",
        needs: Needed::OfKey(Permission::WebhooksRead),
        name: Lang::events_title,
        group: Some(Section::Developers),
    },
    SectionEntry {
        section: Section::Requests,
        path: "/developers/requests",
        needs: Needed::OfKey(Permission::RequestsRead),
        name: Lang::requests_title,
        group: Some(Section::Developers),
    },
    SectionEntry {
        section: Section::Idempotency,
        path: "/developers/idempotency",
        needs: Needed::OfKey(Permission::RequestsRead),
        name: Lang::idempotency_title,
        group: Some(Section::Developers),
    },
    SectionEntry {
        section: Section::Clock,
        path: "/developers/clock",
        needs: Needed::OfKey(Permission::TransactionsWrite),
        name: Lang::clock_title,
        group: Some(Section::Developers),
    },
    SectionEntry {
        section: Section::Mail,
        path: "/developers/mail",
        needs: Needed::OfPerson(PersonalPermission::MailsRead),
        name: Lang::mails_title,
        group: Some(Section::Developers),
    },
];

/// How the pages about a person and their account are listed, which belong to no mode.
const ACCOUNT_SECTIONS: &[SectionEntry] = &[
    SectionEntry {
        section: Section::Profile,
        path: "/profile",
        needs: Needed::Nothing,
        name: Lang::profile_title,
        group: None,
    },
    SectionEntry {
        section: Section::Business,
        path: "/business",
        needs: Needed::Nothing,
        name: Lang::business_title,
        group: None,
    },
    SectionEntry {
        section: Section::Security,
        path: "/security",
        needs: Needed::Nothing,
        name: Lang::security_title,
        group: None,
    },
    SectionEntry {
        section: Section::Team,
        path: "/team",
        needs: Needed::OfPerson(PersonalPermission::TeamRead),
        name: Lang::team_title,
        group: None,
    },
    SectionEntry {
        section: Section::Notifications,
        path: "/notifications",
        needs: Needed::Nothing,
        name: Lang::notices_title,
        group: None,
    },
    SectionEntry {
        section: Section::Audit,
        path: "/audit",
        needs: Needed::OfPerson(PersonalPermission::AuditRead),
        name: Lang::audit_title,
        group: None,
    },
];

/// A section of the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Home,
    Search,
    Transactions,
    Balance,
    Links,
    Products,
    Coupons,
    Subscriptions,
    Clients,
    Affiliates,
    Referrals,
    Developers,
    Keys,
    Webhooks,
    Events,
    Requests,
    Idempotency,
    Clock,
    Mail,
    /// What waits for the platform's administrators.
    Admin,
    AdminWithdrawals,
    AdminAdvances,
    AdminUnknown,
    AdminReconciliation,
    AdminConnections,
    /// The accounts of the platform.
    Accounts,
    AdminMail,
    AdminHealth,
    Profile,
    Business,
    Security,
    Team,
    Notifications,
    Audit,
    /// None of those in the menu.
    Other,
}

/// How a section is listed.
pub struct SectionEntry {
    pub section: Section,
    /// After the folder of the mode.
    pub path: &'static str,
    /// A section that one may not read is not listed.
    pub needs: Needed,
    pub name: fn(Lang) -> &'static str,
    /// The section in which it is listed, as long as that is open.
    pub group: Option<Section>,
}

/// What the role of a reader has to include.
#[derive(Debug, Clone, Copy)]
pub enum Needed {
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
    /// Whether it is a part of the section above it.
    pub is_inner: bool,
}

/// Another account of the person.
pub struct OtherAccount {
    pub id: MerchantId,
    pub name: String,
}

/// The frame of a page.
pub struct Shell {
    /// `None` on the pages about a person and their account.
    pub mode: Option<Mode>,
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
    /// This section in the other mode; the first page, where the page belongs to no mode.
    pub other_mode_url: String,
    pub language_url: String,
    /// What a form has done that led here.
    pub flash: Option<String>,
    /// The saved views of the list that the page is.
    pub views: Option<Views>,
}

impl Shell {
    /// Reads the frame of a page in a section.
    pub async fn read(
        app: &App,
        holder: SeatHolder,
        mode: impl Into<Option<Mode>>,
        visit: &Visit,
        section: Section,
    ) -> Result<Self> {
        let mode = mode.into();
        let SeatHolder { merchant, person, role, is_administrator, ahead, ends_at } = holder;
        let list = views::list_at(&visit.path, mode);
        let scope = Scope { merchant, mode: mode.unwrap_or(Mode::Production), ahead };
        let read = async move |tx: &Tx| {
            let account = merchants::find(tx, merchant).await?.name;
            let person = people::find(tx, person).await?;
            let accounts = people::accounts(tx, person.id).await?;
            let saved = match list {
                Some(_) => saved_views::of_person(tx, scope, person.id, list).await?,
                None => Vec::new(),
            };
            Ok::<_, Error>((account, person, accounts, saved))
        };
        let (account, Person { name, .. }, accounts, saved) = app.read(read).await?;
        let lang = visit.lang;
        let place = (scope.mode, visit.query.as_str());
        let menu = match mode {
            Some(mode) => menu_of_mode(mode, section, (role, is_administrator), lang),
            None => menu(ACCOUNT_SECTIONS, ACCOUNT, section, (role, Mode::Production), lang),
        };
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
            other_mode_url: mode.map_or(DASHBOARD.to_owned(), |mode| address(other(mode), section)),
            language_url: visit.language_url(),
            flash: visit.flash.as_ref().map(|flash| flash.0.clone()),
            views: list.and_then(|list| Views::of(list, saved, place, lang)),
        })
    }

    /// The first page of this page's mode.
    pub fn home_url(&self) -> String {
        self.mode.map_or(DASHBOARD.to_owned(), |mode| url(mode, ""))
    }

    /// The folder of this page's mode.
    pub fn folder(&self) -> &'static str {
        self.mode.map_or("account", folder)
    }

    /// Whether the page shows simulated money.
    pub fn is_test(&self) -> bool {
        self.mode.is_some_and(Mode::is_development)
    }
}

/// The address of a page about a person and their account.
pub fn account_url(path: &str) -> String {
    format!("{ACCOUNT}{path}")
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
    if let Some(entry) = ADMIN_SECTIONS.iter().find(|entry| entry.section == section) {
        let is_here = !mode.is_development() || !is_of_real_money(section);
        return admin_url(mode, if is_here { entry.path } else { "" });
    }
    let entry = SECTIONS.iter().find(|entry| entry.section == section);
    url(mode, entry.map_or("", |entry| entry.path))
}

/// The mode that a mode is not.
pub fn other(mode: Mode) -> Mode {
    match mode {
        Mode::Development => Mode::Production,
        Mode::Production => Mode::Development,
    }
}

fn menu_of_mode(
    mode: Mode,
    current: Section,
    (role, is_administrator): (MemberRole, bool),
    lang: Lang,
) -> Vec<MenuItem> {
    let mut items = menu(SECTIONS, &url(mode, ""), current, (role, mode), lang);
    if is_administrator {
        let folder = admin_url(mode, "");
        items.extend(menu(ADMIN_SECTIONS, &folder, current, (role, mode), lang));
    }
    items
}

/// The sections that a role may read. Those of a group are listed while one of them is open, so
/// that the menu stays short; where the group's own page may not be read, its first one stands for
/// it.
fn menu(
    sections: &[SectionEntry],
    folder: &str,
    current: Section,
    (role, mode): (MemberRole, Mode),
    lang: Lang,
) -> Vec<MenuItem> {
    let permissions = role.permissions(mode);
    let may = |entry: &&SectionEntry| match entry.needs {
        Needed::Nothing => true,
        Needed::OfKey(needed) => permissions.contains(needed),
        Needed::OfPerson(needed) => role.may(needed),
    };
    let open = sections.iter().find(|entry| entry.section == current);
    let open = open.map(|entry| entry.group.unwrap_or(entry.section));
    let first = |group| sections.iter().filter(may).find(|one| one.group == Some(group));
    let mut listed = Vec::new();
    for entry in sections {
        let (item, is_inner) = match entry.group {
            Some(group) => (Some(entry).filter(|it| may(it) && open == Some(group)), true),
            None => (Some(entry).filter(may).or_else(|| first(entry.section)), false),
        };
        let Some(shown) = item else { continue };
        listed.push(MenuItem {
            name: (entry.name)(lang),
            url: format!("{folder}{}", shown.path),
            is_current: entry.section == current,
            is_inner,
        });
    }
    listed
}

fn others(accounts: Vec<Account>, current: MerchantId) -> Vec<OtherAccount> {
    let others = accounts.into_iter().filter(|account| account.id != current);
    others.map(|account| OtherAccount { id: account.id, name: account.name }).collect()
}

/// The time on the developer's clock, and how far that is ahead.
fn clock(app: &App, by: Duration, lang: Lang) -> String {
    let now = lang.date_time(app.now().plus(by).micros());
    lang.shell_clock(now, ahead(by, lang))
}

/// How far the developer's clock is ahead.
pub fn ahead(by: Duration, lang: Lang) -> String {
    match by.as_secs() / 86_400 {
        0 => lang.shell_under_a_day_ahead().to_owned(),
        1 => lang.shell_a_day_ahead().to_owned(),
        days => lang.shell_days_ahead(days),
    }
}
