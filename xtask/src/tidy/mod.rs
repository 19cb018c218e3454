//! Rules that neither the compiler nor clippy can enforce.
//!
//! Each rule is a function from a file, or from the whole tree, to findings; each finding says what
//! to do instead. The rules run as a test, so `cargo test` of the workspace includes them.

mod boundaries;
mod dependencies;
mod direction;
mod documents;
mod features;
mod size;
mod source;
mod words;

use std::fmt;
use std::path::Path;

use anyhow::{Result, bail};

use crate::command::{listed_files, root, say};
use source::Source;

/// A text file of the repository.
struct File {
    path: String,
    text: String,
    /// The parsed text, if it is Rust.
    rust: Option<Source>,
}

/// A violation of a rule, and what to do instead.
#[derive(Debug)]
struct Finding {
    path: String,
    line: usize,
    advice: String,
}

type FileRule = fn(&File) -> Vec<Finding>;

type TreeRule = fn(&[File]) -> Vec<Finding>;

const FILE_RULES: [FileRule; 18] = [
    size::lines_fit,
    size::files_are_short,
    size::functions_are_short,
    documents::rust_files_introduce_themselves,
    documents::blocks_in_comments_are_text,
    documents::markdown_has_one_title,
    words::nothing_is_left_for_later,
    words::no_test_is_ignored,
    words::no_test_sleeps,
    words::lints_are_expected_not_allowed,
    words::the_tree_speaks_of_itself,
    words::words_are_plain,
    boundaries::sql_stands_in_stores,
    boundaries::stores_are_private,
    boundaries::the_dashboard_has_no_store,
    boundaries::templates_escape,
    boundaries::http_stays_at_the_edge,
    boundaries::money_is_whole,
];

const TREE_RULES: [TreeRule; 5] = [
    features::features_form_no_cycle,
    features::the_picture_is_current,
    direction::no_circle_spans_folders,
    direction::the_platform_knows_no_feature,
    dependencies::dependencies_are_used,
];

/// Prints every finding and fails if there is one.
pub fn run(_: &[String]) -> Result<()> {
    let files = files(&root())?;
    let findings = check(&files);
    for finding in &findings {
        say(&finding.to_string())?;
    }
    let files_in_circle = direction::largest_circle_across_folders(&files);
    say(&format!("files in the largest import circle that spans folders: {files_in_circle}"))?;
    match findings.len() {
        0 => Ok(()),
        count => bail!("{count} places are not tidy"),
    }
}

fn check(files: &[File]) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        files.iter().flat_map(|file| FILE_RULES.iter().flat_map(|rule| rule(file))).collect();
    findings.extend(TREE_RULES.iter().flat_map(|rule| rule(files)));
    findings
}

/// The text files of the repository; images and deleted files are skipped.
fn files(root: &Path) -> Result<Vec<File>> {
    let text = |path: &str| std::fs::read_to_string(root.join(path)).ok();
    let listed = listed_files("*")?;
    Ok(listed.iter().filter_map(|path| Some(File::new(path, text(path)?))).collect())
}

impl File {
    fn new(path: &str, text: String) -> Self {
        let path = path.to_owned();
        let mut file = Self { path, text, rust: None };
        file.rust = file.is_kind(&["rs"]).then(|| Source::read(&file.text));
        file
    }

    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    fn is_kind(&self, extensions: &[&str]) -> bool {
        let extension = Path::new(&self.path).extension();
        extensions.iter().any(|wanted| extension.is_some_and(|it| it.eq_ignore_ascii_case(wanted)))
    }

    fn is_under(&self, folders: &[&str]) -> bool {
        folders.iter().any(|folder| self.path.starts_with(folder))
    }

    fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.name() == "tests.rs"
    }

    /// The Rust lines without comments and the contents of literals.
    fn code(&self) -> impl Iterator<Item = CodeLine<'_>> {
        let lines = self.rust.iter().flat_map(|source| source.code.lines().zip(&source.tests));
        lines.enumerate().map(|(index, (code, tests))| CodeLine {
            number: index + 1,
            code,
            is_test: *tests || self.is_test(),
        })
    }

    fn finding(&self, line: usize, advice: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, advice: advice.into() }
    }
}

/// A line of a Rust file.
struct CodeLine<'file> {
    number: usize,
    code: &'file str,
    is_test: bool,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.advice)
    }
}

#[cfg(test)]
mod tests {
    use super::{File, FileRule, TreeRule, check};
    use crate::command::root;

    /// The lines on which the rule finds something in a file of this path and text.
    pub fn lines(rule: FileRule, path: &str, text: &str) -> Vec<usize> {
        rule(&File::new(path, text.to_owned())).iter().map(|finding| finding.line).collect()
    }

    /// What the rule finds in a tree of these paths and texts.
    pub fn findings(rule: TreeRule, tree: &[(&str, &str)]) -> Vec<String> {
        rule(&files(tree)).iter().map(ToString::to_string).collect()
    }

    pub fn files(tree: &[(&str, &str)]) -> Vec<File> {
        tree.iter().map(|(path, text)| File::new(path, (*text).to_owned())).collect()
    }

    #[test]
    fn tidy() {
        let findings = check(&super::files(&root()).unwrap());
        let report: Vec<String> = findings.iter().map(ToString::to_string).collect();

        assert!(report.is_empty(), "\n{}\n", report.join("\n"));
    }
}
