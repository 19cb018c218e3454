//! What should become of advances: receivables paid out before their day, and covered when they
//! go back.

use brazil::calendar::sao_paulo_date;
use serde_json::json;

use crate::harness::TestApp;
use crate::model::reference::{ADVANCED, AVAILABLE, FEES, Method, ReferenceModel, Sale};
use crate::model::world::World;

const ADVANCES: &str = "/api/advances";
/// Percent of what could be advanced.
const MOST: i64 = 80;
/// Hundredths of a percent for thirty days.
const RATE: i64 = 299;

/// The advance that is open, and how earlier ones ended.
#[derive(Debug, Clone, Copy, Default)]
pub struct Advances {
    pub outstanding: i64,
    pub settled: i64,
    pub rejected: i64,
}

impl ReferenceModel {
    /// The lines that the database should give of advances.
    pub fn advance_counts(&self) -> Vec<String> {
        let Advances { outstanding, settled, rejected } = self.advances;
        let line = |status: &str, count: i64, cents: i64| {
            (count > 0).then(|| format!("advances {status} {count} {cents} - -"))
        };
        let open = line("APPROVED", i64::from(outstanding > 0), outstanding);
        [open, line("SETTLED", settled, 0), line("REJECTED", rejected, 0)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The parts that can be pledged, soonest due first, each with what is free of it.
    fn pledgeable(&self) -> Vec<(usize, usize, i64)> {
        let may = |sale: &&(usize, &Sale)| sale.1.method == Method::Card && sale.1.status == "PAID";
        let mut parts = Vec::new();
        for (index, sale) in self.sales.iter().enumerate().collect::<Vec<_>>().iter().filter(may) {
            for (number, part) in sale.parts.iter().enumerate() {
                let free = part.net - part.pledged;
                if !part.settled && part.due_at > self.now && free > 0 {
                    parts.push((part.due_at, part.order, *index, number, free));
                }
            }
        }
        parts.sort_unstable();
        parts.into_iter().map(|(_, _, sale, part, free)| (sale, part, free)).collect()
    }

    fn most(&self) -> i64 {
        self.pledgeable().iter().map(|(_, _, free)| free).sum::<i64>() * MOST / 100
    }

    /// Pledges parts for an amount; answers what is missing, and what it costs.
    fn pledge(&mut self, mut missing: i64) -> (i64, i64) {
        let mut fee = 0;
        for (sale, part, free) in self.pledgeable() {
            let some = free.min(missing);
            if some == 0 {
                break;
            }
            let part = &mut self.sales[sale].parts[part];
            part.pledged += some;
            missing -= some;
            let days = sao_paulo_date(part.due_at) - sao_paulo_date(self.now);
            let interest = some * RATE * i64::from(days.get_days());
            fee += ((2 * interest + 300_000) / 600_000).min(some);
        }
        (missing, fee)
    }

    fn approve_advance(&mut self, amount: i64) {
        let (missing, fee) = self.pledge(amount);
        assert_eq!(missing, 0, "the limit is less than what is free");
        self.transfer(ADVANCED, AVAILABLE, amount);
        self.transfer(AVAILABLE, FEES, fee);
        self.advances.outstanding = amount;
        self.emitted.extend(["advance.approved", "balance.updated"]);
    }

    /// What is pledged of a part comes back.
    pub fn bring_back(&mut self, cents: i64) {
        if cents == 0 {
            return;
        }
        self.advances.outstanding -= cents;
        if self.advances.outstanding == 0 {
            self.advances.settled += 1;
            self.emitted.push("advance.settled");
        }
    }

    /// Finds other parts for pledges that were taken; what none covers the seller pays back.
    pub fn cover(&mut self, broken: i64) {
        let (uncovered, _) = self.pledge(broken);
        if uncovered == 0 {
            return;
        }
        self.transfer(AVAILABLE, ADVANCED, uncovered);
        self.forced += uncovered;
        self.bring_back(uncovered);
    }

    /// Whether the seller can give so much of a sale back without the platform's money.
    pub fn can_give(&self, sale: usize, wanted: i64) -> bool {
        let available = self.holds(AVAILABLE);
        let missing = wanted - available.max(0).min(wanted);
        let parts = || self.sales[sale].parts.iter().filter(|part| !part.settled);
        let free: i64 = parts().map(|part| part.net - part.pledged).sum();
        let pledged: i64 = parts().map(|part| part.pledged).sum();
        let broken = (missing - free).max(0);
        let others = self.pledgeable().into_iter().filter(|(of, _, _)| *of != sale);
        let cover: i64 = others.map(|(_, _, free)| free).sum();
        available >= 0 && broken <= pledged && broken <= cover
    }
}

/// The seller asks for an advance and an administrator decides.
pub async fn ask(world: &mut World, test: &TestApp) {
    let most = world.reference.most();
    let amount = if world.rng.chance(15) { most + 1 } else { world.rng.within(1, most.max(1)) };
    let asked = world.shop(test).post(ADVANCES, json!({ "amountCents": amount })).await;
    if world.reference.advances.outstanding > 0 {
        asked.expect_refusal(409, "ADVANCE_ALREADY_OPEN");
        return;
    }
    let id = asked.expect(201)["data"]["id"].as_str().expect("has one").to_owned();
    world.reference.emitted.push("advance.created");
    let admin = world.admin(test).await;
    let approved = admin.post(&format!("{ADVANCES}/{id}/approve"), json!({})).await;
    if amount <= most {
        approved.expect(200);
        world.reference.approve_advance(amount);
        return;
    }
    approved.expect_refusal(409, "INSUFFICIENT_RECEIVABLES");
    let no = json!({ "reason": "Too much." });
    admin.post(&format!("{ADVANCES}/{id}/reject"), no).await.expect(200);
    world.reference.advances.rejected += 1;
    world.reference.emitted.push("advance.rejected");
}
