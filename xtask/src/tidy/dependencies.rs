//! Every dependency is used.
//!
//! A line in a manifest is code that runs on the merchant's machine, and an author who is trusted.

use super::source::words;
use super::{File, Finding};

/// A line of a manifest that names a dependency.
struct Dependency<'file> {
    name: &'file str,
    line: usize,
}

pub fn dependencies_are_used(files: &[File]) -> Vec<Finding> {
    let (roots, members): (Vec<&File>, Vec<&File>) = files
        .iter()
        .filter(|file| file.name() == "Cargo.toml")
        .partition(|file| file.path == "Cargo.toml");
    let unlisted = roots.iter().flat_map(|root| unlisted(root, &members));
    unlisted.chain(members.iter().flat_map(|manifest| unnamed(manifest, files))).collect()
}

/// Dependencies that the root lists and no member uses.
fn unlisted(root: &File, members: &[&File]) -> Vec<Finding> {
    let asked = |name: &str| {
        members.iter().any(|manifest| dependencies(manifest).iter().any(|other| other.name == name))
    };
    let unused = dependencies(root).into_iter().filter(|dependency| !asked(dependency.name));
    unused
        .map(|Dependency { name, line }| root.finding(line, format!("no crate asks for `{name}`")))
        .collect()
}

/// Dependencies that a member lists and none of its files uses.
fn unnamed(manifest: &File, files: &[File]) -> Vec<Finding> {
    let folder = manifest.path.trim_end_matches("Cargo.toml");
    let codes: Vec<&str> = files
        .iter()
        .filter(|file| file.path.starts_with(folder))
        .filter_map(|file| Some(file.rust.as_ref()?.code.as_str()))
        .collect();
    let named = |name: &str| {
        let name = name.replace('-', "_");
        codes.iter().any(|code| words(code).any(|(_, word)| word == name))
    };
    let unused = dependencies(manifest).into_iter().filter(|dependency| !named(dependency.name));
    unused
        .map(|Dependency { name, line }| {
            manifest.finding(line, format!("no file of this crate names `{name}`: remove it"))
        })
        .collect()
}

fn dependencies(manifest: &File) -> Vec<Dependency<'_>> {
    let mut in_section = false;
    let mut found = Vec::new();
    for (index, line) in manifest.text.lines().enumerate() {
        if line.starts_with('[') {
            in_section = line.ends_with("dependencies]");
        } else if in_section && line.starts_with(|first: char| first.is_ascii_alphabetic()) {
            let end = line.find(['.', '=', ' ']).unwrap_or(line.len());
            found.push(Dependency { name: &line[..end], line: index + 1 });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::dependencies_are_used;
    use crate::tidy::tests::findings;

    #[test]
    fn a_dependency_that_no_file_names_is_found() {
        let tree = [
            (
                "crates/a/Cargo.toml",
                "[package]\nname = \"a\"\n[dependencies]\nnot-used.workspace = true",
            ),
            ("crates/a/src/lib.rs", "// not_used::call()"),
            ("crates/b/src/lib.rs", "use not_used::call;"),
        ];

        assert_eq!(
            findings(dependencies_are_used, &tree),
            ["crates/a/Cargo.toml:4: no file of this crate names `not-used`: remove it"]
        );
    }

    #[test]
    fn a_dependency_that_no_crate_asks_for_is_found() {
        let tree = [
            ("Cargo.toml", "[workspace.dependencies]\n# Why.\nasked = \"1\"\nforgotten = \"1\""),
            ("crates/a/Cargo.toml", "[dev-dependencies]\nasked = { workspace = true }"),
            ("crates/a/tests/it/main.rs", "use asked::call;"),
        ];

        assert_eq!(
            findings(dependencies_are_used, &tree),
            ["Cargo.toml:4: no crate asks for `forgotten`"]
        );
    }
}
