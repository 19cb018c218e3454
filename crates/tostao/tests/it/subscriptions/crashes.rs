//! Crashes: a worker that dies between any two steps of a renewal charges each period once.

use std::time::Duration;

use brazil::periods::Anchor;

use super::{active, payments};
use crate::harness::crashes::{calm_down, die_at_wait};
use crate::harness::story;

/// More waits than any run of the jobs has.
const WAITS_MAX: usize = 200;

#[test]
fn a_worker_that_dies_anywhere_charges_each_period_once() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        active(test, &shop).await;
        let anchor = Anchor::at(test.app.now().micros());
        for number in 0..WAITS_MAX {
            test.pass(Duration::from_hours(24 * 31));
            let died = die_at_wait(test, number).await;
            calm_down(test).await;
            // Leases end, and what became of a charge is asked.
            for _ in 0..3 {
                test.pass(Duration::from_hours(1));
                test.run_jobs().await;
            }
            let now = test.app.now().micros();
            let owed = (0..1_000).take_while(|months| anchor.boundary(*months) <= now).count();
            let listed = shop.key.get("/api/v1/transactions?status=PAID").await.expect(200);
            assert_eq!(listed["pagination"]["total"], owed, "death at wait {number}");
            if !died {
                assert!(number > 0, "nobody died");
                let odd = payments(&shop).await;
                assert!(odd.iter().all(|status| status == "PAID" || status == "FAILED"), "{odd:?}");
                return;
            }
        }
        panic!("the jobs never ended");
    });
}
