//! How the pages of administrators are listed.

use crate::dashboard::shell::{Needed, Section, SectionEntry};
use crate::platform::messages::Lang;

/// In this order; the first one is what the others are a part of.
pub const ADMIN_SECTIONS: &[SectionEntry] = &[
    entry(Section::Admin, "", Lang::admin_title, None),
    part(Section::AdminWithdrawals, "/withdrawals", Lang::withdrawals_title),
    part(Section::AdminAdvances, "/advances", Lang::advances_title),
    part(Section::AdminUnknown, "/unknown", Lang::admin_unknown),
    part(Section::AdminReconciliation, "/reconciliation", Lang::admin_reconciliation),
    part(Section::AdminConnections, "/connections", Lang::admin_connections),
    part(Section::Accounts, "/accounts", Lang::admin_accounts),
    part(Section::AdminMail, "/mail", Lang::admin_mail),
    part(Section::AdminHealth, "/health", Lang::admin_health),
];

/// Whether a section is about real money or real mails alone, so that its page is in production.
pub fn is_of_real_money(section: Section) -> bool {
    matches!(section, Section::AdminReconciliation | Section::AdminConnections | Section::AdminMail)
}

const fn part(
    section: Section,
    path: &'static str,
    name: fn(Lang) -> &'static str,
) -> SectionEntry {
    entry(section, path, name, Some(Section::Admin))
}

const fn entry(
    section: Section,
    path: &'static str,
    name: fn(Lang) -> &'static str,
    group: Option<Section>,
) -> SectionEntry {
    SectionEntry { section, path, needs: Needed::Nothing, name, group }
}
