//! How files begin: the first line says what a file is.

use super::{File, Finding};

pub fn rust_files_introduce_themselves(file: &File) -> Vec<Finding> {
    if file.rust.is_none() || file.text.starts_with("//! ") {
        return Vec::new();
    }
    vec![file.finding(1, "begin with `//!` and a sentence that says what the file is")]
}

pub fn markdown_has_one_title(file: &File) -> Vec<Finding> {
    if !file.is_kind(&["md"]) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if !file.text.starts_with("# ") {
        findings.push(file.finding(1, "begin with one `# ` title"));
    }
    let mut in_block = false;
    for (index, line) in file.text.lines().enumerate().skip(1) {
        in_block ^= line.trim_start().starts_with("```");
        if !in_block && line.starts_with("# ") {
            findings.push(file.finding(index + 1, "a second title: use `## `"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{markdown_has_one_title, rust_files_introduce_themselves};
    use crate::tidy::tests::lines;

    #[test]
    fn a_rust_file_without_a_first_sentence_is_found() {
        for (path, text, found) in [
            ("a.rs", "//! What it is.\n", vec![]),
            ("a.rs", "\n//! Too late.\n", vec![1]),
            ("a.rs", "//!\n", vec![1]),
            ("a.rs", "", vec![1]),
            ("a.toml", "", vec![]),
        ] {
            assert_eq!(lines(rust_files_introduce_themselves, path, text), found, "{text:?}");
        }
    }

    #[test]
    fn a_markdown_file_has_a_title_and_only_one() {
        for (path, text, found) in [
            ("a.md", "# One\n\n## Part\n", vec![]),
            ("a.md", "# One\n```sh\n# a comment\n```\n", vec![]),
            ("a.md", "Text\n", vec![1]),
            ("a.md", "# One\n# Two\n", vec![2]),
            ("a.txt", "Text\n", vec![]),
        ] {
            assert_eq!(lines(markdown_has_one_title, path, text), found, "{text:?}");
        }
    }
}
