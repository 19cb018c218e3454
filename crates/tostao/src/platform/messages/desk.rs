//! Messages of the dashboard, a file for each section.

mod chart;
mod entry;
mod fields;
mod figures;
mod home;
mod links;
mod refusals;
mod shell;
mod transactions;
mod why;
mod words;

/// Every message of the dashboard, for the tests.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
    let sections = [
        chart::CHART,
        entry::ENTRY,
        fields::FIELDS,
        figures::FIGURES,
        home::HOME,
        links::LINKS,
        refusals::REFUSALS,
        shell::SHELL,
        transactions::TRANSACTIONS,
        why::WHY,
        words::WORDS,
    ];
    sections.into_iter().flatten()
}
