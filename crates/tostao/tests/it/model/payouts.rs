//! What should become of withdrawals, by what their banks do.

use crate::model::ideal::{AVAILABLE, FEES, Ideal, MINUTE, OUTSIDE, SECOND, WITHDRAWING, Work};

/// An order that its bank has never known is believed lost after so long.
const LOST_AFTER: i64 = 24 * 60 * MINUTE;
const ASKED_AFTER_MAX: i64 = 900;
pub const FEE: i64 = 80;

/// What the bank does with an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bank {
    Pays,
    PaysSlowly,
    RefusesInItsAnswer,
    RefusesLater,
    PaysAndFallsSilent,
    NeverHearsOfIt,
}

/// The keys by which the sandbox bank is told what to do.
pub const KEYS: [(&str, Bank); 9] = [
    ("ana@example.com", Bank::Pays),
    ("twice@example.com", Bank::Pays),
    ("slow@example.com", Bank::PaysSlowly),
    ("key-not-found@example.com", Bank::RefusesInItsAnswer),
    ("limit-exceeded@example.com", Bank::RefusesInItsAnswer),
    ("account-closed@example.com", Bank::RefusesLater),
    ("account-blocked@example.com", Bank::RefusesLater),
    ("silent@example.com", Bank::PaysAndFallsSilent),
    ("lost@example.com", Bank::NeverHearsOfIt),
];

/// A withdrawal.
#[derive(Debug, Clone)]
pub struct Payout {
    pub id: String,
    pub amount: i64,
    pub bank: Bank,
    pub status: &'static str,
    /// Whether somebody decided; the merchant's own cancelling may be repeated.
    pub claimed: bool,
    pub cancelled: bool,
    /// When the bank is spoken to next, and how often it was.
    next: Option<i64>,
    attempts: u32,
    sent_at: i64,
}

impl Payout {
    pub fn new(id: String, amount: i64, bank: Bank) -> Self {
        let (claimed, cancelled, next, attempts, sent_at) = (false, false, None, 0, 0);
        let status = "PENDING";
        Self { id, amount, bank, status, claimed, cancelled, next, attempts, sent_at }
    }
}

impl Ideal {
    /// Holds the money.
    pub fn withdraw(&mut self, payout: Payout) {
        self.transfer(AVAILABLE, WITHDRAWING, payout.amount);
        self.told.push("balance.updated");
        self.payouts.push(payout);
    }

    /// Lets the order go out.
    pub fn approve(&mut self, index: usize) {
        let now = self.now;
        let payout = &mut self.payouts[index];
        (payout.claimed, payout.next) = (true, Some(now));
    }

    /// It ended, once.
    pub fn end_payout(&mut self, index: usize, paid: bool) {
        let payout = &mut self.payouts[index];
        if payout.status != "PENDING" {
            return;
        }
        (payout.claimed, payout.next) = (true, None);
        payout.status = if paid { "COMPLETED" } else { "FAILED" };
        let amount = payout.amount;
        if paid {
            self.transfer(WITHDRAWING, OUTSIDE, amount - FEE);
            self.transfer(WITHDRAWING, FEES, FEE);
            self.told.push("withdrawal.completed");
        } else {
            self.transfer(WITHDRAWING, AVAILABLE, amount);
            self.told.push("withdrawal.failed");
        }
        self.told.push("balance.updated");
    }

    /// Speaks to the banks whose turn it is; answers whether there were any.
    pub fn send_payouts(&mut self) -> bool {
        let is_due = |payout: &Payout| payout.next.is_some_and(|at| at <= self.now);
        let due: Vec<usize> =
            (0..self.payouts.len()).filter(|index| is_due(&self.payouts[*index])).collect();
        for index in &due {
            self.speak(*index);
        }
        !due.is_empty()
    }

    fn speak(&mut self, index: usize) {
        let now = self.now;
        let payout = &mut self.payouts[index];
        payout.attempts += 1;
        let wait = (1_i64 << (payout.attempts.min(20) - 1)).min(ASKED_AFTER_MAX);
        payout.next = Some(now + wait * SECOND);
        let first = payout.attempts == 1;
        if first {
            payout.sent_at = now;
        }
        let lost = now - payout.sent_at >= LOST_AFTER;
        match (payout.bank, first) {
            (Bank::Pays, true) => self.push(now, Work::PayoutEnds { payout: index, paid: true }),
            (Bank::PaysSlowly, true) => {
                self.push(now + MINUTE, Work::PayoutEnds { payout: index, paid: true });
            }
            (Bank::RefusesLater, true) => {
                self.push(now, Work::PayoutEnds { payout: index, paid: false });
            }
            (Bank::RefusesInItsAnswer, true) => self.end_payout(index, false),
            (Bank::PaysAndFallsSilent, false) => self.end_payout(index, true),
            (Bank::NeverHearsOfIt, false) if lost => self.end_payout(index, false),
            _ => {}
        }
    }
}
