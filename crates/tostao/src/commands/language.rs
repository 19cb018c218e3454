//! The language in which a command speaks to the person at the terminal.

use clap::Args;

use crate::platform::messages::Lang;

/// The language of a command.
#[derive(Debug, Clone, Args)]
pub struct LanguageArgs {
    /// The language of the text, pt or en [default: from LANG]
    #[arg(long, value_parser = language)]
    lang: Option<Lang>,
}

impl LanguageArgs {
    /// The language that was asked for, or else that of the terminal.
    pub fn chosen(&self) -> Lang {
        self.lang.unwrap_or_else(language_of_the_terminal)
    }
}

/// The language in which the terminal's other programs speak.
#[expect(clippy::disallowed_methods, reason = "it is no setting of the product")]
fn language_of_the_terminal() -> Lang {
    std::env::var("LANG").ok().and_then(|tag| Lang::parse(&tag)).unwrap_or(Lang::En)
}

fn language(text: &str) -> Result<Lang, String> {
    Lang::parse(text).ok_or_else(|| "the languages are pt and en".to_owned())
}
