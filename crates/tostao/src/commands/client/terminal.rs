//! What a client command prints: text for a person in their language, or an object a line for a
//! script.

use clap::ValueEnum;
use serde_json::Value;

use crate::commands::client::Done;
use crate::commands::say;
use crate::platform::messages::Lang;

/// The form of what a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    Text,
    Json,
}

/// Where a command prints, and how.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    pub output: Output,
    pub lang: Lang,
}

/// A text without what a terminal would obey: a server's words, and those of a program, are
/// foreign.
pub fn clean(text: &str) -> String {
    let is_shown = |c: &char| {
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        matches!(c, '\n' | '\t') || !c.is_control() && !turns
    };
    text.chars().filter(is_shown).collect()
}

impl Terminal {
    /// Prints one thing in the form that was asked for.
    pub fn print(self, text: impl FnOnce() -> String, json: &Value) -> Done {
        match self.output {
            Output::Text => say(&clean(&text()))?,
            Output::Json => say(&clean(&json.to_string()))?,
        }
        Ok(())
    }

    /// Says so if a list was empty, which a script sees by itself.
    pub fn expect_some(self, listed: &[Value], otherwise: &str) -> Done {
        if listed.is_empty() && self.output == Output::Text {
            say(otherwise)?;
        }
        Ok(())
    }
}
