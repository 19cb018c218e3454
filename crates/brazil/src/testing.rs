//! Shared settings of the property tests: the same cases on every run, and nothing written to disk.

use proptest::test_runner::{Config, RngSeed};

/// Settings with a fixed seed, so that failures are reproducible.
pub(crate) fn repeatable() -> Config {
    Config { failure_persistence: None, rng_seed: RngSeed::Fixed(26), ..Config::default() }
}
