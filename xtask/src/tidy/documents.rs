//! How files begin: the first line says what a file is. And what blocks in comments are.

use super::{File, Finding};

pub fn rust_files_introduce_themselves(file: &File) -> Vec<Finding> {
    if file.rust.is_none() || file.text.starts_with("//! ") {
        return Vec::new();
    }
    vec![file.finding(1, "begin with `//!` and a sentence that says what the file is")]
}

/// rustdoc would read every crate once more to find programs in comments, so it is not asked to.
pub fn blocks_in_comments_are_text(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut in_block = false;
    for (index, line) in file.text.lines().enumerate().filter(|_| file.rust.is_some()) {
        let line = line.trim_start();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let Some(kind) = comment.and_then(|it| it.trim_start().strip_prefix("```")) else {
            continue;
        };
        if !in_block && kind != "text" {
            let advice = "a program in a comment is not run: write a test, or name it `text`";
            findings.push(file.finding(index + 1, advice));
        }
        in_block = !in_block;
    }
    findings
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
    use super::{
        blocks_in_comments_are_text, markdown_has_one_title, rust_files_introduce_themselves,
    };
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
    fn a_program_in_a_comment_is_found_and_a_picture_is_not() {
        for (path, text, found) in [
            ("a.rs", "//! ```\n//! run();\n//! ```\n", vec![1]),
            ("a.rs", "/// A picture:\n    /// ```rust\n    /// ```\n", vec![2]),
            ("a.rs", "/// ```text\n/// a ──▶ b\n/// ```\n", vec![]),
            ("a.rs", "let fence = \"```\";\n", vec![]),
            ("a.md", "```\n```\n", vec![]),
        ] {
            assert_eq!(lines(blocks_in_comments_are_text, path, text), found, "{text:?}");
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
