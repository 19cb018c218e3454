//! What should be: a gateway of one merchant in memory, without a database or a network.
//!
//! It knows the rules of money, stock, coupons and time, and nothing of how the product keeps them.
//! Calendar days are taken from the product, which has tests of its own for them.

use std::collections::{BTreeMap, VecDeque};

use db::time::Timestamp;
use tostao::receivables::{after_boleto, after_card};

use crate::model::advances::Advances;
use crate::model::affiliates::{Clawback, Commission};
use crate::model::payouts::{OrderOf, Payout};
use crate::model::refunds::{Back, Part, Refund, RefundMethod};

pub const SECOND: i64 = 1_000_000;
pub const MINUTE: i64 = 60 * SECOND;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;
/// An acquirer that never heard of a charge is believed after so long,
const ARRIVES_WITHIN: i64 = 10 * MINUTE;
/// and one that is undecided has decided after so long, by the server's clock.
pub const UNDECIDED: i64 = 30 * SECOND;

/// The places of money, by their codes in the chart.
pub const OUTSIDE: i64 = 1000;
pub const ADVANCED: i64 = 1100;
pub const AVAILABLE: i64 = 2000;
pub const PENDING: i64 = 2100;
pub const REFUNDING: i64 = 2200;
pub const WITHDRAWING: i64 = 2300;
pub const DISPUTED: i64 = 2400;
pub const SUSPENSE: i64 = 2900;
pub const FEES: i64 = 4000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Pix,
    Boleto,
    Card,
    Free,
}

/// What an acquirer will say of a charge that it did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Approved,
    Declined,
    ApprovedLate,
    NeverArrived,
}

/// A sale; its status is the contract's word.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Sale {
    /// None where the product has not returned it.
    pub id: Option<String>,
    pub method: Method,
    pub amount: i64,
    pub installments: i64,
    pub good: Option<(usize, i64)>,
    pub coupon: Option<usize>,
    /// Whether an affiliate sent the buyer, what that brings, and what the affiliate got of it.
    pub sent: bool,
    pub commission: Option<usize>,
    pub got: i64,
    pub fate: Option<Fate>,
    pub expires_at: Option<i64>,
    pub status: &'static str,
    pub late: bool,
    pub oversold: bool,
    pub released: bool,
    pub created_by_server_at: i64,
    pub paid_at: i64,
    /// What settles later, and what goes back.
    pub parts: Vec<Part>,
    pub back: Back,
    /// What is set aside.
    pub aside: VecDeque<i64>,
}

/// A link or a product with stock.
#[derive(Debug, Clone)]
pub struct Good {
    pub name: &'static str,
    pub is_link: bool,
    pub quantity: Option<i64>,
    pub reserved: i64,
    pub uses: i64,
    pub sold: i64,
}

#[derive(Debug, Clone)]
pub struct Coupon {
    pub code: &'static str,
    pub limit: Option<i64>,
    pub taken: i64,
    pub paid: i64,
}

/// Work that waits for its time; the steps of orders to banks are in `payouts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    Expire(usize),
    BankCalls { sale: usize, amount: i64 },
    Resolve(usize),
    Settle { sale: usize, part: usize },
    Release(usize),
    OrderEnds { of: OrderOf, paid: bool },
}

pub struct ReferenceModel {
    /// The developer's clock, and the server's.
    pub now: i64,
    pub server_now: i64,
    pub held: BTreeMap<i64, i64>,
    pub sales: Vec<Sale>,
    pub payouts: Vec<Payout>,
    pub refunds: Vec<Refund>,
    pub commissions: Vec<Commission>,
    pub clawbacks: Vec<Clawback>,
    /// What the affiliate took out, and how often.
    pub taken_out: i64,
    pub their_payouts: usize,
    pub advances: Advances,
    /// How often an affiliate could not give a share back, and a sale could not pay one.
    pub clawed_short: usize,
    pub served_debts: usize,
    /// What the seller owed when it was last judged, and what was forced from them since.
    pub debt: i64,
    pub forced: i64,
    /// Each by its sale, and how it stands.
    pub disputes: Vec<(usize, &'static str)>,
    /// Whether banks and acquirers cannot be asked what became of their orders.
    pub is_shut: bool,
    pub goods: Vec<Good>,
    pub coupons: Vec<Coupon>,
    /// The names of events since they were last compared.
    pub emitted: Vec<&'static str>,
    work: BTreeMap<(i64, u64), Work>,
    pushed: u64,
}

impl ReferenceModel {
    pub fn new(now: i64, goods: Vec<Good>, coupons: Vec<Coupon>) -> Self {
        Self {
            now,
            server_now: now,
            held: BTreeMap::new(),
            sales: Vec::new(),
            payouts: Vec::new(),
            refunds: Vec::new(),
            commissions: Vec::new(),
            clawbacks: Vec::new(),
            taken_out: 0,
            their_payouts: 0,
            advances: Advances::default(),
            clawed_short: 0,
            served_debts: 0,
            debt: 0,
            forced: 0,
            disputes: Vec::new(),
            is_shut: false,
            goods,
            coupons,
            emitted: Vec::new(),
            work: BTreeMap::new(),
            pushed: 0,
        }
    }

    /// Whether stock and coupon are left for one more sale.
    pub fn has_room(&self, good: Option<(usize, i64)>, coupon: Option<usize>) -> bool {
        let left = |(good, count): (usize, i64)| self.goods[good].left() >= count;
        let usable = |coupon: &Coupon| coupon.limit.is_none_or(|limit| coupon.taken < limit);
        good.is_none_or(left) && coupon.is_none_or(|coupon| usable(&self.coupons[coupon]))
    }

    /// Issues a sale; a card without a fate was approved at once.
    pub fn create(&mut self, sale: Sale) -> usize {
        let index = self.sales.len();
        if let Some((good, count)) = sale.good {
            self.goods[good].reserved += count;
            self.goods[good].uses += 1;
        }
        if let Some(coupon) = sale.coupon {
            self.coupons[coupon].taken += 1;
        }
        if let Some(at) = sale.expires_at {
            self.push(at, Work::Expire(index));
        }
        let (method, fate) = (sale.method, sale.fate);
        self.sales.push(sale);
        match (method, fate) {
            (Method::Card, Some(_)) => self.push(self.now + MINUTE, Work::Resolve(index)),
            (Method::Card, None) => self.confirm(index),
            (Method::Free, _) => {
                self.emitted.push("transaction.created");
                self.confirm(index);
            }
            (Method::Pix | Method::Boleto, _) => self.emitted.push("transaction.created"),
        }
        index
    }

    /// A bank says that money came for a sale.
    pub fn receive(&mut self, index: usize, amount: i64) {
        let sale = &self.sales[index];
        let payable = ["PENDING", "EXPIRED", "CANCELLED"].contains(&sale.status);
        let over = amount - sale.amount;
        if payable && over >= 0 {
            self.confirm(index);
            if over > 0 {
                self.set_aside(index, over);
            }
            return;
        }
        if sale.status == "PENDING" && sale.expires_at.is_some_and(|at| at <= self.now) {
            self.close(index, "EXPIRED");
        }
        self.set_aside(index, amount);
    }

    /// The sale is paid in full.
    pub fn confirm(&mut self, index: usize) {
        let late = !["PENDING", "PROCESSING"].contains(&self.sales[index].status);
        let link = self.sell(index, late);
        let sale = &mut self.sales[index];
        (sale.status, sale.late, sale.paid_at) = ("PAID", late, self.now);
        let sale = sale.clone();
        self.emitted.push("transaction.paid");
        self.emitted.extend(link.then_some("payment_link.paid"));
        if let Some(coupon) = sale.coupon {
            let coupon = &mut self.coupons[coupon];
            coupon.paid += 1;
            coupon.taken += i64::from(sale.released);
            self.emitted.push("coupon.used");
            self.emitted.extend((coupon.limit == Some(coupon.paid)).then_some("coupon.exhausted"));
        }
        self.emitted.extend((sale.amount > 0).then_some("balance.updated"));
        self.capture(index);
        // The payer of a boleto is unknown, so its money waits for the merchant.
        if sale.oversold && sale.method == Method::Pix {
            let before = self.holds(AVAILABLE);
            self.refund(index, sale.amount, RefundMethod::SameRail(None), false);
            self.forced += before - self.holds(AVAILABLE);
        }
    }

    /// Ends a sale that was not paid.
    pub fn close(&mut self, index: usize, status: &'static str) {
        let sale = &mut self.sales[index];
        (sale.status, sale.released) = (status, true);
        if let Some((good, count)) = sale.good {
            self.goods[good].reserved -= count;
        }
        if let Some(coupon) = sale.coupon {
            self.coupons[coupon].taken -= 1;
        }
        self.emitted.push(match status {
            "EXPIRED" => "transaction.expired",
            "CANCELLED" => "transaction.cancelled",
            _ => "transaction.failed",
        });
    }

    /// The merchant takes the oldest money that was set aside beside a sale.
    pub fn accept(&mut self, index: usize) {
        let sale = &mut self.sales[index];
        let amount = sale.aside.pop_front().expect("something is set aside");
        let unpaid = ["PENDING", "EXPIRED", "CANCELLED"].contains(&sale.status);
        let fee = if unpaid { fee(sale.method, amount) } else { 0 };
        self.transfer(SUSPENSE, AVAILABLE, amount);
        self.transfer(AVAILABLE, FEES, fee);
        self.emitted.extend(["transaction.updated", "balance.updated"]);
    }

    /// Lets a bank call later about a payment that is made now.
    pub fn pay_later(&mut self, sale: usize, amount: i64, delay: i64) {
        self.push(self.now + delay, Work::BankCalls { sale, amount });
    }

    /// Does what is due, in the order of its time; orders to banks go first.
    pub fn work(&mut self) {
        loop {
            let sent = self.send_orders();
            let mut worked = false;
            while let Some(entry) = self.work.first_entry().filter(|work| work.key().0 <= self.now)
            {
                let work = entry.remove();
                self.run(work);
                worked = true;
            }
            if !sent && !worked {
                return;
            }
        }
    }

    pub fn push(&mut self, at: i64, work: Work) {
        let order = self.next_order();
        self.push_in_order(at, order, work);
    }

    /// The place of something new among what falls due at the same instant.
    pub fn next_order(&mut self) -> u64 {
        self.pushed += 1;
        self.pushed
    }

    /// The same work is pushed once for an instant.
    pub fn push_in_order(&mut self, at: i64, order: u64, work: Work) {
        self.work.insert((at, order), work);
    }

    /// What is in a place.
    pub fn holds(&self, place: i64) -> i64 {
        self.held.get(&place).copied().unwrap_or_default()
    }

    pub fn transfer(&mut self, from: i64, to: i64, amount: i64) {
        *self.held.entry(from).or_default() -= amount;
        *self.held.entry(to).or_default() += amount;
    }

    fn run(&mut self, work: Work) {
        match work {
            Work::Expire(sale) if self.sales[sale].status == "PENDING" => {
                self.close(sale, "EXPIRED");
            }
            Work::BankCalls { sale, amount } => self.receive(sale, amount),
            Work::Resolve(sale) if self.sales[sale].status == "PROCESSING" => self.resolve(sale),
            Work::Settle { sale, part } => {
                let part = &mut self.sales[sale].parts[part];
                part.settled = true;
                let (net, pledged) = (part.net, part.pledged);
                self.transfer(PENDING, AVAILABLE, net - pledged);
                self.transfer(PENDING, ADVANCED, pledged);
                self.bring_back(pledged);
                self.emitted.extend((net > 0).then_some("balance.updated"));
            }
            Work::Release(commission) => self.release(commission),
            Work::OrderEnds { of, paid } => self.end_order(of, paid),
            Work::Expire(_) | Work::Resolve(_) => {}
        }
    }

    fn resolve(&mut self, index: usize) {
        let sale = &self.sales[index];
        let decided = self.server_now >= sale.created_by_server_at + UNDECIDED;
        let lost = self.server_now >= sale.created_by_server_at + ARRIVES_WITHIN;
        match sale.fate.filter(|_| !self.is_shut) {
            Some(Fate::Approved) => self.confirm(index),
            Some(Fate::ApprovedLate) if decided => self.confirm(index),
            Some(Fate::Declined) => self.close(index, "FAILED"),
            Some(Fate::NeverArrived) if lost => self.close(index, "FAILED"),
            _ => self.push(self.now + MINUTE, Work::Resolve(index)),
        }
    }

    /// Takes what was sold; answers whether it was sold through a link.
    fn sell(&mut self, index: usize, late: bool) -> bool {
        let Some((good, count)) = self.sales[index].good else { return false };
        let good = &mut self.goods[good];
        let has_enough = !late || good.left() >= count;
        good.sold += i64::from(good.is_link);
        if !late {
            good.reserved -= count;
        }
        if let Some(quantity) = good.quantity.as_mut().filter(|_| has_enough) {
            *quantity -= count;
        }
        self.sales[index].oversold = !has_enough;
        self.goods[self.sales[index].good.expect("has one").0].is_link
    }

    /// Books a payment; what settles later becomes work.
    fn capture(&mut self, index: usize) {
        let sale = &self.sales[index];
        let (amount, fee) = (sale.amount, fee(sale.method, sale.amount));
        let now = Timestamp::from_micros(self.now);
        let parts: Vec<(i64, i64)> = match sale.method {
            Method::Pix | Method::Free => Vec::new(),
            Method::Boleto => vec![(after_boleto(now).micros(), amount)],
            Method::Card => {
                let (each, rest) = (amount / sale.installments, amount % sale.installments);
                let part = |number| each + if number == 1 { rest } else { 0 };
                let due = |number| after_card(now, number).micros();
                (1..=sale.installments).map(|number| (due(number), part(number))).collect()
            }
        };
        let place = if parts.is_empty() { AVAILABLE } else { PENDING };
        let commission = self.earn(index, fee, place);
        self.transfer(OUTSIDE, place, amount);
        self.transfer(place, FEES, fee);
        let mut nets: Vec<i64> = parts.iter().map(|(_, part)| *part).collect();
        for given in [fee, commission] {
            divide(&parts, &mut nets, given);
        }
        for (number, ((due_at, _), net)) in parts.into_iter().zip(nets).enumerate() {
            let order = self.next_order();
            let part = Part { net, pledged: 0, settled: false, due_at, order };
            self.sales[index].parts.push(part);
            self.push_in_order(due_at, order, Work::Settle { sale: index, part: number });
        }
    }

    fn set_aside(&mut self, index: usize, amount: i64) {
        self.transfer(OUTSIDE, SUSPENSE, amount);
        self.sales[index].aside.push_back(amount);
        self.emitted.push("transaction.updated");
    }
}

impl Good {
    pub fn left(&self) -> i64 {
        self.quantity.map_or(i64::MAX, |quantity| quantity - self.reserved)
    }
}

/// Takes from each part its share of an amount by the part's size; what is left over is taken from
/// the first that has something.
fn divide(parts: &[(i64, i64)], nets: &mut [i64], amount: i64) {
    let whole: i64 = parts.iter().map(|(_, part)| part).sum();
    let mut left = amount;
    for ((_, part), net) in parts.iter().zip(nets.iter_mut()) {
        let share = (amount * part / whole).min(*net);
        *net -= share;
        left -= share;
    }
    for net in nets {
        let more = left.min(*net);
        *net -= more;
        left -= more;
    }
}

/// What the platform takes, by the settings of the story: a share and a fixed part.
fn fee(method: Method, amount: i64) -> i64 {
    let (share, fixed) = match method {
        Method::Pix => (99, 5),
        Method::Boleto => (0, 199),
        Method::Card => (399, 39),
        Method::Free => (0, 0),
    };
    ((amount * share + 5_000) / 10_000 + fixed).min(amount)
}
