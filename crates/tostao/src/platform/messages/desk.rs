//! Messages of the dashboard, a file for each section.

mod chart;
mod why;

/// Every message of the dashboard, for the tests.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
    let sections = [chart::CHART, why::WHY];
    sections.into_iter().flatten()
}
