//! The seam between a renewal and its commission: a payment that is reported twice at once, and
//! wherever a worker or a bank's call dies, each payment of a subscriber brings one commission.
//!
//! A period costs 3,000; 300 of it are the affiliate's.

use std::time::Duration;

use brazil::periods::Anchor;
use bytes::Bytes;
use db::time::Timestamp;
use futures_util::future::{join, join_all};
use http::{HeaderMap, Method};
use ledger::cents::Cents;
use rails::pix::PixConfirmation;
use sandbox::bank::SandboxBank;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::Scene;
use super::subscribers::subscribed;
use crate::harness::TestApp;
use crate::harness::crashes::{WAITS_MAX, at_every_wait, breaks_off, calm_down, die_at_wait};
use crate::harness::reply::Reply;
use crate::harness::shop::id;
use crate::methods::balance;
use crate::refunds::held;
use crate::sandbox::token_that;
use crate::subscriptions::{days, done, plan, read, subscribe};

const AT_ONCE: usize = 64;
const HOUR: Duration = Duration::from_hours(1);
/// As long as a month can be, so that each brings a renewal.
const MONTH: Duration = Duration::from_hours(24 * 31);
/// The suspense account, in the chart.
const SUSPENSE: i64 = 2900;

/// A bank's call about one payment, the same however often it is made.
struct Call {
    headers: HeaderMap,
    body: Bytes,
}

impl Call {
    /// About a code that was just paid, by a payment of this number.
    fn about(test: &TestApp, code: &Value, number: usize) -> Self {
        let paid_at = code["createdAt"].as_str().and_then(Timestamp::parse);
        let paid_at = paid_at.expect("is an instant");
        let number = u8::try_from(number).expect("is a small number");
        let receipt = PixConfirmation {
            txid: code["pix"]["txid"].as_str().expect("has one").to_owned(),
            end_to_end_id: SandboxBank::end_to_end_id(paid_at, [number; 11]),
            amount: Cents::new(3_000),
            paid_at,
        };
        let (headers, body) = test.app.providers.sandbox().confirmation(&[receipt]);
        Self { headers, body }
    }

    async fn make(&self, test: &TestApp) -> Reply {
        let mut bank = test.anyone();
        for (name, value) in &self.headers {
            bank = bank.with(name.as_str(), value.to_str().expect("is text"));
        }
        let body = String::from_utf8(self.body.to_vec()).expect("is text");
        let kind = Some("application/json");
        bank.send(Method::POST, "/providers/sandbox/pix", kind, body).await
    }
}

/// A program that pays for renewals as well.
async fn extended(test: &TestApp) -> Scene {
    Scene::open(test, json!({ "extendedCommission": true })).await
}

/// The payment that a subscription awaits.
async fn awaited(scene: &Scene, subscription: &Value) -> Value {
    let now = read(&scene.shop, subscription).await;
    assert!(now["pendingTransactionId"].is_string(), "{now}");
    scene.shop.transaction(&json!({ "id": now["pendingTransactionId"] })).await
}

/// How many rows a list of somebody's has.
async fn total(scene: &Scene, list: &str) -> usize {
    let side = if list.starts_with("/api/affiliate/") { &scene.affiliate } else { &scene.shop };
    usize::try_from(side.key.total(list).await.as_u64().expect("is a number")).expect("fits")
}

/// Fails unless each of so many payments brought its commission, of which so many are held still.
async fn expect_commissions(scene: &Scene, paid: usize, held: usize, when: &str) {
    let list = "/api/affiliate/commissions?limit=1";
    let found = (
        total(scene, "/api/v1/transactions?limit=1&status=PAID").await,
        total(scene, list).await,
        total(scene, &format!("{list}&status=PENDING")).await,
    );
    assert_eq!(found, (paid, paid, held), "{when}");
    let worth = |count: usize| json!(300 * count);
    assert_eq!(balance(&scene.affiliate).await, (worth(paid - held), worth(held)), "{when}");
}

/// Fails unless a subscription was renewed once since the day on which it started, and emitted so.
async fn expect_one_renewal(test: &TestApp, scene: &Scene, subscription: &Value) {
    let renewed = read(&scene.shop, subscription).await;
    assert_eq!(renewed["status"], "ACTIVE");
    assert_eq!(renewed["currentPeriodStart"], "2026-12-21T12:00:00.000Z");
    let released = ("SALE".to_owned(), 300, "PAID".to_owned());
    assert_eq!(scene.rows().await, [("RENEWAL".to_owned(), 300, "PENDING".to_owned()), released]);
    expect_commissions(scene, 2, 1, "at once").await;
    assert_eq!(held(test, SUSPENSE).await, 0);
    for (side, name, count) in [
        (&scene.shop, "subscription.renewed", 1),
        (&scene.shop, "affiliate.commission_created", 2),
        (&scene.affiliate, "affiliate.commission_created", 2),
    ] {
        let reported =
            side.key.get(&format!("/api/webhooks/events?event={name}")).await.expect(200);
        assert_eq!(reported["pagination"]["total"], count, "{name}");
    }
}

#[story::test]
async fn sixty_four_calls_of_the_bank_about_one_renewal_bring_one_commission(test: &TestApp) {
    let scene = extended(test).await;
    let plan = plan(&scene.shop, json!({})).await;
    let code = json!({ "affiliateCode": scene.code() });
    let made = subscribe(test, &plan, code).await.expect(201)["data"].clone();
    scene.shop.pay(&made["transaction"]).await;
    days(&scene.shop, 30).await;
    let call = Call::about(test, &awaited(&scene, &made["subscription"]).await, 1);
    for reply in join_all((0..AT_ONCE).map(|_| call.make(test))).await {
        reply.expect(200);
    }
    expect_one_renewal(test, &scene, &made["subscription"]).await;
    assert_eq!(balance(&scene.shop).await, (json!(2 * 2_700), json!(0)));
}

#[story::test]
async fn sixty_four_verdicts_of_the_acquirer_about_one_renewal_bring_one_commission(
    test: &TestApp,
) {
    let scene = extended(test).await;
    let plan = plan(&scene.shop, json!({})).await;
    let made = subscribed(test, &scene, &plan, json!({})).await;
    let silent = token_that(test, Scenario::LosesTheApproval).await;
    done(&scene.shop, &made, "card", json!({ "cardToken": silent })).await;
    days(&scene.shop, 30).await;
    let order = awaited(&scene, &made).await;
    assert_eq!(order["status"], "PROCESSING");
    // Our own question is answered among the others.
    test.pass(Duration::from_mins(2));
    let path = format!("/api/v1/transactions/{}/simulate", id(&order));
    let verdict = || scene.shop.key.post(&path, json!({ "outcome": "PAID" }));
    let verdicts = join_all((0..AT_ONCE).map(|_| verdict()));
    let (replies, _) = join(verdicts, test.run_jobs()).await;
    for reply in replies {
        assert_eq!(reply.expect(200)["transaction"]["status"], "PAID");
    }
    expect_one_renewal(test, &scene, &made).await;
    // The first payment has settled, on the very day.
    assert_eq!(balance(&scene.shop).await, (json!(2_700), json!(2_700)));
}

#[story::test]
async fn a_worker_that_dies_anywhere_brings_each_payments_commission_once_and_releases_it_once(
    test: &TestApp,
) {
    let scene = extended(test).await;
    let plan = plan(&scene.shop, json!({})).await;
    subscribed(test, &scene, &plan, json!({})).await;
    let anchor = Anchor::at(test.app.now().micros());
    let mut before = 1;
    at_every_wait(async |number| {
        test.pass(MONTH);
        let died = die_at_wait(test, number).await;
        calm_down(test).await;
        // Leases end, and what became of a charge is asked.
        for _ in 0..3 {
            test.run_jobs_after(HOUR).await;
        }
        let now = test.app.now().micros();
        let owed = (0..1_000).take_while(|months| anchor.boundary(*months) <= now).count();
        // All but the new ones were held for thirty days.
        let when = format!("death at wait {number}");
        expect_commissions(&scene, owed, owed - before, &when).await;
        before = owed;
        died
    })
    .await;
}

#[story::test]
async fn a_call_of_the_bank_that_dies_anywhere_and_is_made_again_brings_one_commission(
    test: &TestApp,
) {
    let scene = extended(test).await;
    let plan = plan(&scene.shop, json!({})).await;
    let code = json!({ "affiliateCode": scene.code() });
    let made = subscribe(test, &plan, code).await.expect(201)["data"].clone();
    scene.shop.pay(&made["transaction"]).await;
    let mut deaths = 0;
    for number in 0..WAITS_MAX {
        test.run_jobs_after(MONTH).await;
        let call = Call::about(test, &awaited(&scene, &made["subscription"]).await, number + 1);
        let died = breaks_off(call.make(test), deaths).await;
        calm_down(test).await;
        call.make(test).await.expect(200);
        let when = format!("death at wait {deaths}");
        expect_commissions(&scene, number + 2, 1, &when).await;
        assert_eq!(balance(&scene.shop).await.0, json!(2_700 * (number + 2)));
        // The database may be ahead of the first wait; the next month meets it.
        match died {
            true => deaths += 1,
            false if deaths > 0 => return,
            false => {}
        }
    }
    panic!("the call never ended");
}
