//! Passwords and other answers of the person at the terminal.

use std::io::{BufRead, IsTerminal, stdin};

use anyhow::{Context, bail, ensure};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::commands::mention;

/// Stands for a password that arrives as a line of the standard input.
pub const FROM_INPUT: &str = "-";
/// What Ctrl+C types where it is no signal.
const INTERRUPT: char = '\u{3}';

/// A password from the command line, or from the standard input where it says so.
pub fn given(password: String) -> anyhow::Result<String> {
    if password == FROM_INPUT { line(stdin().lock()) } else { Ok(password) }
}

/// Asks for a password, which the terminal does not show.
pub fn ask(question: &str) -> anyhow::Result<String> {
    let input = stdin();
    if !input.is_terminal() {
        bail!("there is no terminal to ask at; pass the password with --password -");
    }
    mention(question);
    let shown = tcgetattr(&input)?;
    let mut hidden = shown.clone();
    // Without its signals an interrupted command cannot leave the terminal silent.
    hidden.local_modes -= LocalModes::ECHO | LocalModes::ISIG;
    tcsetattr(&input, OptionalActions::Flush, &hidden)?;
    let typed = line(input.lock());
    tcsetattr(&input, OptionalActions::Flush, &shown)?;
    let typed = typed?;
    ensure!(!typed.contains(INTERRUPT), "interrupted");
    Ok(typed)
}

/// Goes on once the person at the terminal says so; what comes from elsewhere is no answer.
pub fn confirm(question: &str, otherwise: &str) -> anyhow::Result<()> {
    ensure!(stdin().is_terminal(), "{otherwise}");
    mention(question);
    let answer = line(stdin().lock())?.trim().to_lowercase();
    ensure!(matches!(answer.as_str(), "y" | "yes" | "s" | "sim"), "nothing was changed");
    Ok(())
}

fn line(mut input: impl BufRead) -> anyhow::Result<String> {
    let mut line = String::new();
    input.read_line(&mut line).context("the input cannot be read")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
