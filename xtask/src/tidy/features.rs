//! Features depend on each other without a cycle.
//!
//! Two features that import each other are one feature in two folders: neither can be read, tested
//! or removed alone. A lower feature takes plain values and never calls back.

use std::collections::{BTreeMap, BTreeSet};

use super::direction::{folder, named_outside_tests};
use super::{File, Finding};

const PRODUCT: &str = "crates/tostao/src/";

/// Folders that every feature may import.
const GROUND: [&str; 6] = ["auth", "books", "events", "idempotency", "platform", "providers"];

const PICTURE: &str = "ARCHITECTURE.md";
const PICTURE_BEGINS: &str = "```features";
const PICTURE_ENDS: &str = "```";

/// Folders that may import every feature, and that no feature imports.
const TOP: [&str; 3] = ["commands", "openapi", "samples"];

/// For each feature the features that it imports, with the file and the line of the first mention.
type Edges<'tree> = BTreeMap<&'tree str, BTreeMap<String, (&'tree File, usize)>>;

pub fn features_form_no_cycle(files: &[File]) -> Vec<Finding> {
    let edges = edges(files);
    let Some(cycle) = cycle(&edges) else {
        return Vec::new();
    };
    let advice = format!("features form a cycle, {}: pass plain values instead", cycle.join(" → "));
    let steps = cycle.iter().zip(cycle.iter().skip(1));
    steps
        .filter_map(|(from, to)| edges.get(from)?.get(*to))
        .map(|(file, line)| file.finding(*line, advice.clone()))
        .collect()
}

/// The features diagram matches the `use` lines, the highest feature first.
pub fn the_picture_is_current(files: &[File]) -> Vec<Finding> {
    let Some(document) = files.iter().find(|file| file.path == PICTURE) else {
        return Vec::new();
    };
    let lines = document.text.lines().enumerate();
    let mut shown = lines.skip_while(|(_, line)| *line != PICTURE_BEGINS);
    let Some((begins, _)) = shown.next() else {
        return vec![document.finding(1, "the picture of the features is missing")];
    };
    let shown: Vec<&str> =
        shown.map(|(_, line)| line).take_while(|line| *line != PICTURE_ENDS).collect();
    let edges = edges(files);
    if cycle(&edges).is_some() {
        return Vec::new();
    }
    let picture = picture(&edges);
    if shown == picture {
        return Vec::new();
    }
    let advice = format!("the features have changed, draw:\n{}", picture.join("\n"));
    vec![document.finding(begins + 1, advice)]
}

/// A line for each feature that imports others.
fn picture(edges: &Edges) -> Vec<String> {
    let mut features: Vec<_> = edges.keys().map(|name| (height(edges, name), *name)).collect();
    features.sort_by_key(|(height, name)| (std::cmp::Reverse(*height), *name));
    let named = |name: &str| edges[name].keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    features.into_iter().map(|(_, name)| format!("{name} ──▶ {}", named(name))).collect()
}

/// The length of the longest chain of imports below a feature.
fn height(edges: &Edges, feature: &str) -> usize {
    let below = edges.get(feature).into_iter().flat_map(BTreeMap::keys);
    below.map(|name| height(edges, name) + 1).max().unwrap_or(0)
}

fn edges(files: &[File]) -> Edges<'_> {
    let features: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.path.strip_prefix(PRODUCT)?.strip_suffix("/mod.rs"))
        .filter(|name| !name.contains('/') && !GROUND.contains(name) && !TOP.contains(name))
        .collect();
    let mut edges = Edges::new();
    for file in files {
        let feature = file.path.strip_prefix(PRODUCT).and_then(|path| path.split('/').next());
        let Some(feature) = feature.filter(|feature| features.contains(feature)) else {
            continue;
        };
        for (path, line) in named_outside_tests(file) {
            let name = folder(&path);
            if !file.is_test() && name != feature && features.contains(name) {
                edges.entry(feature).or_default().entry(name.to_owned()).or_insert((file, line));
            }
        }
    }
    edges
}

/// The names along a cycle, the first again at the end.
fn cycle<'tree>(edges: &'tree Edges) -> Option<Vec<&'tree str>> {
    let mut finished = BTreeSet::new();
    edges.keys().find_map(|start| walk(edges, start, &mut Vec::new(), &mut finished))
}

fn walk<'tree>(
    edges: &'tree Edges,
    feature: &'tree str,
    path: &mut Vec<&'tree str>,
    finished: &mut BTreeSet<&'tree str>,
) -> Option<Vec<&'tree str>> {
    if let Some(start) = path.iter().position(|passed| *passed == feature) {
        return Some(path[start..].iter().copied().chain([feature]).collect());
    }
    if finished.contains(feature) {
        return None;
    }
    path.push(feature);
    let mut targets = edges.get(feature).into_iter().flat_map(BTreeMap::keys);
    let found = targets.find_map(|target| walk(edges, target, path, finished));
    path.pop();
    finished.insert(feature);
    found
}

#[cfg(test)]
mod tests {
    use super::{features_form_no_cycle, the_picture_is_current};
    use crate::tidy::tests::findings;

    const CHECKOUT: &str = "crates/tostao/src/checkout/mod.rs";
    const LINKS: &str = "crates/tostao/src/payment_links/mod.rs";
    const PAYMENTS: &str = "crates/tostao/src/transactions/mod.rs";
    const BOOKS: &str = "crates/tostao/src/books/mod.rs";

    #[test]
    fn a_chain_of_features_is_tidy() {
        let tree = [
            (CHECKOUT, "use crate::payment_links::Link;\nuse crate::transactions::Payment;"),
            (LINKS, "use crate::transactions::Payment;"),
            (PAYMENTS, "use crate::books::record;"),
            (BOOKS, "use crate::transactions::Payment;"),
        ];

        assert!(findings(features_form_no_cycle, &tree).is_empty());
    }

    #[test]
    fn a_cycle_is_found_with_every_line_that_closes_it() {
        let tree = [
            (CHECKOUT, "use crate::payment_links::Link;"),
            (LINKS, "\nuse crate::{app::App, transactions::Payment};"),
            (PAYMENTS, ""),
            ("crates/tostao/src/transactions/jobs.rs", "fn a() { crate::checkout::open(); }"),
        ];

        let advice = "features form a cycle, checkout → payment_links → transactions → checkout: \
                      pass plain values instead";
        assert_eq!(
            findings(features_form_no_cycle, &tree),
            [
                format!("{CHECKOUT}:1: {advice}"),
                format!("{LINKS}:2: {advice}"),
                format!("crates/tostao/src/transactions/jobs.rs:1: {advice}"),
            ]
        );
    }

    #[test]
    fn a_picture_that_lacks_an_arrow_is_found() {
        let tree = |picture: &'static str| {
            [
                (CHECKOUT, "use crate::payment_links::Link;\nuse crate::transactions::Payment;"),
                (LINKS, "use crate::transactions::Payment;"),
                (PAYMENTS, "use crate::books::record;"),
                ("ARCHITECTURE.md", picture),
            ]
        };
        let current = "# A\n\n```features\ncheckout ──▶ payment_links, transactions\n\
                       payment_links ──▶ transactions\n```\n";
        let old = "# A\n\n```features\ncheckout ──▶ payment_links\n```\n";

        assert!(findings(the_picture_is_current, &tree(current)).is_empty());
        assert_eq!(
            findings(the_picture_is_current, &tree(old)),
            ["ARCHITECTURE.md:3: the features have changed, draw:\ncheckout ──▶ payment_links, \
              transactions\npayment_links ──▶ transactions"]
        );
        assert_eq!(
            findings(the_picture_is_current, &tree("# A\n")),
            ["ARCHITECTURE.md:1: the picture of the features is missing"]
        );
    }

    #[test]
    fn tests_may_name_any_feature() {
        let tree = [
            (CHECKOUT, "use crate::payment_links::Link;"),
            (LINKS, "#[cfg(test)]\nmod tests {\n    use crate::checkout::open;\n}"),
        ];

        assert!(findings(features_form_no_cycle, &tree).is_empty());
    }
}
