//! The commands that call a server, as a developer types them.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;

use crate::harness::PATIENCE;
use crate::harness::program::{Ended, Server, finish};
use crate::harness::shop::Shop;

mod account;
mod diagnose;
mod events;
mod listen;
mod logs;
mod trigger;
mod verify;

/// A developer with a server, and an account there.
pub struct Developer {
    pub server: Server,
    pub shop: Shop,
}

/// A command that goes on; dropping it kills it.
pub struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Developer {
    pub async fn new(database_url: &str) -> Self {
        let server = Server::start(database_url).await;
        let shop = Shop::open(&server).await;
        Self { server, shop }
    }

    /// A command with the account's key.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = bare(words);
        command.env("TOSTAO_SERVER", format!("http://{}", self.server.address));
        command.env("TOSTAO_API_KEY", &self.shop.key);
        command
    }

    /// Runs a command to its end.
    pub async fn run(&self, words: &[&str]) -> Ended {
        finish(self.command(words)).await
    }

    /// Runs a command that does what it is asked, as a script does; what it printed.
    pub async fn objects(&self, words: &[&str]) -> Vec<Value> {
        let words: Vec<_> = words.iter().copied().chain(["--output", "json"]).collect();
        objects(&self.run(&words).await.good())
    }

    /// Starts a command as a script does.
    pub fn start(&self, words: &[&str]) -> Running {
        let mut command = self.command(words);
        command.args(["--output", "json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let printed = child.stdout.take().expect("it was asked for");
        let (sender, lines) = channel();
        tokio::task::spawn_blocking(move || {
            // The test may have read enough.
            BufReader::new(printed)
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        Running { child, lines }
    }
}

impl Running {
    /// The next object that it prints.
    pub fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("it prints in time");
        serde_json::from_str(&line).expect("is JSON")
    }

    /// Waits for its end.
    pub fn ended(mut self) -> Ended {
        let mut errors = String::new();
        let mut said = self.child.stderr.take().expect("it was asked for");
        said.read_to_string(&mut errors).expect("it prints text");
        let status = self.child.wait().expect("it ends").code().expect("by itself");
        Ended { status, out: self.lines.iter().collect(), errors }
    }

    /// Asks it to stop, as Ctrl+C does; what else it printed.
    pub fn stop(mut self) -> Vec<Value> {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().expect("a signal is sent");
        assert!(sent.success());
        let rest: Vec<_> = self.lines.iter().collect();
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
        rest.iter().map(|line| serde_json::from_str(line).expect("is JSON")).collect()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Most have ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command without anything of our own environment.
pub fn bare(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tostao"));
    command.args(words).stdin(Stdio::null()).env_clear();
    command
}

/// Runs a command to its end with a text as its standard input.
pub async fn fed(mut command: Command, input: &[u8]) -> Ended {
    let mut file = tempfile::tempfile().expect("a file can be made");
    file.write_all(input).expect("is written");
    std::io::Seek::rewind(&mut file).expect("can be read again");
    command.stdin(file);
    finish(command).await
}

/// The objects of a command's output.
pub fn objects(printed: &str) -> Vec<Value> {
    printed.lines().map(|line| serde_json::from_str(line).expect("is JSON")).collect()
}

/// What a command said when it failed, and its exit code.
pub fn complaint(ended: &Ended) -> (i32, Value) {
    (ended.status, serde_json::from_str(&ended.errors).expect("is JSON"))
}
