//! The price of an advance, and its limit.

use ledger::cents::Cents;

use crate::app::App;
use crate::platform::decimal::Decimal;

const MONTH_DAYS: i128 = 30;
const ONE_IN_BASIS_POINTS: i128 = 10_000;
const HUNDRED: i128 = 100;

/// The server's terms for advances.
#[derive(Debug, Clone, Copy)]
pub struct AdvanceTerms {
    pub rate: MonthlyRateBps,
    limit_percent: u32,
}

/// Monthly interest in basis points: 2.99 % is 299.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthlyRateBps(u32);

impl AdvanceTerms {
    /// Reads the terms from the settings.
    pub fn of(app: &App) -> Self {
        let settings = &app.settings;
        let rate = MonthlyRateBps::new(settings.advance_rate_basis_points);
        Self { rate, limit_percent: settings.advance_limit_percent }
    }

    /// How much of the eligible amount may be advanced, in whole cents.
    pub fn most(&self, eligible: Cents) -> Option<Cents> {
        let share = i128::from(eligible.get()) * i128::from(self.limit_percent) / HUNDRED;
        i64::try_from(share).ok().map(Cents::new)
    }
}

impl MonthlyRateBps {
    /// Creates a rate from basis points a month.
    pub const fn new(basis_points: u32) -> Self {
        Self(basis_points)
    }

    /// Basis points a month.
    pub const fn basis_points(self) -> u32 {
        self.0
    }

    /// Percent a month.
    pub fn percent(self) -> Decimal {
        Decimal::hundredths(u64::from(self.0))
    }

    /// The fee for a number of days: simple interest on thirtieths of a month, rounded half up, and
    /// never more than the amount.
    pub fn fee(self, amount: Cents, days: i64) -> Option<Cents> {
        let interest = i128::from(amount.get()) * i128::from(self.0) * i128::from(days.max(0));
        let divisor = ONE_IN_BASIS_POINTS * MONTH_DAYS;
        let rounded = (2 * interest + divisor) / (2 * divisor);
        i64::try_from(rounded).ok().map(|fee| Cents::new(fee).min(amount))
    }
}

#[cfg(test)]
mod tests {
    use ledger::cents::Cents;

    use super::{AdvanceTerms, MonthlyRateBps};

    #[test]
    fn a_fee_is_simple_interest_by_the_day() {
        let table = [
            // 308.01 × 4.99 % × 11 / 30 = 5.6355… → 5.64
            (30_801, 499, 11, 564),
            // 96.00 × 2.99 % × 28 / 30 = 2.6790… → 2.68, × 58 = 5.5494… → 5.55,
            // × 89 = 8.5155… → 8.52
            (9_600, 299, 28, 268),
            (9_600, 299, 58, 555),
            (9_600, 299, 89, 852),
            // 100.00 × 2.99 % for a month.
            (10_000, 299, 30, 299),
            // 1.00 × 1.50 % × 10 / 30 = 0.005, half a cent up; × 9 = 0.0045 down.
            (100, 150, 10, 1),
            (100, 150, 9, 0),
            // Nothing for no time, no rate, no money.
            (10_000, 299, 0, 0),
            (10_000, 0, 30, 0),
            (0, 299, 30, 0),
            // 20 % a month for a year is more than all of it.
            (10_000, 2_000, 365, 10_000),
        ];
        for (amount, rate, days, fee) in table {
            let computed = MonthlyRateBps::new(rate).fee(Cents::new(amount), days);
            assert_eq!(computed, Some(Cents::new(fee)), "{amount} at {rate} for {days}");
        }
        // 2,000 basis points of all the cents that there are do not overflow before the division.
        let most = Cents::new(i64::MAX);
        assert_eq!(MonthlyRateBps::new(2_000).fee(most, 365), None);
    }

    #[test]
    fn the_limit_is_a_share_in_whole_cents() {
        let terms = AdvanceTerms { rate: MonthlyRateBps::new(299), limit_percent: 80 };
        // 80 % of 9,999 is 7,999.2.
        for (eligible, most) in [(10_000, 8_000), (9_999, 7_999), (1, 0), (0, 0)] {
            assert_eq!(terms.most(Cents::new(eligible)), Some(Cents::new(most)), "{eligible}");
        }
    }

    #[test]
    fn a_rate_is_shown_in_percent() {
        assert_eq!(MonthlyRateBps::new(299).percent().to_string(), "2.99");
    }
}
