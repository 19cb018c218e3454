//! Settings, as an operator prints and checks them.

use std::fs::{Permissions, metadata, set_permissions};
use std::os::unix::fs::PermissionsExt;

use crate::harness::client::Client;
use crate::harness::program::{Server, finish, program, tostao};
use crate::harness::{embedded, in_a_folder, story};

use tempfile::TempDir;

const NOWHERE: &str = "sqlite:/nowhere/tostao.db";

#[story::in_a_folder]
async fn the_settings_are_printed_without_their_secrets() {
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
}

#[story::in_a_folder]
async fn settings_that_cannot_work_together_are_refused_with_the_reason(folder: &TempDir) {
    let good = tostao(&embedded(folder), &["config", "check"]).await.good();
    assert_eq!(good, "The settings work together.\n");
    let file = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("writes");
        file.display().to_string()
    };
    let (short, empty) = (file("short", "short"), file("empty", ""));
    let directory = folder.path().display().to_string();
    let (listen, taken) = ("TOSTAO_METRICS_LISTEN", "must use another port than TOSTAO_LISTEN");
    let secret_file = "TOSTAO_SECRET_KEY_FILE";
    let table = [
        (NOWHERE, Some((secret_file, "/nowhere/secret")), "cannot read the secret in /nowhere"),
        (NOWHERE, Some((secret_file, &*short)), "short must hold at least 32 characters"),
        (NOWHERE, Some((secret_file, &*empty)), "empty must hold at least 32 characters"),
        (NOWHERE, Some((secret_file, &*directory)), "cannot read the secret in"),
        (NOWHERE, Some(("TOSTAO_LOG", "x=zz")), "`x=zz` is not a log filter"),
        (NOWHERE, Some(("TOSTAO_LOG", "inf0")), "`inf0` is neither a level nor a target"),
        (NOWHERE, Some(("TOSTAO_LOG", "")), "`off` logs nothing but the audit lines"),
        (NOWHERE, Some((listen, "127.0.0.1:8080")), taken),
        (NOWHERE, Some((listen, "0.0.0.0:8080")), taken),
        ("postgres://db.example.com/tostao", None, "TOSTAO_SECRET_KEY"),
        ("mysql://db.example.com/tostao", None, "TOSTAO_DATABASE_URL"),
        (NOWHERE, Some(("TOSTAO_SECRET_KEY", "short")), "at least 32 characters"),
        (NOWHERE, Some(("TOSTAO_BASE_URL", "ftp://example.com")), "TOSTAO_BASE_URL"),
    ];
    for (url, setting, reason) in table {
        for words in [&["config", "check"][..], &["serve"]] {
            let mut check = program(url, words);
            check.env_remove("TOSTAO_SECRET_KEY").envs(setting);
            let refused = finish(check).await.refused();
            assert!(refused.contains(reason), "{words:?}: {refused}");
        }
    }
}

#[test]
fn an_unreachable_public_address_is_warned_of() {
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
            let printed = finish(check).await.good();
            let (warnings, last) =
                printed.trim_end().rsplit_once('\n').unwrap_or(("", printed.trim_end()));
            assert_eq!(last, "The settings work together.");
            assert_eq!(warnings.lines().count(), warned.len(), "{printed}");
            for name in warned {
                assert!(warnings.contains(&format!("TOSTAO_{name}_URL")), "{printed}");
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

#[story::in_a_folder]
async fn settings_that_work_and_are_dangerous_are_warned_of(folder: &TempDir) {
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
        ("TOSTAO_REGISTRATON", "closed", "TOSTAO_REGISTRATON is not a setting"),
        ("TOSTAO_ADMIN_PASSWORD", "for another command", ""),
        ("TOSTAO_ALLOW_LOCAL_WEBHOOKS", "true", "TOSTAO_ALLOW_LOCAL_WEBHOOKS is on"),
        ("TOSTAO_METRICS_LISTEN", "0.0.0.0:9000", "TOSTAO_METRICS_LISTEN is 0.0.0.0:9000"),
        ("TOSTAO_PIX_FEE_CENTS", "99", "TOSTAO_REFERRAL_BASIS_POINTS is 50, more than TOSTAO_PIX"),
        ("TOSTAO_PIX_FEE_BASIS_POINTS", "50", "is 50, more than TOSTAO_BOLETO_FEE_BASIS_POINTS, "),
        ("TOSTAO_SECRET_KEY", &long, "TOSTAO_SECRET_KEY is easy to guess"),
        ("TOSTAO_SECRET_KEY_FILE", &weak, "weak is easy to guess"),
        ("TOSTAO_SECRET_KEY_FILE", &open, "readable by every user of this machine (mode 644)"),
        ("TOSTAO_SECRET_KEY_FILE", &closed, ""),
    ];
    for (name, value, warning) in table {
        let mut check = program(&embedded(folder), &["config", "check"]);
        check.env_remove("TOSTAO_SECRET_KEY").env(name, value);
        let printed = finish(check).await.good();
        let warnings: Vec<_> = printed.lines().filter(|line| line.starts_with("Warn")).collect();
        assert_eq!(warnings.len(), usize::from(!warning.is_empty()), "{printed}");
        assert!(printed.contains(warning), "{printed}");
        assert!(!printed.contains(drawn) && !printed.contains(&long), "{printed}");
    }
}

#[story::in_a_folder]
async fn no_command_trusts_the_whole_internet_as_a_proxy(folder: &TempDir) {
    for words in [&["config", "check"][..], &["serve"]] {
        let mut check = program(&embedded(folder), words);
        check.env("TOSTAO_TRUSTED_PROXIES", "10.0.0.1,0.0.0.0/0");
        check.env("TOSTAO_LISTEN", "127.0.0.1:0");
        let refused = finish(check).await.refused();
        assert!(refused.contains("`0.0.0.0/0` is every address"), "{refused}");
    }
}

#[story::in_a_folder]
async fn an_embedded_database_gets_a_secret_that_only_its_owner_reads(folder: &TempDir) {
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
}

#[story::test]
async fn an_untrusted_proxy_is_warned_of_once(database_url: &str) {
    let proxied = [("x-forwarded-for", "203.0.113.9"), ("forwarded", "for=203.0.113.9")];
    let about = |log: &[String]| {
        log.iter().filter(|line| line.contains("TOSTAO_TRUSTED_PROXIES is empty")).count()
    };
    let server = Server::start(database_url).await;
    for _ in 0..3 {
        for (name, value) in proxied {
            Client::new(server.address).with(name, value).get("/healthz").await;
        }
    }
    assert_eq!(about(&server.stop().await), 1);
    let trusting = [("TOSTAO_TRUSTED_PROXIES", "127.0.0.1")];
    let server = Server::start_with(database_url, &trusting).await;
    Client::new(server.address).with(proxied[0].0, proxied[0].1).get("/healthz").await;
    assert_eq!(about(&server.stop().await), 0);
}
