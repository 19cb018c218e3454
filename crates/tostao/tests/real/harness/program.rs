//! The program as an operator runs it: controlled by its environment and by signals, observed by
//! its log.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};

use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use crate::harness::database::SECRET;
use crate::harness::{PATIENCE, until};

/// What a command said, and how it ended.
#[derive(Debug)]
pub struct Ended {
    pub status: i32,
    pub out: String,
    pub errors: String,
}

/// A running server; dropping it kills it.
pub struct Server {
    pub address: SocketAddr,
    child: Child,
    log: Log,
}

/// The lines of a server's log.
struct Log {
    heard: Vec<String>,
    arriving: UnboundedReceiver<String>,
}

/// The program on a database, with a secret and with nothing else of our own environment.
pub fn program(database_url: &str, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tostao"));
    command.args(words).stdin(Stdio::null()).env_clear();
    command.env("TOSTAO_DATABASE_URL", database_url).env("TOSTAO_SECRET_KEY", SECRET);
    command
}

/// The same as a server on any port, without rate limits.
fn serving(database_url: &str, words: &[&str]) -> Command {
    let mut command = program(database_url, words);
    command
        .env("TOSTAO_LISTEN", "127.0.0.1:0")
        .env("TOSTAO_LOG_FORMAT", "json")
        .env("TOSTAO_RATE_LIMITS", "off")
        .env("TOSTAO_ALLOW_LOCAL_WEBHOOKS", "true");
    command
}

/// Runs a command to its end.
pub async fn finish(mut command: Command) -> Ended {
    let ran = tokio::task::spawn_blocking(move || command.output());
    let output = timeout(PATIENCE, ran).await.expect("it ends in time").expect("nothing panics");
    let output = output.expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    let status = output.status.code().expect("it ends by itself");
    Ended { status, out: text(output.stdout), errors: text(output.stderr) }
}

/// Runs a command of the program to its end.
pub async fn tostao(database_url: &str, words: &[&str]) -> Ended {
    finish(program(database_url, words)).await
}

impl Ended {
    /// What a command that did what it was asked printed.
    #[track_caller]
    pub fn good(self) -> String {
        assert_eq!(self.status, 0, "{self:?}");
        self.out
    }

    /// What a command that refused to do it complained of.
    #[track_caller]
    pub fn refused(self) -> String {
        assert_eq!(self.status, 1, "{self:?}");
        self.errors
    }
}

impl Server {
    /// Starts a server on any port, without rate limits, and waits until it serves.
    pub async fn start(database_url: &str) -> Self {
        Self::start_with(database_url, &[]).await
    }

    /// The same with further settings.
    pub async fn start_with(database_url: &str, settings: &[(&str, &str)]) -> Self {
        Self::start_as(database_url, &["serve"], "serving", settings).await
    }

    /// The same by other words, until it logs an address with this message.
    pub async fn start_as(
        database_url: &str,
        words: &[&str],
        message: &str,
        settings: &[(&str, &str)],
    ) -> Self {
        let mut command = serving(database_url, words);
        command.envs(settings.iter().copied());
        Self::spawn(command, message).await
    }

    /// Starts a server on a database that may not answer; `None` if it ends at once.
    pub async fn try_start(database_url: &str) -> Option<Self> {
        Self::try_spawn(serving(database_url, &["serve"]), "serving").await.ok()
    }

    /// Starts a server by a command of its own, until it logs an address with this message.
    pub async fn spawn(command: Command, message: &str) -> Self {
        let started = Self::try_spawn(command, message).await;
        started.unwrap_or_else(|heard| panic!("no `{message}` in {heard:#?}"))
    }

    async fn try_spawn(mut command: Command, message: &str) -> Result<Self, Vec<String>> {
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let mut log = Log::of(child.stderr.take().expect("it was asked for"));
        if let Some(address) = log.try_address(message).await {
            return Ok(Self { address, child, log });
        }
        // Most have ended by themselves.
        let _ = child.kill();
        let _ = child.wait();
        Err(log.heard)
    }

    /// The address that a line of the log with this message names.
    pub async fn address_of(&mut self, message: &str) -> SocketAddr {
        self.log.address(message).await
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends the process as a power cut would.
    pub fn kill(mut self) {
        self.child.kill().expect("the server runs");
        self.child.wait().expect("a killed process ends");
    }

    /// Asks the process to stop.
    pub fn ask_to_stop(&self) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status().expect("a signal is sent");
        assert!(sent.success());
    }

    /// Waits for the end of a process that was asked to stop.
    pub async fn ended(&mut self) -> ExitStatus {
        until("the server ends", async || self.child.try_wait().expect("it is ours")).await
    }

    /// Stops the server and gives back everything that it logged.
    pub async fn stop(mut self) -> Vec<String> {
        self.ask_to_stop();
        assert_eq!(self.ended().await.code(), Some(0));
        while let Some(line) = self.log.arriving.recv().await {
            self.log.heard.push(line);
        }
        std::mem::take(&mut self.log.heard)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Most have ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Log {
    fn of(errors: ChildStderr) -> Self {
        let (heard, arriving) = unbounded_channel();
        tokio::task::spawn_blocking(move || hear(errors, &heard));
        Self { heard: Vec::new(), arriving }
    }

    /// Waits for a message, and reads the address in it.
    async fn address(&mut self, message: &str) -> SocketAddr {
        let address = self.try_address(message).await;
        address.unwrap_or_else(|| panic!("no `{message}` in {:#?}", self.heard))
    }

    /// The same; `None` if the log ends before.
    async fn try_address(&mut self, message: &str) -> Option<SocketAddr> {
        let printed = |line: &String| {
            let line: Value = serde_json::from_str(line).ok()?;
            (line["message"] == message).then(|| line["address"].as_str()?.parse().ok())?
        };
        loop {
            if let Some(address) = self.heard.iter().find_map(printed) {
                return Some(address);
            }
            self.heard.push(timeout(PATIENCE, self.arriving.recv()).await.ok().flatten()?);
        }
    }
}

fn hear(errors: ChildStderr, heard: &UnboundedSender<String>) {
    for line in BufReader::new(errors).lines() {
        let Ok(line) = line else { return };
        if heard.send(line).is_err() {
            return;
        }
    }
}
