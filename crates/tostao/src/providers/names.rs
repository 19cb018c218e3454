//! The providers by their names only.
//!
//! A dry run has these instead of the providers, so it can ask none of them.

use crate::app::App;
use crate::platform::error::Result;
use crate::platform::ids::Mode;

/// Says which provider would be asked, and refuses what would be refused without asking it.
#[derive(Clone)]
pub struct ProviderNames(App);

impl ProviderNames {
    pub fn of(app: &App) -> Self {
        Self(app.clone())
    }

    /// The bank for a mode's PIX charges.
    pub fn pix(&self, mode: Mode) -> Result<String> {
        Ok(self.0.providers.pix(mode)?.name().to_owned())
    }

    /// The bank for a mode's boletos, and whether it registers none without its payer's address.
    pub fn boleto(&self, mode: Mode) -> Result<(String, bool)> {
        let bank = self.0.providers.boleto(mode)?;
        Ok((bank.name().to_owned(), bank.needs_address()))
    }

    /// The acquirer for a mode's cards.
    pub fn card(&self, mode: Mode) -> Result<String> {
        Ok(self.0.providers.card(mode)?.name().to_owned())
    }

    /// The acquirer that keeps a card, if it takes new charges.
    pub fn card_keeper(&self, name: &str) -> Result<String> {
        Ok(self.0.providers.card_keeper(name)?.name().to_owned())
    }
}
