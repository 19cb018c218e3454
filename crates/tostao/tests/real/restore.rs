//! Going back to a copy of an embedded database: nothing is lost, and nothing half done is kept.

use std::fs::{create_dir, read, read_dir, rename, write};
use std::path::{Path, PathBuf};

use db::database::Database;
use db::migrations::{apply, pending};
use tempfile::TempDir;
use tostao::app::MIGRATIONS;
use tostao::platform::system_clock;

use crate::harness::in_a_folder;
use crate::harness::program::{Server, tostao};
use crate::harness::shop::Shop;

/// What a database consists of, as the documents say to move it.
const PARTS: [&str; 3] = ["", "-wal", "-shm"];

/// A file, the log beside it, and why it is refused.
type Source<'a> = (&'a [u8], Option<&'a [u8]>, &'a str);

/// A database's file and its address.
struct Place {
    file: PathBuf,
    url: String,
}

impl Place {
    fn at(folder: &Path) -> Self {
        let file = folder.join("tostao.db");
        let url = format!("sqlite:{}", file.display());
        Self { file, url }
    }

    fn part(&self, suffix: &str) -> PathBuf {
        format!("{}{suffix}", self.file.display()).into()
    }

    /// Moves the files into a folder of their own; answers where they are.
    fn moved_away(&self, suffixes: &[&str]) -> Self {
        let away = self.file.with_file_name("old");
        create_dir(&away).expect("a folder can be made");
        let there = Self::at(&away);
        for suffix in suffixes {
            rename(self.part(suffix), there.part(suffix)).expect("the file is there");
        }
        there
    }

    fn text(&self) -> String {
        self.file.display().to_string()
    }
}

fn place(folder: &TempDir) -> Place {
    Place::at(folder.path())
}

async fn balance(url: &str, shop: Shop) -> i64 {
    let server = Server::start(url).await;
    let there = Shop { client: shop.client.at(server.address), ..shop };
    let available = there.available().await;
    server.stop().await;
    available
}

/// A database with one sale, not served by anybody, without a log.
async fn sold(place: &Place) -> Shop {
    let server = Server::start(&place.url).await;
    let shop = Shop::open(&server).await;
    shop.sell(4_990).await;
    server.stop().await;
    shop
}

#[test]
fn a_database_moved_away_after_a_crash_comes_back_with_what_its_log_holds() {
    for was_stopped_before in [true, false] {
        in_a_folder(async |folder| {
            let place = place(folder);
            let mut server = Server::start(&place.url).await;
            let shop = Shop::open(&server).await;
            shop.sell(4_990).await;
            if was_stopped_before {
                server.stop().await;
                server = Server::start(&place.url).await;
            }
            let there = Shop { client: shop.client.at(server.address), ..shop };
            there.sell(10).await;
            server.kill();
            let old = place.moved_away(&PARTS);
            let source = || (read(&old.file).unwrap(), read(old.part("-wal")).unwrap());
            let before = source();
            assert!(!before.1.is_empty(), "the crash left a log");
            let printed = tostao(&place.url, &["restore", &old.text()]).await.good();
            assert!(printed.contains("is in place"), "{printed}");
            assert!(source() == before, "the files that it came from are as they were");
            assert_eq!(balance(&place.url, there).await, 5_000);
        });
    }
}

#[test]
fn a_copy_is_not_put_beside_a_running_server() {
    for moved in [&PARTS[..], &["", "-wal", "-shm", "-lock"]] {
        in_a_folder(async |folder| {
            let place = place(folder);
            let server = Server::start(&place.url).await;
            let shop = Shop::open(&server).await;
            shop.sell(4_990).await;
            let old = place.moved_away(moved);
            let refused = tostao(&place.url, &["restore", &old.text()]).await.refused();
            assert!(refused.contains("another process is serving"), "{refused}");
            assert!(!place.file.exists());
            shop.sell(10).await;
            assert_eq!(shop.available().await, 5_000);
            server.stop().await;
            tostao(&place.url, &["restore", &old.text()]).await.good();
            assert_eq!(balance(&place.url, shop).await, 5_000);
        });
    }
}

#[test]
fn nothing_that_is_in_the_place_is_overwritten_or_replayed_into_the_copy() {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        in_a_folder(async |folder| {
            let old = Place::at(&folder.path().join("first"));
            sold(&old).await;
            let place = place(folder);
            write(place.part(suffix), "left here").expect("writes");
            let refused = tostao(&place.url, &["restore", &old.text()]).await.refused();
            assert!(refused.contains("exists; move it away first"), "{refused}");
            assert_eq!(read(place.part(suffix)).unwrap(), b"left here");
        });
    }
    in_a_folder(async |folder| {
        let old = Place::at(&folder.path().join("first"));
        sold(&old).await;
        let place = place(folder);
        std::os::unix::fs::symlink("nowhere", &place.file).expect("links");
        let refused = tostao(&place.url, &["restore", &old.text()]).await.refused();
        assert!(refused.contains("exists; move it away first"), "{refused}");
    });
}

#[story::in_a_folder]
async fn what_is_no_sound_copy_is_refused_with_a_sentence_and_left_as_it_is(folder: &TempDir) {
    let first = Place::at(&folder.path().join("first"));
    sold(&first).await;
    let sound = read(&first.file).unwrap();
    let foreign = Place::at(&folder.path().join("foreign"));
    let server = Server::start(&foreign.url).await;
    Shop::open(&server).await.sell(1).await;
    server.kill();
    let log = read(foreign.part("-wal")).unwrap();
    let copy = folder.path().join("copy.db");
    tostao(&first.url, &["backup", &copy.display().to_string()]).await.good();
    let copy = read(copy).unwrap();
    let mut damaged = sound.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 40_960].fill(0x5a);
    let table: [Source<'_>; 6] = [
        (b"", None, "is empty"),
        (b"", Some(&log), "is empty"),
        (b"this is no database", None, "cannot be used"),
        (&sound[..sound.len() / 2], None, "cannot be used"),
        (&damaged, None, "cannot be used"),
        (&copy, Some(&log), "is the log of another database; move it away"),
    ];
    let (source, target) = (folder.path().join("source"), folder.path().join("target"));
    create_dir(&target).unwrap();
    for (number, (file, log, reason)) in table.into_iter().enumerate() {
        let source = Place::at(&source.with_extension(number.to_string()));
        create_dir(source.file.parent().unwrap()).unwrap();
        write(&source.file, file).unwrap();
        if let Some(log) = log {
            write(source.part("-wal"), log).unwrap();
        }
        let place = Place::at(&target);
        let refused = tostao(&place.url, &["restore", &source.text()]).await.refused();
        assert!(refused.contains(reason), "{number}: {refused}");
        assert!(refused.contains(&source.text()), "{refused}");
        assert!(!refused.contains("select") && !refused.contains("pragma"), "{refused}");
        assert!(read(&source.file).unwrap() == file, "{number}: the source has changed");
        assert_eq!(log.is_some(), source.part("-wal").exists());
        let left = read_dir(&target).unwrap().map(|it| it.unwrap().file_name());
        let left: Vec<_> = left.collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[story::in_a_folder]
async fn a_database_is_not_restored_onto_itself(folder: &TempDir) {
    let place = place(folder);
    sold(&place).await;
    let before = read(&place.file).unwrap();
    let refused = tostao(&place.url, &["restore", &place.text()]).await.refused();
    assert!(refused.contains("is the database itself"), "{refused}");
    assert!(read(&place.file).unwrap() == before);
}

#[story::in_a_folder]
async fn a_file_without_this_products_data_is_refused_with_a_sentence(folder: &TempDir) {
    let place = place(folder);
    let other = folder.path().join("other.db");
    let database = rusqlite::Connection::open(&other).unwrap();
    database.execute_batch("create table notes (text text)").unwrap();
    drop(database);
    for (file, reason) in [
        (other, "holds no data of this product"),
        (folder.path().to_owned(), "is not a file"),
        (folder.path().join("missing.db"), "does not exist"),
    ] {
        let file = file.display().to_string();
        let refused = tostao(&place.url, &["restore", &file]).await.refused();
        assert!(refused.contains(&format!("{file} {reason}")), "{refused}");
        assert!(!place.file.exists());
    }
}

#[story::in_a_folder]
async fn a_copy_of_an_older_version_is_brought_to_this_one_before_it_is_proved(folder: &TempDir) {
    let old = Place::at(&folder.path().join("old"));
    let all_but_one = &MIGRATIONS[..MIGRATIONS.len() - 1];
    let database = Database::open(&old.url, system_clock::system()).unwrap();
    apply(&database, all_but_one).await.unwrap();
    drop(database);
    let before = read(&old.file).unwrap();
    let place = place(folder);
    tostao(&place.url, &["restore", &old.text()]).await.good();
    let restored = Database::open_to_read(&place.url, system_clock::system()).unwrap();
    assert!(pending(&restored, MIGRATIONS).await.unwrap().is_empty());
    assert!(read(&old.file).unwrap() == before);
}
