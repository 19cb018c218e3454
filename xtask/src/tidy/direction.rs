//! Imports are acyclic across folders.
//!
//! Files that import each other in a cycle are one unit of code, in any folder: none of them can be
//! read, tested or moved alone. Within a folder that is acceptable; across folders it is not.

use std::collections::{BTreeMap, BTreeSet};

use super::{File, Finding};

const PRODUCT: &str = "crates/tostao/src/";

/// The files that a file imports, each with the line of the first mention.
type Imports<'tree> = BTreeMap<&'tree str, BTreeMap<&'tree str, usize>>;

/// No import cycle spans two folders.
pub fn no_circle_spans_folders(files: &[File]) -> Vec<Finding> {
    let modules = modules(files);
    let imports = imports(&modules);
    let circles = circles(&imports);
    let mut findings = Vec::new();
    for (&from, imported) in &imports {
        for (&to, &line) in imported.iter().filter(|(to, _)| folder(to) != folder(from)) {
            if circles[from] == circles[to] {
                let advice = format!(
                    "`{from}` and `{to}` import each other in a circle: pass \
                     plain values, or move what both need below them"
                );
                findings.push(modules[from].finding(line, advice));
            }
        }
    }
    findings
}

/// How many files the largest import cycle has that spans two folders.
pub fn largest_circle_across_folders(files: &[File]) -> usize {
    let modules = modules(files);
    let mut members: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (module, circle) in circles(&imports(&modules)) {
        members.entry(circle).or_default().push(module);
    }
    let spanning =
        members.values().filter(|them| them.iter().any(|it| folder(it) != folder(them[0])));
    spanning.map(Vec::len).max().unwrap_or(0)
}

/// `platform`, which has no business rules, imports nothing above it.
pub fn the_platform_knows_no_feature(files: &[File]) -> Vec<Finding> {
    let modules = modules(files);
    let platform = modules.iter().filter(|(module, _)| folder(module) == "platform");
    let named = platform.flat_map(|(_, file)| named_outside_tests(file).map(move |it| (file, it)));
    named
        .filter(|(_, (path, _))| folder(path) != "platform")
        .map(|(file, (path, line))| {
            file.finding(line, format!("`platform` must not know `{}`", folder(&path)))
        })
        .collect()
}

/// The product's files by module path.
fn modules(files: &[File]) -> BTreeMap<&str, &File> {
    files.iter().filter_map(|file| Some((module(file)?, file))).collect()
}

/// The module path of a file, such as `transactions/view`.
fn module(file: &File) -> Option<&str> {
    let path = file.path.strip_prefix(PRODUCT)?.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    (!file.is_test() && !matches!(path, "lib" | "main")).then_some(path)
}

fn imports<'tree>(modules: &BTreeMap<&'tree str, &'tree File>) -> Imports<'tree> {
    let mut imports = Imports::new();
    for (&module, file) in modules {
        for (path, line) in named_outside_tests(file) {
            let Some(target) = resolve(modules, &path).filter(|target| *target != module) else {
                continue;
            };
            imports.entry(module).or_default().entry(target).or_insert(line);
        }
    }
    imports
}

/// The file of a path: its longest prefix that is one.
fn resolve<'tree>(modules: &BTreeMap<&'tree str, &File>, path: &str) -> Option<&'tree str> {
    let ends = [path.len()].into_iter().chain(path.rmatch_indices('/').map(|(at, _)| at));
    let mut known = ends.filter_map(|end| modules.get_key_value(&path[..end]));
    known.next().map(|(module, _)| *module)
}

/// The paths that a file names after `crate::`, outside its tests, with their lines.
pub fn named_outside_tests(file: &File) -> impl Iterator<Item = (String, usize)> {
    let source = file.rust.iter();
    source.flat_map(|source| {
        let paths = source.crate_uses().into_iter();
        let lines = paths.map(|path| (path.path.replace("::", "/"), source.line(path.at)));
        lines.filter(|(_, line)| !source.tests[line - 1])
    })
}

/// For every module one that stands for all modules of its circle, by Kosaraju's algorithm.
fn circles<'tree>(imports: &Imports<'tree>) -> BTreeMap<&'tree str, &'tree str> {
    let mut importers = Imports::new();
    for (&from, imported) in imports {
        for (&to, &line) in imported {
            importers.entry(to).or_default().insert(from, line);
        }
    }
    let (mut seen, mut imported_first) = (BTreeSet::new(), Vec::new());
    for module in imports.keys() {
        visit(imports, module, &mut seen, &mut imported_first);
    }
    let (mut seen, mut circles) = (BTreeSet::new(), BTreeMap::new());
    for &module in imported_first.iter().rev() {
        let mut circle = Vec::new();
        visit(&importers, module, &mut seen, &mut circle);
        circles.extend(circle.into_iter().map(|member| (member, module)));
    }
    circles
}

/// Lists what can be reached from a module and is not seen yet, a module after all it leads to.
fn visit<'tree>(
    edges: &Imports<'tree>,
    module: &'tree str,
    seen: &mut BTreeSet<&'tree str>,
    listed: &mut Vec<&'tree str>,
) {
    if seen.insert(module) {
        let next = edges.get(module).into_iter().flat_map(BTreeMap::keys);
        next.for_each(|next| visit(edges, next, seen, listed));
        listed.push(module);
    }
}

/// The first folder of a module, or the module itself if it is in none.
pub fn folder(module: &str) -> &str {
    module.split('/').next().unwrap_or(module)
}

#[cfg(test)]
mod tests {
    use super::{
        largest_circle_across_folders, no_circle_spans_folders, the_platform_knows_no_feature,
    };
    use crate::tidy::tests::{files, findings};

    const CHECKOUT: &str = "crates/tostao/src/checkout/mod.rs";
    const LINKS: &str = "crates/tostao/src/payment_links/mod.rs";
    const PAYMENTS: &str = "crates/tostao/src/transactions/mod.rs";
    const VIEW: &str = "crates/tostao/src/transactions/view.rs";
    const APP: &str = "crates/tostao/src/app.rs";

    #[test]
    fn a_chain_of_files_is_tidy() {
        let tree = [
            (CHECKOUT, "use crate::payment_links::Link;\nuse crate::transactions::view::View;"),
            (LINKS, "use crate::transactions::view::View;"),
            (PAYMENTS, "use crate::payment_links::{self, Link};"),
            (VIEW, "use crate::app::App;"),
        ];

        assert!(findings(no_circle_spans_folders, &tree).is_empty());
    }

    #[test]
    fn a_circle_is_found_with_every_line_that_leaves_a_folder() {
        let tree = [
            (CHECKOUT, "use crate::payment_links::Link;"),
            (LINKS, "\nuse crate::{app::App, transactions::{Payment, view::View}};"),
            (PAYMENTS, "use crate::transactions::view::View;"),
            (VIEW, "use crate::transactions::Payment;\nfn a() { crate::checkout::open(); }"),
            (APP, "use crate::checkout::Page;"),
        ];

        let found = findings(no_circle_spans_folders, &tree);
        let places: Vec<_> = found.iter().map(|it| it.split(": ").next().unwrap()).collect();
        let (app, links) = (format!("{APP}:1"), format!("{LINKS}:2"));
        let expected =
            [&app, &format!("{CHECKOUT}:1"), &links, &links, &links, &format!("{VIEW}:2")];
        assert_eq!(places, expected.map(String::as_str));
        let advice = "`checkout` and `payment_links` import each other in a circle: pass plain \
                      values, or move what both need below them";
        assert!(found.contains(&format!("{CHECKOUT}:1: {advice}")), "{found:?}");
        assert_eq!(largest_circle_across_folders(&files(&tree)), 5);
    }

    #[test]
    fn a_circle_within_a_folder_is_tidy() {
        let tree = [
            (PAYMENTS, "use crate::transactions::view::View;"),
            (VIEW, "use crate::transactions::Payment;"),
        ];

        assert!(findings(no_circle_spans_folders, &tree).is_empty());
        assert_eq!(largest_circle_across_folders(&files(&tree)), 0);
    }

    #[test]
    fn tests_may_name_anything() {
        let tree = [
            (CHECKOUT, "use crate::payment_links::Link;"),
            (LINKS, "#[cfg(test)]\nmod tests {\n    use crate::checkout::open;\n}"),
            ("crates/tostao/src/payment_links/tests.rs", "use crate::checkout::open;"),
        ];

        assert!(findings(no_circle_spans_folders, &tree).is_empty());
    }

    #[test]
    fn a_feature_is_found_in_the_platform() {
        const PAGE: &str = "crates/tostao/src/platform/page.rs";
        let tree = [
            (PAGE, "use crate::platform::ids::Id;\nuse crate::{app::App, transactions::Payment};"),
            (PAYMENTS, "use crate::platform::page::Page;"),
        ];

        assert_eq!(
            findings(the_platform_knows_no_feature, &tree),
            [
                format!("{PAGE}:2: `platform` must not know `app`"),
                format!("{PAGE}:2: `platform` must not know `transactions`"),
            ]
        );
    }
}
