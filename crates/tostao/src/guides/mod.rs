//! The guides: the files of `docs/`, served as pages and as their Markdown, so that a server
//! explains its own version.

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
    "webhooks" => "Receiving webhooks: the raw body, signatures, retries, and common mistakes",
    "pt/webhooks" => "Receber webhooks: corpo bruto, assinaturas, repetições e erros comuns",
    "testing" => "Testing an integration with simulated money",
    "pt/testing" => "Testar uma integração com dinheiro simulado",
    "going-live" => "What to do before real money moves",
    "pt/going-live" => "O que fazer antes de mover dinheiro de verdade",
    "requests" => "The request log: what was sent, what was refused, and why",
    "api-design" => "Authentication, idempotency, pagination, rate limits, money and time",
    "contract" => "Every object, state and rule, feature by feature",
    "events" => "Every event, its signatures, retries and order",
    "changelog" => "What has changed in the API, and how routes are deprecated",
    "errors" => "Every error code, and whether a retry gets the same answer",
    "errors/en" => "What to do about each error",
    "errors/pt" => "O que fazer em cada erro",
    "sandbox" => "Simulated payments, test cards and the developer's clock",
    "subscriptions" => "Plans, renewals, dunning and the subscriber's portal",
    "ledger" => "The books: accounts, movements, and how they are proved",
    "operating" => "Install, settings, real money, metrics, backup and upgrade",
    "performance" => "What was measured, on what machine, and how to repeat it",
    "connectors" => "What a provider's adapter must do, and how it is judged",
    "connecting/efi.en" => "Connecting Efí",
    "connecting/efi" => "Conectar a Efí",
    "connecting/inter.en" => "Connecting Inter",
    "connecting/inter" => "Conectar o Inter",
    "connecting/pagarme.en" => "Connecting Pagar.me",
    "connecting/pagarme" => "Conectar o Pagar.me",
    "style" => "How the project writes",
}

impl Guide {
    /// Guides for integrators, to banks and to errors are in two languages; the others are in
    /// English.
    pub fn language(&self) -> &'static str {
        let is_to_bank =
            self.name.starts_with("connecting/") && self.name.strip_suffix(".en").is_none();
        let is_portuguese = is_to_bank || self.name == "errors/pt" || self.name.starts_with("pt/");
        if is_portuguese { "pt-BR" } else { "en" }
    }
}
