//! What the commands say of themselves and of the API.

use std::collections::BTreeSet;
use std::process::Stdio;

use serde_json::Value;

use crate::harness::program::{program, tostao};

const NOWHERE: &str = "sqlite:/nowhere/tostao.db";
/// What a command about one person takes.
const OF_A_PERSON: [&str; 4] = ["--email", "--database-url", "--secret-key", "--secret-key-file"];

/// Every command, as it is typed.
const COMMANDS: [&str; 61] = [
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
    "admin grant",
    "admin disable-two-factor",
    "admin reset-link",
    "admin list",
    "connections",
    "connections profiles",
    "connections list",
    "connections add",
    "connections test",
    "connections route",
    "connections rotate",
    "connections disable",
    "connections enable",
    "connections apply",
    "secrets",
    "secrets reseal",
    "backup",
    "restore",
    "openapi",
    "healthcheck",
    "listen",
    "trigger",
    "events",
    "events list",
    "events show",
    "events types",
    "events sample",
    "events resend",
    "webhooks",
    "webhooks list",
    "logs",
    "logs tail",
    "logs show",
    "logs errors",
    "verify",
    "diagnose",
    "clock",
    "clock show",
    "clock advance",
    "clock reset",
    "keys",
    "keys list",
    "keys create",
    "keys roll",
    "keys revoke",
    "whoami",
    "completions",
];

#[story::in_a_folder]
async fn every_command_explains_itself() {
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
    for command in COMMANDS.iter().skip_while(|command| **command != "listen") {
        let words: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let help = tostao(NOWHERE, &words).await.good();
        assert!(help.lines().count() <= 30 && !help.contains("--database-url"), "{help}");
    }
    let known: BTreeSet<String> = COMMANDS.into_iter().map(str::to_owned).collect();
    let listed = listed.into_iter().filter(|command| !command.ends_with("help")).collect();
    assert_eq!(known, listed);
}

#[story::in_a_folder]
async fn the_help_of_a_command_shows_the_settings_that_it_uses_with_its_own_defaults() {
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
        (
            "admin grant",
            &[
                "--email",
                "--password",
                "--yes",
                "--database-url",
                "--secret-key",
                "--secret-key-file",
            ],
        ),
        ("admin disable-two-factor", &OF_A_PERSON),
        (
            "secrets reseal",
            &["--database-url", "--secret-key", "--secret-key-file", "--secret-key-previous"],
        ),
        (
            "admin reset-link",
            &["--email", "--database-url", "--base-url", "--secret-key", "--secret-key-file"],
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
        let printed: Vec<_> = names.map(|name| format!("--{name}")).collect();
        assert_eq!(printed, options, "{help}");
        assert!(help.lines().count() <= 30, "{help}");
    }
    let demo = help("demo").await;
    for (flag, default) in
        [("database-url", "temporary"), ("allow-local-webhooks", "true"), ("log", "warn")]
    {
        let printed = demo
            .split("\n      --")
            .find(|printed| printed.split([' ', '\n']).next() == Some(flag));
        let printed = printed.unwrap_or_else(|| panic!("{flag}: {demo}"));
        assert!(printed.contains(&format!("[default: {default}]")), "{printed}");
    }
}

#[story::in_a_folder]
async fn the_description_of_the_api_is_printed() {
    let printed = tostao(NOWHERE, &["openapi"]).await.good();
    let document: Value = serde_json::from_str(&printed).expect("is JSON");
    assert!(document["openapi"].as_str().expect("names its version").starts_with("3.1"));
    assert!(document["paths"]["/api/v1/transactions"]["post"].is_object());
}

#[test]
fn a_reader_who_has_read_enough_is_not_complained_of() {
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    let mut openapi = program(NOWHERE, &["openapi"]);
    openapi.stdout(writer).stderr(Stdio::piped());
    let child = openapi.spawn().expect("it starts");
    drop(openapi);
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(141));
    assert_eq!(ended.stderr, b"");
}
