//! Balance events: one after the other, whatever happens at once.

use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::receiver::{Delivery, Receiver};
use crate::webhooks::subscribe;

/// Enough that units of each round meet on a database that lets them.
const ROUNDS: usize = 12;
const PAIRS: usize = 4;
const WITHDRAWN: i64 = 1_000;
const PAID: i64 = 500;

/// A withdrawal takes from `available`, a paid boleto brings to `pending`: no account is touched by
/// both, and each balance shows both.
#[story::test]
async fn of_two_concurrent_balance_events_the_greater_sequence_is_the_newer(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let receiver = Receiver::start().await;
    subscribe(&shop.key, &receiver.url, &["balance.updated"]).await;
    let times = i64::try_from(ROUNDS * PAIRS).expect("is small");
    let all = times * WITHDRAWN;
    shop.earn(all).await;
    let sale = json!({ "amountCents": PAID, "method": "BOLETO" });
    for _ in 0..ROUNDS {
        let mut boletos = Vec::new();
        for _ in 0..PAIRS {
            boletos.push(shop.charge_with(sale.clone()).await);
        }
        let both = boletos.iter().map(async |boleto| {
            let wanted = json!({
                "amountCents": WITHDRAWN, "pixKey": "ana@example.com", "pixKeyType": "email",
            });
            let withdrawn = shop.key.post("/api/withdraws", wanted);
            let paid = shop.simulate(boleto, json!({ "outcome": "PAID" }));
            join(withdrawn, paid).await.0.expect(201);
        });
        join_all(both).await;
    }
    test.run_jobs().await;
    let mut reported: Vec<_> = receiver.take().iter().map(Delivery::json).collect();
    reported.sort_by_key(sequence);
    assert!(reported.is_sorted_by(|one, next| sequence(one) < sequence(next)), "{reported:#?}");
    let reported: Vec<_> = reported.iter().map(balance).collect();
    assert_eq!((reported.first(), reported.last()), (Some(&(all, 0)), Some(&(0, times * PAID))));
    let follows = |(available, pending): &(i64, i64), next: &(i64, i64)| {
        [(available - WITHDRAWN, *pending), (*available, pending + PAID)].contains(next)
    };
    assert!(reported.is_sorted_by(follows), "each shows one thing more: {reported:?}");
}

fn sequence(reported: &Value) -> i64 {
    reported["sequence"].as_i64().expect("is a number")
}

fn balance(reported: &Value) -> (i64, i64) {
    let cents = |name: &str| reported["data"]["balance"][name].as_i64().expect("is a number");
    (cents("availableBalance"), cents("pendingBalance"))
}
