//! Messages of the dashboard, a file for each section.

mod account;
mod admin;
mod admin_health;
mod admin_queues;
mod affiliates;
mod audit;
mod balance;
mod bank_refusals;
mod charges;
mod chart;
mod clients;
mod closing;
mod coupons;
mod developers;
mod developers_tools;
mod email;
mod entry;
mod exports;
mod fields;
mod figures;
mod home;
mod keys;
mod links;
mod look;
mod payout_keys;
mod products;
mod referrals;
mod refusals;
mod search;
mod shell;
mod subscriptions;
mod team;
mod transactions;
mod troubles;
mod views;
mod why;
mod words;

/// Every message of the dashboard, for the tests.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
    let sections = [
        account::ACCOUNT,
        admin::ADMIN,
        admin_health::ADMIN_HEALTH,
        admin_queues::ADMIN_QUEUES,
        affiliates::AFFILIATES,
        audit::AUDIT,
        balance::BALANCE,
        bank_refusals::BANK_REFUSALS,
        charges::CHARGES,
        chart::CHART,
        developers::DEVELOPERS,
        developers_tools::DEVELOPERS_TOOLS,
        clients::CLIENTS,
        closing::CLOSING,
        coupons::COUPONS,
        email::EMAIL,
        entry::ENTRY,
        exports::EXPORTS,
        fields::FIELDS,
        figures::FIGURES,
        home::HOME,
        keys::KEYS,
        payout_keys::PAYOUT_KEYS,
        products::PRODUCTS,
        links::LINKS,
        look::LOOK,
        referrals::REFERRALS,
        refusals::REFUSALS,
        search::SEARCH,
        shell::SHELL,
        subscriptions::SUBSCRIPTIONS,
        team::TEAM,
        transactions::TRANSACTIONS,
        troubles::TROUBLES,
        views::VIEWS,
        why::WHY,
        words::WORDS,
    ];
    sections.into_iter().flatten()
}
