//! The first steps of an account: its first key, payment link, payment and delivered webhook.
//!
//! Each instant is kept in the unit of the deed, because what it could be derived from goes away:
//! deliveries are deleted after 30 days, and a reset deletes development data. By the server's
//! clock, because a developer's runs ahead. A payment and a delivery read with what they read
//! anyway whether they are the first, so all others write nothing for it. An account gets its rows
//! when it is opened; accounts from before have none and are not counted.

use std::time::Duration;

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;

use crate::platform::error::Result;
use crate::platform::http::page::{Listed, Page};
use crate::platform::ids::{MerchantId, Mode};

pub mod admin_api;
mod store;

/// How many accounts a summary counts, the newest.
pub const COUNTED_MAX: i64 = 10_000;

text_enum! {
    /// A first step of an account; most take them in this order.
    pub enum Step as "FirstStep" {
        /// It made an API key.
        Key = "API_KEY",
        /// It made a payment link.
        Link = "PAYMENT_LINK",
        /// One of its payments was paid.
        Payment = "PAYMENT",
        /// A webhook, or a listener, accepted an event.
        Webhook = "WEBHOOK",
    }
}

/// When an account took its first steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FirstSteps {
    pub key: Option<Timestamp>,
    pub link: Option<Timestamp>,
    pub payment: Option<Timestamp>,
    pub webhook: Option<Timestamp>,
}

/// An account, and its first steps in a mode.
#[derive(Debug, Clone)]
pub struct AccountSteps {
    pub merchant: MerchantId,
    pub name: String,
    pub email: String,
    pub opened_at: Timestamp,
    pub steps: FirstSteps,
}

/// How far accounts come in a mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FirstStepsSummary")]
pub struct Summary {
    /// How many accounts are counted: the newest, at most 10,000.
    pub accounts: u64,
    /// How many of them took none of the steps.
    pub not_started: u64,
    /// Each step, in the order in which most accounts take them.
    pub steps: Vec<StepSummary>,
}

/// How many accounts come to a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FirstStepSummary")]
pub struct StepSummary {
    pub step: Step,
    /// How many accounts took the step.
    pub reached: u64,
    /// How many of them took none of the steps after it.
    pub stopped: u64,
    /// The median of the seconds from the opening of an account to the step; null if there is none.
    pub median_seconds: Option<u64>,
}

/// Begins to keep the steps of a new account.
pub async fn begin(tx: &Tx, merchant: MerchantId) -> Result<()> {
    store::insert(tx, merchant, Mode::Development).await?;
    store::insert(tx, merchant, Mode::Production).await
}

/// Keeps that an account took a step, if it is the first time.
pub async fn note(tx: &Tx, merchant: MerchantId, mode: Mode, step: Step) -> Result<()> {
    store::note(tx, merchant, mode, step).await
}

/// Deletes the steps of a closed account.
pub async fn forget(tx: &Tx, merchant: MerchantId) -> Result<()> {
    store::delete(tx, merchant).await
}

/// The steps of an account; `None` for one from before they were kept.
pub async fn of(tx: &Tx, merchant: MerchantId, mode: Mode) -> Result<Option<FirstSteps>> {
    store::find(tx, merchant, mode).await
}

/// Lists the accounts of merchants with their steps, newest first.
pub async fn list(tx: &Tx, mode: Mode, page: Page) -> Result<Listed<AccountSteps>> {
    let rows = store::list(tx, mode, page).await?;
    let total = store::count(tx, mode).await?;
    Ok(page.listed(rows, total, |account| account.merchant.0))
}

/// Summarizes how far the newest accounts of merchants come.
pub async fn summary(tx: &Tx, mode: Mode) -> Result<Summary> {
    Ok(Summary::of(&store::newest(tx, mode, COUNTED_MAX).await?))
}

impl FirstSteps {
    /// When a step was taken.
    pub fn at(&self, step: Step) -> Option<Timestamp> {
        match step {
            Step::Key => self.key,
            Step::Link => self.link,
            Step::Payment => self.payment,
            Step::Webhook => self.webhook,
        }
    }

    /// The furthest step that was taken.
    pub fn furthest(&self) -> Option<Step> {
        Step::ALL.iter().rev().copied().find(|step| self.at(*step).is_some())
    }
}

impl Summary {
    /// Counts accounts, each with the instant when it was opened.
    fn of(accounts: &[(Timestamp, FirstSteps)]) -> Self {
        let stopped =
            |at: Option<Step>| count(accounts.iter().filter(|(_, steps)| steps.furthest() == at));
        let step = |step: Step| {
            let took = |(opened_at, steps): &(Timestamp, FirstSteps)| {
                steps.at(step).map(|at| at.since(*opened_at))
            };
            let took: Vec<_> = accounts.iter().filter_map(took).collect();
            StepSummary {
                step,
                reached: count(took.iter()),
                stopped: stopped(Some(step)),
                median_seconds: median(took).map(|median| median.as_secs()),
            }
        };
        Self {
            accounts: count(accounts.iter()),
            not_started: stopped(None),
            steps: Step::ALL.iter().copied().map(step).collect(),
        }
    }
}

fn count<T>(found: impl Iterator<Item = T>) -> u64 {
    found.map(|_| 1).sum()
}

/// The middle of these times, or the mean of the two in the middle.
fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort_unstable();
    let upper = times.get(times.len() / 2)?;
    let lower = times.get((times.len() - 1) / 2)?;
    Some((*lower + *upper) / 2)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use db::time::Timestamp;

    use super::{FirstSteps, Step, Summary, median};

    #[test]
    fn a_median_is_the_middle_or_the_mean_of_both_in_the_middle() {
        let seconds = Duration::from_secs;
        let table: [(&[u64], Option<u64>); 4] =
            [(&[], None), (&[7], Some(7)), (&[9, 1], Some(5)), (&[60, 1, 10], Some(10))];
        for (times, middle) in table {
            let times = times.iter().copied().map(seconds).collect();
            assert_eq!(median(times), middle.map(seconds));
        }
    }

    #[test]
    fn an_account_stops_at_its_furthest_step_whatever_it_left_out() {
        let opened = Timestamp::from_micros(1_000_000);
        let at = |second: i64| Some(Timestamp::from_micros(1_000_000 * (1 + second)));
        let none = FirstSteps::default();
        let key = FirstSteps { key: at(10), ..none };
        let webhook = FirstSteps { key: at(20), webhook: at(50), ..none };
        let summary = Summary::of(&[(opened, none), (opened, key), (opened, webhook)]);
        assert_eq!((summary.accounts, summary.not_started), (3, 1));
        let found: Vec<_> = summary
            .steps
            .iter()
            .map(|step| (step.step, step.reached, step.stopped, step.median_seconds))
            .collect();
        let expected = [
            (Step::Key, 2, 1, Some(15)),
            (Step::Link, 0, 0, None),
            (Step::Payment, 0, 0, None),
            (Step::Webhook, 1, 1, Some(50)),
        ];
        assert_eq!(found, expected);
    }
}
