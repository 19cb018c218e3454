//! Changing, adding and deleting each row about money that the ledger does not keep.

use std::collections::BTreeMap;

use db::database::Dialect;

use super::{Outcome, count, tried};
use crate::harness::TestApp;
use crate::harness::engine::Engine;

/// Rows that say something about money.
#[derive(Clone, Copy)]
pub struct Kind {
    pub table: &'static str,
    pub key: &'static str,
    /// Which of them.
    pub rows: &'static str,
    /// Amounts, each of which is made a cent greater and a cent less.
    pub amounts: &'static [&'static str],
    /// Other changes, each with the rows that it changes.
    pub changes: &'static [(&'static str, &'static str)],
    /// What a copy of one differs in.
    pub copied: &'static [(&'static str, &'static str)],
    /// Whether one that is missing is found everywhere. In development starting over deletes rows
    /// and leaves what was booked, so what came to nothing can be missing there.
    pub missed: bool,
}

/// The columns of a table.
pub async fn columns(test: &TestApp, table: &str) -> Vec<String> {
    let engine = Engine::open(test).await;
    let sql = match engine.dialect() {
        Dialect::Sqlite => format!("select name from pragma_table_info('{table}')"),
        Dialect::Postgres => format!(
            "select cast(column_name as text)
               from information_schema.columns
              where table_schema = 'public' and table_name = '{table}'
              order by ordinal_position"
        ),
    };
    engine.rows(&sql).await.into_iter().flatten().collect()
}

impl Kind {
    /// Every change of every row: what it is called, and the statement.
    async fn all(&self, test: &TestApp) -> Vec<(String, String)> {
        let Self { table, key, rows, .. } = self;
        let columns = columns(test, table).await;
        let value = |column: &String| {
            let differs = self.copied.iter().find(|(name, _)| name == column);
            differs.map_or_else(|| column.clone(), |(_, value)| (*value).to_owned())
        };
        let values: Vec<_> = columns.iter().map(value).collect();
        let (columns, values) = (columns.join(", "), values.join(", "));
        let mut all = Vec::new();
        for number in 0..count(test, table, rows).await {
            let row = format!(
                "({key}) in (select {key} from {table} where {rows} order by {key} limit 1
                             offset {number})"
            );
            for amount in self.amounts {
                for by in ["+ 1", "- 1"] {
                    let change = format!("update {table} set {amount} = {amount} {by} where {row}");
                    all.push((format!("{amount} of {table}"), change));
                }
            }
            for (change, of) in self.changes {
                let sql = format!("update {table} set {change} where {row} and ({of})");
                all.push((format!("{change} of {table}"), sql));
            }
            if self.missed {
                let missing = format!("delete from {table} where {row}");
                all.push((format!("one of {table} less"), missing));
            }
            let copy =
                format!("insert into {table} ({columns}) select {values} from {table} where {row}");
            all.push((format!("one of {table} more"), copy));
        }
        all
    }
}

/// Tries all changes of some kinds; each of them must be found wherever the database allows it, and
/// must be possible somewhere.
pub async fn expect_found(test: &TestApp, kinds: &[Kind]) {
    expect(test, kinds, Outcome::FOUND).await;
}

/// The same of rows that are no merchant's, so that the proof of everything alone finds it.
pub async fn expect_found_of_the_platform(test: &TestApp, kinds: &[Kind]) {
    expect(test, kinds, Outcome::Changed { found: true, found_by_owner: false }).await;
}

async fn expect(test: &TestApp, kinds: &[Kind], wanted: Outcome) {
    let mut found = BTreeMap::<String, usize>::new();
    for kind in kinds {
        let all = kind.all(test).await;
        assert!(!all.is_empty(), "{} has no row where {}", kind.table, kind.rows);
        for (name, sql) in all {
            let outcome = tried(test, std::slice::from_ref(&sql)).await;
            let times = found.entry(name).or_default();
            match outcome {
                outcome if outcome == wanted => *times += 1,
                Outcome::Refused | Outcome::NothingChanged => {}
                Outcome::Changed { .. } => panic!("{outcome:?}: {sql}"),
            }
        }
    }
    let never: Vec<_> = found.iter().filter(|(_, times)| **times == 0).collect();
    assert!(never.is_empty(), "nothing of this was possible: {never:#?}");
}
