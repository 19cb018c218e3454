//! Which sums must be equal: each account's balance, and the rows whose money it holds.

use std::collections::{BTreeMap, BTreeSet};

use ledger::cents::Cents;

use crate::books::chart::AccountKind;
use crate::platform::ids::{MerchantId, Mode, Scope};
use crate::reconciliation::sums::{Found, Key};
use crate::store::Sums;

/// Two sums of one merchant in one mode.
#[derive(Debug, Clone, Copy)]
pub struct Comparison {
    pub name: &'static str,
    pub booked: i64,
    pub stored: i64,
    /// Whether rows of other merchants' sales contribute to it.
    shared: bool,
}

/// Both sides of every equality for one merchant in one mode.
pub struct Sides {
    comparisons: Vec<Comparison>,
    contradictory: i64,
}

/// The scope of the comparison while development data is being deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    All,
    /// All but what rows of other merchants contribute to.
    Own,
    Nothing,
}

impl Compared {
    pub fn includes(self, comparison: &Comparison) -> bool {
        match self {
            Self::All => true,
            Self::Own => !comparison.shared,
            Self::Nothing => false,
        }
    }

    pub fn is_whole(self) -> bool {
        self != Self::Nothing
    }
}

impl Comparison {
    pub fn differs(&self) -> bool {
        self.booked != self.stored
    }
}

impl Sides {
    pub fn of(found: &Found, key: Key) -> Self {
        let mut comparisons = accounts(found, key);
        comparisons.extend(rows(found, key));
        comparisons.extend(facts(found, key));
        Self { comparisons, contradictory: contradictory(found, key) }
    }

    pub fn comparisons(&self) -> &[Comparison] {
        &self.comparisons
    }

    pub fn contradictory_payments(&self) -> i64 {
        self.contradictory
    }

    /// What can be compared while merchants reset their development data: that deletes in several
    /// units, and removes rows that other merchants have a part in.
    pub fn compared((owner, book): Key, resets: &BTreeSet<MerchantId>) -> Compared {
        if book != Mode::Development.book() || resets.is_empty() {
            return Compared::All;
        }
        if resets.contains(&MerchantId(owner)) { Compared::Nothing } else { Compared::Own }
    }
}

/// Account balances against rows.
fn accounts(found: &Found, key: Key) -> Vec<Comparison> {
    let held = |account| found.held(key, account);
    let less = |account| held(account).saturating_neg();
    let [paid, _, _, _, payment_fees, ..] = at(&found.payments, key);
    let [refunds_waiting, refunds_done] = at(&found.refunds, key);
    let [returns_waiting, returns_done] = at(&found.returns, key);
    let refunding = refunds_waiting.saturating_add(returns_waiting);
    let refunded = refunds_done.saturating_add(returns_done);
    let [disputed, lost, ..] = at(&found.disputes, key);
    let [open, set_aside] = at(&found.unmatched, key);
    let [unknown_open, unknown, _] = at(&found.unknown, key);
    let open = open.saturating_add(unknown_open);
    let set_aside = set_aside.saturating_add(unknown);
    let [withdrawing, withdrawn, withdrawal_fees, sent_back] = at(&found.withdrawals, key);
    let [unsettled, pledged, ..] = at(&found.receivables, key);
    let [outstanding, advance_fees, _] = at(&found.advances, key);
    let [commissions, ..] = at(&found.commissions, key);
    let [rewards_held, rewards_released, ..] = at(&found.rewards, key);
    let [rewards_withdrawn] = at(&found.reward_withdrawals, key);
    let accepted_fees = cents(&found.accepted_fees, key);
    let outside = cents(&found.left_outside, key).saturating_sub(held(AccountKind::Outside));
    let arrived = sum(&[paid, set_aside, sent_back]);
    let world = arrived.saturating_sub(sum(&[refunded, lost, withdrawn]));
    let fees = sum(&[payment_fees, withdrawal_fees, advance_fees, accepted_fees]);
    let own = |name, booked, stored| Comparison { name, booked, stored, shared: false };
    vec![
        own("refunding", held(AccountKind::Refunding), refunding),
        own("disputed", held(AccountKind::Disputed), disputed),
        own("withdrawing", held(AccountKind::Withdrawing), withdrawing),
        own("suspense", held(AccountKind::Suspense), open),
        own("advanced", less(AccountKind::Advanced), outstanding),
        own("pledged", less(AccountKind::Advanced), pledged),
        Comparison {
            shared: true,
            ..own("pending", held(AccountKind::Pending), sum(&[unsettled, commissions]))
        },
        own("outside", outside, world),
        own("feeRevenue", held(AccountKind::FeeRevenue), fees),
        own("referralPending", held(AccountKind::ReferralPending), rewards_held),
        own(
            "referralAvailable",
            held(AccountKind::ReferralAvailable),
            rewards_released.saturating_sub(rewards_withdrawn),
        ),
    ]
}

/// Sums of payments against sums of the rows that follow from them.
fn rows(found: &Found, key: Key) -> Vec<Comparison> {
    let [_, refunding, refunded, set_aside, ..] = at(&found.payments, key);
    let [refunds_waiting, refunds_done] = at(&found.refunds, key);
    let [open, _] = at(&found.unmatched, key);
    let [.., later, later_fees] = at(&found.payments, key);
    let [_, _, taken, pledged, parts, part_fees] = at(&found.receivables, key);
    let [_, advance_fees, paid_out] = at(&found.advances, key);
    let [receivable_takes, _] = at(&found.receivable_takes, key);
    let [collateral, collateral_fees] = at(&found.collateral, key);
    let [_, commissions_held, waiting, released, earned] = at(&found.commissions, key);
    let [commission_takes] = at(&found.commission_takes, key);
    let [links_waiting, links_released] = at(&found.links, key);
    let [_, _, rewards, counted] = at(&found.rewards, key);
    let [referrals, volume] = at(&found.referrals, key);
    let [.., sent_back] = at(&found.withdrawals, key);
    let [returns] = at(&found.withdrawal_returns, key);
    let [by_day, kept] = at(&found.daily_figures, key);
    let [sold, rewarded] = at(&found.facts.rewarded_sales, key);
    let own = |name, booked, stored| Comparison { name, booked, stored, shared: false };
    let shared = |name, booked, stored| Comparison { name, booked, stored, shared: true };
    vec![
        own("paymentsRefunding", refunding, refunds_waiting),
        own("paymentsRefunded", refunded, refunds_done),
        own("paymentsUnmatched", set_aside, open),
        own("receivables", later, parts),
        own("receivablesFees", later_fees, part_fees),
        own("receivablesTaken", taken, receivable_takes),
        own("receivablesPledged", pledged, collateral),
        own("advancesPaidOut", paid_out, collateral),
        own("advancesFees", advance_fees, collateral_fees),
        shared("commissionsHeld", commissions_held, commission_takes),
        shared("commissionsPending", waiting, links_waiting),
        shared("commissionsEarned", released, links_released),
        shared("commissionsWorth", earned, waiting.saturating_add(released)),
        own("withdrawalsReturned", sent_back, returns),
        own("referralsEarned", rewards, referrals),
        own("referralsVolume", counted, volume),
        shared("rewardedSales", sold, rewarded),
        own("dailyFigures", by_day, kept),
    ]
}

/// Transfers against the rows that they are about, including rows without an effect in the end.
fn facts(found: &Found, key: Key) -> Vec<Comparison> {
    let facts = &found.facts;
    let whole = keeps_all(key);
    // Where nothing is ever deleted, every transfer has its row.
    let ever = |kind, booked| if whole { found.ever_booked(key, kind) } else { booked };
    let [refunds, refunds_stored, refunds_took] = at(&facts.refunds, key);
    let [disputes, disputes_stored, disputes_took] = at(&facts.disputes, key);
    let [withdrawals, withdrawals_stored] = at(&facts.withdrawals, key);
    let [returns, returns_stored] = at(&facts.returns, key);
    let [rewards, rewards_stored] = at(&facts.rewards, key);
    let [_, _, unknown] = at(&found.unknown, key);
    let [settled, settled_stored] = at(&facts.settled, key);
    let [_, takes] = at(&found.receivable_takes, key);
    let [captured, known] = at(&facts.captured, key);
    let [released, released_stored, repaid, repaid_stored] = at(&facts.released, key);
    let [held, held_stored, held_of_released] = at(&facts.held, key);
    let [for_refunds] = at(&facts.given_for_refunds, key);
    let [for_disputes] = at(&facts.given_for_disputes, key);
    let [clawbacks, attributed, earned] = at(&facts.commissions, key);
    let arrived = if is_house(key) { found.ever_booked(key, "payment_unmatched") } else { 0 };
    let own = |name, booked, stored| Comparison { name, booked, stored, shared: false };
    let shared = |name, booked, stored| Comparison { name, booked, stored, shared: true };
    vec![
        own("refundsRequested", ever("refund_requested", refunds), refunds_stored),
        own("disputesOpened", ever("dispute_opened", disputes), disputes_stored),
        own("withdrawalsRequested", ever("withdrawal_requested", withdrawals), withdrawals_stored),
        own("returnsRequested", ever("return_requested", returns), returns_stored),
        own("rewardsEarned", ever("referral_earned", rewards), rewards_stored),
        own("unknownPayments", arrived, unknown),
        own("receivablesSettled", settled, settled_stored),
        own("receivablesTakes", refunds_took.saturating_add(disputes_took), takes),
        shared("commissionsAttributed", attributed, earned),
        shared("commissionsCaptured", captured, known),
        shared("commissionsReleased", released, released_stored),
        shared("commissionsRepaid", repaid, repaid_stored),
        shared("commissionsTakes", held, held_stored),
        shared(
            "commissionsClawedBack",
            for_refunds.saturating_add(for_disputes),
            held_of_released.saturating_add(clawbacks),
        ),
    ]
}

/// Whether no row about money is ever deleted; only a development reset deletes rows.
fn keeps_all(key: Key) -> bool {
    key.1 != Mode::Development.book() || is_house(key)
}

fn is_house(key: Key) -> bool {
    key.0 == Scope::platform(Mode::Development).merchant.0
}

/// Payments that contradict themselves, or their disputes.
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

/// Sums; an overflow saturates, and two sides do not agree on that by chance.
fn sum(amounts: &[i64]) -> i64 {
    amounts.iter().fold(0, |sum, amount| sum.saturating_add(*amount))
}
