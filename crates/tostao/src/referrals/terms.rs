//! What whoever invites is promised; each referral keeps what it was at its beginning.

use ledger::cents::Cents;

use crate::app::App;

/// The server's terms for referrals.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// What an invited merchant has to sell in time.
    pub goal: Cents,
    /// What that earns, once.
    pub fixed: Cents,
    /// What part of each of his sales is earned.
    pub basis_points: u32,
}

impl Terms {
    /// Takes what the settings say.
    pub fn of(app: &App) -> Self {
        let settings = &app.settings;
        Self {
            goal: Cents::new(settings.referral_goal_cents),
            fixed: Cents::new(settings.referral_fixed_cents),
            basis_points: settings.referral_basis_points,
        }
    }
}
