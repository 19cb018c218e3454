//! The commands, as an operator finds them.

use std::fs::{Permissions, metadata, set_permissions};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use tempfile::TempDir;

use crate::harness::client::Client;
use crate::harness::database::SECRET;
use crate::harness::program::{Server, finish, program, tostao};
use crate::harness::shop::{Shop, sign_in};
use crate::harness::{embedded, in_a_folder};

const PASSWORD: &str = "a password for tests";

#[story::in_a_folder]
async fn a_folder_made_for_the_data_is_its_owners_alone(folder: &TempDir) {
    let made = folder.path().join("made/data");
    let url = format!("sqlite:{}", made.join("tostao.db").display());
    let words = ["-c", "umask 000; exec \"$0\" migrate", env!("CARGO_BIN_EXE_tostao")];
    let mut migrate = Command::new("sh");
    migrate.args(words).env_clear().env("TOSTAO_DATABASE_URL", url);
    finish(migrate).await.good();
    for folder in [made.parent().expect("is within"), &made] {
        let allowed = metadata(folder).expect("was made").permissions().mode();
        assert_eq!(allowed & 0o777, 0o700, "{}", folder.display());
    }
}

#[story::in_a_folder]
async fn a_port_that_cannot_be_had_is_refused_with_what_to_do(folder: &TempDir) {
    let held = TcpListener::bind("127.0.0.1:0").expect("some port is free");
    let taken = held.local_addr().expect("is bound").to_string();
    let refused = tostao(&embedded(folder), &["serve", "--listen", &taken]).await.refused();
    assert!(refused.contains(&format!("{taken} is in use by another program")), "{refused}");
    assert!(refused.contains("choose another with --listen, such as 127.0.0.1:8081"), "{refused}");
    for (given, advice) in [
        ("18472", "as in 127.0.0.1:18472"),
        (":18472", "as in 127.0.0.1:18472"),
        ("localhost", "write an IP address and a port, like 127.0.0.1:8080"),
    ] {
        let ended = tostao(&embedded(folder), &["serve", "--listen", given]).await;
        assert_ne!(ended.status, 0);
        assert!(ended.errors.contains(advice), "{}", ended.errors);
    }
}

#[story::in_a_folder]
async fn a_request_waits_at_a_kept_port_for_the_next_server(folder: &TempDir) {
    let url = embedded(folder);
    let kept = TcpListener::bind("127.0.0.1:0").expect("some port is free");
    let address = kept.local_addr().expect("is bound");
    let serve = |listen: &str| {
        let mut command = program(&url, &["serve", "--listen", listen]);
        let socket = OwnedFd::from(kept.try_clone().expect("it can be shared"));
        command.env("TOSTAO_LOG_FORMAT", "json").stdin(socket);
        command
    };
    for _ in 0..2 {
        let waiting = Client::new(address);
        let command = serve(&address.to_string());
        let (server, response) =
            tokio::join!(Server::spawn(command, "serving"), waiting.get("/readyz"));
        assert_eq!((server.address, response.status), (address, 200));
        server.stop().await;
    }
    let refused = finish(serve("127.0.0.1:1")).await.refused();
    assert!(refused.contains(&format!("{address}, not on 127.0.0.1:1 (TOSTAO_LISTEN)")));
}

#[story::in_a_folder]
async fn a_second_server_on_an_embedded_database_is_refused_and_harms_nothing(folder: &TempDir) {
    let url = embedded(folder);
    let server = Server::start(&url).await;
    let admin = ["admin", "create", "--email", "admin@example.com", "--password", PASSWORD];
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    for words in [&serve[..], &["worker"], &["migrate"], &admin] {
        let refused = tostao(&url, words).await.refused();
        assert!(refused.contains("another process is serving"), "{refused}");
        assert!(refused.contains("stop it first"), "{refused}");
        assert!(refused.contains("PostgreSQL"), "{refused}");
    }
    let refused = tostao(&url, &["connections", "test", "efi-main"]).await.refused();
    assert!(refused.contains("an administrator does this at /api/admin/connections"), "{refused}");
    assert_eq!(Client::new(server.address).get("/readyz").await.status, 200);
    server.stop().await;
}

#[story::test]
async fn what_only_reads_works_beside_a_server(database_url: &str) {
    let server = Server::start(database_url).await;
    let shop = Shop::open(&server).await;
    shop.sell(4_990).await;
    let proof = tostao(database_url, &["ledger", "verify"]).await.good();
    assert!(proof.contains("The books agree"), "{proof}");
    let printed = tostao(database_url, &["migrate", "--dry-run"]).await.good();
    assert_eq!(printed, "The database is up to date.\n");
    shop.sell(10).await;
    assert_eq!(shop.available().await, 5_000);
    server.stop().await;
}

#[story::test]
async fn a_password_can_be_given_where_no_list_of_processes_shows_it(database_url: &str) {
    let (email, password) = ("admin@example.com", PASSWORD);
    let words = ["admin", "create", "--email"];
    let mut by_variable = program(database_url, &[&words[..], &[email]].concat());
    by_variable.env("TOSTAO_ADMIN_PASSWORD", password);
    finish(by_variable).await.good();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let line = folder.path().join("line");
    std::fs::write(&line, format!("{password}\nand nothing else\n")).expect("writes");
    let second = "second@example.com";
    let words = [&words[..], &[second, "--password", "-"]].concat();
    let mut by_input = program(database_url, &words);
    by_input.stdin(std::fs::File::open(line).expect("it was written"));
    finish(by_input).await.good();
    let server = Server::start(database_url).await;
    let anyone = Client::new(server.address);
    for email in [email, second] {
        assert_eq!(sign_in(&anyone, email, password).await["user"]["role"], "ADMIN");
    }
    server.stop().await;
}

#[story::test]
async fn an_administrator_is_made_by_a_command_and_by_nothing_else(database_url: &str) {
    let (email, password) = ("admin@example.com", PASSWORD);
    let words = ["admin", "create", "--email", email, "--password", password];
    let printed = tostao(database_url, &words).await.good();
    assert_eq!(printed, "Administrator Administrator <admin@example.com> created.\n");
    tostao(database_url, &words).await.refused();
    let server = Server::start(database_url).await;
    let anyone = Client::new(server.address);
    assert_eq!(sign_in(&anyone, email, password).await["user"]["role"], "ADMIN");
    let shop = Shop::open(&server).await;
    assert_eq!(shop.session["user"]["role"], "MERCHANT");
    server.stop().await;
}

#[story::in_a_folder]
async fn a_backup_of_a_serving_database_is_whole_and_takes_its_place_elsewhere(folder: &TempDir) {
    let url = embedded(folder);
    let server = Server::start(&url).await;
    let shop = Shop::open(&server).await;
    shop.sell(4_990).await;
    let copy = folder.path().join("copy.db").display().to_string();
    let printed = tostao(&url, &["backup", &copy]).await.good();
    assert!(printed.contains("is a complete and verified copy"), "{printed}");
    assert!(printed.contains("a copy of the secret too, in another place"), "{printed}");
    let readable = Permissions::from_mode(0o644);
    set_permissions(&copy, readable).expect("an older copy could be read by all");
    let again = tostao(&url, &["backup", &copy]).await.refused();
    assert!(again.contains("already exists"), "{again}");
    let nowhere = folder.path().join("missing/copy.db").display().to_string();
    let refused = tostao(&url, &["backup", &nowhere]).await.refused();
    assert!(refused.contains("missing does not exist; create it first"), "{refused}");
    shop.sell(1).await;
    let elsewhere = format!("sqlite:{}", folder.path().join("new/tostao.db").display());
    let printed = tostao(&elsewhere, &["restore", &copy]).await.good();
    assert!(printed.contains("is in place"), "{printed}");
    let placed = metadata(folder.path().join("new/tostao.db")).expect("is there");
    assert_eq!(placed.permissions().mode() & 0o777, 0o600);
    let over = tostao(&elsewhere, &["restore", &copy]).await.refused();
    assert!(over.contains("move it away first"), "{over}");
    let proof = tostao(&elsewhere, &["ledger", "verify"]).await.good();
    assert!(proof.contains("The books agree"), "{proof}");
    let restored = Server::start(&elsewhere).await;
    let there = Shop { client: shop.client.at(restored.address), ..shop };
    assert_eq!(there.available().await, 4_990);
    restored.stop().await;
    server.stop().await;
}

#[story::in_a_folder]
async fn a_server_knows_the_last_backup_that_was_finished_beside_it(folder: &TempDir) {
    let url = embedded(folder);
    let email = "admin@example.com";
    let create = ["admin", "create", "--email", email, "--password", PASSWORD];
    tostao(&url, &create).await.good();
    let server = Server::start(&url).await;
    let anyone = Client::new(server.address);
    let session = sign_in(&anyone, email, PASSWORD).await;
    let token = session["accessToken"].as_str().expect("gives a token");
    let admin = anyone.with("authorization", &format!("Bearer {token}"));
    let backups = async || {
        let health = admin.get("/api/admin/health").await.expect(200);
        let parts = health["data"]["parts"].as_array().expect("is a list").clone();
        parts.into_iter().find(|part| part["part"] == "BACKUPS").expect("is there")
    };
    let copy = folder.path().join("copy.db").display().to_string();
    let none = backups().await;
    assert_eq!(none["reason"], "BACKUP_NOT_RECORDED");
    tostao(&url, &["backup", &copy]).await.good();
    let first = backups().await;
    assert_eq!(first["reason"], "BACKUP_RECENT");
    assert!(first["at"].is_string(), "{first}");
    tostao(&url, &["backup", &copy]).await.refused();
    assert_eq!(backups().await, first, "one that was refused is none");
    server.stop().await;
}

#[story::in_a_folder]
async fn each_database_of_a_folder_has_a_time_of_backup_that_every_user_reads(folder: &TempDir) {
    for name in ["shop.dev", "shop.prod"] {
        let database = folder.path().join(name);
        let url = format!("sqlite:{}", database.display());
        let copy = folder.path().join(format!("copy-of-{name}"));
        let script = "umask 077; \"$0\" migrate && exec \"$0\" backup \"$1\"";
        let mut backup = Command::new("sh");
        backup.args(["-c", script, env!("CARGO_BIN_EXE_tostao")]).arg(copy);
        backup.env_clear().env("TOSTAO_DATABASE_URL", url).env("TOSTAO_SECRET_KEY", SECRET);
        finish(backup).await.good();
        let recorded = format!("{}.last-backup", database.display());
        let allowed = metadata(&recorded).expect("is recorded").permissions().mode();
        assert_eq!(allowed & 0o777, 0o644, "{recorded}");
    }
}

#[story::in_a_folder]
async fn a_file_that_is_no_backup_is_not_put_in_place(folder: &TempDir) {
    let bad = folder.path().join("bad.db");
    std::fs::write(&bad, "this is no database").expect("writes");
    let url = embedded(folder);
    tostao(&url, &["restore", &bad.display().to_string()]).await.refused();
    assert!(!folder.path().join("tostao.db").exists());
    let wrong = format!("sqlite:{}", bad.display());
    let unreadable = tostao(&wrong, &["ledger", "verify"]).await.refused();
    assert!(unreadable.contains("file is not a database"), "{unreadable}");
    let missing = tostao(&url, &["ledger", "verify"]).await.refused();
    assert!(missing.contains("does not exist"), "{missing}");
}

#[test]
fn a_command_for_what_is_there_makes_no_database_and_no_secret() {
    let table: [&[&str]; 9] = [
        &["secrets", "reseal"],
        &["ledger", "verify"],
        &["ledger", "rechain"],
        &["admin", "list"],
        &["admin", "password", "--email", "admin@example.com", "--password", PASSWORD],
        &["admin", "revoke", "--email", "admin@example.com"],
        &["admin", "grant", "--email", "admin@example.com", "--password", PASSWORD],
        &["connections", "list"],
        &["connections", "test", "efi-main"],
    ];
    let run = async |folder: &TempDir, words| {
        let mut command = program(&embedded(folder), words);
        command.env_remove("TOSTAO_SECRET_KEY");
        command.env("TOSTAO_SECRET_KEY_PREVIOUS", SECRET);
        finish(command).await.refused()
    };
    in_a_folder(async |folder| {
        for words in table.into_iter().chain([&["worker"][..]]) {
            let refused = run(folder, words).await;
            let said =
                "tostao.db does not exist; `tostao migrate` and `tostao serve` make a new one";
            assert!(refused.contains(said), "{words:?}: {refused}");
            assert_eq!(folder.path().read_dir().expect("is a folder").count(), 0, "{words:?}");
        }
        let file = folder.path().join("tostao.db");
        std::fs::write(&file, "").expect("writes");
        for words in table {
            let refused = run(folder, words).await;
            assert!(refused.contains("holds no data of this product"), "{words:?}: {refused}");
            assert_eq!(metadata(&file).expect("is there").len(), 0, "{words:?}");
            assert!(!folder.path().join("tostao.secret").exists(), "{words:?}");
        }
        std::fs::remove_file(&file).expect("is there");
        tostao(&embedded(folder), &["migrate"]).await.good();
        let refused = run(folder, table[0]).await;
        assert!(refused.contains("tostao.secret does not exist"), "{refused}");
    });
}

#[story::in_a_folder]
async fn a_shared_database_is_copied_with_its_own_tools() {
    for words in [["backup", "copy.db"], ["restore", "copy.db"]] {
        let refused = tostao("postgres://db.example.com/tostao", &words).await.refused();
        assert!(refused.contains("pg_dump"), "{refused}");
    }
}

#[story::test]
async fn whether_a_server_is_ready_can_be_asked_from_outside(database_url: &str) {
    let server = Server::start(database_url).await;
    let listen = server.address.to_string();
    let words = ["healthcheck", "--listen", &listen];
    assert_eq!(tostao(database_url, &words).await.good(), "ready\n");
    server.stop().await;
    let refused = tostao(database_url, &words).await.refused();
    assert!(refused.contains("cannot connect to"), "{refused}");
}
