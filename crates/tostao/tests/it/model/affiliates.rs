//! What should become of an affiliate's commissions, and who pays whom for them.
//!
//! The affiliate is a second merchant, who sends buyers of the product and withdraws what they get.

use brazil::calendar::{sao_paulo_date, sao_paulo_start_of_day};
use serde_json::json;

use crate::harness::TestApp;
use crate::model::payouts::FEE;
use crate::model::reference::{
    AVAILABLE, DAY, FEES, Method, OUTSIDE, PENDING, ReferenceModel, Sale, Work,
};
use crate::model::world::World;

/// The affiliate's places of money: those of the chart, offset by this much.
pub const THEIRS: i64 = 10_000;
pub const THEIR_AVAILABLE: i64 = THEIRS + AVAILABLE;
const THEIR_PENDING: i64 = THEIRS + PENDING;
const THEIR_OUTSIDE: i64 = THEIRS + OUTSIDE;
const THEIR_FEES: i64 = THEIRS + FEES;

/// The program's share of a sale, in hundredths of a percent.
pub const SHARE: i64 = 4_000;
/// So many clawbacks are repaid by one commission.
const REPAID_AT_ONCE: usize = 50;

/// What an affiliate has of a sale.
#[derive(Debug, Clone)]
pub struct Commission {
    pub sale: usize,
    /// Its place among all work of the same instant.
    order: u64,
    pub status: &'static str,
    pub earned: i64,
    pub amount: i64,
    returned: i64,
    pub held: i64,
    /// What the sale could not pay because the seller owed.
    pub unfunded: i64,
    pub repaid: i64,
    available_at: i64,
}

/// What was taken back of a commission that was released.
#[derive(Debug, Clone)]
pub struct Clawback {
    sale: usize,
    pub amount: i64,
    /// What of it the affiliate still owes the seller.
    pub owed: i64,
}

/// What a refund or a dispute holds of a commission.
#[derive(Debug, Clone, Copy)]
pub struct Take {
    commission: usize,
    amount: i64,
    /// What of it the affiliate does not have; the seller gives it.
    unpaid: i64,
    released: bool,
}

impl Take {
    /// What the affiliate gives.
    pub fn given(&self) -> i64 {
        self.amount - self.unpaid
    }

    /// Where the affiliate gives it from, and gets it back.
    pub fn place(&self) -> i64 {
        if self.released { THEIR_AVAILABLE } else { THEIR_PENDING }
    }
}

impl ReferenceModel {
    /// What a sale brings its affiliate; answers what leaves the seller's part now, before that is
    /// booked.
    pub fn earn(&mut self, sale: usize, fee: i64, place: i64) -> i64 {
        let Sale { amount, sent, oversold, method, .. } = self.sales[sale];
        let share = amount - fee;
        let earned = (amount * SHARE / 10_000).min(share);
        if !sent || oversold || earned <= 0 {
            return 0;
        }
        let debt = (-self.holds(AVAILABLE)).max(0);
        let funded = earned.min((share - debt).max(0));
        let days = if method == Method::Card { 30 } else { 7 };
        let (index, order) = (self.commissions.len(), self.next_order());
        self.commissions.push(Commission {
            sale,
            order,
            status: "PENDING",
            earned,
            amount: earned,
            returned: 0,
            held: 0,
            unfunded: earned - funded,
            repaid: 0,
            available_at: self.now + days * DAY,
        });
        self.sales[sale].commission = Some(index);
        self.served_debts += usize::from(funded < earned);
        self.push_release(index, self.now + days * DAY);
        self.emitted.push("affiliate.commission_created");
        self.got(sale, funded);
        self.transfer(place, THEIR_PENDING, funded);
        funded
    }

    /// What a refund or a dispute would hold of a sale's commission, if `left` of it stays.
    pub fn share_of(&self, sale: usize, left: i64) -> Option<Take> {
        let index = self.sales[sale].commission?;
        let commission = &self.commissions[index];
        let stays = commission.earned * left / self.sales[sale].amount;
        let amount = commission.earned - stays - commission.returned - commission.held;
        if commission.status == "CANCELLED" || amount <= 0 {
            return None;
        }
        let released = commission.status == "PAID";
        let unpaid = if released {
            amount - amount.min(self.holds(THEIR_AVAILABLE).max(0))
        } else {
            commission.unfunded.min(amount)
        };
        Some(Take { commission: index, amount, unpaid, released })
    }

    /// Holds it.
    pub fn hold_share(&mut self, place: i64, take: Take) {
        let commission = &mut self.commissions[take.commission];
        commission.held += take.amount;
        if !take.released {
            commission.unfunded -= take.unpaid;
        }
        let sale = commission.sale;
        self.got(sale, -take.given());
        self.transfer(take.place(), place, take.given());
    }

    /// Gives back what was held.
    pub fn return_share(&mut self, place: i64, take: Take) {
        let commission = &mut self.commissions[take.commission];
        commission.held -= take.amount;
        if !take.released {
            commission.unfunded += take.unpaid;
        }
        let (sale, at) = (commission.sale, commission.available_at);
        self.got(sale, take.given());
        self.transfer(place, take.place(), take.given());
        if self.commissions[take.commission].status == "PENDING" {
            self.push_release(take.commission, at.max(self.now));
        }
    }

    /// What was held is the buyer's.
    pub fn lose_share(&mut self, take: Take) {
        let now = self.now;
        let commission = &mut self.commissions[take.commission];
        commission.held -= take.amount;
        commission.returned += take.amount;
        if take.released {
            let (sale, amount, owed) = (commission.sale, -take.amount, take.unpaid);
            self.clawbacks.push(Clawback { sale, amount, owed });
            self.clawed_short += usize::from(owed > 0);
            return;
        }
        if commission.amount == take.amount {
            commission.status = "CANCELLED";
            return;
        }
        commission.amount -= take.amount;
        let at = commission.available_at.max(now);
        self.push_release(take.commission, at);
    }

    /// Gives a commission to its affiliate, unless something is held of it or the seller owes.
    pub fn release(&mut self, index: usize) {
        let Commission { status, held, unfunded, amount, sale, available_at, .. } =
            self.commissions[index];
        if status != "PENDING" || held > 0 || available_at > self.now {
            return;
        }
        if self.holds(AVAILABLE) < unfunded {
            let today = sao_paulo_date(self.now);
            let tomorrow = sao_paulo_start_of_day(today.tomorrow().expect("is a day"));
            return self.push_release(index, tomorrow);
        }
        self.transfer(AVAILABLE, THEIR_PENDING, unfunded);
        self.got(sale, unfunded);
        let mut repaid = 0;
        let all = 0..self.clawbacks.len();
        let owing: Vec<_> = all.filter(|at| self.clawbacks[*at].owed > 0).collect();
        for at in owing.into_iter().take(REPAID_AT_ONCE) {
            let clawback = &mut self.clawbacks[at];
            let part = clawback.owed.min(amount - repaid);
            clawback.owed -= part;
            repaid += part;
            let of = clawback.sale;
            self.got(of, -part);
        }
        self.transfer(THEIR_PENDING, AVAILABLE, repaid);
        self.transfer(THEIR_PENDING, THEIR_AVAILABLE, amount - repaid);
        let commission = &mut self.commissions[index];
        (commission.status, commission.unfunded, commission.repaid) = ("PAID", 0, repaid);
        self.emitted.push("affiliate.commission_paid");
        self.emitted.extend((repaid + unfunded > 0).then_some("balance.updated"));
    }

    /// The newest paid sale whose commission the affiliate could withdraw.
    pub fn last_released(&self) -> Option<usize> {
        let released = self.commissions.iter().rev().filter(|one| one.status == "PAID");
        released.map(|one| one.sale).find(|sale| self.sales[*sale].status == "PAID")
    }

    /// What of this story never happened in a life.
    pub fn missed(&self) -> Vec<&'static str> {
        let happened = [
            ("a commission is released", self.emitted_with("PAID") > 0),
            ("a commission is cancelled", self.emitted_with("CANCELLED") > 0),
            ("an affiliate takes money out", self.their_payouts > 0),
            ("a clawback is made", !self.clawbacks.is_empty()),
            ("a clawback is owed to the seller", self.clawed_short > 0),
            ("a clawback is repaid", self.commissions.iter().any(|one| one.repaid > 0)),
            ("a sale serves a debt first", self.served_debts > 0),
            ("an advance is settled", self.advances.settled > 0),
        ];
        happened.into_iter().filter(|(_, did)| !did).map(|(what, _)| what).collect()
    }

    /// What the seller still has to add to commissions; it cannot be withdrawn.
    pub fn reserved(&self) -> i64 {
        self.commissions.iter().map(|commission| commission.unfunded).sum()
    }

    /// The affiliate takes money out, which the bank pays at once.
    fn take_out(&mut self, amount: i64) {
        self.transfer(THEIR_AVAILABLE, THEIR_OUTSIDE, amount - FEE);
        self.transfer(THEIR_AVAILABLE, THEIR_FEES, FEE);
        self.taken_out += amount;
        self.their_payouts += 1;
    }

    /// Judges who paid whom.
    ///
    /// An affiliate is never below zero. Of a sale that went back whole, the affiliate keeps no
    /// more than they owe the seller. All that they got of all sales is in their accounts or was
    /// taken out. The seller's debt, which the platform bears until sales have paid it, grows only
    /// by what disputes and the platform forced.
    pub fn judge(&mut self) {
        assert!(self.holds(THEIR_AVAILABLE) >= 0, "the affiliate never owes the platform");
        let got: i64 = self.sales.iter().map(|sale| sale.got).sum();
        let has = self.holds(THEIR_AVAILABLE) + self.holds(THEIR_PENDING) + self.taken_out;
        assert_eq!(got, has, "what the affiliate got");
        let owed = |index| {
            let of = self.clawbacks.iter().filter(|clawback| clawback.sale == index);
            of.map(|clawback| clawback.owed).sum::<i64>()
        };
        for (index, sale) in self.sales.iter().enumerate().rev().take(60) {
            if sale.amount > 0 && sale.back.returned() == sale.amount {
                assert_eq!(sale.got, owed(index), "what is kept of a sale that went back");
            }
        }
        let debt = (-self.holds(AVAILABLE)).max(0);
        assert!(debt <= self.debt + self.forced, "{debt} owed, {} forced", self.forced);
        (self.debt, self.forced) = (debt, 0);
    }

    /// The lines that the database should give of commissions.
    pub fn commission_counts(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for status in ["PENDING", "PAID", "CANCELLED"] {
            let all = || self.commissions.iter().filter(|one| one.status == status);
            let sum = |cents: fn(&Commission) -> i64| all().map(cents).sum::<i64>();
            let (amount, held) = (sum(|one| one.amount), sum(|one| one.held));
            let unfunded = sum(|one| one.unfunded);
            let line = format!("SALE {status} {} {amount} {held} {unfunded}", all().count());
            lines.extend(all().next().map(|_| line));
        }
        let clawed: i64 = self.clawbacks.iter().map(|clawback| clawback.amount).sum();
        let count = self.clawbacks.len();
        lines.extend((count > 0).then(|| format!("CLAWBACK PAID {count} {clawed} 0 0")));
        let owed: i64 = self.clawbacks.iter().map(|clawback| clawback.owed).sum();
        let repaid: i64 = self.commissions.iter().map(|one| one.repaid).sum();
        lines.push(format!("debts {owed} {repaid} - -"));
        lines
    }

    fn emitted_with(&self, status: &str) -> usize {
        self.commissions.iter().filter(|one| one.status == status).count()
    }

    fn push_release(&mut self, index: usize, at: i64) {
        let order = self.commissions[index].order;
        self.push_in_order(at, order, Work::Release(index));
    }

    fn got(&mut self, sale: usize, cents: i64) {
        self.sales[sale].got += cents;
    }
}

/// The affiliate takes out some of what they have, or more than that.
pub async fn take_out(world: &mut World, test: &TestApp) {
    let has = world.reference.holds(THEIR_AVAILABLE);
    if has < 100 {
        return;
    }
    let amount = if world.rng.chance(10) { has + 1 } else { world.rng.within(100, has) };
    let body = json!({
        "amountCents": amount, "pixKey": "ana@example.com", "pixKeyType": "email",
    });
    let reply = world.affiliate(test).post("/api/withdraws", body).await;
    if amount > has {
        reply.expect_refusal(400, "INSUFFICIENT_BALANCE");
        return;
    }
    let made = reply.expect(201)["data"]["id"].as_str().expect("has an id").to_owned();
    let path = format!("/api/withdraws/{made}/process");
    world.admin(test).await.post(&path, json!({ "action": "approve" })).await.expect(200);
    world.reference.take_out(amount);
}
