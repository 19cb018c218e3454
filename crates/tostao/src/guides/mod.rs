//! The guides: the files of `docs/`, served as pages and as their Markdown, so that a server
//! explains its own version.

use crate::platform::messages::Lang;

mod error_pages;
mod markdown;
pub mod pages;

/// Where the guides are.
pub const PATH: &str = "/docs";
/// What follows a page's name where its Markdown is asked for.
pub const SOURCE: &str = ".md";

/// A file of `docs/`.
#[derive(Debug, Clone, Copy)]
pub struct Guide {
    /// Its path in `docs/`, without the ending.
    pub name: &'static str,
    /// What it is about, in a line.
    pub about: &'static str,
    pub markdown: &'static str,
}

/// Lists guides with what they are about.
macro_rules! guides {
    ($($name:literal => $about:literal,)*) => {
        /// Every guide, in the order in which somebody would read them.
        pub const ALL: &[Guide] = &[
            $(Guide {
                name: $name,
                about: $about,
                markdown: include_str!(concat!("../../../../docs/", $name, ".md")),
            },)*
        ];
    };
}

guides! {
    "quickstart" => "From nothing to a verified webhook in five commands",
    "pt/quickstart" => "Do nada a um webhook conferido em cinco comandos",
    "webhooks" => "The raw body, signatures, retries and common mistakes",
    "pt/webhooks" => "Corpo bruto, assinaturas, repetições e erros comuns",
    "testing" => "An integration with simulated money",
    "pt/testing" => "Uma integração com dinheiro simulado",
    "going-live" => "Before real money moves",
    "pt/going-live" => "Antes de mover dinheiro de verdade",
    "requests" => "What was sent, what was refused, and why",
    "api-design" => "Authentication, idempotency, lists and limits",
    "contract" => "Every object, state and rule",
    "events" => "Every event, its headers and order",
    "changelog" => "What changed, and how routes are deprecated",
    "errors" => "Every code, and what a retry gets",
    "errors/en" => "Why each of them comes, and the remedy",
    "errors/pt" => "Por que cada um vem, e como resolver",
    "sandbox" => "Simulated payments, test cards, the test clock",
    "subscriptions" => "Plans, renewals, dunning and the portal",
    "ledger" => "Accounts, movements, and how they are proved",
    "operating" => "Install, settings, backup and upgrade",
    "performance" => "What was measured, and how to repeat it",
    "connectors" => "What a provider's adapter must do",
    "connecting/efi.en" => "PIX at Efí",
    "connecting/efi" => "PIX na Efí",
    "connecting/inter.en" => "PIX and boletos at Inter",
    "connecting/inter" => "PIX e boletos no Inter",
    "connecting/pagarme.en" => "Cards at Pagar.me",
    "connecting/pagarme" => "Cartões na Pagar.me",
    "style" => "How the project writes",
}

impl Guide {
    /// Its name for a reader: the title, with which each begins.
    pub fn title(&self) -> &'static str {
        self.markdown.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
    }

    /// Guides for integrators, to banks and to errors are in two languages; the others are in
    /// English.
    pub fn lang(&self) -> Lang {
        let is_to_bank =
            self.name.starts_with("connecting/") && self.name.strip_suffix(".en").is_none();
        let is_portuguese = is_to_bank || self.name == "errors/pt" || self.name.starts_with("pt/");
        if is_portuguese { Lang::PtBr } else { Lang::En }
    }

    /// The tag of its language.
    pub fn language(&self) -> &'static str {
        self.lang().tag()
    }
}
