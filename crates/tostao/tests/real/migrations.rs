//! Migrations, as an operator sees them.

use serde_json::Value;
use tempfile::TempDir;
use tostao::app::MIGRATIONS;

use crate::harness::program::{Server, finish, program, tostao};
use crate::harness::{embedded, in_a_folder, story};

#[story::in_a_folder]
async fn a_database_whose_migrations_were_changed_is_refused_by_name(folder: &TempDir) {
    let url = embedded(folder);
    tostao(&url, &["migrate"]).await.good();
    let file = rusqlite::Connection::open(folder.path().join("tostao.db")).expect("opens");
    let changed = "update schema_migrations set checksum = 'another' where name like '0005%'";
    file.execute_batch(changed).expect("is the table that remembers");
    drop(file);
    for words in [&["migrate", "--dry-run"][..], &["migrate"], &["serve"]] {
        let mut command = program(&url, words);
        command.env("TOSTAO_LISTEN", "127.0.0.1:0");
        let refused = finish(command).await.refused();
        let printed = "the migration 0005_products differs from the one that was applied";
        assert!(refused.contains(printed), "{refused}");
    }
}

#[story::in_a_folder]
async fn the_first_start_prints_which_migrations_it_applied(folder: &TempDir) {
    let url = embedded(folder);
    for (start, message) in ["migrations applied", "the database is up to date"].iter().enumerate()
    {
        let log = Server::start(&url).await.stop().await;
        let lines = log.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let printed = lines.into_iter().find(|line| line["message"] == *message);
        let printed = printed.unwrap_or_else(|| panic!("{log:#?}"));
        if start == 0 {
            assert_eq!(printed["count"], MIGRATIONS.len());
            let names: Vec<_> = MIGRATIONS.iter().map(|migration| migration.name).collect();
            assert_eq!(printed["names"], names.join(", "));
        }
    }
}

#[test]
fn migrations_are_printed_before_they_are_applied_and_applied_once() {
    in_a_folder(async |folder| {
        let url = embedded(folder);
        let dry = ["migrate", "--dry-run"];
        for (words, verb) in
            [(&dry[..], "would apply"), (&dry, "would apply"), (&dry[..1], "applied")]
        {
            let printed = tostao(&url, words).await.good();
            let named = MIGRATIONS.iter().map(|migration| format!("{verb} {}", migration.name));
            assert_eq!(printed.lines().collect::<Vec<_>>(), named.collect::<Vec<_>>());
        }
    });
    story(async |database_url| {
        for words in [&["migrate"][..], &["migrate", "--dry-run"]] {
            let printed = tostao(database_url, words).await.good();
            assert_eq!(printed, "The database is up to date.\n");
        }
    });
}

#[story::in_a_folder]
async fn printing_pending_migrations_creates_no_database(folder: &TempDir) {
    tostao(&embedded(folder), &["migrate", "--dry-run"]).await.good();
    assert_eq!(folder.path().read_dir().expect("is a folder").count(), 0);
}
