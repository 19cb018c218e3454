//! L7 to L9: the cost of HTTP alone, with bodies of the product's size.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;

use crate::bench::Bench;
use crate::client::{Connection, Request, Transport};
use crate::limits::nginx;
use crate::load::closed::Throughput;
use crate::load::profile::Target;
use crate::load::{Meter, Nodes};
use crate::numbers::{float, rounded};
use crate::place::RunFolder;
use crate::report::{Line, progress};
use crate::sink::Sink;

const ANSWERED: &str = "answered";

/// A stand-in for the product; dropping this stops it.
struct StandIn {
    address: SocketAddr,
    pid: u32,
    _child: Child,
}

/// Prints L7: JSON parsed and serialized; returns responses per second, unless
/// limits are skipped.
pub async fn echo(bench: &Bench, text: &str) -> Result<Option<f64>> {
    if bench.options.no_limits {
        return Ok(None);
    }
    progress("L7: bare JSON echo");
    let body = serde_json::to_vec(&serde_json::json!({ "text": text }))?;
    let request = Request::post("/", &[], &body);
    let stand_in = start(bench, &["helper", "echo"]).await?;
    let found = load(bench, stand_in.address, stand_in.pid, &request).await?;
    print(bench, "L7", "hyper", body.len(), &found).map(Some)
}

/// Prints L8: constant bytes; returns responses per second, unless limits are skipped.
pub async fn page(bench: &Bench, bytes: usize) -> Result<Option<f64>> {
    if bench.options.no_limits {
        return Ok(None);
    }
    progress("L8: bare page");
    let request = Request::get("/page", &[]);
    let stand_in = start(bench, &["helper", "page", &bytes.to_string()]).await?;
    let found = load(bench, stand_in.address, stand_in.pid, &request).await?;
    let per_second = print(bench, "L8", "hyper", bytes, &found)?;
    drop(stand_in);
    if let Some(nginx) = nginx::start(bench, bytes).await? {
        let found = load(bench, nginx.address, nginx.pid, &request).await?;
        print(bench, "L8", "nginx", bytes, &found)?;
    }
    Ok(Some(per_second))
}

/// Prints L9: a bare client that posts to the sink; returns posts per second, unless limits are
/// skipped.
pub async fn post(bench: &Bench, bytes: usize) -> Result<Option<f64>> {
    if bench.options.no_limits {
        return Ok(None);
    }
    progress("L9: bare client");
    let (sink, seconds) = (Sink::open().await?, bench.options.duration);
    let callers = bench.options.callers();
    let mut command = bench.cores.server_command(std::env::current_exe()?);
    command.args(["helper", "post", &sink.address().to_string(), &bytes.to_string()]);
    command.args([callers.to_string(), seconds.to_string()]).stderr(Stdio::inherit());
    let output = command.output().await?;
    let text = String::from_utf8_lossy(&output.stdout);
    let count: u64 = text.trim().parse().context("the bare client printed no count")?;
    let per_second = float(count) / seconds;
    let mut line = bench.line("L9")?;
    line.per_second = Some(rounded(per_second));
    line.with("client", "hyper")?.with("bytes", bytes)?.with("callers", callers)?.print()?;
    Ok(Some(per_second))
}

async fn load(
    bench: &Bench,
    address: SocketAddr,
    pid: u32,
    request: &Request,
) -> Result<Throughput> {
    let place = RunFolder::new(&bench.options.folder(), None).await?;
    let target = Target {
        nodes: Nodes::new(vec![address]),
        callers: bench.options.callers(),
        plan: bench.options.plan(),
        watch: bench.watch(&[pid], place.folder()),
    };
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        connection.send(request).await?.expect(200)?;
        meter.lap(ANSWERED, intended)
    };
    let found = target.closed(work).await?;
    place.remove().await?;
    Ok(found)
}

fn print(bench: &Bench, name: &str, server: &str, bytes: usize, found: &Throughput) -> Result<f64> {
    let done = found.meter.done_in_time();
    let line = Line { per_second: Some(rounded(found.per_second)), ..bench.line(name)? };
    line.with("server", server)?
        .with("bytes", bytes)?
        .with("callers", bench.options.callers())?
        .with("server_us_each", found.usage.server_micros_each(done))?
        .held_up_by(found.usage.shares())?
        .print()?;
    Ok(found.per_second)
}

async fn start(bench: &Bench, arguments: &[&str]) -> Result<StandIn> {
    let mut command = bench.cores.server_command(std::env::current_exe()?);
    let mut child = command.args(arguments).stdout(Stdio::piped()).spawn()?;
    let pid = child.id().context("the stand-in exited at once")?;
    let out = child.stdout.take().context("the stand-in has no output")?;
    let line = BufReader::new(out).lines().next_line().await?;
    let address = line.context("the stand-in printed no address")?.parse()?;
    Ok(StandIn { address, pid, _child: child })
}
