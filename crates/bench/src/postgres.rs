//! An externally started PostgreSQL cluster, and our own databases on it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::task::spawn_local;
use tokio_postgres::{Client, NoTls};
use url::Url;

use crate::cores::{Cores, release};
use crate::network::{Network, address_of};
use crate::usage::{children, parent};

static MADE: AtomicU32 = AtomicU32::new(0);

/// A cluster, pinned to the product's core if it runs on this machine.
pub struct Cluster {
    url: Url,
    /// Whether a commit waits for the disk.
    pub durable: bool,
    /// Its main process, if it runs on this machine and may be moved.
    pub pid: Option<u32>,
    /// What is between it and the product, if anything is.
    pub network: Option<Network>,
}

/// A database on the cluster, for one run.
pub struct Scratch {
    pub url: String,
    /// By way of the network.
    pub servers_url: String,
    cluster: Url,
    name: String,
}

impl Cluster {
    /// Inspects a cluster and moves its processes to the server's core.
    pub async fn open(url: &str, cores: Cores) -> Result<Self> {
        let url = Url::parse(url).context("--postgres is an address like postgres://…")?;
        let client = connect(url.as_str()).await?;
        let fsync = setting(&client, "fsync").await?;
        let commit = setting(&client, "synchronous_commit").await?;
        let durable = fsync == "on" && commit != "off";
        let backend: i32 = client.query_one("select pg_backend_pid()", &[]).await?.get(0);
        let pid = u32::try_from(backend).ok().filter(|pid| is_here(&url, *pid)).and_then(parent);
        let pid = pid.filter(|pid| pin(cores, *pid));
        Ok(Self { url, durable, pid, network: None })
    }

    /// Puts a network between it and the product.
    pub fn move_away(&mut self, delay: Duration) -> Result<()> {
        self.network = Some(Network::open(address_of(&self.url)?, delay)?);
        Ok(())
    }

    /// Creates an empty database.
    pub async fn scratch(&self) -> Result<Scratch> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("tostao_bench_{}_{number}", std::process::id());
        let client = connect(self.url.as_str()).await?;
        client.batch_execute(&format!("create database {name}")).await?;
        let mut url = self.url.clone();
        url.set_path(&name);
        let servers_url = match &self.network {
            Some(network) => network.by_way_of(url.as_str())?,
            None => url.to_string(),
        };
        Ok(Scratch { url: url.into(), servers_url, cluster: self.url.clone(), name })
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for pid in self.pid.iter().flat_map(|pid| [vec![*pid], children(*pid)]).flatten() {
            release(pid);
        }
    }
}

impl Scratch {
    /// Drops the database, even with open connections.
    pub async fn remove(self) -> Result<()> {
        let client = connect(self.cluster.as_str()).await?;
        let statement = format!("drop database if exists {} with (force)", self.name);
        Ok(client.batch_execute(&statement).await?)
    }
}

/// Connects without TLS.
pub async fn connect(url: &str) -> Result<Client> {
    let connected = tokio_postgres::connect(url, NoTls).await;
    let (client, connection) = connected.context("PostgreSQL does not answer")?;
    // Its errors reach the client as its statements' errors.
    spawn_local(async move { drop(connection.await) });
    Ok(client)
}

async fn setting(client: &Client, name: &str) -> Result<String> {
    let row = client.query_one("select current_setting($1)", &[&name]).await?;
    Ok(row.get(0))
}

fn is_here(url: &Url, pid: u32) -> bool {
    let near = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]") | None);
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    near && name.starts_with("postgres")
}

/// Processes that it starts later inherit the core.
fn pin(cores: Cores, first: u32) -> bool {
    let moved = cores.move_to_server(first);
    for child in children(first) {
        cores.move_to_server(child);
    }
    moved
}
