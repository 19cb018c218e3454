//! Readiness: what it proves, how often, and that asking changes nothing but that.

use std::sync::Arc;
use std::time::Duration;

use db::database::Dialect;
use db::tx::Tx;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc};

use crate::harness::{TestApp, logs};

const MOMENT: Duration = Duration::from_micros(1);
const SECOND: Duration = Duration::from_secs(1);

async fn change(test: &TestApp, sql: &'static str) -> u64 {
    let changed = test.app.transact(async move |tx| Ok(tx.exec(sql, &[]).await?)).await;
    changed.expect("is changed")
}

async fn probes(test: &TestApp) -> usize {
    let read = async |tx: &Tx| Ok(tx.all("select id from probes", &[]).await?.len());
    test.app.read(read).await.expect("can be read")
}

#[story::test]
async fn writing_is_proved_once_a_second_however_often_it_is_asked(test: &TestApp) {
    let anyone = test.anyone();
    assert!(anyone.get("/readyz").await.text.starts_with("ready "));
    assert_eq!(change(test, "delete from probes").await, 1);
    test.pass(Duration::from_micros(999_999));
    for _ in 0..20 {
        assert_eq!(anyone.get("/readyz").await.status, 200);
    }
    assert_eq!(probes(test).await, 0);
    test.pass(MOMENT);
    assert_eq!(anyone.get("/readyz").await.status, 200);
    assert_eq!(probes(test).await, 1);
}

#[story::test]
async fn a_schema_of_another_version_is_not_ready_and_is_left_as_it_is(test: &TestApp) {
    let anyone = test.anyone();
    let cause = "migrations are missing: [\"0008_webhooks\"]";
    logs::watch(&[cause]);
    let forget = "delete from schema_migrations where name = '0008_webhooks'";
    assert_eq!(change(test, forget).await, 1);
    let refused = anyone.get("/readyz").await;
    refused.expect_refusal(503, "UNAVAILABLE");
    assert!(!refused.text.contains("migration"), "{}", refused.text);
    assert!(!logs::lines_with(cause).is_empty(), "the operator reads why");
    change(test, "drop table schema_migrations").await;
    test.pass(SECOND);
    anyone.get("/readyz").await.expect_refusal(503, "UNAVAILABLE");
    let names = async |tx: &Tx| {
        Ok::<_, tostao::platform::error::Error>(
            tx.all("select name from schema_migrations", &[]).await?,
        )
    };
    test.app.read(names).await.expect_err("asking does not make the table again");
}

#[story::test]
async fn a_look_that_took_long_is_shared_by_those_who_waited_for_it(test: &TestApp) {
    let anyone = test.anyone();
    assert_eq!(anyone.get("/readyz").await.status, 200);
    test.pass(SECOND);
    let (gate, runtime) = (Arc::new(Semaphore::new(0)), Handle::current());
    let (enters, mut entered) = mpsc::unbounded_channel();
    let (opened, is_sqlite) = (gate.clone(), test.app.database.dialect() == Dialect::Sqlite);
    let holding = test.app.transact(async move |tx| {
        tx.exec("update probes set probed_at = 0", &[]).await?;
        enters.send(()).expect("the test listens");
        // A unit of the embedded engine may hold its thread up, but not wait.
        let passed = opened.acquire();
        let passed = if is_sqlite { runtime.block_on(passed) } else { passed.await };
        passed.expect("is never closed").forget();
        Ok(())
    });
    let looking = async {
        entered.recv().await.expect("the row is held");
        let look = anyone.get("/readyz");
        let meanwhile = async {
            test.pass(2 * SECOND);
            gate.add_permits(1);
        };
        tokio::join!(look, meanwhile).0
    };
    let (held, looked) = tokio::join!(holding, looking);
    held.expect("is kept");
    assert_eq!(looked.status, 200);
    assert_eq!(change(test, "delete from probes").await, 1);
    assert_eq!(anyone.get("/readyz").await.status, 200);
    assert_eq!(probes(test).await, 0);
}
