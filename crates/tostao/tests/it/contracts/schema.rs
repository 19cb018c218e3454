//! The tables as each engine has them once every migration has run.

use std::fmt::Write as _;

use db::database::Dialect;

use crate::harness::TestApp;
use crate::harness::engine::Engine;

const SQLITE: &str = "
    select type, tbl_name, sql
      from sqlite_master
     where sql is not null
     order by tbl_name, type desc, name";

const POSTGRES: [&str; 5] = [
    "select 'column', table_name, column_name, data_type,
            case is_nullable when 'YES' then 'null' else 'not null' end
       from information_schema.columns
      where table_schema = 'public'
      order by table_name, ordinal_position",
    "select 'constraint', cast(conrelid as regclass), conname, pg_get_constraintdef(oid)
       from pg_constraint
      where connamespace = cast('public' as regnamespace) and contype <> 'n'
      order by cast(cast(conrelid as regclass) as text) collate \"C\", conname",
    "select 'index', indexdef
       from pg_indexes
      where schemaname = 'public'
      order by tablename, indexname",
    "select 'trigger', pg_get_triggerdef(oid)
       from pg_trigger
      where not tgisinternal
      order by tgname",
    "select 'function', proname, prosrc
       from pg_proc
      where pronamespace = cast('public' as regnamespace)
      order by proname",
];

#[story::test]
async fn the_migrated_schema_is_what_it_was(test: &TestApp) {
    let engine = Engine::open(test).await;
    let mut schema = String::new();
    match engine.dialect() {
        Dialect::Sqlite => {
            for row in engine.rows(SQLITE).await {
                let [kind, table, sql] = row.as_slice() else { panic!("three columns") };
                writeln!(schema, "-- {kind} of {table}\n{sql};\n").expect("has room");
            }
            insta::assert_snapshot!("sqlite", schema);
        }
        Dialect::Postgres => {
            for query in POSTGRES {
                for row in engine.rows(query).await {
                    writeln!(schema, "{}", row.join(" ")).expect("has room");
                }
                schema.push('\n');
            }
            insta::assert_snapshot!("postgres", schema);
        }
    }
}
