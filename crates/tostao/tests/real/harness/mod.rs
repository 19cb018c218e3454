//! What every test here needs: a database of its own, the program, and somebody who calls it.

use std::time::Duration;

use tempfile::TempDir;
use tokio::time::{interval, timeout};

use crate::harness::database::TestDatabase;

#[path = "../../it/harness/authenticator.rs"]
pub mod authenticator;
pub mod bank;
pub mod client;
#[path = "../../it/harness/database.rs"]
pub mod database;
pub mod front;
pub mod killing;
pub mod program;
#[expect(dead_code, reason = "the tests inside the process ask more of it")]
#[path = "../../it/harness/receiver.rs"]
pub mod receiver;
#[path = "../../it/harness/reply.rs"]
pub mod reply;
pub mod shop;
#[expect(dead_code, reason = "the tests inside the process move their clock")]
#[path = "../../it/harness/world.rs"]
pub mod world;

/// Longer than anything here takes, also on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(40);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Runs a story on a migrated database of its own, named by its URL.
pub fn story(body: impl AsyncFnOnce(&str)) {
    run(async {
        let database = TestDatabase::create().await;
        body(&database.settings().storage.database_url).await;
        database.drop().await;
    });
}

/// Runs a story in an empty folder, where an embedded database can be created.
pub fn in_a_folder(body: impl AsyncFnOnce(&TempDir)) {
    run(async {
        let folder = tempfile::tempdir().expect("a folder can be made");
        body(&folder).await;
    });
}

/// The address of an embedded database in a folder.
pub fn embedded(folder: &TempDir) -> String {
    format!("sqlite:{}", folder.path().join("tostao.db").display())
}

/// Looks again and again until there is an answer.
pub async fn until<T>(what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
    until_within(PATIENCE, what, look).await
}

/// The same, for what takes its time.
pub async fn until_within<T>(
    patience: Duration,
    what: &str,
    mut look: impl AsyncFnMut() -> Option<T>,
) -> T {
    let mut turns = interval(LOOK_EVERY);
    let looked = async {
        loop {
            turns.tick().await;
            if let Some(found) = look().await {
                return found;
            }
        }
    };
    timeout(patience, looked).await.unwrap_or_else(|_| panic!("never happened: {what}"))
}

/// Whether this is the gate, where nothing may be missing.
#[expect(clippy::disallowed_methods, reason = "the test run is configured by its environment")]
pub fn is_in_the_gate() -> bool {
    std::env::var_os("CI").is_some()
}

fn run(body: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime starts");
    runtime.block_on(body);
}
