//! What should become of money that goes back: by refunds, and by disputes.

use sandbox::fault_injection::Outage;
use sandbox::refunds::Outcome;

use crate::model::affiliates::Take;
use crate::model::payouts::{Bank, Order, OrderOf};
use crate::model::reference::{
    AVAILABLE, DAY, DISPUTED, Fate, MINUTE, Method, OUTSIDE, PENDING, REFUNDING, ReferenceModel,
    Sale, UNDECIDED,
};

/// A late refund takes so long, by the server's clock.
const LATE: i64 = MINUTE;

/// A part of a sale that is paid later.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// What of it is left to the merchant.
    pub net: i64,
    /// What of that is an advance's.
    pub pledged: i64,
    pub settled: bool,
    pub due_at: i64,
    /// Its place among what falls due at the same instant.
    pub order: u64,
}

/// What a sale's money is doing on its way back.
#[derive(Debug, Clone)]
pub struct Back {
    pub refunding: i64,
    pub refunded: i64,
    /// What was lost in a dispute.
    lost: i64,
    /// How the next refund goes, if it was configured to differ.
    pub armed: Option<Outcome>,
    pub usual: Outcome,
    /// What is contested.
    contested: Held,
}

/// An amount that is held, and what of it comes from which parts.
#[derive(Debug, Clone, Default)]
struct Held {
    amount: i64,
    parts: Vec<(usize, i64)>,
    /// What of it the affiliate gives.
    share: Option<Take>,
}

/// How money goes back.
#[derive(Debug, Clone, Copy)]
pub enum RefundMethod {
    /// As it came; the first order may go wrong.
    SameRail(Option<Outage>),
    Payout(Bank),
}

/// Money on its way back.
#[derive(Debug, Clone)]
pub struct Refund {
    pub status: &'static str,
    pub order: Order,
    sale: usize,
    method: RefundMethod,
    restock: bool,
    held: Held,
    /// What its provider makes of it, once that has the order.
    known: Option<Known>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    DoneAt(i64),
    Refused,
}

impl Back {
    /// Nothing goes back yet.
    pub fn none(usual: Outcome) -> Self {
        let contested = Held::default();
        Self { refunding: 0, refunded: 0, lost: 0, armed: None, usual, contested }
    }

    /// What is the buyer's again.
    pub fn returned(&self) -> i64 {
        self.refunded + self.lost
    }
}

impl Refund {
    pub fn amount(&self) -> i64 {
        self.held.amount
    }
}

impl Sale {
    /// What of its payment is neither given back nor on its way.
    pub fn left(&self) -> i64 {
        self.amount - self.back.refunding - self.back.refunded
    }
}

impl ReferenceModel {
    /// Why a refund is refused, if it is.
    pub fn refusal(&self, index: usize, amount: i64) -> Option<(u16, &'static str)> {
        let sale = &self.sales[index];
        let window = if sale.method == Method::Card { 180 * DAY } else { 90 * DAY };
        let is_free = sale.method == Method::Free;
        if sale.status != "PAID" || is_free || self.now - sale.paid_at > window {
            return Some((409, "INVALID_STATE_TRANSITION"));
        }
        if amount > sale.left() || amount == 0 {
            return Some((400, "AMOUNT_EXCEEDS_REFUNDABLE"));
        }
        let share = self.share_of(index, sale.left() - amount);
        let own = amount - share.map_or(0, |take| take.given());
        (!self.can_give(index, own)).then_some((400, "INSUFFICIENT_BALANCE"))
    }

    /// Holds money and asks for it to go back; what the merchant was not asked about may leave a
    /// debt.
    pub fn refund(&mut self, sale: usize, amount: i64, method: RefundMethod, restock: bool) {
        let share = self.share_of(sale, self.sales[sale].left() - amount);
        let own = amount - share.map_or(0, |take| take.given());
        let available = self.holds(AVAILABLE).max(0).min(own);
        let (parts, broken) = self.take_parts(sale, own - available);
        let held = Held { amount, parts, share };
        self.hold(REFUNDING, &held);
        self.cover(broken);
        self.sales[sale].back.refunding += amount;
        self.emitted.push("balance.updated");
        let mut order = Order::default();
        order.leave(self.now);
        self.refunds.push(Refund {
            status: "PENDING",
            order,
            sale,
            method,
            restock,
            held,
            known: None,
        });
    }

    /// The bank is configured to refuse what is in progress, or else what comes next.
    pub fn refuse_refunds(&mut self, sale: usize) {
        let now = self.server_now;
        let of_sale = |refund: &&mut Refund| refund.sale == sale;
        let late =
            |refund: &&mut Refund| matches!(refund.known, Some(Known::DoneAt(at)) if at > now);
        let under_way: Vec<_> = self.refunds.iter_mut().filter(of_sale).filter(late).collect();
        if under_way.is_empty() {
            self.sales[sale].back.armed = Some(Outcome::Refused);
        }
        for refund in under_way {
            refund.known = Some(Known::Refused);
        }
    }

    /// Speaks to a refund's provider: gives it the order, or asks how that stands.
    pub fn speak_of_refund(&mut self, index: usize) {
        let (now, refund) = (self.now, &mut self.refunds[index]);
        let outage = match refund.method {
            RefundMethod::Payout(bank) => {
                let reply = refund.order.poll(bank, now);
                return self.apply_reply(OrderOf::Refund(index), &reply);
            }
            RefundMethod::SameRail(outage) => outage,
        };
        let first = refund.order.speak(now);
        match outage {
            Some(Outage::Refuses) if first => return self.end_refund(index, false),
            Some(Outage::NeverArrives) if first => return,
            Some(Outage::LosesTheAnswer) if first => return self.arrive(index),
            _ if !first && self.is_shut => return,
            _ => self.arrive(index),
        }
        match self.refunds[index].known {
            Some(Known::Refused) => self.end_refund(index, false),
            Some(Known::DoneAt(at)) if at <= self.server_now => self.end_refund(index, true),
            _ => {}
        }
    }

    /// It ended, once.
    pub fn end_refund(&mut self, index: usize, done: bool) {
        if self.refunds[index].status != "PENDING" {
            return;
        }
        let refund = &mut self.refunds[index];
        refund.order.end();
        refund.status = if done { "COMPLETED" } else { "FAILED" };
        let (sale, held) = (refund.sale, refund.held.clone());
        self.sales[sale].back.refunding -= held.amount;
        self.emitted.push("balance.updated");
        if !done {
            self.give_back(REFUNDING, sale, &held);
            self.emitted.push("transaction.updated");
            return;
        }
        self.transfer(REFUNDING, OUTSIDE, held.amount);
        if let Some(take) = held.share {
            self.lose_share(take);
        }
        self.emitted.push("transaction.refunded");
        let refunded = &mut self.sales[sale];
        refunded.back.refunded += held.amount;
        if refunded.status == "PAID" && refunded.back.refunded == refunded.amount {
            refunded.status = "REFUNDED";
            self.take_back(sale);
        }
    }

    /// A buyer contests what is left.
    pub fn contest(&mut self, index: usize) {
        let amount = self.sales[index].left();
        let share = self.share_of(index, 0);
        let own = amount - share.map_or(0, |take| take.given());
        self.sales[index].status = "DISPUTED";
        let (parts, broken) = self.take_parts(index, own);
        let held = Held { amount, parts, share };
        let before = self.holds(AVAILABLE);
        self.hold(DISPUTED, &held);
        self.forced += before - self.holds(AVAILABLE);
        self.cover(broken);
        self.sales[index].back.contested = held;
        self.disputes.push((index, "OPEN"));
        self.emitted.extend(["transaction.disputed", "balance.updated"]);
    }

    /// Somebody decides whose the contested money is.
    pub fn decide_dispute(&mut self, index: usize, merchants: bool) {
        let held = std::mem::take(&mut self.sales[index].back.contested);
        let (status, decision, reported) = if merchants {
            self.give_back(DISPUTED, index, &held);
            ("PAID", "WON", "transaction.dispute_won")
        } else {
            self.transfer(DISPUTED, OUTSIDE, held.amount);
            if let Some(take) = held.share {
                self.lose_share(take);
            }
            self.sales[index].back.lost += held.amount;
            ("CHARGED_BACK", "LOST", "transaction.charged_back")
        };
        self.sales[index].status = status;
        let open = self.disputes.iter_mut().find(|dispute| **dispute == (index, "OPEN"));
        open.expect("is contested").1 = decision;
        self.emitted.extend([reported, "balance.updated"]);
    }

    /// What a sale had taken comes back: its coupon's use and, if a refund said so, its goods.
    fn take_back(&mut self, index: usize) {
        let sale = &self.sales[index];
        let restocks = |refund: &Refund| {
            refund.sale == index && refund.status == "COMPLETED" && refund.restock
        };
        let restock = !sale.oversold && self.refunds.iter().any(restocks);
        if let Some((good, count)) = sale.good.filter(|_| restock) {
            let quantity = self.goods[good].quantity.as_mut();
            *quantity.expect("all of them are counted") += count;
        }
        if let Some(coupon) = sale.coupon {
            self.coupons[coupon].taken -= 1;
            self.coupons[coupon].paid -= 1;
        }
    }

    /// The provider takes the order in, once.
    fn arrive(&mut self, index: usize) {
        if self.refunds[index].known.is_some() {
            return;
        }
        let now = self.server_now;
        let sale = &mut self.sales[self.refunds[index].sale];
        let reported = sale.back.armed.take();
        let outcome = if has_charge(sale, now) {
            reported.unwrap_or(sale.back.usual)
        } else {
            Outcome::Refused
        };
        self.refunds[index].known = Some(match outcome {
            Outcome::AtOnce => Known::DoneAt(now),
            Outcome::Late => Known::DoneAt(now + LATE),
            Outcome::Refused => Known::Refused,
        });
    }

    /// Takes from the parts that are not settled, the last one first, and what is pledged only when
    /// nothing else is left; answers from which, and what of it was pledged.
    fn take_parts(&mut self, sale: usize, mut wanted: i64) -> (Vec<(usize, i64)>, i64) {
        let (mut taken, mut broken) = (Vec::new(), 0);
        for (index, part) in self.sales[sale].parts.iter_mut().enumerate().rev() {
            let some = if part.settled { 0 } else { (part.net - part.pledged).min(wanted) };
            part.net -= some;
            wanted -= some;
            taken.push((index, some));
        }
        for (index, part) in self.sales[sale].parts.iter_mut().enumerate().rev() {
            let some = if part.settled { 0 } else { part.pledged.min(wanted) };
            part.net -= some;
            part.pledged -= some;
            wanted -= some;
            broken += some;
            taken.push((index, some));
        }
        (taken, broken)
    }

    fn hold(&mut self, place: i64, held: &Held) {
        let pending: i64 = held.parts.iter().map(|(_, cents)| cents).sum();
        let given = held.share.map_or(0, |take| take.given());
        self.transfer(PENDING, place, pending);
        self.transfer(AVAILABLE, place, held.amount - given - pending);
        if let Some(take) = held.share {
            self.hold_share(place, take);
        }
    }

    /// To the parts it was taken from, or to what is available where they have settled meanwhile.
    fn give_back(&mut self, place: i64, sale: usize, held: &Held) {
        let mut pending = 0;
        for (index, cents) in &held.parts {
            let part = &mut self.sales[sale].parts[*index];
            if !part.settled {
                part.net += cents;
                pending += cents;
            }
        }
        let given = held.share.map_or(0, |take| take.given());
        self.transfer(place, PENDING, pending);
        self.transfer(place, AVAILABLE, held.amount - given - pending);
        if let Some(take) = held.share {
            self.return_share(place, take);
        }
    }
}

/// Whether the provider knows of the charge that a refund names.
fn has_charge(sale: &Sale, now: i64) -> bool {
    match sale.fate {
        None | Some(Fate::Approved) => true,
        Some(Fate::ApprovedLate) => now >= sale.created_by_server_at + UNDECIDED,
        Some(Fate::Declined | Fate::NeverArrived) => false,
    }
}
