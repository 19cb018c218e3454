//! Guarantees of the server engine only; without a server these tests pass.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use db::args;
use db::database::Database;
use db::error::{Error, Result};
use db::migrations::{Migration, apply};
use db::tx::Tx;
use tokio::sync::oneshot;
use tokio_postgres::Client;

use crate::groups::all_in_one_group;
use crate::harness::{
    Refusal, Test, again_and_again, beside, client, insert, key, server_url, sources, with_database,
};
use crate::proxy::Proxy;

const END_ALL: &str = "select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()";

/// A commit of things takes long.
const SLOW_COMMITS: &str = "
    create function take_long() returns trigger language plpgsql as
        $$ begin perform pg_sleep(60); return null; end $$;
    create constraint trigger things_take_long after insert on things
        deferrable initially deferred for each row execute function take_long()";

async fn insert_later(tx: &Tx, id: i64) -> Result<()> {
    tx.defer("insert into things (id, amount) values ($1, 0)", args![id]).await
}

/// Awaits an answer for which things are committed, while every connection that is in such a commit
/// is ended; the server serves on afterwards.
///
/// There may be several: units that come together may still be of two groups.
async fn lost_at_commit<T>(test: &Test, other: &Client, answer: impl Future<Output = T>) -> T {
    other.batch_execute(SLOW_COMMITS).await.unwrap();
    let end = "select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event = 'PgSleep'";
    let answer = beside(answer, again_and_again(other, end)).await;
    other.batch_execute("drop trigger things_take_long on things").await.unwrap();
    test.assert_serves().await;
    answer
}

/// The database of a test, reached through a proxy.
async fn behind_a_proxy(test: &Test) -> (Database, Proxy) {
    let (user, rest) = test.url.rsplit_once('@').expect("an address with a user");
    let (server, name) = rest.split_once('/').expect("an address with a database");
    let proxy = Proxy::start(server.to_owned()).await;
    let url = format!("{user}@{}/{name}", proxy.address);
    (Database::open(&url, sources()).unwrap(), proxy)
}

async fn with_server(body: impl AsyncFnOnce(Test, Client)) {
    if server_url().is_none() {
        return;
    }
    with_database(async |test| {
        let other = client(&test.url).await;
        body(test, other).await;
    })
    .await;
}

#[tokio::test]
async fn a_connection_lost_before_the_commit_leaves_nothing() {
    with_server(async |test, other| {
        let (reached, wait) = oneshot::channel();
        let (go_on, gate) = oneshot::channel::<()>();
        let state = Arc::new(Mutex::new(Some((reached, gate))));
        let unit = test.unit(async move |tx: &Tx| {
            insert(tx, 1).await?;
            let first = state.lock().unwrap().take();
            if let Some((reached, gate)) = first {
                reached.send(()).unwrap();
                gate.await.unwrap();
            }
            insert(tx, 2).await?;
            Ok(())
        });
        let end = async {
            wait.await.unwrap();
            other.batch_execute(END_ALL).await.unwrap();
            go_on.send(()).unwrap();
        };
        let (answer, ()) = tokio::join!(unit, end);
        let reported = matches!(answer, Err(Refusal::Database(Error::Unavailable(_))));
        assert!(reported, "{answer:?}");
        assert!(test.ids().await.is_empty());
        test.assert_serves().await;
    })
    .await;
}

#[tokio::test]
async fn a_connection_lost_during_the_commit_leaves_its_outcome_unknown() {
    with_server(async |test, other| {
        let unit = test.unit(async |tx: &Tx| Ok(insert(tx, 1).await?));
        let answer = lost_at_commit(&test, &other, unit).await;
        let reported = matches!(answer, Err(Refusal::Database(Error::Unknown(_))));
        assert!(reported, "{answer:?}");
    })
    .await;
}

#[tokio::test]
async fn a_connection_lost_while_a_statement_commits_by_itself_leaves_its_outcome_unknown() {
    with_server(async |test, other| {
        let unit = test.db.transact_one(async |tx: &Tx| insert(tx, 1).await);
        let answer = lost_at_commit(&test, &other, unit).await;
        assert!(matches!(answer, Err(Error::Unknown(_))), "{answer:?}");
    })
    .await;
}

#[tokio::test]
async fn a_deferred_statement_that_commits_by_itself_is_unknown_if_its_connection_is_lost() {
    with_server(async |test, other| {
        let unit = test.db.transact_one(async |tx: &Tx| insert_later(tx, 1).await);
        let answer = lost_at_commit(&test, &other, unit).await;
        assert!(matches!(answer, Err(Error::Unknown(_))), "{answer:?}");
    })
    .await;
}

#[tokio::test]
async fn a_statement_that_commits_by_itself_is_one_message_and_one_trip() {
    with_server(async |test, _| {
        let mut found = (0, 0);
        // Each connection prepares it once.
        for id in 0..20 {
            let before = test.db.traffic().unwrap();
            test.db.transact_one(async move |tx: &Tx| insert(tx, id).await).await.unwrap();
            let after = test.db.traffic().unwrap();
            found = (after.messages - before.messages, after.trips - before.trips);
        }
        assert_eq!(found, (1, 1));
        let expected: Vec<_> = (0..20).collect();
        assert_eq!(test.ids().await, expected);
    })
    .await;
}

#[tokio::test]
async fn a_group_whose_connection_is_lost_before_its_commit_is_run_again() {
    with_server(async |test, other| {
        let other = Arc::new(other);
        let has_ended = Arc::new(AtomicBool::new(false));
        let units = (0..20_i64).map(|id| {
            let (other, has_ended) = (other.clone(), has_ended.clone());
            test.unit_of(id, async move |tx: &Tx| {
                insert(tx, id).await?;
                if id == 7 && !has_ended.swap(true, Ordering::SeqCst) {
                    other.batch_execute(END_ALL).await.unwrap();
                }
                insert(tx, id + 1000).await?;
                Ok(())
            })
        });
        for answer in all_in_one_group(&test, units).await {
            answer.unwrap();
        }
        assert!(has_ended.load(Ordering::SeqCst));
        let expected: Vec<_> = (0..20).chain(1000..1020).collect();
        assert_eq!(test.ids().await, expected);
    })
    .await;
}

#[tokio::test]
async fn a_group_whose_connection_is_lost_during_its_commit_is_unknown_to_each_caller() {
    with_server(async |test, other| {
        let units =
            (0..20_i64).map(|id| test.unit_of(id, async move |tx: &Tx| Ok(insert(tx, id).await?)));
        let answers = all_in_one_group(&test, units);
        for answer in lost_at_commit(&test, &other, answers).await {
            let reported = matches!(answer, Err(Refusal::Database(Error::Unknown(_))));
            assert!(reported, "{answer:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_commit_whose_answer_is_lost_is_unknown_although_it_happened() {
    with_server(async |test, _| {
        let (db, proxy) = behind_a_proxy(&test).await;
        let deferred = |id| db.transact(async move |tx: &Tx| insert_later(tx, id).await);
        deferred(1).await.unwrap();
        proxy.lose_the_next_commit();
        let answer = deferred(2).await;
        assert!(matches!(answer, Err(Error::Unknown(_))), "{answer:?}");
        assert_eq!(test.ids().await, [1, 2]);
        deferred(3).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_commit_that_is_answered_with_the_end_of_its_connection_is_unknown_though_it_happened() {
    with_server(async |test, _| {
        let (db, proxy) = behind_a_proxy(&test).await;
        for (id, severity) in [(1, "FATAL"), (2, "PANIC")] {
            proxy.end_at_the_next_commit(severity);
            // Its statement is awaited, so that the error is the answer to the commit.
            let answer = db.transact(async move |tx: &Tx| insert(tx, id).await).await;
            assert!(matches!(answer, Err(Error::Unknown(_))), "{severity}: {answer:?}");
        }
        assert_eq!(test.ids().await, [1, 2]);
        db.transact(async |tx: &Tx| insert(tx, 3).await).await.unwrap();
    })
    .await;
}

/// A pooler in between may end the client's connection and still pass on what it has received.
#[tokio::test]
async fn the_end_of_a_connection_that_answers_what_precedes_a_commit_leaves_it_unknown() {
    with_server(async |test, _| {
        let (db, proxy) = behind_a_proxy(&test).await;
        let runs = Arc::new(AtomicUsize::new(0));
        let deferred = |id: i64| {
            let runs = runs.clone();
            async move |tx: &Tx| -> Result<()> {
                runs.fetch_add(1, Ordering::Relaxed);
                insert_later(tx, id).await
            }
        };
        db.transact(deferred(1)).await.unwrap();
        proxy.end_at_the_next_commit("FATAL");
        let answer = db.transact(deferred(2)).await;
        assert!(matches!(answer, Err(Error::Unknown(_))), "{answer:?}");
        proxy.lose_the_server_at_the_next_commit();
        let answer = db.transact(deferred(3)).await;
        assert!(matches!(answer, Err(Error::Unknown(_))), "{answer:?}");
        // In a lane the unit is not run again, either.
        db.transact_for(key(1), deferred(4)).await.unwrap();
        proxy.lose_the_server_at_the_next_commit();
        let answer = db.transact_for(key(1), deferred(5)).await;
        assert!(matches!(answer, Err(Error::Unknown(_))), "{answer:?}");
        assert_eq!(runs.load(Ordering::Relaxed), 5);
        assert_eq!(test.ids().await, [1, 2, 3, 4, 5]);
    })
    .await;
}

/// A pooler without a server answers `begin` with an error, and gives the connection one for what
/// follows.
#[tokio::test]
async fn what_a_unit_wrote_without_a_transaction_is_unknown_and_not_written_again() {
    with_server(async |test, _| {
        let (db, proxy) = behind_a_proxy(&test).await;
        let runs = Arc::new(AtomicUsize::new(0));
        let unit = |id: i64, is_deferred: bool, is_refused: bool| {
            let runs = runs.clone();
            async move |tx: &Tx| -> Result<()> {
                runs.fetch_add(1, Ordering::Relaxed);
                if is_deferred {
                    insert_later(tx, id).await?;
                } else {
                    // It is refused only when the unit ends.
                    let _ = insert(tx, id).await;
                }
                if is_refused { Err(Error::Busy) } else { Ok(()) }
            }
        };
        let mut id = 0;
        for severity in ["ERROR", "FATAL"] {
            for (is_deferred, is_refused) in
                [(false, false), (false, true), (true, false), (true, true)]
            {
                for is_in_lane in [false, true] {
                    let first = unit(id, is_deferred, false);
                    let lost = unit(id + 1, is_deferred, is_refused);
                    let answer = if is_in_lane {
                        db.transact_for(key(1), first).await.unwrap();
                        proxy.refuse_the_next_begin(severity);
                        db.transact_for(key(1), lost).await
                    } else {
                        db.transact(first).await.unwrap();
                        proxy.refuse_the_next_begin(severity);
                        db.transact(lost).await
                    };
                    let case = (severity, is_deferred, is_refused, is_in_lane);
                    assert!(matches!(answer, Err(Error::Unknown(_))), "{case:?}: {answer:?}");
                    id += 2;
                }
            }
        }
        assert_eq!(test.ids().await, (0..id).collect::<Vec<_>>());
        assert_eq!(i64::try_from(runs.load(Ordering::Relaxed)).unwrap(), id);
    })
    .await;
}

#[tokio::test]
async fn what_is_read_without_a_snapshot_is_no_answer() {
    with_server(async |test, _| {
        let (db, proxy) = behind_a_proxy(&test).await;
        let count = async |tx: &Tx| tx.one("select count(*) from things", &[]).await?.take::<i64>();
        db.transact(async |tx: &Tx| insert(tx, 1).await).await.unwrap();
        proxy.refuse_the_next_begin("ERROR");
        let answer = db.read(count).await;
        assert!(matches!(answer, Err(Error::Unavailable(_))), "{answer:?}");
        assert_eq!(db.read(count).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_session_without_its_isolation_is_refused_with_the_reason() {
    with_server(async |test, _| {
        let options = "?options=-c%20default_transaction_isolation%3Dserializable";
        let db = Database::open(&format!("{}{options}", test.url), sources()).unwrap();
        let answer = db.transact(async |tx: &Tx| insert(tx, 1).await).await;
        let Err(Error::Unavailable(why)) = answer else { panic!("{answer:?}") };
        assert!(why.starts_with("transaction_isolation is not `read committed`: "), "{why}");
    })
    .await;
}

#[tokio::test]
async fn broken_connections_leave_the_pool() {
    with_server(async |test, other| {
        let warm =
            (0..30).map(|_| test.unit(async |tx: &Tx| Ok(tx.all("select 1", &[]).await?.len())));
        futures_util::future::join_all(warm).await;
        other.batch_execute(END_ALL).await.unwrap();
        let alive = "select 1 from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid()";
        while !other.query(alive, &[]).await.unwrap().is_empty() {}
        let mut acknowledged = Vec::new();
        for id in 0..60 {
            match test.unit(async move |tx: &Tx| Ok(insert(tx, id).await?)).await {
                Ok(_) => acknowledged.push(id),
                Err(Refusal::Database(Error::Unavailable(_) | Error::Unknown(_))) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
        // Sixteen were closed; a few of them may be used before the loss is noticed.
        assert!(acknowledged.len() >= 50, "{}", acknowledged.len());
        assert_eq!(test.ids().await, acknowledged);
    })
    .await;
}

#[tokio::test]
async fn a_server_without_room_refuses_and_heals_by_itself() {
    with_server(async |test, _| {
        const FULL: &str = "do $$ begin raise 'no space left' using errcode = 'disk_full'; end $$";
        for deferred in [false, true] {
            let unit = async move |tx: &Tx| {
                insert(tx, 1).await?;
                if deferred {
                    tx.defer(FULL, &[]).await?;
                } else {
                    let _ = tx.exec(FULL, &[]).await;
                }
                Ok(())
            };
            let answer = test.unit(unit).await;
            let reported = matches!(answer, Err(Refusal::Database(Error::Unavailable(_))));
            assert!(reported, "{answer:?}");
            assert!(test.ids().await.is_empty());
        }
        test.assert_serves().await;
    })
    .await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    let db = Database::open("postgres://nobody@127.0.0.1:1/none", sources()).unwrap();
    let answer = db.transact(async |tx: &Tx| insert(tx, 1).await).await;
    assert!(matches!(answer, Err(Error::Unavailable(_))), "{answer:?}");
}

#[tokio::test]
async fn a_migration_is_not_held_to_the_limits_of_a_request() {
    const STEPS: &[Migration] = &[Migration {
        name: "0001_limits",
        sql: "insert into things (id, amount)
              values (1, cast(current_setting('lock_timeout') as bigint)),
                     (2, cast(current_setting('statement_timeout') as bigint));",
    }];
    with_server(async |test, _| {
        apply(&test.db, STEPS).await.unwrap();
        let unit = async |tx: &Tx| {
            tx.one("select current_setting('lock_timeout')", &[]).await?.take::<String>()
        };
        for _ in 0..20 {
            assert_eq!(test.db.read(unit).await.unwrap(), "3s");
        }
    })
    .await;
}

#[tokio::test]
async fn a_commit_waits_for_the_disk_whatever_the_role_or_the_address_says() {
    with_server(async |test, other| {
        let name = test.url.rsplit_once('/').expect("names a database").1;
        let off =
            format!("alter role current_user in database {name} set synchronous_commit = off");
        other.batch_execute(&off).await.unwrap();
        let unit = async |tx: &Tx| {
            tx.one("select current_setting('synchronous_commit')", &[]).await?.take::<String>()
        };
        for options in ["", "?options=-c%20synchronous_commit%3Doff"] {
            let db = Database::open(&format!("{}{options}", test.url), sources()).unwrap();
            for _ in 0..20 {
                assert_eq!(db.read(unit).await.unwrap(), "on", "{options}");
                assert_eq!(db.transact(unit).await.unwrap(), "on", "{options}");
            }
        }
    })
    .await;
}
