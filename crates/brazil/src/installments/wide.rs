//! 512-bit integers, for comparing products that no machine integer holds.

const LIMBS: usize = 8;

/// Most significant part first, so that the derived order is numeric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wide([u64; LIMBS]);

impl Wide {
    pub(super) const ONE: Self = Self([0, 0, 0, 0, 0, 0, 0, 1]);

    /// Multiplies; the caller ensures that the product fits.
    pub(super) fn times(mut self, factor: u64) -> Self {
        let mut carry = 0;
        for limb in self.0.iter_mut().rev() {
            (*limb, carry) = limb.carrying_mul(factor, carry);
        }
        debug_assert!(carry == 0, "the product needs more than 512 bits");
        self
    }

    /// Subtracts; the caller ensures that `other` is not greater.
    pub(super) fn minus(mut self, other: Self) -> Self {
        let mut borrow = false;
        for (limb, taken) in self.0.iter_mut().zip(other.0).rev() {
            (*limb, borrow) = limb.borrowing_sub(taken, borrow);
        }
        debug_assert!(!borrow, "the difference is negative");
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::Wide;
    use crate::testing::repeatable;

    #[test]
    fn powers_of_a_large_factor_stay_in_order() {
        let power = |count| (0..count).fold(Wide::ONE, |product, _| product.times(u64::MAX));
        let powers: Vec<Wide> = (0..=8).map(power).collect();
        assert!(powers.is_sorted_by(|lower, higher| lower < higher));
    }

    proptest! {
        #![proptest_config(repeatable())]

        #[test]
        fn products_compare_and_subtract_as_numbers_do(
            a in any::<u64>(), b in any::<u64>(), c in any::<u64>(), d in any::<u64>(),
        ) {
            let (left, right) = (Wide::ONE.times(a).times(b), Wide::ONE.times(c).times(d));
            let (plain_left, plain_right) =
                (u128::from(a) * u128::from(b), u128::from(c) * u128::from(d));
            prop_assert_eq!(left.cmp(&right), plain_left.cmp(&plain_right));
            let sum = left.times(2).minus(left);
            prop_assert_eq!(sum, left);
        }

        #[test]
        fn subtraction_distributes_over_multiplication(
            high in any::<u64>(), less in any::<u64>(), factor in any::<u64>(),
        ) {
            let (low, high) = (high.min(less), high.max(less));
            let wide = |number| Wide::ONE.times(number).times(u64::MAX);
            let outside = wide(high).times(factor).minus(wide(low).times(factor));
            prop_assert_eq!(outside, wide(high).minus(wide(low)).times(factor));
            prop_assert_eq!(outside, wide(high - low).times(factor));
        }
    }
}
