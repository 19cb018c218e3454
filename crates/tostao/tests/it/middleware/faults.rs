//! Faults of ours: the log says why, and the client does not hear it.

use queue::job::{Due, Job, push};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::harness::{TestApp, logs};

/// A job that no worker knows.
#[derive(Serialize, Deserialize)]
struct Unheard;

impl Job for Unheard {
    const KIND: &'static str = "unheard_of";
    const LANE: &'static str = queue::job::WORK;
}

#[story::test]
async fn what_the_database_refuses_is_logged_with_its_cause_and_without_the_row(test: &TestApp) {
    let (request, secret) = ("a-request-that-fails", "Caneca que ninguém deve ler");
    logs::watch(&[request, secret]);
    let shop = test.shop("Loja").await;
    let only = "create unique index one_of_a_name on products (name)";
    test.app.transact(async move |tx| Ok(tx.exec(only, &[]).await?)).await.expect("is made");
    let product = json!({ "name": secret, "price": 4_990 });
    let key = shop.key.with("x-request-id", request);
    key.post("/api/v1/products", product.clone()).await.expect(201);
    let refused = key.post("/api/v1/products", product).await;
    refused.expect_refusal(500, "INTERNAL_ERROR");
    assert_eq!(refused.json()["message"], "Something went wrong on our side.");
    let reported = logs::lines_with(request);
    let reported: Vec<_> = reported.iter().filter(|line| line.contains("ERROR")).collect();
    assert_eq!(reported.len(), 1, "{reported:#?}");
    let cause = ["one_of_a_name", "UNIQUE constraint failed: products.name"];
    assert!(cause.iter().any(|cause| reported[0].contains(cause)), "{reported:#?}");
    assert_eq!(logs::lines_with(secret), [] as [&str; 0]);
}

#[story::test]
async fn a_job_that_fails_is_logged_with_its_cause(test: &TestApp) {
    let cause = "unknown job kind unheard_of";
    logs::watch(&[cause]);
    let unit = async move |tx: &db::tx::Tx| {
        Ok(push(tx, tx.new_id(), Due { at: tx.now(), clock: None }, &Unheard).await?)
    };
    test.app.transact(unit).await.expect("is pushed");
    test.run_jobs().await;
    let reported = logs::lines_with(cause);
    assert!(reported.iter().any(|line| line.contains("job failed")), "{reported:#?}");
}
