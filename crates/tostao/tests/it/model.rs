//! Random lives of a merchant, held against a model in memory.
//!
//! After every action the product must show what the model says: every account, every status,
//! stock, uses of coupons, and the emitted events. Now and then the product is stopped and started
//! again. A failure names the seed and the action; the same seed lives the same life again, on
//! either database. `subscribers` are many, and live for two years. `cargo xtask model` lives
//! longer lives, with more of them.

mod actions;
mod advances;
mod affiliates;
mod payouts;
mod reference;
mod refunds;
mod returns;
mod rng;
mod subscribers;
mod world;

use std::thread::panicking;

use db::time::Timestamp;

use crate::harness::{START, TestApp, story_of_lives};
use crate::model::world::World;

/// A restart follows one action in so many.
const RESTARTS_EVERY: i64 = 60;
/// How many actions a life has by default; a database beside the test is slower.
const ACTIONS: u64 = 500;
const ACTIONS_ON_POSTGRES: u64 = 125;
/// A life of so many actions sees everything that an affiliate and a seller can do to each other.
const LONG_LIFE: u64 = 5_000;
/// The variables by which somebody says otherwise, and which seed the first life has.
const ACTIONS_VARIABLE: &str = "TOSTAO_MODEL_ACTIONS";
const SEED_VARIABLE: &str = "TOSTAO_MODEL_SEED";

/// Prints, if a life fails, which one it was.
struct Life {
    seed: u64,
    action: u64,
}

impl Drop for Life {
    #[expect(clippy::print_stderr, reason = "the reader of a failed test needs the seed")]
    fn drop(&mut self) {
        if panicking() {
            eprintln!("the life of seed {} went wrong at action {}", self.seed, self.action);
        }
    }
}

fn live(number: u64) {
    let seed = number_in(SEED_VARIABLE).unwrap_or(1) + number - 1;
    story_of_lives(
        |settings| {
            (settings.pix_fee_cents, settings.pix_fee_basis_points) = (5, 99);
            (settings.boleto_fee_cents, settings.boleto_fee_basis_points) = (199, 0);
            (settings.card_fee_cents, settings.card_fee_basis_points) = (39, 399);
            settings.withdrawal_fee_cents = payouts::FEE;
        },
        async |mut test| {
            let mut life = Life { seed, action: 0 };
            let start = Timestamp::parse(START).expect("is an instant").micros();
            let mut world = World::open(&test, seed, start).await;
            for action in 1..=how_many(&test, ACTIONS_VARIABLE, ACTIONS, ACTIONS_ON_POSTGRES) {
                life.action = action;
                actions::any(&mut world, &test).await;
                world.agree(&test).await;
                if world.rng.within(1, RESTARTS_EVERY) == 1 {
                    test = test.restarted();
                    // What was arranged with the sandbox in memory is forgotten.
                    world.reference.is_shut = false;
                    world.agree(&test).await;
                }
            }
            if life.action >= LONG_LIFE {
                assert_eq!(world.reference.missed(), Vec::<&str>::new(), "never happened");
            }
            test
        },
    );
}

/// How much of something there is by default, on either database.
fn how_many(test: &TestApp, variable: &str, on_sqlite: u64, on_postgres: u64) -> u64 {
    let is_sqlite = test.app.settings.storage.database_url.starts_with("sqlite:");
    number_in(variable).unwrap_or(if is_sqlite { on_sqlite } else { on_postgres })
}

#[expect(clippy::disallowed_methods, reason = "reads how long lives are, and which")]
fn number_in(variable: &str) -> Option<u64> {
    let known = [ACTIONS_VARIABLE, SEED_VARIABLE, subscribers::SUBSCRIBERS_VARIABLE];
    let mut set = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let unknown = set.find(|name| name.starts_with("TOSTAO_MODEL_") && !known.contains(&&**name));
    assert_eq!(unknown, None, "no run reads it");
    std::env::var(variable).ok().map(|number| number.parse().expect("is a number"))
}

#[test]
fn a_first_life_is_as_the_model_says() {
    live(1);
}

#[test]
fn a_second_life_is_as_the_model_says() {
    live(2);
}

#[test]
fn a_third_life_is_as_the_model_says() {
    live(3);
}

#[test]
fn a_fourth_life_is_as_the_model_says() {
    live(4);
}
