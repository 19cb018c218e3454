//! The quickstart, executed as it is written: from nothing to a verified webhook.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::harness::{PATIENCE, is_in_the_gate};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const PROGRAM: &str = env!("CARGO_BIN_EXE_tostao");

/// A shell that runs one block; dropping it kills the block and all that it started.
struct Block {
    shell: Child,
    lines: Receiver<String>,
}

/// The environment of the terminals, and how the quickstart's own addresses are free ones.
struct Terminal {
    settings: Vec<(&'static str, String)>,
    replaced: Vec<(&'static str, String)>,
}

#[test]
fn the_quickstart_leads_to_a_verified_event_in_both_languages() {
    if Command::new("node").arg("--version").stdout(Stdio::null()).status().is_err() {
        // The gate installs it.
        assert!(!is_in_the_gate(), "node is missing");
        return;
    }
    let guides = [
        ("docs/quickstart.md", "en_US.UTF-8", ["Now it is your turn", "Key"]),
        ("docs/pt/quickstart.md", "pt_BR.UTF-8", ["Agora é com você", "Chave"]),
    ];
    for (guide, language, shown) in guides {
        let text = std::fs::read_to_string(Path::new(ROOT).join(guide)).expect("is there");
        let blocks: Vec<&str> = text.split("```sh\n").skip(1).filter_map(block).collect();
        let [serve, key, receive, listen, trigger] = *blocks else { panic!("{guide}: {blocks:?}") };
        let took = walk((language, shown), serve, key, [receive, listen, trigger]);
        keep(&format!("{guide}: a verified event {} ms after the start", took.as_millis()));
    }
}

/// Prints what was measured, and leaves it to the gate's summary where that asks for it.
#[expect(clippy::disallowed_methods, reason = "the gate says where this way")]
#[expect(clippy::print_stdout, reason = "a person who runs the test wants to see it")]
fn keep(figure: &str) {
    println!("{figure}");
    if let Some(file) = std::env::var_os("TOSTAO_TEST_FIGURES") {
        let file = OpenOptions::new().create(true).append(true).open(file);
        writeln!(file.expect("can be opened"), "{figure}").expect("can be written");
    }
}

/// The text of a block, from its beginning to its fence.
fn block(rest: &str) -> Option<&str> {
    rest.split_once("\n```").map(|(block, _)| block)
}

/// Goes through the blocks in a language, whose words precede the key; returns how long it took
/// from the start of the server.
#[expect(clippy::disallowed_methods, reason = "a person wants to know how long it takes")]
fn walk(
    (language, [turn, label]): (&str, [&str; 2]),
    serve: &str,
    key: &str,
    [receive, listen, trigger]: [&str; 3],
) -> Duration {
    let start = Instant::now();
    let [server, receiver] = [free_port(), free_port()];
    let mut terminal = Terminal {
        settings: vec![
            ("LANG", language.to_owned()),
            ("TOSTAO_LISTEN", format!("127.0.0.1:{server}")),
            ("TOSTAO_SERVER", format!("http://127.0.0.1:{server}")),
            ("PORT", receiver.to_string()),
        ],
        replaced: vec![
            ("cargo run --release -- demo", format!("exec {PROGRAM} demo")),
            ("localhost:3000", format!("localhost:{receiver}")),
        ],
    };
    let demo = terminal.run(serve);
    demo.until(turn);
    let shown = demo.until(label);
    let made = shown.split_whitespace().last().expect("is the key").to_owned();
    let (name, _) = key.trim_start_matches("export ").split_once('=').expect("sets a variable");
    assert_eq!(name, "TOSTAO_API_KEY");
    terminal.settings.push(("TOSTAO_API_KEY", made));
    let receiving = terminal.run(receive);
    let listening = terminal.run(listen);
    listening.until("whsec_");
    let triggered = terminal.run(trigger);
    triggered.until("transaction.paid");
    receiving.until("verified transaction.paid");
    listening.until("transaction.paid");
    start.elapsed()
}

impl Terminal {
    fn run(&self, block: &str) -> Block {
        let mut block = block.to_owned();
        for (written, meant) in &self.replaced {
            block = block.replace(written, meant);
        }
        let program = Path::new(PROGRAM).parent().expect("is in a folder").display();
        let mut shell = Command::new("bash");
        shell.args(["-c", &format!("PATH={program}:$PATH; {block}")]);
        shell.current_dir(ROOT).stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0);
        for (name, value) in &self.settings {
            shell.env(name, value);
        }
        let mut shell = shell.spawn().expect("bash is there");
        let printed = shell.stdout.take().expect("it was asked for");
        let (sender, lines) = channel();
        std::thread::Builder::new()
            .spawn(move || {
                let mut lines = BufReader::new(printed).lines().map_while(Result::ok);
                // The test may have read enough.
                lines.try_for_each(|line| sender.send(line))
            })
            .expect("a thread starts");
        Block { shell, lines }
    }
}

impl Block {
    /// Waits for a line with this in it.
    fn until(&self, expected: &str) -> String {
        let mut seen = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            if line.contains(expected) {
                return line;
            }
            seen.push(line);
        }
        panic!("no `{expected}` in {seen:#?}")
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // The shell leads a group, to which all belongs that it started.
        let group = format!("-{}", self.shell.id());
        let _ = Command::new("kill").args(["-TERM", "--", &group]).status();
        let _ = self.shell.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("has one").port()
}
