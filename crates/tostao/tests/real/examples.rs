//! The examples, run as somebody would who copies them: what they print agrees with the server.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Seek, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::json;
use tokio::net::TcpStream;

use crate::client::Developer;
use crate::harness::client::Client;
use crate::harness::program::{Ended, Server, finish};
use crate::harness::{PATIENCE, is_in_the_gate, until};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

/// How programs of a language are run.
struct Language {
    name: &'static str,
    ending: &'static str,
    program: &'static str,
    /// How its receiver is run, if it has one.
    receiver: Option<&'static str>,
}

const LANGUAGES: [Language; 4] = [
    Language { name: "curl", ending: "sh", program: "sh", receiver: None },
    Language {
        name: "node",
        ending: "mjs",
        program: "node",
        receiver: Some("node node/receiver.mjs"),
    },
    Language {
        name: "python",
        ending: "py",
        program: "python3",
        receiver: Some("python3 python/receiver.py"),
    },
    Language {
        name: "php",
        ending: "php",
        program: "php",
        receiver: Some("php -S 127.0.0.1:$PORT php/receiver.php"),
    },
];

/// How programs of a language are checked without being run.
struct Checker {
    /// What marks them in Markdown.
    mark: &'static str,
    /// The command, which reads them.
    command: &'static [&'static str],
    /// What stands before all of them, and does not before each.
    prelude: &'static str,
    /// Makes a function of one, so that they do not meet.
    wrap: fn(usize, &str) -> String,
}

const CHECKERS: [Checker; 4] = [
    Checker {
        mark: "sh",
        command: &["sh", "-n"],
        prelude: "",
        wrap: |number, program| format!("f{number}() {{\n{program}\n}}\n"),
    },
    Checker {
        mark: "js",
        command: &["node", "--check", "-"],
        prelude: "",
        wrap: |number, program| format!("async function f{number}() {{\n{program}\n}}\n"),
    },
    Checker {
        mark: "python",
        command: &["python3", "-c", "import ast, sys; ast.parse(sys.stdin.read())"],
        prelude: "",
        wrap: |number, program| {
            format!("def f{number}():\n    {}\n", program.replace('\n', "\n    "))
        },
    },
    Checker {
        mark: "php",
        command: &["php", "-l"],
        prelude: "<?php\n",
        wrap: |number, program| format!("function f{number}() {{\n{program}\n}}\n"),
    },
];

/// A receiver that prints what it verifies; dropping it ends it.
struct Receiving {
    child: Child,
    lines: Receiver<String>,
}

#[story::test]
async fn the_examples_of_every_language_do_what_they_say(database_url: &str) {
    let developer = Developer::new(database_url).await;
    let mut refunded = 0;
    for language in LANGUAGES {
        let version = Command::new(language.program).arg("--version").output();
        if version.is_err() {
            // The gate installs them all.
            assert!(!is_in_the_gate(), "{} is missing", language.program);
            continue;
        }
        try_out(&developer, &language).await;
        refunded += 1;
    }
    assert!(refunded > 0, "no language is there");
    let proof = developer.shop.client.get("/api/ledger/verify").await.expect(200);
    assert_eq!(proof["success"], true);
    assert_eq!(developer.shop.available().await, 0, "all that was paid was refunded");
    developer.server.stop().await;
}

#[story::test]
async fn the_reference_shows_every_operation_as_a_program_of_every_language(database_url: &str) {
    let server = Server::start(database_url).await;
    let client = Client::new(server.address);
    let index = client.get("/docs").await.text;
    let links = index.split("href=\"").filter_map(|rest| rest.split('"').next());
    let tags = links.filter(|link| link.starts_with("/docs/api/") && !link.contains('#'));
    let mut text = String::new();
    for tag in tags.collect::<BTreeSet<_>>() {
        text += &client.get(&format!("{tag}.md")).await.text;
    }
    let operations = text.matches("\n## ").count();
    assert!(operations > 0, "there are no operations");
    for checker in CHECKERS {
        let mark = format!("\n```{}\n", checker.mark);
        let programs = text.split(&mark).skip(1).filter_map(|rest| rest.split_once("\n```"));
        let programs: Vec<_> = programs
            .map(|(program, _)| program.strip_prefix(checker.prelude).expect("begins with it"))
            .collect();
        assert_eq!(programs.len(), operations, "{}", checker.mark);
        check(&checker, &programs).await;
    }
    server.stop().await;
}

/// Checks all programs of a language at once.
async fn check(checker: &Checker, programs: &[&str]) {
    let (program, options) = checker.command.split_first().expect("has a program");
    if Command::new(program).arg("--version").output().is_err() {
        // The gate installs them all.
        assert!(!is_in_the_gate(), "{program} is missing");
        return;
    }
    let programs = programs.iter().enumerate();
    let functions: String = programs.map(|(number, one)| (checker.wrap)(number, one)).collect();
    let mut source = tempfile::tempfile().expect("a file can be made");
    write!(source, "{}{functions}", checker.prelude).expect("can be written");
    source.rewind().expect("can be read again");
    let mut command = Command::new(program);
    command.args(options).stdin(source);
    finish(command).await.good();
}

async fn try_out(developer: &Developer, language: &Language) {
    let name = language.name;
    let link = run(developer, language, "create_link", &[]).await.good();
    assert!(link.contains("/pay/"), "{name}: {link}");
    let issued = run(developer, language, "retry", &[]).await.good();
    let transaction = after(&issued, "transaction ");
    assert!(after(&issued, "pix ").starts_with("000201"), "{name}: {issued}");
    let receiving = match language.receiver {
        Some(command) => Some(receive(developer, command).await),
        None => None,
    };
    let path = format!("/api/v1/transactions/{transaction}/simulate");
    developer.shop.client.post(&path, json!({ "outcome": "PAID" })).await.expect(200);
    if let Some((receiving, hook)) = receiving {
        receiving.until(&format!("{name}: verified transaction.paid"), "verified transaction.paid");
        let path = format!("/api/v1/webhooks/subscriptions/{hook}");
        let inactive = json!({ "isActive": false });
        developer.shop.client.patch(&path, inactive).await.expect(200);
    }
    let twice = run(developer, language, "refund", &[&transaction]).await.good();
    assert_eq!(after(&twice, "refund "), after(&twice, "replay "), "{name}: {twice}");
    let path = format!("/api/v1/transactions/{transaction}/refunds");
    let refunds = developer.shop.client.get(&path).await.expect(200);
    assert_eq!(refunds["data"].as_array().expect("is a list").len(), 1, "{name}");
    let refused = run(developer, language, "refund", &[&transaction]).await.refused();
    assert!(refused.contains("request "), "{name}: {refused}");
}

/// Runs one example.
async fn run(developer: &Developer, language: &Language, what: &str, words: &[&str]) -> Ended {
    let file =
        PathBuf::from(FOLDER).join(language.name).join(format!("{what}.{}", language.ending));
    let mut command = Command::new(language.program);
    command.arg(file).args(words).stdin(Stdio::null());
    finish(with_server(developer, command)).await
}

fn with_server(developer: &Developer, mut command: Command) -> Command {
    command.env("TOSTAO_SERVER", format!("http://{}", developer.server.address));
    command.env("TOSTAO_API_KEY", &developer.shop.key);
    command
}

/// Starts a receiver that a webhook calls; the receiver, and the webhook.
async fn receive(developer: &Developer, command: &str) -> (Receiving, String) {
    let port = {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        listener.local_addr().expect("has one").port()
    };
    let url = format!("http://127.0.0.1:{port}/webhooks");
    let wanted = json!({ "url": url, "events": ["transaction.paid"] });
    let path = "/api/v1/webhooks/subscriptions";
    let made = developer.shop.client.post(path, wanted).await.expect(201)["subscription"].clone();
    let text = |name: &str| made[name].as_str().expect("is text").to_owned();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec {command} 2>&1")]).current_dir(FOLDER).stdin(Stdio::null());
    shell.env("PORT", port.to_string()).env("TOSTAO_WEBHOOK_SECRET", text("secret"));
    let mut child = shell.stdout(Stdio::piped()).spawn().expect("it starts");
    let printed = child.stdout.take().expect("it was asked for");
    let (sender, lines) = channel();
    tokio::task::spawn_blocking(move || {
        let mut lines = BufReader::new(printed).lines().map_while(Result::ok);
        // The test may have read enough.
        lines.try_for_each(|line| sender.send(line))
    });
    let receiving = Receiving { child, lines };
    let connect = async || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.ok();
    until("the receiver listens", connect).await;
    (receiving, text("id"))
}

impl Receiving {
    /// Waits for a line with this in it.
    fn until(&self, what: &str, expected: &str) {
        let mut seen = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            if line.contains(expected) {
                return;
            }
            seen.push(line);
        }
        panic!("{what}: {seen:#?}")
    }
}

impl Drop for Receiving {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What follows a word at the beginning of a line, up to the next space.
fn after(printed: &str, word: &str) -> String {
    let rest = printed.lines().find_map(|line| line.strip_prefix(word));
    let rest = rest.unwrap_or_else(|| panic!("no `{word}` in {printed}"));
    rest.split_whitespace().next().unwrap_or_default().to_owned()
}
