//! Which sums must be the same: what each account holds is what the rows that it is about say.

use std::collections::{BTreeMap, BTreeSet};

use ledger::cents::Cents;

use crate::books::chart::Place;
use crate::ids::{MerchantId, Mode};
use crate::proof::sums::{Found, Key};
use crate::store::Sums;

/// Two sums of one merchant in one mode.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    pub name: &'static str,
    pub booked: i64,
    pub stored: i64,
    /// Whether rows of other merchants' sales have a part in it.
    shared: bool,
}

/// Both sides of every equality for one merchant in one mode.
pub struct Sides {
    pairs: Vec<Pair>,
    contradictory: i64,
}

/// What of it is compared while development data is being deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    All,
    /// All but what others' rows have a part in.
    Own,
    Nothing,
}

impl Compared {
    pub fn includes(self, pair: &Pair) -> bool {
        match self {
            Self::All => true,
            Self::Own => !pair.shared,
            Self::Nothing => false,
        }
    }

    pub fn is_whole(self) -> bool {
        self != Self::Nothing
    }
}

impl Pair {
    pub fn differs(&self) -> bool {
        self.booked != self.stored
    }
}

impl Sides {
    pub fn of(found: &Found, key: Key) -> Self {
        let mut pairs = accounts(found, key);
        pairs.extend(rows(found, key));
        Self { pairs, contradictory: contradictory(found, key) }
    }

    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    pub fn contradictory_payments(&self) -> i64 {
        self.contradictory
    }

    /// What can be compared while merchants start over: that deletes in several units, and takes
    /// rows that others have a part in.
    pub fn compared((owner, book): Key, resets: &BTreeSet<MerchantId>) -> Compared {
        if book != Mode::Development.book() || resets.is_empty() {
            return Compared::All;
        }
        if resets.contains(&MerchantId(owner)) { Compared::Nothing } else { Compared::Own }
    }
}

/// What accounts hold, and what rows say of it.
fn accounts(found: &Found, key: Key) -> Vec<Pair> {
    let held = |place| found.held(key, place);
    let less = |place| held(place).saturating_neg();
    let [paid, _, _, _, payment_fees, ..] = at(&found.payments, key);
    let [refunds_waiting, refunds_done] = at(&found.refunds, key);
    let [returns_waiting, returns_done] = at(&found.returns, key);
    let refunding = refunds_waiting.saturating_add(returns_waiting);
    let refunded = refunds_done.saturating_add(returns_done);
    let [disputed, lost, ..] = at(&found.disputes, key);
    let [open, set_aside] = at(&found.unmatched, key);
    let [unknown_open, unknown] = at(&found.unknown, key);
    let open = open.saturating_add(unknown_open);
    let set_aside = set_aside.saturating_add(unknown);
    let [withdrawing, withdrawn, withdrawal_fees] = at(&found.withdrawals, key);
    let [unsettled, pledged, ..] = at(&found.receivables, key);
    let [outstanding, advance_fees, _] = at(&found.advances, key);
    let [commissions, ..] = at(&found.commissions, key);
    let [rewards_held, rewards_released] = at(&found.rewards, key);
    let [rewards_withdrawn] = at(&found.reward_withdrawals, key);
    let accepted_fees = cents(&found.accepted_fees, key);
    let outside = cents(&found.left_outside, key).saturating_sub(held(Place::Outside));
    let world = sum(&[paid, set_aside]).saturating_sub(sum(&[refunded, lost, withdrawn]));
    let fees = sum(&[payment_fees, withdrawal_fees, advance_fees, accepted_fees]);
    let own = |name, booked, stored| Pair { name, booked, stored, shared: false };
    vec![
        own("refunding", held(Place::Refunding), refunding),
        own("disputed", held(Place::Disputed), disputed),
        own("withdrawing", held(Place::Withdrawing), withdrawing),
        own("suspense", held(Place::Suspense), open),
        own("advanced", less(Place::Advanced), outstanding),
        own("pledged", less(Place::Advanced), pledged),
        Pair {
            shared: true,
            ..own("pending", held(Place::Pending), sum(&[unsettled, commissions]))
        },
        own("outside", outside, world),
        own("feeRevenue", held(Place::FeeRevenue), fees),
        own("referralPending", held(Place::ReferralPending), rewards_held),
        own(
            "referralAvailable",
            held(Place::ReferralAvailable),
            rewards_released.saturating_sub(rewards_withdrawn),
        ),
    ]
}

/// What rows say of each other.
fn rows(found: &Found, key: Key) -> Vec<Pair> {
    let [_, refunding, refunded, set_aside, ..] = at(&found.payments, key);
    let [refunds_waiting, refunds_done] = at(&found.refunds, key);
    let [open, _] = at(&found.unmatched, key);
    let [.., later, later_fees] = at(&found.payments, key);
    let [_, _, taken, pledged, parts, part_fees] = at(&found.receivables, key);
    let [_, _, paid_out] = at(&found.advances, key);
    let [receivable_takes] = at(&found.receivable_takes, key);
    let [slices] = at(&found.slices, key);
    let [_, commissions_held, waiting, released] = at(&found.commissions, key);
    let [commission_takes] = at(&found.commission_takes, key);
    let [links_waiting, links_released] = at(&found.links, key);
    let own = |name, booked, stored| Pair { name, booked, stored, shared: false };
    let shared = |name, booked, stored| Pair { name, booked, stored, shared: true };
    vec![
        own("paymentsRefunding", refunding, refunds_waiting),
        own("paymentsRefunded", refunded, refunds_done),
        own("paymentsUnmatched", set_aside, open),
        own("receivables", later, parts),
        own("receivablesFees", later_fees, part_fees),
        own("receivablesTaken", taken, receivable_takes),
        own("receivablesPledged", pledged, slices),
        own("advancesPaidOut", paid_out, slices),
        shared("commissionsHeld", commissions_held, commission_takes),
        shared("commissionsPending", waiting, links_waiting),
        shared("commissionsEarned", released, links_released),
    ]
}

/// Payments that contradict themselves, or the disputes about them.
fn contradictory(found: &Found, key: Key) -> i64 {
    let [_, _, _, _, _, wrong, disputed, charged_back, ..] = at(&found.payments, key);
    let [_, _, open, lost] = at(&found.disputes, key);
    let differ = |one: i64, other: i64| one.saturating_sub(other).saturating_abs();
    sum(&[wrong, differ(disputed, open), differ(charged_back, lost)])
}

fn at<const N: usize>(sums: &Sums<N>, key: Key) -> [i64; N] {
    sums.get(&key).copied().unwrap_or([0; N])
}

fn cents(amounts: &BTreeMap<Key, Cents>, key: Key) -> i64 {
    amounts.get(&key).copied().map_or(0, Cents::get)
}

/// Adds up; more than fits is no amount that two sides agree on by chance.
fn sum(amounts: &[i64]) -> i64 {
    amounts.iter().fold(0, |sum, amount| sum.saturating_add(*amount))
}
