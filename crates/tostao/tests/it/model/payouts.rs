//! What should become of orders to banks that pay out: withdrawals, and refunds to a PIX key.

use crate::model::reference::{
    AVAILABLE, FEES, MINUTE, OUTSIDE, ReferenceModel, SECOND, WITHDRAWING, Work,
};

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

/// The keys that set the sandbox bank's behavior.
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

/// When a bank or an acquirer is spoken to about an order next, and how often it was.
#[derive(Debug, Clone, Default)]
pub struct Order {
    next: Option<i64>,
    attempts: u32,
    sent_at: i64,
}

/// What an order is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OrderOf {
    Payout(usize),
    Refund(usize),
}

/// What a bank that pays out replies when it is polled.
pub enum ProviderReply {
    Ends { paid: bool },
    CallsAfter { wait: i64, paid: bool },
    Nothing,
}

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
    order: Order,
}

impl Order {
    /// Lets it leave.
    pub fn leave(&mut self, now: i64) {
        self.next = Some(now);
    }

    pub fn end(&mut self) {
        self.next = None;
    }

    pub fn is_due(&self, now: i64) -> bool {
        self.next.is_some_and(|at| at <= now)
    }

    /// Counts that it is spoken of now; true if that is when it leaves.
    pub fn speak(&mut self, now: i64) -> bool {
        self.attempts += 1;
        let wait = (1_i64 << (self.attempts.min(20) - 1)).min(ASKED_AFTER_MAX);
        self.next = Some(now + wait * SECOND);
        let first = self.attempts == 1;
        if first {
            self.sent_at = now;
        }
        first
    }

    /// Has a bank that pays out spoken to.
    pub fn poll(&mut self, bank: Bank, now: i64) -> ProviderReply {
        let first = self.speak(now);
        let lost = now - self.sent_at >= LOST_AFTER;
        match (bank, first) {
            (Bank::Pays, true) => ProviderReply::CallsAfter { wait: 0, paid: true },
            (Bank::PaysSlowly, true) => ProviderReply::CallsAfter { wait: MINUTE, paid: true },
            (Bank::RefusesLater, true) => ProviderReply::CallsAfter { wait: 0, paid: false },
            (Bank::RefusesInItsAnswer, true) => ProviderReply::Ends { paid: false },
            (Bank::PaysAndFallsSilent, false) => ProviderReply::Ends { paid: true },
            (Bank::NeverHearsOfIt, false) if lost => ProviderReply::Ends { paid: false },
            _ => ProviderReply::Nothing,
        }
    }
}

impl Payout {
    pub fn new(id: String, amount: i64, bank: Bank) -> Self {
        let (claimed, cancelled, order) = (false, false, Order::default());
        Self { id, amount, bank, status: "PENDING", claimed, cancelled, order }
    }
}

impl ReferenceModel {
    /// Holds the money.
    pub fn withdraw(&mut self, payout: Payout) {
        self.transfer(AVAILABLE, WITHDRAWING, payout.amount);
        self.emitted.push("balance.updated");
        self.payouts.push(payout);
    }

    /// Lets the order go out.
    pub fn approve(&mut self, index: usize) {
        let payout = &mut self.payouts[index];
        payout.claimed = true;
        payout.order.leave(self.now);
    }

    /// It ended, once.
    pub fn end_payout(&mut self, index: usize, paid: bool) {
        let payout = &mut self.payouts[index];
        if payout.status != "PENDING" {
            return;
        }
        payout.claimed = true;
        payout.order.end();
        payout.status = if paid { "COMPLETED" } else { "FAILED" };
        let amount = payout.amount;
        if paid {
            self.transfer(WITHDRAWING, OUTSIDE, amount - FEE);
            self.transfer(WITHDRAWING, FEES, FEE);
            self.emitted.push("withdrawal.completed");
        } else {
            self.transfer(WITHDRAWING, AVAILABLE, amount);
            self.emitted.push("withdrawal.failed");
        }
        self.emitted.push("balance.updated");
    }

    /// Speaks to everybody whose turn it is; answers whether there was anybody.
    pub fn send_orders(&mut self) -> bool {
        let now = self.now;
        let payouts = (0..self.payouts.len()).filter(|at| self.payouts[*at].order.is_due(now));
        let refunds = (0..self.refunds.len()).filter(|at| self.refunds[*at].order.is_due(now));
        let due: Vec<OrderOf> =
            payouts.map(OrderOf::Payout).chain(refunds.map(OrderOf::Refund)).collect();
        for of in &due {
            match *of {
                OrderOf::Payout(index) => {
                    let bank = self.payouts[index].bank;
                    let reply = self.payouts[index].order.poll(bank, now);
                    self.apply_reply(*of, &reply);
                }
                OrderOf::Refund(index) => self.speak_of_refund(index),
            }
        }
        !due.is_empty()
    }

    /// Applies what a bank that pays out replied.
    pub fn apply_reply(&mut self, of: OrderOf, reply: &ProviderReply) {
        match *reply {
            ProviderReply::Ends { paid } => self.end_order(of, paid),
            ProviderReply::CallsAfter { wait, paid } => {
                self.push(self.now + wait, Work::OrderEnds { of, paid });
            }
            ProviderReply::Nothing => {}
        }
    }

    pub fn end_order(&mut self, of: OrderOf, paid: bool) {
        match of {
            OrderOf::Payout(index) => self.end_payout(index, paid),
            OrderOf::Refund(index) => self.end_refund(index, paid),
        }
    }
}
