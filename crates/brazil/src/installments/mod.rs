//! Card installments: the amount of each, to the cent.
//!
//! Without interest the price is split and the first installment has the remainder. With interest
//! every installment is that of the Price table (fixed-payment amortization), whose first one is
//! due after a month: `price · i / (1 − (1 + i)^−n)`, rounded half up; the total is `n` times it.
//! The rounding is exact: only integers are compared, so no fraction is truncated.

mod wide;

use wide::Wide;

/// Cards allow at most a year of installments.
pub const MOST: u8 = 12;

/// The smallest installment that is offered.
pub const SMALLEST_CENTS: i64 = 500;

/// The seller's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    pub max_installments: u8,
    /// The highest number of installments without interest for the buyer.
    pub interest_free: u8,
    /// Interest per month in millionths: 2.99 % is 29 900.
    pub monthly_rate_ppm: u32,
}

/// An installment plan for a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    pub count: u8,
    /// The first installment, which has the remainder.
    pub first_cents: i64,
    /// Every later installment.
    pub other_cents: i64,
    pub total_cents: i64,
    /// The interest that the buyer pays.
    pub interest_cents: i64,
}

impl Plan {
    /// Whether the buyer pays no interest.
    pub fn is_interest_free(&self) -> bool {
        self.interest_cents == 0
    }

    /// Returns the amount of each installment in order; their sum is the total.
    pub fn amounts(&self) -> Vec<i64> {
        let mut amounts = vec![self.other_cents; usize::from(self.count)];
        if let Some(first) = amounts.first_mut() {
            *first = self.first_cents;
        }
        amounts
    }
}

/// Returns every plan offered for a price, from one payment upwards.
pub fn options(price_cents: i64, terms: &Terms) -> Vec<Plan> {
    (1..=MOST).filter_map(|count| option(price_cents, count, terms)).collect()
}

/// Returns the plan with that many installments, if it is offered.
///
/// A single payment is always offered, for any price.
pub fn option(price_cents: i64, count: u8, terms: &Terms) -> Option<Plan> {
    let most = terms.max_installments.clamp(1, MOST);
    if price_cents <= 0 || !(1..=most).contains(&count) {
        return None;
    }
    let plan = if count <= terms.interest_free || terms.monthly_rate_ppm == 0 {
        without_interest(price_cents, count)
    } else {
        with_interest(price_cents, count, terms.monthly_rate_ppm)?
    };
    (count == 1 || plan.other_cents >= SMALLEST_CENTS).then_some(plan)
}

/// Splits an amount into `count` parts that sum to it; the first one has the remainder.
fn without_interest(price_cents: i64, count: u8) -> Plan {
    let count_cents = i64::from(count);
    let other_cents = price_cents / count_cents;
    Plan {
        count,
        first_cents: other_cents + price_cents % count_cents,
        other_cents,
        total_cents: price_cents,
        interest_cents: 0,
    }
}

fn with_interest(price_cents: i64, count: u8, rate_ppm: u32) -> Option<Plan> {
    let each_cents = price_table(price_cents, count, rate_ppm)?;
    let total_cents = each_cents.checked_mul(i64::from(count))?;
    if total_cents < price_cents {
        // A rate this low is lost in rounding down; the seller still gets the price.
        return Some(without_interest(price_cents, count));
    }
    Some(Plan {
        count,
        first_cents: each_cents,
        other_cents: each_cents,
        total_cents,
        interest_cents: total_cents - price_cents,
    })
}

/// Finds the greatest `p` for which `p − ½` is not above the exact installment.
///
/// With `M` millionths in one, `P = (M + rate)^n` and `Q = M^n`, the exact installment is `price ·
/// rate · P / (M · (P − Q))`; both sides are multiplied by all denominators.
fn price_table(price_cents: i64, count: u8, rate_ppm: u32) -> Option<i64> {
    let price = u64::try_from(price_cents).ok()?;
    let growth = power(MILLION + u64::from(rate_ppm), count);
    let exact = growth.times(price).times(u64::from(rate_ppm)).times(2);
    let half_cent = growth.minus(power(MILLION, count)).times(MILLION);
    let fits = |cents: u64| half_cent.times(2 * cents - 1) <= exact;

    if fits(HIGHEST_CENTS) {
        return None;
    }
    let (mut fitting, mut beyond) = (0, HIGHEST_CENTS);
    while beyond - fitting > 1 {
        let middle = fitting + (beyond - fitting) / 2;
        if fits(middle) {
            fitting = middle;
        } else {
            beyond = middle;
        }
    }
    i64::try_from(fitting).ok()
}

const MILLION: u64 = 1_000_000;

/// Twice this fits a machine integer; a larger installment is unrealistic.
const HIGHEST_CENTS: u64 = 1 << 62;

fn power(base: u64, exponent: u8) -> Wide {
    (0..exponent).fold(Wide::ONE, |product, _| product.times(base))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{Plan, Terms, option, options};
    use crate::testing::repeatable;

    fn charging(monthly_rate_ppm: u32) -> Terms {
        Terms { max_installments: 12, interest_free: 1, monthly_rate_ppm }
    }

    #[test]
    fn the_published_installments_of_the_price_table_come_out() {
        let rows = [
            // price, rate, count, installment, total
            (100_000, 29_900, 12, 10_040, 120_480),
            (100_000, 19_900, 10, 11_127, 111_270),
            (10_000, 19_900, 10, 1_113, 11_130),
            (29_990, 29_900, 3, 10_600, 31_800),
        ];
        for (price, rate, count, each, total) in rows {
            let plan = option(price, count, &charging(rate)).unwrap();
            let interest_cents = total - price;
            let expected = Plan {
                count,
                first_cents: each,
                other_cents: each,
                total_cents: total,
                interest_cents,
            };
            assert_eq!(plan, expected, "{price} at {rate} in {count}");
            assert!(!plan.is_interest_free());
            assert_eq!(plan.amounts().iter().sum::<i64>(), total);
        }
    }

    #[test]
    fn half_a_cent_is_rounded_up() {
        let terms = Terms { interest_free: 0, ..charging(25_000) };
        let rows = [(1_020, 1_046), (1_060, 1_087), (1_059, 1_085), (1_019, 1_044)];
        for (price, each) in rows {
            assert_eq!(option(price, 1, &terms).unwrap().first_cents, each, "{price}");
        }
    }

    #[test]
    fn without_interest_the_first_installment_takes_the_cents_left_over() {
        let rows = [
            (10_000, 3, [3_334, 3_333, 3_333].as_slice()),
            (10_000, 4, [2_500; 4].as_slice()),
            (10_001, 2, [5_001, 5_000].as_slice()),
            (99, 1, [99].as_slice()),
        ];
        let terms = Terms { max_installments: 12, interest_free: 12, monthly_rate_ppm: 29_900 };
        for (price, count, amounts) in rows {
            let plan = option(price, count, &terms).unwrap();
            assert_eq!(plan.amounts(), amounts, "{price} in {count}");
            assert_eq!(plan.total_cents, price);
            assert!(plan.is_interest_free());
        }
    }

    #[test]
    fn interest_starts_after_the_interest_free_installments() {
        let terms = Terms { max_installments: 6, interest_free: 3, monthly_rate_ppm: 19_900 };
        let free: Vec<bool> = options(100_000, &terms).iter().map(Plan::is_interest_free).collect();
        assert_eq!(free, [true, true, true, false, false, false]);
        let without_rate = Terms { monthly_rate_ppm: 0, ..terms };
        assert!(options(100_000, &without_rate).iter().all(Plan::is_interest_free));
    }

    #[test]
    fn a_rate_lost_in_rounding_never_costs_the_seller_a_cent() {
        let plan = option(6_001, 12, &charging(100)).unwrap();
        assert_eq!((plan.first_cents, plan.other_cents, plan.total_cents), (501, 500, 6_001));
        assert!(plan.is_interest_free());
    }

    #[test]
    fn installments_below_five_reais_are_not_offered() {
        let rows = [
            (1_499, 0, vec![1, 2]),
            (1_500, 0, vec![1, 2, 3]),
            (1_000, 0, vec![1, 2]),
            (999, 0, vec![1]),
            (1, 0, vec![1]),
            // Interest raises the third installment above the limit.
            (1_480, 19_900, vec![1, 2, 3]),
            (0, 0, vec![]),
            (-100, 0, vec![]),
        ];
        for (price, rate, counts) in rows {
            let offered: Vec<u8> =
                options(price, &charging(rate)).iter().map(|plan| plan.count).collect();
            assert_eq!(offered, counts, "{price} at {rate}");
        }
    }

    #[test]
    fn no_more_installments_are_offered_than_allowed() {
        let rows = [(0, 1), (1, 1), (6, 6), (12, 12), (200, 12)];
        for (max_installments, offered) in rows {
            let terms = Terms { max_installments, ..charging(0) };
            assert_eq!(options(1_000_000, &terms).len(), offered, "{max_installments}");
        }
        assert_eq!(option(100_000, 0, &charging(0)), None);
        assert_eq!(option(100_000, 13, &charging(0)), None);
    }

    #[test]
    fn extreme_prices_and_rates_do_not_panic() {
        let plans = options(i64::MAX, &charging(u32::MAX));
        assert_eq!(plans.iter().map(|plan| plan.count).collect::<Vec<u8>>(), [1]);
        assert_eq!(options(i64::MAX / 100, &charging(1)).len(), 12);
    }

    /// Fraction digits of the independent computation below.
    const SCALE: i128 = 1_000_000_000_000_000_000_000_000;

    /// Present value of `count` installments of one, in units of `1 / SCALE`, rounded down.
    fn annuity(count: u8, rate_ppm: u32) -> i128 {
        let discount = |value: &i128| Some(value * 1_000_000 / (1_000_000 + i128::from(rate_ppm)));
        std::iter::successors(Some(SCALE), discount).skip(1).take(usize::from(count)).sum()
    }

    proptest! {
        #![proptest_config(repeatable())]

        #[test]
        fn an_installment_is_within_half_a_cent_of_the_annuity(
            price in 10_000_i64..100_000_000, count in 2_u8..=12, rate in 1_u32..=200_000,
        ) {
            let each = option(price, count, &charging(rate)).unwrap().first_cents;
            // An installment half a cent away shifts the present value by half an annuity.
            let annuity = annuity(count, rate);
            let error = i128::from(each) * annuity - i128::from(price) * SCALE;
            prop_assert!(error.abs() <= annuity / 2 + 200 * i128::from(price));
        }

        #[test]
        fn plans_sum_to_their_totals_and_more_installments_are_smaller_ones(
            price in 1_i64..1_000_000_000, interest_free in 0_u8..=12, rate in 0_u32..=200_000,
        ) {
            let terms = Terms { max_installments: 12, interest_free, monthly_rate_ppm: rate };
            let plans = options(price, &terms);
            prop_assert!(!plans.is_empty());
            for plan in &plans {
                prop_assert_eq!(plan.amounts().len(), usize::from(plan.count));
                prop_assert_eq!(plan.amounts().iter().sum::<i64>(), plan.total_cents);
                prop_assert_eq!(plan.total_cents - plan.interest_cents, price);
                prop_assert!(plan.interest_cents >= 0);
                prop_assert!(plan.first_cents - plan.other_cents < i64::from(plan.count));
            }
            let charged = |plan: &Plan| rate > 0 && plan.count > interest_free;
            for pair in plans.windows(2).filter(|pair| charged(&pair[0]) == charged(&pair[1])) {
                prop_assert!(pair[1].first_cents < pair[0].first_cents);
            }
        }
    }
}
