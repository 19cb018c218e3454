//! Size limits of lines, files and functions.

use super::{File, Finding};

const COLUMNS: usize = 100;
const FILE_LINES: usize = 500;
const TEST_FILE_LINES: usize = 800;
const FUNCTION_LINES: usize = 70;

/// rustfmt does not wrap strings and comments.
pub fn lines_fit(file: &File) -> Vec<Finding> {
    let lines = file.text.lines().enumerate().filter(|_| file.rust.is_some());
    lines
        .filter(|(_, line)| line.chars().count() > COLUMNS)
        .map(|(index, _)| file.finding(index + 1, format!("break the line at {COLUMNS} columns")))
        .collect()
}

pub fn files_are_short(file: &File) -> Vec<Finding> {
    let limit = if file.is_test() { TEST_FILE_LINES } else { FILE_LINES };
    let lines = file.text.lines().count();
    if file.rust.is_none() || lines <= limit {
        return Vec::new();
    }
    let advice = format!("{lines} lines are more than {limit}: split the file by what it does");
    vec![file.finding(limit + 1, advice)]
}

pub fn functions_are_short(file: &File) -> Vec<Finding> {
    let functions = file.rust.iter().flat_map(super::source::Source::functions);
    let long = functions.filter_map(|function| {
        let lines = function.last_line - function.first_line + 1;
        let advice = || {
            let name = &function.name;
            format!("`{name}` has {lines} lines, more than {FUNCTION_LINES}: name its parts")
        };
        (lines > FUNCTION_LINES).then(|| file.finding(function.first_line, advice()))
    });
    long.collect()
}

#[cfg(test)]
mod tests {
    use super::{files_are_short, functions_are_short, lines_fit};
    use crate::tidy::tests::lines;

    #[test]
    fn a_line_may_have_a_hundred_columns_and_no_more() {
        for (columns, found) in [(100, vec![]), (101, vec![2])] {
            let text = format!("//!\n{}", "é".repeat(columns));
            assert_eq!(lines(lines_fit, "a.rs", &text), found);
        }
        assert!(lines(lines_fit, "a.md", &"a".repeat(101)).is_empty());
    }

    #[test]
    fn a_file_of_tests_may_be_longer_than_others() {
        for (path, count, found) in [
            ("crates/a/src/lib.rs", 500, vec![]),
            ("crates/a/src/lib.rs", 501, vec![501]),
            ("crates/a/src/tests.rs", 800, vec![]),
            ("crates/a/tests/it/main.rs", 801, vec![801]),
            ("Cargo.lock", 900, vec![]),
        ] {
            assert_eq!(lines(files_are_short, path, &"\n".repeat(count)), found, "{path} {count}");
        }
    }

    #[test]
    fn a_function_may_have_seventy_lines_and_no_more() {
        for (inside, found) in [(68, vec![]), (69, vec![2])] {
            let text = format!("\nfn long() {{\n{}}}\n", "    call();\n".repeat(inside));
            assert_eq!(lines(functions_are_short, "a.rs", &text), found);
        }
    }
}
