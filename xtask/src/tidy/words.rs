//! Forbidden words.
//!
//! Some of them are concatenated from parts, or this file would be the first finding.

use super::source::{is_word, words};
use super::{File, Finding};

const MARKERS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")];

const UNFINISHED: [&str; 3] = ["dbg!(", "todo!(", "unimplemented!("];

const SLEEPS: [&str; 2] = ["thread::sleep", "time::sleep"];

/// Folders of a single machine, and the package hosts.
const FOREIGN: [&str; 7] = [
    concat!("/wo", "rk/"),
    concat!("shared/", "guide"),
    concat!("shared/", "spec"),
    concat!("crates", ".io"),
    concat!("registry.", "npmjs.org"),
    concat!("py", "pi.org"),
    concat!("proxy.", "golang.org"),
];

/// Words of no standard term, each with what to write instead.
const DIALECT: [(&str, &str); 12] = [
    (concat!("who", "ever"), "say who it is"),
    (concat!("whom", "ever"), "say who it is"),
    (concat!("no", "body"), "say what does not happen"),
    (concat!("to", "ld"), "reported, emitted, returned or printed"),
    (concat!("te", "ll"), "report, emit, return or print"),
    (concat!("te", "lls"), "reports, emits, returns or prints"),
    (concat!("an", "ew"), "again"),
    (concat!("be", "gun"), "started"),
    (concat!("h", "e"), "they"),
    (concat!("h", "im"), "them"),
    (concat!("h", "is"), "their"),
    (concat!("him", "self"), "themselves"),
];

/// The document that quotes them.
const QUOTING: &str = "docs/style.md";

/// Comments, documents, messages and the sentences that name tests are in plain English.
pub fn words_are_plain(file: &File) -> Vec<Finding> {
    if file.path == QUOTING {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let mut judge = |number, sentence: &str| {
        for (_, word) in words(sentence) {
            let lower = word.to_lowercase();
            if let Some((word, instead)) = DIALECT.iter().find(|(out, _)| *out == lower) {
                findings.push(file.finding(number, format!("instead of `{word}`: {instead}")));
            }
        }
    };
    for (number, prose) in prose(file) {
        judge(number, prose);
    }
    if let Some(source) = &file.rust {
        for message in source.literals.iter().filter(|literal| literal.text.contains(' ')) {
            // What stands between backticks is quoted.
            let english = message.text.split('`').step_by(2);
            english.for_each(|part| judge(message.line, part));
        }
        for function in source.functions() {
            judge(function.first_line, &function.name.replace('_', " "));
        }
    }
    findings
}

/// The comments of a Rust file, or the lines of a document; what stands in a listing is quoted.
fn prose(file: &File) -> Vec<(usize, &str)> {
    let lines = file.text.lines().enumerate().map(|(index, line)| (index + 1, line));
    if let Some(source) = &file.rust {
        let both = lines.zip(source.code.lines());
        let comments = both.filter_map(|((number, line), code)| {
            let masked = |at: &usize| code.get(*at..).is_none_or(|rest| rest.trim().is_empty());
            let begins = line.match_indices("//").map(|(at, _)| at).find(masked)?;
            Some((number, &line[begins..]))
        });
        return comments.collect();
    }
    if !file.is_kind(&["md"]) {
        return Vec::new();
    }
    let mut quoted = false;
    let outside = |(_, line): &(usize, &str)| {
        let fence = line.trim_start().starts_with("```");
        quoted ^= fence;
        !quoted && !fence
    };
    lines.filter(outside).collect()
}

pub fn nothing_is_left_for_later(file: &File) -> Vec<Finding> {
    if file.is_kind(&["md", "lock"]) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for marker in MARKERS.iter().filter(|marker| stands_alone(line, marker)) {
            let advice = format!("{marker}: do it now, or open an issue and remove the note");
            findings.push(file.finding(index + 1, advice));
        }
    }
    for line in file.code() {
        for word in UNFINISHED.iter().filter(|word| line.code.contains(**word)) {
            findings.push(file.finding(line.number, format!("finish the code: `{word}…)`")));
        }
    }
    findings
}

pub fn no_test_is_ignored(file: &File) -> Vec<Finding> {
    let lines = file.code().filter(|line| line.code.contains("#[ignore"));
    let advice = "a test that does not run proves nothing: mend it or delete it";
    lines.map(|line| file.finding(line.number, advice)).collect()
}

pub fn no_test_sleeps(file: &File) -> Vec<Finding> {
    let lines = file
        .code()
        .filter(|line| line.is_test && SLEEPS.iter().any(|sleep| line.code.contains(sleep)));
    let advice = "a test never sleeps: move its clock, or wait for the event itself";
    lines.map(|line| file.finding(line.number, advice)).collect()
}

pub fn lints_are_expected_not_allowed(file: &File) -> Vec<Finding> {
    let allows = |code: &str| code.contains("#[allow(") || code.contains("#![allow(");
    let lines = file.code().filter(|line| allows(line.code));
    let advice = "use `#[expect(…, reason = \"…\")]`, which speaks up when it is needless";
    lines.map(|line| file.finding(line.number, advice)).collect()
}

pub fn the_tree_speaks_of_itself(file: &File) -> Vec<Finding> {
    if file.is_kind(&["lock"]) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for word in FOREIGN.iter().filter(|word| line.contains(**word)) {
            let advice = format!("`{word}` means nothing on a reader's machine: remove it");
            findings.push(file.finding(index + 1, advice));
        }
    }
    findings
}

/// A mask such as three letters with a full stop between them is not a marker.
fn stands_alone(line: &str, marker: &str) -> bool {
    let joins = |character: char| is_word(character) || matches!(character, '.' | '-' | '/');
    line.match_indices(marker).any(|(at, _)| {
        !line[..at].ends_with(joins) && !line[at + marker.len()..].starts_with(joins)
    })
}

#[cfg(test)]
mod tests {
    use super::{
        lints_are_expected_not_allowed, no_test_is_ignored, no_test_sleeps,
        nothing_is_left_for_later, the_tree_speaks_of_itself, words_are_plain,
    };
    use crate::tidy::tests::lines;

    #[test]
    fn notes_to_self_are_found_in_every_file_but_prose() {
        for (path, text, found) in [
            ("a.rs", concat!("\n// TO", "DO: more"), vec![2]),
            ("a.css", concat!("/* FIX", "ME */"), vec![1]),
            ("a.html", concat!("<!-- X", "XX -->"), vec![1]),
            ("a.html", concat!("X", "XX.X", "XX.X", "XX-XX"), vec![]),
            ("a.md", concat!("TO", "DO"), vec![]),
            ("a.rs", "let todo_list = 1;", vec![]),
        ] {
            assert_eq!(lines(nothing_is_left_for_later, path, text), found, "{text}");
        }
    }

    #[test]
    fn unfinished_code_is_found_and_talk_of_it_is_not() {
        for (text, found) in [
            ("fn a() { todo!() }", vec![1]),
            ("\nlet a = dbg!(b);", vec![2]),
            ("unimplemented!(\"no\")", vec![1]),
            ("// dbg!(a)\nlet a = \"todo!()\";", vec![]),
        ] {
            assert_eq!(lines(nothing_is_left_for_later, "a.rs", text), found, "{text}");
        }
    }

    #[test]
    fn words_of_a_dialect_are_found_in_comments_documents_messages_and_names_of_tests() {
        for (path, text, found) in [
            ("a.rs", concat!("let a = 1;\n// Wh", "oever asks, h", "e waits."), vec![2, 2]),
            ("a.rs", concat!("let b = \"wh", "oever\"; // An", "ew"), vec![1]),
            ("a.rs", concat!("\nlet c = \"The caller is to", "ld.\";"), vec![2]),
            ("a.rs", concat!("let d = \"run `te", "ll` again\";"), vec![]),
            ("a.rs", concat!("\nfn no", "body_is_charged_twice() {}"), vec![2]),
            ("a.rs", concat!("let h", "is = 1; // the buyer's, as they wrote it"), vec![]),
            ("a.md", concat!("# A\n\n```\nh", "e\n```\n\nIt is beg", "un."), vec![7]),
        ] {
            assert_eq!(lines(words_are_plain, path, text), found, "{text}");
        }
    }

    #[test]
    fn ignored_tests_are_found() {
        for text in ["#[ignore]\nfn a() {}", "#[ignore = \"slow\"]\nfn a() {}"] {
            assert_eq!(lines(no_test_is_ignored, "a.rs", text), [1]);
        }
        assert!(lines(no_test_is_ignored, "a.rs", "// #[ignore]").is_empty());
    }

    #[test]
    fn only_tests_must_not_sleep() {
        let call = "std::thread::sleep(pause);";
        let inside = format!("fn a() {{}}\n#[cfg(test)]\nmod tests {{\n{call}\n}}");
        for (path, text, found) in [
            ("crates/a/tests/it/main.rs", call, vec![1]),
            ("crates/a/src/tests.rs", "use tokio::time::sleep;", vec![1]),
            ("crates/a/src/lib.rs", &inside, vec![4]),
            ("crates/a/src/lib.rs", call, vec![]),
        ] {
            assert_eq!(lines(no_test_sleeps, path, text), found, "{path}");
        }
    }

    #[test]
    fn allowed_lints_are_found_and_expected_ones_are_not() {
        for (text, found) in [
            ("#[allow(dead_code)]", vec![1]),
            ("\n#![allow(unused)]", vec![2]),
            ("#[expect(dead_code, reason = \"…\")]", vec![]),
        ] {
            assert_eq!(lines(lints_are_expected_not_allowed, "a.rs", text), found, "{text}");
        }
    }

    #[test]
    fn foreign_folders_and_hosts_are_found_outside_lock_files() {
        let path = concat!("see /wo", "rk/main");
        let host = concat!("https://crates", ".io/crates/a");
        for (file, text, found) in [
            ("a.md", path, vec![1]),
            ("a.toml", host, vec![1]),
            ("Cargo.lock", host, vec![]),
            ("a.md", "a framework/of ours", vec![]),
        ] {
            assert_eq!(lines(the_tree_speaks_of_itself, file, text), found, "{text}");
        }
    }
}
