//! A year of a shop, lived day by day on the developer's clock, against figures worked out by hand.
//!
//! It begins on Saturday, 21 November 2026, at noon in London, and ends a year later to the minute.
//!
//! | who | pays | what happens | paid |
//! |---|---|---|---|
//! | Ana | 3,000 a month by card | an affiliate brought her | 13 |
//! | João | 3,000 a month by PIX | and them; one code is forgotten, and pays the next | 13 |
//! | Caio | 3,000 a month by card | begins with ten days for nothing | 12 |
//! | Davi | the same | the card pays nothing, five times | 0 |
//! | Eva | 36,000 a year by card | | 2 |
//! | Fábio | 9,000 a quarter by card | | 5 |
//! | Gil | 3,000 a month by card | the card fails twice; another one pays | 13 |
//! | Helena | 3,000 a month by card | cancels in June | 7 |
//! | Iara | 3,000 a month by card | pauses from 1 February to 10 April | 3 + 8 |
//!
//! The affiliate has a tenth of what Ana and João pay, so the shop has 2,700. Two other sales, of
//! 60,000 in three parts and of 30,000 in two, are paid out in advance, and a third goes back.

use std::collections::BTreeMap;

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::advances::{approved, books, sell, stands};
use crate::affiliates::Scene;
use crate::harness::TestApp;
use crate::harness::shop::{Shop, merged};
use crate::methods::balance;
use crate::refunds::{held, refund};
use crate::sandbox::token_that;
use crate::subscriptions::metrics::{expect, metrics};
use crate::subscriptions::{DAY, by_card_with, done, plan, read, subscribe};

/// What is outside and what the platform earned, in the chart.
const OUTSIDE: i64 = 1000;
const FEES: i64 = 4000;

struct Year<'a> {
    test: &'a TestApp,
    scene: Scene,
    /// Subscriptions by the names of who subscribed.
    of: BTreeMap<&'static str, Value>,
}

impl<'a> Year<'a> {
    /// Opens the shop; all subscribe, and the first sale is made.
    async fn open(test: &'a TestApp) -> Self {
        let scene = Scene::open(test, json!({ "extendedCommission": true })).await;
        let monthly = plan(&scene.shop, json!({})).await;
        let tried = plan(&scene.shop, json!({ "trialDays": 10 })).await;
        let quarter = json!({ "amountCents": 9_000, "interval": "QUARTERLY" });
        let quarterly = plan(&scene.shop, quarter).await;
        let annual = json!({ "amountCents": 36_000, "interval": "ANNUAL" });
        let annual = plan(&scene.shop, annual).await;
        let brought = json!({ "affiliateCode": scene.code() });
        let cards = [
            ("Ana", &monthly, Scenario::Approves, brought.clone()),
            ("Caio", &tried, Scenario::Approves, json!({})),
            ("Davi", &tried, Scenario::DeclinesOnceKept, json!({})),
            ("Eva", &annual, Scenario::Approves, json!({})),
            ("Fábio", &quarterly, Scenario::Approves, json!({})),
            ("Gil", &monthly, Scenario::Approves, json!({})),
            ("Helena", &monthly, Scenario::Approves, json!({})),
            ("Iara", &monthly, Scenario::Approves, json!({})),
        ];
        let mut of = BTreeMap::new();
        for (name, plan, scenario, more) in cards {
            let made = by_card_with(test, plan, scenario, merged(customer(name), &more)).await;
            of.insert(name, made.expect(201)["data"]["subscription"].clone());
        }
        let made = subscribe(test, &monthly, merged(customer("João"), &brought)).await;
        let made = made.expect(201)["data"].clone();
        scene.shop.pay(&made["transaction"]).await;
        of.insert("João", made["subscription"].clone());
        sell(test, &scene.shop, 60_000, 3).await;
        Self { test, scene, of }
    }

    fn shop(&self) -> &Shop {
        &self.scene.shop
    }

    /// Lives on to a day; João pays every code on the day on which it is issued.
    async fn until(&self, day: &str) {
        loop {
            let today = self.tomorrow().await;
            let code = self.see("João").await["pendingTransactionId"].clone();
            if code.is_string() {
                self.shop().pay(&json!({ "id": code })).await;
            }
            if today == day {
                return;
            }
        }
    }

    /// The same, but João forgets to pay.
    async fn forgetful_until(&self, day: &str) {
        while self.tomorrow().await != day {}
    }

    /// Lets a day pass; answers which one begins.
    async fn tomorrow(&self) -> String {
        let step = json!({ "seconds": DAY });
        let clock = self.shop().key.post("/api/dev/clock/advance", step).await.expect(200);
        clock["data"]["now"].as_str().expect("is text")[..10].to_owned()
    }

    async fn see(&self, name: &str) -> Value {
        read(self.shop(), &self.of[name]).await
    }

    async fn status(&self, name: &str) -> Value {
        self.see(name).await["status"].clone()
    }

    async fn act(&self, name: &str, action: &str, body: Value) {
        done(self.shop(), &self.of[name], action, body).await;
    }

    async fn give_card(&self, name: &str, scenario: Scenario) {
        let token = token_that(self.test, scenario).await;
        self.act(name, "card", json!({ "cardToken": token })).await;
    }

    /// 116,700 are to come of cards on 30 November: 56,700 of subscribers and 60,000 of the sale.
    /// All that is due on 21 December, in 21 days, is pledged, and 3,300 of what is on 20 January,
    /// in 51. At 2.99 % a month that costs 57 of Ana's 2,700, 753 of 36,000, 188 of 9,000, 63 each
    /// of three times 3,000, 419 of 20,000, and 168 of the 3,300.
    async fn live_to_january(&self) {
        self.until("2026-11-30").await;
        let advance = approved(self.test, self.shop(), 80_000).await;
        assert_eq!(advance["feeCents"], 57 + 753 + 188 + 3 * 63 + 419 + 168);
        // João's first payment, and 80,000 - 1,774.
        assert_eq!(self.books().await, [2_700 + 78_226, 116_700, -80_000]);
        self.until("2026-12-21").await;
        assert_eq!(self.stands(&advance).await, ("APPROVED".to_owned(), 3_300, 0));
        // João's second; 40,000 of the sale, 3,000 of Caio, and what was charged today.
        let charged = 2_700 + 3 * 3_000;
        assert_eq!(self.books().await, [83_626, 40_000 + 3_000 + charged, -3_300]);
        assert_eq!(self.status("Davi").await, "PAST_DUE");
        self.until("2026-12-22").await;
        assert_eq!(self.see("Davi").await["cancelReason"], "max_payment_retries_exceeded");
        self.until("2027-01-20").await;
        assert_eq!(self.stands(&advance).await, ("SETTLED".to_owned(), 0, 0));
        // 16,700 of the sale's second part, Caio's first, and what was charged on 21 December;
        // its third part and Caio's second are to come.
        let settled = 83_626 + 16_700 + 3_000 + charged;
        assert_eq!(self.books().await, [settled, 20_000 + 3_000, 0]);
    }

    /// On 1 March 53,700 are to come: 3,000 on 3 March, in 2 days; on the 23rd, in 22, 2,700, 9,000
    /// and twice 3,000; 15,000 of the sale on the 29th, after Easter, in 28; 3,000 on the 31st; and
    /// 15,000 in April. That costs 6, 59, 197, twice 66, and 260 of 9,300.
    async fn live_to_april(&self) {
        self.until("2027-02-01").await;
        self.act("Iara", "pause", json!({})).await;
        self.until("2027-02-25").await;
        sell(self.test, self.shop(), 30_000, 2).await;
        self.until("2027-03-01").await;
        let advance = approved(self.test, self.shop(), 30_000).await;
        assert_eq!(advance["feeCents"], 6 + 59 + 197 + 2 * 66 + 260);
        // 115,026, two of João's, the sale's last part, one of Caio's, what was charged on
        // 21 January, and 30,000 - 654.
        let available = 115_026 + 2 * 2_700 + 20_000 + 3_000 + 11_700 + 29_346;
        assert_eq!(self.books().await, [available, 53_700, -30_000]);
        self.until("2027-03-15").await;
        self.give_card("Gil", Scenario::DeclinesOnceKept).await;
        self.until("2027-03-26").await;
        let behind = self.see("Gil").await;
        assert_eq!((&behind["status"], &behind["failedAttempts"]), (&json!("PAST_DUE"), &json!(2)));
        self.give_card("Gil", Scenario::Approves).await;
        let paid = self.see("Gil").await;
        assert_eq!((&paid["status"], &paid["failedAttempts"]), (&json!("ACTIVE"), &json!(0)));
        assert_eq!(self.stands(&advance).await, ("APPROVED".to_owned(), 9_300, 0));
        self.until("2027-03-29").await;
        assert_eq!(self.stands(&advance).await, ("SETTLED".to_owned(), 0, 0));
        self.until("2027-04-10").await;
        self.act("Iara", "resume", json!({})).await;
        assert_eq!(self.see("Iara").await["nextBillingAt"], "2027-05-10T12:00:00.000Z");
    }

    /// João's code of 21 May can be paid for two days; two days later there is another.
    async fn live_to_november(&self) {
        self.until("2027-05-20").await;
        self.forgetful_until("2027-05-24").await;
        assert_eq!(self.status("João").await, "PAST_DUE");
        self.until("2027-05-25").await;
        assert_eq!(self.see("João").await["nextBillingAt"], "2027-06-21T12:00:00.000Z");
        self.until("2027-06-10").await;
        self.act("Helena", "cancel", json!({})).await;
        self.until("2027-07-01").await;
        let sale = self.scene.sell(json!({})).await;
        self.until("2027-07-03").await;
        refund(self.shop(), &sale, json!({})).await;
        self.until("2027-11-21").await;
        assert_eq!(self.shop().transaction(&sale).await["status"], "REFUNDED");
    }

    async fn books(&self) -> [i64; 3] {
        books(self.test, self.shop()).await
    }

    async fn stands(&self, advance: &Value) -> (String, i64, i64) {
        stands(self.shop(), advance).await
    }

    /// How many payments each has made, and how many came to nothing.
    async fn expect_payments(&self) {
        let list = "/api/v1/transactions?limit=100";
        let listed = self.shop().key.get(list).await.expect(200);
        let all = listed["data"].as_array().expect("is a list");
        let count = |name: &str, status: &str| {
            let of = &self.of[name]["id"];
            let theirs = all.iter().filter(|payment| payment["subscriptionId"] == *of);
            theirs.filter(|payment| payment["status"] == status).count()
        };
        for (name, status, paid, failed, expired) in [
            ("Ana", "ACTIVE", 13, 0, 0),
            ("João", "ACTIVE", 13, 0, 1),
            ("Caio", "ACTIVE", 12, 0, 0),
            ("Davi", "CANCELLED", 0, 5, 0),
            ("Eva", "ACTIVE", 2, 0, 0),
            ("Fábio", "ACTIVE", 5, 0, 0),
            ("Gil", "ACTIVE", 13, 2, 0),
            ("Helena", "CANCELLED", 7, 0, 0),
            ("Iara", "ACTIVE", 11, 0, 0),
        ] {
            assert_eq!(self.status(name).await, status, "{name}");
            let found = (count(name, "PAID"), count(name, "FAILED"), count(name, "EXPIRED"));
            assert_eq!(found, (paid, failed, expired), "{name}");
        }
        // 76 + 7 + 1 of subscribers, and three sales.
        assert_eq!(listed["pagination"]["total"], 87);
    }

    /// Of 68 parts of what cards paid, eight are to come: what was charged on 21 October (as
    /// 20 November is a Saturday), on the 1st and the 10th, and today.
    async fn expect_receivables(&self) {
        let to_come = (2_700 + 3_000) + 3_000 + 3_000 + (2_700 + 36_000 + 9_000 + 3_000);
        for (status, parts, cents) in [("PENDING", 8, Some(to_come)), ("SETTLED", 60, None)] {
            let list = format!("/api/balance/receivables?status={status}&limit=100");
            let listed = self.shop().key.get(&list).await.expect(200);
            let rows = listed["data"].as_array().expect("is a list");
            assert_eq!(rows.len(), parts, "{status}");
            let net = |row: &Value| row["netAmount"].as_i64().expect("is a number");
            let sum = rows.iter().map(net).sum::<i64>();
            assert_eq!(sum, cents.unwrap_or(sum), "{status}");
        }
    }

    /// What subscribers and sales brought the shop is 406,200: 35,100 of Ana and as much of João,
    /// 36,000 of Caio, 72,000 of Eva, 45,000 of Fábio, 39,000 of Gil, 21,000 of Helena, 33,000 of
    /// Iara, 60,000 and 30,000. Of that 2,428 are fees for advances, and 62,400 to come.
    async fn expect_books(&self) {
        assert_eq!(self.books().await, [406_200 - 2_428 - 62_400, 62_400, 0]);
        // 26 times 300; those of today are held.
        let of_affiliate = balance(&self.scene.affiliate).await;
        assert_eq!(of_affiliate, (json!(24 * 300), json!(2 * 300)));
        let fees = held(self.test, FEES).await;
        let paid_in = 406_200 + 26 * 300;
        assert_eq!((fees, held(self.test, OUTSIDE).await), (2_428, -paid_in));
        for side in [self.shop(), &self.scene.affiliate] {
            let proof = side.key.get("/api/ledger/verify").await.expect(200);
            assert_eq!(proof["success"], true, "{proof}");
        }
    }

    /// Seven pay 3,000 a month in the end, however often they pay. Nine began to be charged, Davi
    /// among them, who never paid, and they and Helena left; Iara's pause took 3,000 and gave it
    /// back.
    async fn expect_metrics(&self) {
        let year = metrics(self.shop(), "?from=2026-11-21T00:00:00Z").await;
        let expected = json!({
            "mrrCents": 21_000, "arpuCents": 3_000, "activeSubscribers": 7, "trialing": 0,
            "pastDue": 0, "paused": 0, "newMrrCents": 27_000, "churnedMrrCents": 6_000,
            "contractionMrrCents": 3_000, "expansionMrrCents": 3_000,
        });
        expect(&year, &expected);
        // Of eight one went: 12.5 %.
        let june = "?from=2027-05-22T00:00:00Z&to=2027-06-21T00:00:00Z";
        let expected = json!({
            "mrrCents": 21_000, "churnRate": 12.5, "revenueChurnRate": 12.5,
            "churnedMrrCents": 3_000, "newMrrCents": 0,
        });
        expect(&metrics(self.shop(), june).await, &expected);
        // A pause takes as much, and no subscriber is lost.
        let winter = "?from=2027-01-22T00:00:00Z&to=2027-02-21T00:00:00Z";
        let expected = json!({
            "mrrCents": 21_000, "churnRate": 0, "revenueChurnRate": 12.5,
            "contractionMrrCents": 3_000,
        });
        expect(&metrics(self.shop(), winter).await, &expected);
    }

    /// 76 payments of subscribers: seven began a subscription, and 69 renewed one or ended a trial.
    async fn expect_news(&self) {
        for (name, count) in [
            ("subscription.trial_started", 2),
            ("subscription.trial_will_end", 2),
            ("subscription.activated", 7),
            ("subscription.renewed", 69),
            ("subscription.payment_failed", 8),
            ("subscription.past_due", 3),
            ("subscription.paused", 1),
            ("subscription.resumed", 1),
            ("subscription.cancelled", 2),
            ("affiliate.commission_created", 27),
            ("affiliate.commission_paid", 24),
            ("advance.settled", 2),
            ("transaction.failed", 7),
            ("transaction.expired", 1),
            ("transaction.refunded", 1),
        ] {
            let list = format!("/api/webhooks/events?event={name}&limit=1");
            assert_eq!(self.shop().key.total(&list).await, count, "{name}");
        }
    }
}

fn customer(name: &str) -> Value {
    let email = name.to_lowercase().replace(['á', 'ã'], "a");
    json!({ "customer": { "name": name, "email": format!("{email}@example.com") } })
}

#[story::test]
async fn a_year_of_a_shop_comes_to_what_was_worked_out_by_hand(test: &TestApp) {
    let year = Year::open(test).await;
    year.live_to_january().await;
    year.live_to_april().await;
    year.live_to_november().await;
    year.expect_payments().await;
    year.expect_receivables().await;
    year.expect_books().await;
    year.expect_metrics().await;
    year.expect_news().await;
}
