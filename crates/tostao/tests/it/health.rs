//! Readiness: what it proves, how often, and that asking changes nothing but that.

use std::time::Duration;

use db::tx::Tx;

use crate::harness::{TestApp, story};

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

#[test]
fn writing_is_proved_once_a_second_however_often_somebody_asks() {
    story(async |test| {
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
    });
}

#[test]
fn a_schema_of_another_version_is_not_ready_and_is_left_as_it_is() {
    story(async |test| {
        let anyone = test.anyone();
        let forget = "delete from schema_migrations where name = '0008_webhooks'";
        assert_eq!(change(test, forget).await, 1);
        anyone.get("/readyz").await.expect_refusal(503, "UNAVAILABLE");
        change(test, "drop table schema_migrations").await;
        test.pass(SECOND);
        anyone.get("/readyz").await.expect_refusal(503, "UNAVAILABLE");
        let names = async |tx: &Tx| {
            Ok::<_, tostao::error::Error>(tx.all("select name from schema_migrations", &[]).await?)
        };
        test.app.read(names).await.expect_err("asking does not make the table again");
    });
}
