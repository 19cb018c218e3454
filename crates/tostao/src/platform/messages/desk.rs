//! Messages of the dashboard, a file for each section.

mod account;
mod admin;
mod affiliates;
mod audit;
mod balance;
mod chart;
mod clients;
mod coupons;
mod developers;
mod developers_tools;
mod entry;
mod exports;
mod fields;
mod figures;
mod home;
mod keys;
mod links;
mod products;
mod referrals;
mod refusals;
mod search;
mod shell;
mod subscriptions;
mod team;
mod transactions;
mod why;
mod words;

/// Every message of the dashboard, for the tests.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
    let sections = [
        account::ACCOUNT,
        admin::ADMIN,
        affiliates::AFFILIATES,
        audit::AUDIT,
        balance::BALANCE,
        chart::CHART,
        developers::DEVELOPERS,
        developers_tools::DEVELOPERS_TOOLS,
        clients::CLIENTS,
        coupons::COUPONS,
        entry::ENTRY,
        exports::EXPORTS,
        fields::FIELDS,
        figures::FIGURES,
        home::HOME,
        keys::KEYS,
        products::PRODUCTS,
        links::LINKS,
        referrals::REFERRALS,
        refusals::REFUSALS,
        search::SEARCH,
        shell::SHELL,
        subscriptions::SUBSCRIPTIONS,
        team::TEAM,
        transactions::TRANSACTIONS,
        why::WHY,
        words::WORDS,
    ];
    sections.into_iter().flatten()
}
