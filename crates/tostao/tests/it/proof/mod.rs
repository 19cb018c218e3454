//! The proof of the books: it finds every single change of what is stored about money.

mod chain;
mod ended;
mod equalities;
pub mod kinds;
mod lived_in;
mod onward;
mod resets;
mod returned;
mod schema;
mod transfers;

use std::sync::{Arc, Mutex};

use anyhow::anyhow;
use db::database::Dialect;
use db::tx::Tx;
use db::value::Arg;
use tostao::platform::error::Error;
use tostao::platform::ids::{MerchantId, Mode};
use tostao::{merchants, reconciliation};
use uuid::Uuid;

use crate::harness::TestApp;
use crate::harness::engine::Engine;

/// What became of a change that somebody made behind the product's back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The database did not let it happen.
    Refused,
    /// No row was such.
    NothingChanged,
    /// It happened; whether the proof of everything, and any merchant's own, found it.
    Changed { found: bool, found_by_owner: bool },
}

impl Outcome {
    /// The only good end of a change that was possible.
    const FOUND: Self = Self::Changed { found: true, found_by_owner: true };
}

/// Makes a change, proves the books in the same unit, and undoes it.
///
/// `$1` in a statement is an id that nothing has.
async fn tried(test: &TestApp, statements: &[String]) -> Outcome {
    let leaked = statements.iter().map(|sql| &*Box::leak(sql.clone().into_boxed_str()));
    let statements: Vec<&'static str> = leaked.collect();
    let outcome = Arc::new(Mutex::new(Outcome::Refused));
    let reported = outcome.clone();
    let unit = async move |tx: &Tx| -> Result<(), Error> {
        let mut changed = 0;
        for sql in &statements {
            let args = [Arg::Id(Uuid::from_u128(0xdead_beef))];
            let taken = usize::from(sql.contains("$1"));
            changed += tx.exec(sql, &args[..taken]).await?;
        }
        let outcome = if changed == 0 { Outcome::NothingChanged } else { proved(tx).await? };
        *reported.lock().expect("the lock is not poisoned") = outcome;
        Err(Error::Internal(anyhow!("it is undone")))
    };
    test.app.transact(unit).await.expect_err("it is undone");
    *outcome.lock().expect("the lock is not poisoned")
}

async fn proved(tx: &Tx) -> Result<Outcome, Error> {
    let found = !reconciliation::verify(tx, None).await?.is_sound();
    let mut found_by_owner = false;
    let mut own: Vec<MerchantId> = merchants::all(tx).await?;
    own.push(MerchantId(Uuid::from_u128(0xdead_beef)));
    for merchant in own {
        for mode in [Mode::Development, Mode::Production] {
            let Ok(scope) = merchants::scope(tx, merchant, mode).await else { continue };
            found_by_owner |= !reconciliation::verify(tx, Some(scope)).await?.is_sound();
        }
    }
    Ok(Outcome::Changed { found, found_by_owner })
}

/// Takes away what keeps transfers from being changed.
async fn disarm(test: &TestApp) {
    let sqlite: &[&'static str] = &[
        "drop trigger ledger_transfers_refuses_update",
        "drop trigger ledger_transfers_refuses_delete",
    ];
    let postgres: &[&'static str] =
        &["drop trigger ledger_transfers_refuses_change on ledger_transfers"];
    let triggers = match test.app.database.dialect() {
        Dialect::Sqlite => sqlite,
        Dialect::Postgres => postgres,
    };
    for sql in triggers {
        let unit = async move |tx: &Tx| Ok(tx.exec(sql, &[]).await?);
        test.app.transact(unit).await.expect("is possible");
    }
}

/// How many rows of a table are such.
async fn count(test: &TestApp, table: &str, rows: &str) -> usize {
    let sql = format!("select cast(count(*) as text) from {table} where {rows}");
    Engine::open(test).await.rows(&sql).await[0][0].parse().expect("is a number")
}
