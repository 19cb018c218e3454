//! The commands in the README.
//!
//! The gate runs them as written there, so the README cannot become outdated.

use anyhow::{Context, Result, bail};

use crate::command::root;

/// Runs every test.
pub const TESTS: &str = "cargo test --workspace";

/// The demo, which exits by itself.
pub const FIRST_MINUTE: &str = "cargo run --release -- demo --exit";

/// The words of a command, which must be a line in a code block of the README.
pub fn command(promised: &str) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(root().join("README.md")).context("README.md")?;
    find(&text, promised)
}

fn find(text: &str, promised: &str) -> Result<Vec<String>> {
    let mut in_block = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if in_block && line.trim_start_matches("$ ") == promised {
            return Ok(promised.split_whitespace().map(str::to_owned).collect());
        }
    }
    bail!("README.md has no code block with the line `{promised}`")
}

#[cfg(test)]
mod tests {
    use super::{TESTS, find};

    #[test]
    fn a_promised_command_is_found_in_a_code_block() {
        for text in ["```sh\ncargo test --workspace\n```", "```\n$ cargo test --workspace\n```"] {
            assert_eq!(find(text, TESTS).unwrap(), ["cargo", "test", "--workspace"]);
        }
    }

    #[test]
    fn a_command_that_is_only_mentioned_or_differs_is_not_promised() {
        for text in [
            "Run cargo test --workspace",
            "```\n```\ncargo test --workspace",
            "```\ncargo test --workspace --all-features\n```",
        ] {
            assert!(find(text, TESTS).is_err(), "{text}");
        }
    }
}
