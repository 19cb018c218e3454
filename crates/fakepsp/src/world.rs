//! Everything the fake banks know, behind one lock.

use jiff::Timestamp;

use crate::bacen::book::{Bank, PixBook};
use crate::call::Call;
use crate::certificates::TlsModes;
use crate::clock::Clock;
use crate::cobrancas::slips::Slips;
use crate::efi::payout::Payouts;
use crate::fault::Faults;
use crate::ids::Ids;
use crate::inter::banking::Transfers;
use crate::inter::slips::Titles;
use crate::log::Entry;
use crate::notices::Notices;
use crate::pagarme::account::Account;
use crate::route::Dialect;
use crate::settings::Settings;
use crate::tokens::Tokens;

#[derive(Debug)]
pub struct World {
    pub clock: Clock,
    pub ids: Ids,
    pub settings: Settings,
    pub faults: Faults,
    pub log: Vec<Entry>,
    pub notices: Notices,
    pub tls: TlsModes,
    pub tokens: Tokens,
    pub efi_pix: PixBook,
    pub efi_payouts: Payouts,
    pub slips: Slips,
    pub inter_pix: PixBook,
    pub titles: Titles,
    pub transfers: Transfers,
    pub pagarme: Account,
}

impl World {
    pub fn new(seed: u64, clock: Clock, settings: Settings) -> Self {
        Self {
            clock,
            ids: Ids::new(seed),
            settings,
            faults: Faults::default(),
            log: Vec::new(),
            notices: Notices::default(),
            tls: TlsModes::default(),
            tokens: Tokens::default(),
            efi_pix: PixBook::new(Bank::Efi),
            efi_payouts: Payouts::default(),
            slips: Slips::default(),
            inter_pix: PixBook::new(Bank::Inter),
            titles: Titles::default(),
            transfers: Transfers::default(),
            pagarme: Account::default(),
        }
    }

    /// Forgets charges, faults, log and settings; the clock, the tokens and the row of ids go on,
    /// so that no later id equals an earlier one.
    pub fn forget(&mut self, settings: Settings) {
        let tokens = std::mem::take(&mut self.tokens);
        let mut fresh = Self::new(0, self.clock, settings);
        fresh.ids = self.ids.clone();
        fresh.tokens = tokens;
        fresh.notices = self.notices.fresh();
        *self = fresh;
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn book(&mut self, bank: Bank) -> &mut PixBook {
        match bank {
            Bank::Efi => &mut self.efi_pix,
            Bank::Inter => &mut self.inter_pix,
        }
    }

    /// Whether the PIX key is one of the account's.
    pub fn owns(&self, key: &str) -> bool {
        self.settings.keys.is_empty() || self.settings.keys.iter().any(|own| own == key)
    }

    /// Whether the request has a token of the dialect, and which scopes it grants.
    pub fn scopes(&self, dialect: Dialect, call: &Call) -> Option<Vec<String>> {
        self.tokens.scopes(dialect, call.bearer()?, self.now())
    }
}
