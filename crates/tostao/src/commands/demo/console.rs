//! How the story is printed: numbered steps, facts below them, colors only on a terminal.

use std::io::IsTerminal;

use crate::commands::say;
use crate::platform::messages::Lang;

const BOLD: &str = "\x1b[1m";
const GREEN: &str = "\x1b[1;32m";
const FAINT: &str = "\x1b[2m";
const RESET: &str = "\x1b[0m";
const LABEL_WIDTH: usize = 14;

/// Prints a story, step by step.
pub struct Console {
    pub lang: Lang,
    colors: bool,
    steps: usize,
}

impl Console {
    /// Writes to standard output.
    pub fn for_this_terminal(lang: Lang) -> Self {
        Self { lang, colors: std::io::stdout().is_terminal(), steps: 0 }
    }

    /// Names the story.
    pub fn title(&self, text: &str) -> anyhow::Result<()> {
        say(&self.paint(BOLD, text))
    }

    /// Begins the next step.
    pub fn step(&mut self, text: &str) -> anyhow::Result<()> {
        self.steps += 1;
        let number = self.paint(GREEN, &format!("{}.", self.steps));
        say(&format!("\n{number} {}", self.paint(BOLD, text)))
    }

    /// Prints one fact of a step.
    pub fn fact(&self, label: &str, value: &str) -> anyhow::Result<()> {
        let label = self.paint(FAINT, &format!("{label:<LABEL_WIDTH$}"));
        say(&format!("   {label}{value}"))
    }

    /// Says something aside.
    pub fn note(&self, text: &str) -> anyhow::Result<()> {
        say(&format!("   {}", self.paint(FAINT, text)))
    }

    /// Shows a drawing, whose colors go where colors cannot be shown.
    pub fn drawing(&self, text: &str) -> anyhow::Result<()> {
        say(&if self.colors { text.to_owned() } else { without_colors(text) })
    }

    /// Ends the story.
    pub fn end(&self, text: &str) -> anyhow::Result<()> {
        say(&format!("\n{}", self.paint(GREEN, text)))
    }

    fn paint(&self, color: &str, text: &str) -> String {
        if self.colors { format!("{color}{text}{RESET}") } else { text.to_owned() }
    }
}

fn without_colors(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split('\x1b');
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::without_colors;

    #[test]
    fn a_drawing_keeps_its_shape_without_colors() {
        let drawn = "\x1b[38;5;16;48;5;231m ▄▀█ \x1b[0m\n\x1b[1mm\x1b[0m";
        assert_eq!(without_colors(drawn), " ▄▀█ \nm");
        assert_eq!(without_colors("plain"), "plain");
    }
}
