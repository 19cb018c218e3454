//! A slow bank: limits hold, and everything else goes on beside it.

use std::time::Duration;

use fakepsp::fake::{Fake, Options};
use futures_util::future::join_all;
use serde_json::json;
use tokio::time::timeout;

use super::scene::Scene;
use super::{Bank, CONNECTIONS, administrator, available, entered, try_charge};
use crate::harness::receiver::Receiver;
use crate::harness::shop::id;
use crate::harness::{START, TestApp};

/// Longer than any call to a bank may take.
pub const CALL_MAX: Duration = Duration::from_secs(30);

/// Another bank that is connected, to which nothing goes yet.
pub async fn second(test: &TestApp) -> Bank {
    let stopped_at = Some(START.parse().expect("is an instant"));
    let options = Options { seed: Some(8), stopped_at, ..Options::default() };
    let fake = Fake::start(options).await.expect("the fake starts");
    let admin = administrator(test).await;
    let more = json!({ "client_id": "the other", "pix_key": "outra@example.com" });
    let mut body = entered(&fake, &more);
    body["name"] = json!("efi-second");
    let connection = admin.post(CONNECTIONS, body).await.expect(201)["data"].clone();
    Bank { fake, admin, connection }
}

/// Looks again and again until it is so.
pub async fn until(mut is_so: impl AsyncFnMut() -> bool) {
    let looked = async {
        while !is_so().await {
            tokio::task::yield_now().await;
        }
    };
    timeout(CALL_MAX, looked).await.expect("it becomes so in time");
}

#[story::test]
async fn a_bank_that_answers_too_late_holds_up_no_other_bank_and_no_request(test: &TestApp) {
    let scene = Scene::open(test).await;
    scene.sell(test, 10_000).await;
    let other = second(test).await;
    other.route("payout", id(&other.connection)).await.expect(200);
    let (receiver, registry) = (Receiver::start().await, test.app.providers.registry());
    let live = registry.named("efi-second").expect("is connected");
    live.connected.connection.register(&receiver.url).await.expect("registers");
    let hangs = json!({ "fault": "no_answer" });
    for operation in ["cob.create", "pix.get", "pix.list"] {
        scene.bank.fault(operation, hangs.clone()).await;
    }
    let path = scene.approved(test, 5_000).await;
    let calls = scene.bank.calls("pix.get").await;
    // As many notices as one connection may have calls in flight.
    for number in 0..32 {
        scene.bank.notify(test, &format!("E000000002026112112{number:02}abcdefghijk")).await;
    }
    let issue = try_charge(&scene.shop, 1_000);
    let mut issue = std::pin::pin!(issue);
    let beside = async {
        until(async || scene.bank.calls("pix.get").await >= calls + 20).await;
        until(async || other.count("/efi/payouts").await == 1).await;
        available(&scene.shop).await
    };
    test.at_work(async {
        // What is done beside it is done first.
        let left = tokio::select! {
            left = beside => left,
            issued = &mut issue => panic!("{}", issued.text),
        };
        assert_eq!(left, 5_000);
        assert_eq!(scene.withdrawal_status(&path).await, "PENDING");
        // Its answer does not come, the question is answered, and the charge is there.
        let issued = timeout(CALL_MAX, issue).await.expect("limits hold");
        issued.expect(201);
    })
    .await;
    assert_eq!(scene.bank.calls("cob.create").await, 2);
}

#[story::test]
async fn concurrent_requests_with_one_key_call_the_bank_once(test: &TestApp) {
    let scene = Scene::open(test).await;
    let calls = scene.bank.calls("cob.create").await;
    let owner = scene.shop.owner.with("idempotency-key", "once");
    let sale = json!({
        "amountCents": 1_000, "method": "PIX",
        "customer": { "name": "Ana", "email": "ana@example.com", "document": "529.982.247-25" },
    });
    let answers = join_all((0..8).map(|_| owner.post("/api/v1/transactions", sale.clone()))).await;
    for answer in &answers {
        assert_eq!((answer.status, &answer.text), (201, &answers[0].text));
    }
    assert_eq!(scene.bank.calls("cob.create").await, calls + 1);
}

#[story::test]
async fn an_answer_that_comes_byte_by_byte_or_too_late_is_asked_for_and_nothing_is_done_twice(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let drips = json!({ "fault": "drip", "times": 1 });
    let slow = json!({ "fault": "slow", "ms": 9_000, "times": 1 });
    for fault in [drips, slow] {
        scene.bank.fault("cob.create", fault).await;
    }
    let issued = join_all((0..2).map(|_| try_charge(&scene.shop, 1_000)));
    let issued = timeout(CALL_MAX, issued).await.expect("limits hold");
    for reply in issued {
        reply.expect(201);
    }
    assert_eq!(scene.bank.count("/efi/pix/charges").await, 2);
}

#[story::test]
async fn a_refund_whose_answer_comes_too_late_is_asked_about_and_made_once(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid) = scene.sell(test, 10_000).await;
    let late = json!({ "fault": "slow", "ms": 61_000, "times": 1 });
    scene.bank.fault("refund.create", late).await;
    scene.refund(&sold, 400).await;
    timeout(CALL_MAX, test.run_jobs()).await.expect("limits hold");
    test.run_jobs_after(Duration::from_mins(1)).await;
    assert_eq!(scene.refunds(&sold).await, ["COMPLETED"]);
    assert_eq!(scene.bank.refunds_of(&paid).await, 1);
    assert_eq!(available(&scene.shop).await, 9_600);
}
