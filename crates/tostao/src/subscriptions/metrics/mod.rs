//! Subscription metrics such as MRR, built from prices, not from payments.
//!
//! A price counts as its cost over twelve months, which is a whole number of cents for every
//! interval; only a sum is divided by twelve, and rounded, once. The current recurring revenue
//! comes from the subscriptions; its history from `subscription_changes`, to which every change is
//! written as a difference. The recurring revenue at a past time is the current one less all
//! changes since.
//!
//! | change | counts as |
//! |---|---|
//! | starts to be charged | new |
//! | a dearer plan, or the end of a pause | expansion |
//! | a cheaper plan, or a pause | contraction |
//! | ends | churn |

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use uuid::Uuid;

use crate::platform::decimal::Decimal;
use crate::platform::error::Result;
use crate::platform::http::page::{Listed, Page};
use crate::platform::ids::{ClientId, Scope, SubscriptionId};
use crate::subscriptions::Subscription;
use crate::subscriptions::status::Status;

pub mod api;
mod store;

const MONTHS_PER_YEAR: i64 = 12;

text_enum! {
    /// A movement of monthly recurring revenue.
    pub enum MrrMovement as "MrrMovement" {
        New = "NEW",
        Expansion = "EXPANSION",
        Contraction = "CONTRACTION",
        Churn = "CHURN",
    }
}

/// A change of recurring revenue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    kind: MrrMovement,
    /// The difference in annual revenue.
    annual: i64,
    /// The difference in paying subscriptions.
    paying: i64,
    /// Whether a subscriber who had paid is lost.
    lost: bool,
}

/// A time window: from `from`, before `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub from: Timestamp,
    pub to: Timestamp,
}

/// The metrics, with money as cost over twelve months.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    pub active: i64,
    pub trialing: i64,
    pub past_due: i64,
    pub paused: i64,
    /// Recurring revenue at the end of the window, and the number of paying subscriptions.
    pub annual: i64,
    pub paying: i64,
    /// Recurring revenue at its start, and the number of paying subscriptions.
    pub annual_before: i64,
    pub paying_before: i64,
    pub new: i64,
    pub expansion: i64,
    /// Both without their sign.
    pub contraction: i64,
    pub churned: i64,
    pub lost: i64,
}

/// A change as it is listed, with what is known of its subscription now.
#[derive(Debug, Clone)]
pub struct ListedChange {
    pub id: Uuid,
    pub at: Timestamp,
    pub kind: MrrMovement,
    /// The difference in annual revenue.
    pub annual: i64,
    /// Whether a subscriber who had paid is lost.
    pub lost: bool,
    pub subscription: SubscriptionId,
    pub plan_name: String,
    pub client: ClientId,
    pub subscriber: String,
}

/// Which changes are listed.
#[derive(Debug, Clone, Copy)]
pub struct ChangesFilter {
    pub page: Page,
    pub kind: Option<MrrMovement>,
    pub window: Window,
}

/// What all changes of a filter come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChangesSum {
    pub annual: i64,
    /// How many subscribers who had paid are lost.
    pub lost: i64,
}

/// Lists changes of the recurring revenue, newest first, with what all that match come to.
pub async fn changes(
    tx: &Tx,
    scope: Scope,
    filter: &ChangesFilter,
) -> Result<(Listed<ListedChange>, ChangesSum)> {
    let rows = store::list(tx, scope, filter).await?;
    let (total, sum) = store::sum(tx, scope, filter).await?;
    Ok((filter.page.listed(rows, total, |change| change.id), sum))
}

/// Counts the metrics of a window.
pub async fn count(tx: &Tx, scope: Scope, window: Window) -> Result<Counted> {
    store::count(tx, scope, window).await
}

/// Records how a change of a subscription changed the recurring revenue, if it did.
pub async fn record(
    tx: &Tx,
    scope: Scope,
    before: &Subscription,
    after: &Subscription,
) -> Result<()> {
    let Some(change) = change(before, after) else { return Ok(()) };
    store::insert(tx, scope, after.id, change).await
}

/// Converts an annual amount to a monthly one, rounded half away from zero.
pub fn monthly(annual: i64) -> i64 {
    let half = if annual < 0 { -MONTHS_PER_YEAR / 2 } else { MONTHS_PER_YEAR / 2 };
    annual.saturating_add(half) / MONTHS_PER_YEAR
}

/// The average monthly revenue per paying subscription, rounded half up, once; 0 if there are none.
pub fn average(annual: i64, paying: i64) -> i64 {
    let divisor = i128::from(paying) * i128::from(MONTHS_PER_YEAR);
    if divisor <= 0 {
        return 0;
    }
    let rounded = (2 * i128::from(annual.max(0)) + divisor) / (2 * divisor);
    i64::try_from(rounded).unwrap_or(i64::MAX)
}

/// A percentage with two decimals, rounded half up; 0 if the whole is 0.
pub fn percent(part: i64, whole: i64) -> Decimal {
    let (part, whole) = (i128::from(part.max(0)), i128::from(whole));
    if whole <= 0 {
        return Decimal::hundredths(0);
    }
    let hundredths = (part * 20_000 + whole) / (2 * whole);
    Decimal::hundredths(u64::try_from(hundredths).unwrap_or(u64::MAX))
}

impl Counted {
    /// Adds the subscriptions of a status.
    fn has(&mut self, status: &str, number: i64, annual: i64) {
        let Some(status) = Status::parse(status) else { return };
        match status {
            Status::Active => self.active = number,
            Status::Trialing => self.trialing = number,
            Status::PastDue => self.past_due = number,
            Status::Paused => self.paused = number,
            Status::Incomplete | Status::Cancelled | Status::Expired => {}
        }
        let paying = if status.is_paying() { number } else { 0 };
        self.annual += annual;
        self.annual_before += annual;
        self.paying += paying;
        self.paying_before += paying;
    }

    /// Adds what changed in the window.
    fn changed(&mut self, kind: &str, annual: i64, paying: i64, lost: i64) {
        match MrrMovement::parse(kind) {
            Some(MrrMovement::New) => self.new = annual,
            Some(MrrMovement::Expansion) => self.expansion = annual,
            Some(MrrMovement::Contraction) => self.contraction = -annual,
            Some(MrrMovement::Churn) => self.churned = -annual,
            None => {}
        }
        self.annual_before -= annual;
        self.paying_before -= paying;
        self.lost += lost;
    }

    /// Subtracts what changed after the window.
    fn changes_later(&mut self, annual: i64, paying: i64) {
        self.annual -= annual;
        self.annual_before -= annual;
        self.paying -= paying;
        self.paying_before -= paying;
    }
}

fn change(before: &Subscription, after: &Subscription) -> Option<Change> {
    let annual = after.annual().get() - before.annual().get();
    let paying = i64::from(after.status.is_paying()) - i64::from(before.status.is_paying());
    let gone = after.status == Status::Cancelled && before.status != Status::Cancelled;
    let lost = gone && after.paid_once;
    let kind = match (after.status, before.status) {
        (Status::Cancelled, _) => MrrMovement::Churn,
        (Status::Paused, _) => MrrMovement::Contraction,
        (_, Status::Paused) if before.paid_once => MrrMovement::Expansion,
        _ if paying > 0 => MrrMovement::New,
        _ if annual < 0 => MrrMovement::Contraction,
        _ => MrrMovement::Expansion,
    };
    let counts = annual != 0 || paying != 0 || lost;
    counts.then_some(Change { kind, annual, paying, lost })
}

#[cfg(test)]
mod tests {
    use super::{monthly, percent};

    #[test]
    fn a_sum_is_divided_and_rounded_once() {
        // 9.90 a quarter and 9.90 a half-year: 3960 + 1980 = 5940 a year, 495 a month.
        assert_eq!(monthly(3_960 + 1_980), 495);
        // Three times 10.01 a year is 3003, 250.25 a month; each alone would be 83.
        assert_eq!(monthly(3 * 1_001), 250);
        let table = [(0, 0), (5, 0), (6, 1), (17, 1), (18, 2), (-6, -1), (-5, 0)];
        for (annual, expected) in table {
            assert_eq!(monthly(annual), expected, "{annual}");
        }
    }

    #[test]
    fn a_share_has_two_decimals() {
        let table = [(0, 0, "0"), (1, 0, "0"), (1, 4, "25"), (1, 3, "33.33"), (2, 3, "66.67")];
        for (part, whole, expected) in table {
            assert_eq!(percent(part, whole).to_string(), expected, "{part} of {whole}");
        }
    }
}
