//! Subscribers for two years through the whole product, held against a calendar of the test's own.
//!
//! They subscribe at as many instants of two months, to plans of every interval, with a trial and
//! without. Then the clock goes on in steps of a day to a month and a half, with sixteen workers
//! beside it that now and then die. Of some the acquirer's answers are lost, and of some the cards
//! pay nothing. In the end each period that began was paid once, at the acquirer as in the books.

use std::collections::BTreeSet;
use std::iter::successors;
use std::time::Duration;

use db::database::Dialect;
use db::time::Timestamp;
use futures_util::future::join_all;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::harness::crashes::{breaks_off, calm_down};
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, id};
use crate::harness::{START, TestApp};
use crate::methods::balance;
use crate::model::rng::Rng;
use crate::model::{SEED_VARIABLE, how_many, number_in};
use crate::subscriptions::metrics::{expect, metrics};
use crate::subscriptions::{DAY, by_card_with, plan};

/// How many there are by default; a database beside the test is slower.
const SUBSCRIBERS: u64 = 240;
const SUBSCRIBERS_ON_POSTGRES: u64 = 120;
/// The variable by which somebody says otherwise.
pub const SUBSCRIBERS_VARIABLE: &str = "TOSTAO_MODEL_SUBSCRIBERS";
/// So many subscribe at an instant.
const AT_ONCE: i64 = 8;
const TWO_MONTHS: i64 = 62 * DAY;
const TWO_YEARS: i64 = 2 * 365 * DAY;
/// The months of each interval; each costs 3,000 a month.
const INTERVALS: [(&str, i64); 4] =
    [("MONTHLY", 1), ("QUARTERLY", 3), ("SEMIANNUAL", 6), ("ANNUAL", 12)];
const MONTH_CENTS: i64 = 3_000;
/// How long some try a plan first.
const TRIAL_DAYS: i64 = 7;
/// How often a card is tried that pays nothing.
const TRIES: usize = 5;
/// The clock on the wall of São Paulo when the story begins; daylight saving time ended in 2019.
const NINE_O_CLOCK: i64 = 9 * 3_600;
const SECOND_MICROS: i64 = 1_000_000;
const ADVANCE: &str = "/api/dev/clock/advance";

/// The days from the story's first one on, as (year, month, day), counted one by one.
struct Calendar(Vec<(i64, i64, i64)>);

/// Somebody who subscribes.
#[derive(Clone, Copy)]
struct Buyer {
    interval: usize,
    tries: bool,
    card: Scenario,
}

/// Somebody who has subscribed.
struct Subscriber {
    id: String,
    buyer: Buyer,
    /// When the first period begins, in seconds since the first midnight in São Paulo.
    since: i64,
}

/// What is sold: each interval without a trial and with one.
type Plans = [Vec<Value>; 2];

impl Calendar {
    /// Four years, so that no subscriber comes to its end.
    fn new() -> Self {
        let next = |&(year, month, day): &(i64, i64, i64)| match month {
            _ if day < length(year, month) => Some((year, month, day + 1)),
            12 => Some((year + 1, 1, 1)),
            _ => Some((year, month + 1, 1)),
        };
        Self(successors(Some((2026, 11, 21)), next).take(4 * 365).collect())
    }

    /// The instants so many months apart, in seconds since the first midnight: on the same day of
    /// the month or, where the month lacks it, on its last, at the same time of the day.
    fn every(&self, months: i64, since: i64) -> impl Iterator<Item = i64> {
        let (place, time) = (since / DAY, since % DAY);
        let (year, month, day) = self.0[usize::try_from(place).expect("is a day of the story")];
        let place = move |number: i64| {
            let count = year * 12 + month - 1 + months * number;
            let (year, month) = (count / 12, count % 12 + 1);
            self.0.binary_search(&(year, month, day.min(length(year, month)))).ok()
        };
        let places = (0..).map_while(place);
        places.map(move |place| i64::try_from(place).expect("fits") * DAY + time)
    }
}

impl Buyer {
    /// One in twenty has a card that pays nothing once it is kept, and one the acquirer of which
    /// does not answer.
    fn any(rng: &mut Rng) -> Self {
        let card = match rng.within(1, 20) {
            1 => Scenario::DeclinesOnceKept,
            2 => Scenario::LosesTheApproval,
            _ => Scenario::Approves,
        };
        let interval = rng.place(INTERVALS.len());
        let tries = rng.chance(20) || card == Scenario::DeclinesOnceKept;
        Self { interval, tries, card }
    }

    fn pays(self) -> bool {
        self.card != Scenario::DeclinesOnceKept
    }

    fn cents(self) -> i64 {
        INTERVALS[self.interval].1 * MONTH_CENTS
    }

    /// Subscribes at an instant, as the one of this number.
    async fn subscribe(self, test: &TestApp, plans: &Plans, number: usize, now: i64) -> Subscriber {
        let plan = &plans[usize::from(self.tries)][self.interval];
        let email = format!("ana{number}@example.com");
        let who = json!({ "customer": { "name": "Ana", "email": email } });
        let made = by_card_with(test, plan, self.card, who).await.expect(201);
        let id = id(&made["data"]["subscription"]).replace('-', "");
        let trial = if self.tries { TRIAL_DAYS * DAY } else { 0 };
        Subscriber { id, buyer: self, since: now + trial }
    }
}

/// How many days a month has, in the years around 2028.
fn length(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

async fn plans(shop: &Shop) -> Plans {
    let mut plans = Plans::default();
    for (interval, months) in INTERVALS {
        for (trial, plans) in [0, TRIAL_DAYS].into_iter().zip(&mut plans) {
            let wanted = json!({
                "amountCents": MONTH_CENTS * months, "interval": interval, "trialDays": trial,
            });
            plans.push(plan(shop, wanted).await);
        }
    }
    plans
}

/// What the developer's clock shows, in seconds since the first midnight.
async fn clock(shop: &Shop) -> i64 {
    let face = shop.key.get("/api/dev/clock").await.expect(200);
    let now = face["data"]["now"].as_str().and_then(Timestamp::parse);
    since_midnight(now.expect("is an instant").micros())
}

fn since_midnight(micros: i64) -> i64 {
    let start = Timestamp::parse(START).expect("is an instant").micros();
    (micros - start) / SECOND_MICROS + NINE_O_CLOCK
}

async fn pass(shop: &Shop, seconds: i64) {
    shop.key.post(ADVANCE, json!({ "seconds": seconds })).await.expect(200);
}

async fn subscribe_all(test: &TestApp, shop: &Shop, rng: &mut Rng) -> Vec<Subscriber> {
    let plans = plans(shop).await;
    let said = how_many(test, SUBSCRIBERS_VARIABLE, SUBSCRIBERS, SUBSCRIBERS_ON_POSTGRES);
    let instants = i64::try_from(said).expect("fits") / AT_ONCE;
    let between = TWO_MONTHS / instants;
    let mut all = Vec::new();
    for _ in 0..instants {
        let now = clock(shop).await;
        let before = all.len();
        let buyers = (0..AT_ONCE).map(|_| Buyer::any(rng)).collect::<Vec<_>>();
        let made = (before..).zip(buyers);
        let made = made.map(|(number, buyer)| buyer.subscribe(test, &plans, number, now));
        all.extend(join_all(made).await);
        pass(shop, between).await;
    }
    all
}

/// Lets two years pass, and everything come to its end that waits for an acquirer's word.
async fn live(test: &TestApp, shop: &Shop, rng: &mut Rng) {
    let until = clock(shop).await + TWO_YEARS;
    while clock(shop).await < until {
        let step = pass(shop, rng.within(DAY, 45 * DAY));
        let wait = if rng.chance(25) { rng.place(400) } else { usize::MAX };
        if breaks_off(test.at_work(step), wait).await {
            calm_down(test).await;
            // What the dead workers held is anybody's again.
            test.pass(Duration::from_hours(1));
        }
    }
    let waiting = "/api/v1/transactions?status=PROCESSING&limit=1";
    for _ in 0..100 {
        // A job that could not be put back waits for the end of its lease, by the machine's clock.
        test.pass(Duration::from_mins(1));
        pass(shop, 120).await;
        if shop.key.get(waiting).await.expect(200)["pagination"]["total"] == 0 {
            return;
        }
    }
    panic!("the acquirer is asked for ever");
}

/// Which periods of whom were paid, once for each payment, in order.
async fn paid_periods(test: &TestApp) -> Vec<(String, i64)> {
    let engine = Engine::open(test).await;
    let id = match engine.dialect() {
        Dialect::Sqlite => "lower(hex(subscription_id))",
        Dialect::Postgres => "replace(cast(subscription_id as text), '-', '')",
    };
    let sql = format!(
        "select {id}, cast(subscription_period_at as text) from transactions where status = 'PAID'"
    );
    let read = |row: Vec<String>| {
        let [id, period] = row.try_into().expect("two columns");
        (id, since_midnight(period.parse().expect("is a number")))
    };
    let mut paid: Vec<_> = engine.rows(&sql).await.into_iter().map(read).collect();
    paid.sort();
    paid
}

/// What the acquirer charged and gave back, in cents, and how often it was asked in vain.
async fn at_the_acquirer(test: &TestApp) -> [i64; 4] {
    let sql = "select cast(coalesce(sum(case when decline_code is null then 1 end), 0) as text),
                      cast(coalesce(sum(case when decline_code is null then amount_cents end), 0)
                           as text),
                      cast(coalesce(sum(refunded_cents), 0) as text),
                      cast(count(decline_code) as text)
                 from sandbox_charges";
    let row = Engine::open(test).await.rows(sql).await.remove(0);
    let row: [String; 4] = row.try_into().expect("four columns");
    row.map(|number| number.parse().expect("is a number"))
}

#[story::test]
async fn no_subscriber_is_billed_twice_for_a_period_and_no_period_is_missed(test: &TestApp) {
    let (shop, mut rng) =
        (test.shop("Loja").await, Rng::new(number_in(SEED_VARIABLE).unwrap_or(1)));
    let all = subscribe_all(test, &shop, &mut rng).await;
    live(test, &shop, &mut rng).await;
    let (calendar, now) = (Calendar::new(), clock(&shop).await);
    let (mut owed, mut cents) = (BTreeSet::new(), 0);
    for Subscriber { id, buyer, since } in all.iter().filter(|who| who.buyer.pays()) {
        let periods = calendar.every(INTERVALS[buyer.interval].1, *since);
        for period in periods.take_while(|period| *period <= now) {
            owed.insert((id.clone(), period));
            cents += buyer.cents();
        }
    }
    let paid = paid_periods(test).await;
    let twice: Vec<_> = paid.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "billed twice: {twice:?}");
    let paid: BTreeSet<_> = paid.into_iter().collect();
    let missed: Vec<_> = owed.difference(&paid).collect();
    assert!(missed.is_empty(), "missed: {missed:?}");
    let needless: Vec<_> = paid.difference(&owed).collect();
    assert!(needless.is_empty(), "not owed: {needless:?}");
    let payers = all.iter().filter(|who| who.buyer.pays()).count();
    let count = |count: usize| i64::try_from(count).expect("fits");
    let in_vain = count(TRIES * (all.len() - payers));
    assert_eq!(at_the_acquirer(test).await, [count(owed.len()), cents, 0, in_vain]);
    let (available, pending) = balance(&shop).await;
    assert_eq!(available.as_i64().zip(pending.as_i64()).map(|(a, p)| a + p), Some(cents));
    let recurs = json!({
        "mrrCents": count(payers) * MONTH_CENTS, "activeSubscribers": payers, "pastDue": 0,
    });
    expect(&metrics(&shop, "").await, &recurs);
}
