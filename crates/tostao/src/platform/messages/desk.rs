//! Messages of the dashboard, a file for each section.

mod admin;
mod balance;
mod chart;
mod clients;
mod coupons;
mod developers;
mod entry;
mod fields;
mod figures;
mod home;
mod keys;
mod links;
mod products;
mod refusals;
mod shell;
mod transactions;
mod why;
mod words;

/// Every message of the dashboard, for the tests.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
    let sections = [
        admin::ADMIN,
        balance::BALANCE,
        chart::CHART,
        developers::DEVELOPERS,
        clients::CLIENTS,
        coupons::COUPONS,
        entry::ENTRY,
        fields::FIELDS,
        figures::FIGURES,
        home::HOME,
        keys::KEYS,
        products::PRODUCTS,
        links::LINKS,
        refusals::REFUSALS,
        shell::SHELL,
        transactions::TRANSACTIONS,
        why::WHY,
        words::WORDS,
    ];
    sections.into_iter().flatten()
}
