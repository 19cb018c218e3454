//! The terms promised to referrers; each referral keeps those of its creation.

use ledger::cents::Cents;

use crate::app::App;

/// The server's terms for referrals.
#[derive(Debug, Clone, Copy)]
pub struct ReferralTerms {
    /// The sales volume that an invited merchant has to reach in time.
    pub goal: Cents,
    /// The reward for reaching it, once.
    pub fixed: Cents,
    /// The share of each of their sales that is earned.
    pub basis_points: u32,
}

impl ReferralTerms {
    /// Reads the terms from the settings.
    pub fn of(app: &App) -> Self {
        let settings = &app.settings;
        Self {
            goal: Cents::new(settings.referral_goal_cents),
            fixed: Cents::new(settings.referral_fixed_cents),
            basis_points: settings.referral_basis_points,
        }
    }
}
