//! The fake of the banks: found or started, and what happens at it.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use anyhow::{Context, ensure};
use hyper::StatusCode;
use serde_json::Value;
use tokio::task::spawn_blocking;
use url::{Host, Url};

use crate::commands::demo::client::Client;
use crate::commands::demo::story::text;

const PROGRAM: &str = "fakepsp";

/// A running fake.
pub struct FakeBank {
    control: SocketAddr,
    client: Client,
    /// Where its APIs are, and the certificate that a client of it has.
    given: Value,
    /// It ends with its standard input.
    process: Mutex<Option<Child>>,
}

impl FakeBank {
    /// Uses a running fake.
    pub async fn running(url: &Url) -> anyhow::Result<Self> {
        let ip = match url.host() {
            Some(Host::Ipv4(ip)) => Some(ip.into()),
            Some(Host::Ipv6(ip)) => Some(ip.into()),
            Some(Host::Domain("localhost")) => Some(std::net::Ipv4Addr::LOCALHOST.into()),
            _ => None,
        };
        let address = ip.zip(url.port()).map(|(ip, port)| SocketAddr::new(ip, port));
        let address = address.filter(|address| address.ip().is_loopback());
        let address = address.with_context(|| {
            format!("{url} is no address of this machine, such as http://127.0.0.1:9000")
        })?;
        Self::open(address, None).await
    }

    /// Starts the program, which is beside this one unless its file is given.
    pub async fn start(program: Option<PathBuf>, folder: &Path) -> anyhow::Result<Self> {
        let program = match program {
            Some(program) => program,
            None => std::env::current_exe()?.with_file_name(PROGRAM),
        };
        ensure!(
            program.is_file(),
            "{} does not exist. The fake of the banks is in no release: build it in the repository \
             with `cargo build -p fakepsp`, and give --fakepsp FILE, or --psp URL of a running one",
            program.display()
        );
        let mut command = Command::new(&program);
        command.args(["serve", "--tls-client", "127.0.0.1:0", "--tls", "127.0.0.1:0", "--folder"]);
        command.arg(folder.join("certificates")).arg("--until-stdin-closes");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let started = command.spawn();
        let mut child =
            started.with_context(|| format!("{} cannot be started", program.display()))?;
        let output = child.stdout.take().context("the fake has no output")?;
        let reading = spawn_blocking(move || {
            let mut line = String::new();
            BufReader::new(output).read_line(&mut line).map(|_| line)
        });
        let line = reading.await??;
        let printed: Value = serde_json::from_str(&line)
            .with_context(|| format!("{} did not print its addresses", program.display()))?;
        let url: Url = text(&printed, "/plain")?.parse()?;
        let control = url.socket_addrs(|| None)?.into_iter().next();
        Self::open(control.context("the fake has no control address")?, Some(child)).await
    }

    async fn open(control: SocketAddr, process: Option<Child>) -> anyhow::Result<Self> {
        let client = Client::new(control);
        let given = client.get("/__operator", None).await;
        let given = given.with_context(|| format!("no fakepsp answers at http://{control}"))?;
        Ok(Self { control, client, given, process: Mutex::new(process) })
    }

    /// The address by which it is controlled.
    pub fn control(&self) -> String {
        format!("http://{}", self.control)
    }

    /// What the bank gives to its clients, by name.
    pub fn given(&self, name: &str) -> anyhow::Result<String> {
        let given = text(&self.given, &format!("/{name}"));
        given.with_context(|| format!("the fake was started without --{}", name.replace('_', "-")))
    }

    /// Says what happens at the banks.
    pub async fn at(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.client.post(path, None, body, StatusCode::OK).await
    }

    /// Reads something of the banks.
    pub async fn read(&self, path: &str) -> anyhow::Result<Value> {
        self.client.get(path, None).await
    }

    /// Ends the program, if it was started here.
    pub async fn stop(&self) {
        let process = self.process.lock().ok().and_then(|mut process| process.take());
        let Some(mut child) = process else { return };
        drop(child.stdin.take());
        // Whatever it ends with, the story has ended before.
        let _ = spawn_blocking(move || child.wait()).await;
    }
}
