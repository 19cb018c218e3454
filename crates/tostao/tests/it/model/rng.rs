//! Chance that is the same for the same seed.

/// The `SplitMix64` sequence.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from `least` to `most`.
    pub fn within(&mut self, least: i64, most: i64) -> i64 {
        let span = u64::try_from(most - least + 1).expect("is a span");
        least + i64::try_from(self.next() % span).expect("is less than the span")
    }

    /// Whether it happens, so often in a hundred.
    pub fn chance(&mut self, percent: i64) -> bool {
        self.within(1, 100) <= percent
    }

    /// One of some.
    pub fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.place(among.len())]
    }

    /// The place of one of so many.
    pub fn place(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(count).expect("is a count")).expect("fits")
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
