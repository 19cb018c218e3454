//! The commands, as an operator finds them.

use std::collections::BTreeSet;
use std::fs::{Permissions, metadata, set_permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use tostao::app::MIGRATIONS;

use crate::harness::client::Client;
use crate::harness::program::{Server, finish, program, tostao};
use crate::harness::shop::{Shop, sign_in};
use crate::harness::{in_a_folder, story};

const PASSWORD: &str = "a password for tests";
const NOWHERE: &str = "sqlite:/nowhere/tostao.db";

/// Every command, as it is typed.
const COMMANDS: [&str; 19] = [
    "serve",
    "demo",
    "worker",
    "migrate",
    "config",
    "config print",
    "config check",
    "ledger",
    "ledger verify",
    "ledger rechain",
    "admin",
    "admin create",
    "admin password",
    "admin revoke",
    "admin list",
    "backup",
    "restore",
    "openapi",
    "healthcheck",
];

fn embedded(folder: &TempDir) -> String {
    format!("sqlite:{}", folder.path().join("tostao.db").display())
}

#[test]
fn every_command_explains_itself() {
    in_a_folder(async |_| {
        let mut listed = BTreeSet::new();
        for command in COMMANDS.into_iter().chain([""]) {
            let words: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
            let help = tostao(NOWHERE, &words).await.good();
            let usage = format!("Usage: tostao {command}");
            assert!(help.contains(usage.trim_end()), "{help}");
            let commands = help.split("\n\n").find_map(|part| part.strip_prefix("Commands:\n"));
            for line in commands.into_iter().flat_map(str::lines) {
                let name = line.split_whitespace().next().expect("names a command");
                listed.insert(format!("{command} {name}").trim().to_owned());
            }
        }
        let known: BTreeSet<String> = COMMANDS.into_iter().map(str::to_owned).collect();
        let listed = listed.into_iter().filter(|command| !command.ends_with("help")).collect();
        assert_eq!(known, listed);
    });
}

#[test]
fn the_help_of_a_command_shows_the_settings_that_it_uses_with_its_own_defaults() {
    in_a_folder(async |_| {
        let help = async |command: &str| {
            let words: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
            tostao(NOWHERE, &words).await.good()
        };
        for command in ["serve", "worker", "demo", "config print", "config check"] {
            let help = help(command).await;
            assert!(help.contains("TOSTAO_REFERRAL_GOAL_CENTS"), "{help}");
        }
        let storage = ["--database-url"];
        let table = [
            ("migrate", &["--dry-run", "--database-url", "--secret-key", "--secret-key-file"][..]),
            (
                "admin create",
                &[
                    "--email",
                    "--password",
                    "--name",
                    "--database-url",
                    "--secret-key",
                    "--secret-key-file",
                ],
            ),
            ("admin list", &storage),
            ("ledger verify", &storage),
            ("ledger rechain", &storage),
            ("backup", &storage),
            ("restore", &storage),
            ("healthcheck", &["--listen"]),
            ("openapi", &[]),
        ];
        for (command, options) in table {
            let help = help(command).await;
            let lines = help.lines().filter_map(|line| line.trim_start().strip_prefix("--"));
            let names = lines.filter_map(|line| line.split_whitespace().next());
            let told: Vec<_> = names.map(|name| format!("--{name}")).collect();
            assert_eq!(told, options, "{help}");
            assert!(help.lines().count() <= 30, "{help}");
        }
        let demo = help("demo").await;
        for (flag, default) in
            [("database-url", "temporary"), ("allow-local-webhooks", "true"), ("log", "warn")]
        {
            let told =
                demo.split("\n      --").find(|told| told.split([' ', '\n']).next() == Some(flag));
            let told = told.unwrap_or_else(|| panic!("{flag}: {demo}"));
            assert!(told.contains(&format!("[default: {default}]")), "{told}");
        }
    });
}

#[test]
fn the_settings_are_printed_without_their_secrets() {
    in_a_folder(async |_| {
        let table = [
            ("postgres://u:between-us@db/shop", "postgres://u:***@db/shop"),
            ("postgres://u:between-us@h1:5432,h2:5433/db", "postgres://u:***@h1:5432,h2:5433/db"),
            ("postgres://u:@:/?#between-us@h:5432/db", "postgres://u:***@h:5432/db"),
            (
                "postgres://h/db?user=u&password=between-us&connect_timeout=9",
                "postgres://h/db?user=u&password=***&connect_timeout=9",
            ),
            ("postgres://h/db?p%61ssword=between-us", "postgres://h/db?p%61ssword=***"),
            ("postgres://u@h1:5432,h2/db", "postgres://u@h1:5432,h2/db"),
            ("postgres:u:between-us@db/shop", "***"),
            ("host=db password=between-us", "***"),
            ("sqlite:data/a@b:c.db", "sqlite:data/a@b:c.db"),
        ];
        for (url, shown) in table {
            let printed = tostao(url, &["config", "print"]).await.good();
            let line = format!("TOSTAO_DATABASE_URL={shown}\n");
            assert!(printed.starts_with(&line), "{printed}");
            assert!(printed.contains("TOSTAO_SECRET_KEY=***\n"), "{printed}");
            for secret in ["between-us", crate::harness::database::SECRET] {
                assert!(!printed.contains(secret), "{printed}");
            }
        }
    });
}

#[test]
fn settings_that_cannot_work_together_are_refused_with_the_reason() {
    in_a_folder(async |folder| {
        let good = tostao(&embedded(folder), &["config", "check"]).await.good();
        assert_eq!(good, "The settings work together.\n");
        let table = [
            ("postgres://db.example.com/tostao", None, "TOSTAO_SECRET_KEY"),
            ("mysql://db.example.com/tostao", None, "TOSTAO_DATABASE_URL"),
            (NOWHERE, Some(("TOSTAO_SECRET_KEY", "short")), "at least 32 characters"),
            (NOWHERE, Some(("TOSTAO_BASE_URL", "ftp://example.com")), "TOSTAO_BASE_URL"),
        ];
        for (url, setting, reason) in table {
            let mut check = program(url, &["config", "check"]);
            check.env_remove("TOSTAO_SECRET_KEY").envs(setting);
            let refused = finish(check).await.refused();
            assert!(refused.contains(reason), "{refused}");
        }
    });
}

#[test]
fn an_address_that_nobody_can_open_is_warned_of() {
    in_a_folder(async |folder| {
        let public = ("TOSTAO_BASE_URL", "https://pay.example.com");
        let table = [
            (("TOSTAO_LISTEN", "0.0.0.0:8080"), None, &["BASE", "CHECKOUT"][..]),
            (("TOSTAO_LISTEN", "[::]:8080"), Some(public), &["CHECKOUT"]),
            (("TOSTAO_CHECKOUT_URL", "http://0.0.0.0"), None, &["CHECKOUT"]),
            (("TOSTAO_LISTEN", "127.0.0.1:8080"), None, &[]),
            (("TOSTAO_CHECKOUT_URL", "http://localhost:8080"), None, &[]),
        ];
        for (setting, other, warned) in table {
            let mut check = program(&embedded(folder), &["config", "check"]);
            check.envs([setting]).envs(other);
            let told = finish(check).await.good();
            let (warnings, last) =
                told.trim_end().rsplit_once('\n').unwrap_or(("", told.trim_end()));
            assert_eq!(last, "The settings work together.");
            assert_eq!(warnings.lines().count(), warned.len(), "{told}");
            for name in warned {
                assert!(warnings.contains(&format!("TOSTAO_{name}_URL")), "{told}");
            }
        }
    });
    story(async |database_url| {
        let checkout = ("TOSTAO_CHECKOUT_URL", "http://0.0.0.0:8080");
        let log = Server::start_with(database_url, &[checkout]).await.stop().await;
        let warned = log.iter().any(|line| line.contains("set TOSTAO_CHECKOUT_URL"));
        assert!(warned, "{log:#?}");
    });
}

#[test]
fn settings_that_work_and_are_dangerous_are_warned_of() {
    in_a_folder(async |folder| {
        let secret = |name: &str, text: &str, mode| {
            let file = folder.path().join(name);
            std::fs::write(&file, text).expect("writes");
            set_permissions(&file, Permissions::from_mode(mode)).expect("it was written");
            file.display().to_string()
        };
        let drawn = "5f1d7a84b90c3e26d85a417be2609fc3";
        let (closed, open) = (secret("closed", drawn, 0o600), secret("open", drawn, 0o644));
        let weak = secret("weak", &"a".repeat(38), 0o600);
        let long = "a".repeat(38);
        let table = [
            ("TOSTAO_BASE_URL", "http://pay.example.com", "http://pay.example.com is not encrypt"),
            ("TOSTAO_RATE_LIMITS", "off", "TOSTAO_RATE_LIMITS is off"),
            ("TOSTAO_ALLOW_LOCAL_WEBHOOKS", "true", "TOSTAO_ALLOW_LOCAL_WEBHOOKS is on"),
            ("TOSTAO_METRICS_LISTEN", "0.0.0.0:9000", "TOSTAO_METRICS_LISTEN is 0.0.0.0:9000"),
            ("TOSTAO_SECRET_KEY", &long, "TOSTAO_SECRET_KEY is easy to guess"),
            ("TOSTAO_SECRET_KEY_FILE", &weak, "weak is easy to guess"),
            ("TOSTAO_SECRET_KEY_FILE", &open, "open to everybody on this machine (mode 644)"),
            ("TOSTAO_SECRET_KEY_FILE", &closed, ""),
        ];
        for (name, value, warning) in table {
            let mut check = program(&embedded(folder), &["config", "check"]);
            check.env_remove("TOSTAO_SECRET_KEY").env(name, value);
            let told = finish(check).await.good();
            let warnings: Vec<_> = told.lines().filter(|line| line.starts_with("Warn")).collect();
            assert_eq!(warnings.len(), usize::from(!warning.is_empty()), "{told}");
            assert!(told.contains(warning), "{told}");
            assert!(!told.contains(drawn) && !told.contains(&long), "{told}");
        }
    });
}

#[test]
fn a_network_that_is_everybody_is_trusted_by_no_command() {
    in_a_folder(async |folder| {
        for words in [&["config", "check"][..], &["serve"]] {
            let mut check = program(&embedded(folder), words);
            check.env("TOSTAO_TRUSTED_PROXIES", "10.0.0.1,0.0.0.0/0");
            check.env("TOSTAO_LISTEN", "127.0.0.1:0");
            let refused = finish(check).await.refused();
            assert!(refused.contains("`0.0.0.0/0` is everybody"), "{refused}");
        }
    });
}

#[test]
fn a_folder_made_for_the_data_is_its_owners_alone() {
    in_a_folder(async |folder| {
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
    });
}

#[test]
fn a_database_whose_migrations_were_changed_is_refused_by_name() {
    in_a_folder(async |folder| {
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
            let told = "the migration 0005_products is not the one that was applied";
            assert!(refused.contains(told), "{refused}");
        }
    });
}

#[test]
fn a_port_that_cannot_be_had_is_refused_with_what_to_do() {
    in_a_folder(async |folder| {
        let held = TcpListener::bind("127.0.0.1:0").expect("some port is free");
        let taken = held.local_addr().expect("is bound").to_string();
        let refused = tostao(&embedded(folder), &["serve", "--listen", &taken]).await.refused();
        assert!(refused.contains(&format!("{taken} is taken by another program")), "{refused}");
        assert!(refused.contains("choose with --listen, like 127.0.0.1:8081"), "{refused}");
        for (given, advice) in [
            ("18472", "as in 127.0.0.1:18472"),
            (":18472", "as in 127.0.0.1:18472"),
            ("localhost", "write an IP address and a port, like 127.0.0.1:8080"),
        ] {
            let ended = tostao(&embedded(folder), &["serve", "--listen", given]).await;
            assert_ne!(ended.status, 0);
            assert!(ended.errors.contains(advice), "{}", ended.errors);
        }
    });
}

#[test]
fn the_first_start_tells_which_migrations_it_applied() {
    in_a_folder(async |folder| {
        let url = embedded(folder);
        for (start, message) in
            ["migrations applied", "the database is up to date"].iter().enumerate()
        {
            let log = Server::start(&url).await.stop().await;
            let lines = log.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let told = lines.into_iter().find(|line| line["message"] == *message);
            let told = told.unwrap_or_else(|| panic!("{log:#?}"));
            if start == 0 {
                assert_eq!(told["count"], MIGRATIONS.len());
                let names: Vec<_> = MIGRATIONS.iter().map(|migration| migration.name).collect();
                assert_eq!(told["names"], names.join(", "));
            }
        }
    });
}

#[test]
fn an_embedded_database_gets_a_secret_that_only_its_owner_reads() {
    in_a_folder(async |folder| {
        let mut migrate = program(&embedded(folder), &["migrate"]);
        migrate.env_remove("TOSTAO_SECRET_KEY");
        finish(migrate).await.good();
        let secret = folder.path().join("tostao.secret");
        let mode = metadata(&secret).expect("a secret was made").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let first = std::fs::read_to_string(&secret).expect("it can be read");
        assert!(first.trim().len() >= 32);
        let mut migrate = program(&embedded(folder), &["migrate"]);
        migrate.env_remove("TOSTAO_SECRET_KEY");
        finish(migrate).await.good();
        assert_eq!(std::fs::read_to_string(&secret).expect("it is still there"), first);
    });
}

#[test]
fn a_second_server_on_an_embedded_database_is_refused_and_harms_nobody() {
    in_a_folder(async |folder| {
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
        assert_eq!(Client::new(server.address).get("/readyz").await.status, 200);
        server.stop().await;
    });
}

#[test]
fn migrations_are_told_before_they_are_applied_and_applied_once() {
    in_a_folder(async |folder| {
        let url = embedded(folder);
        let dry = ["migrate", "--dry-run"];
        for (words, verb) in
            [(&dry[..], "would apply"), (&dry, "would apply"), (&dry[..1], "applied")]
        {
            let told = tostao(&url, words).await.good();
            let named = MIGRATIONS.iter().map(|migration| format!("{verb} {}", migration.name));
            assert_eq!(told.lines().collect::<Vec<_>>(), named.collect::<Vec<_>>());
        }
    });
    story(async |database_url| {
        for words in [&["migrate"][..], &["migrate", "--dry-run"]] {
            let told = tostao(database_url, words).await.good();
            assert_eq!(told, "The database is up to date.\n");
        }
    });
}

#[test]
fn what_only_reads_works_beside_a_server() {
    story(async |database_url| {
        let server = Server::start(database_url).await;
        let shop = Shop::open(&server).await;
        shop.sell(4_990).await;
        let proof = tostao(database_url, &["ledger", "verify"]).await.good();
        assert!(proof.contains("The books agree"), "{proof}");
        let told = tostao(database_url, &["migrate", "--dry-run"]).await.good();
        assert_eq!(told, "The database is up to date.\n");
        shop.sell(10).await;
        assert_eq!(shop.available().await, 5_000);
        server.stop().await;
    });
}

#[test]
fn telling_what_would_be_applied_makes_no_database() {
    in_a_folder(async |folder| {
        tostao(&embedded(folder), &["migrate", "--dry-run"]).await.good();
        assert_eq!(folder.path().read_dir().expect("is a folder").count(), 0);
    });
}

#[test]
fn a_password_can_be_given_where_no_list_of_processes_shows_it() {
    story(async |database_url| {
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
    });
}

#[test]
fn an_administrator_is_made_by_a_command_and_by_nothing_else() {
    story(async |database_url| {
        let (email, password) = ("admin@example.com", PASSWORD);
        let words = ["admin", "create", "--email", email, "--password", password];
        let told = tostao(database_url, &words).await.good();
        assert_eq!(told, "Administrator Administrator <admin@example.com> created.\n");
        tostao(database_url, &words).await.refused();
        let server = Server::start(database_url).await;
        let anyone = Client::new(server.address);
        assert_eq!(sign_in(&anyone, email, password).await["user"]["role"], "ADMIN");
        let shop = Shop::open(&server).await;
        assert_eq!(shop.session["user"]["role"], "MERCHANT");
        server.stop().await;
    });
}

#[test]
fn a_backup_of_a_serving_database_is_whole_and_takes_its_place_elsewhere() {
    in_a_folder(async |folder| {
        let url = embedded(folder);
        let server = Server::start(&url).await;
        let shop = Shop::open(&server).await;
        shop.sell(4_990).await;
        let copy = folder.path().join("copy.db").display().to_string();
        let told = tostao(&url, &["backup", &copy]).await.good();
        assert!(told.contains("is a whole and proved copy"), "{told}");
        assert!(told.contains("a copy of the secret too, in another place"), "{told}");
        let readable = Permissions::from_mode(0o644);
        set_permissions(&copy, readable).expect("an older copy could be read by all");
        let again = tostao(&url, &["backup", &copy]).await.refused();
        assert!(again.contains("exists already"), "{again}");
        let nowhere = folder.path().join("missing/copy.db").display().to_string();
        let refused = tostao(&url, &["backup", &nowhere]).await.refused();
        assert!(refused.contains("missing does not exist; make it first"), "{refused}");
        shop.sell(1).await;
        let elsewhere = format!("sqlite:{}", folder.path().join("new/tostao.db").display());
        let told = tostao(&elsewhere, &["restore", &copy]).await.good();
        assert!(told.contains("is in place"), "{told}");
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
    });
}

#[test]
fn a_file_that_is_no_backup_is_not_put_in_place() {
    in_a_folder(async |folder| {
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
    });
}

#[test]
fn a_shared_database_is_copied_with_its_own_tools() {
    in_a_folder(async |_| {
        for words in [["backup", "copy.db"], ["restore", "copy.db"]] {
            let refused = tostao("postgres://db.example.com/tostao", &words).await.refused();
            assert!(refused.contains("pg_dump"), "{refused}");
        }
    });
}

#[test]
fn the_description_of_the_api_is_printed() {
    in_a_folder(async |_| {
        let printed = tostao(NOWHERE, &["openapi"]).await.good();
        let document: Value = serde_json::from_str(&printed).expect("is JSON");
        assert!(document["openapi"].as_str().expect("names its version").starts_with("3.1"));
        assert!(document["paths"]["/api/v1/transactions"]["post"].is_object());
    });
}

#[test]
fn a_reader_who_has_read_enough_is_not_complained_of() {
    in_a_folder(async |_| {
        let (reader, writer) = std::io::pipe().expect("a pipe can be made");
        drop(reader);
        let mut openapi = program(NOWHERE, &["openapi"]);
        openapi.stdout(writer).stderr(Stdio::piped());
        let child = openapi.spawn().expect("it starts");
        drop(openapi);
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!(ended.status.code(), Some(141));
        assert_eq!(ended.stderr, b"");
    });
}

#[test]
fn whether_a_server_is_ready_can_be_asked_from_outside() {
    story(async |database_url| {
        let server = Server::start(database_url).await;
        let listen = server.address.to_string();
        let words = ["healthcheck", "--listen", &listen];
        assert_eq!(tostao(database_url, &words).await.good(), "ready\n");
        server.stop().await;
        let refused = tostao(database_url, &words).await.refused();
        assert!(refused.contains("nobody listens"), "{refused}");
    });
}
