//! Processes that stand in for the product: bare servers, and a bare client.
//!
//! They are separate processes so that they run where the product runs, on its core only.

use std::future::pending;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use bytes::Bytes;
use fakepsp::fake::{Fake, Options};
use futures_util::future::try_join_all;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1 as client;
use hyper::server::conn::http1 as server;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::spawn_local;

use crate::load::Plan;
use crate::options::Helper;
use crate::{clock, in_process};

/// Runs until its parent ends it; the client ends by itself.
pub async fn run(helper: Helper) -> Result<()> {
    match helper {
        Helper::Echo => serve(|body| echo(&body)).await,
        Helper::Bank { folder } => bank(folder).await,
        Helper::Page { bytes } => {
            let page = Bytes::from("a".repeat(bytes));
            serve(move |_| page.clone()).await
        }
        Helper::Post { address, bytes, callers, seconds } => {
            let time = Duration::from_secs_f64(seconds);
            say(&post(address, bytes, callers, time).await?.to_string())
        }
        Helper::Charges { file, callers, warm_up, seconds } => {
            let plan = Plan {
                warm_up: Duration::from_secs_f64(warm_up),
                measure: Duration::from_secs_f64(seconds),
            };
            say(&in_process::charges(&file, callers, plan).await?.to_string())
        }
    }
}

async fn serve(answer: impl Fn(Bytes) -> Bytes + Clone + 'static) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    say(&listener.local_addr()?.to_string())?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let answer = answer.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let answer = answer.clone();
            async move {
                let body = request.into_body().collect().await?.to_bytes();
                Ok::<_, hyper::Error>(Response::new(Full::new(answer(body))))
            }
        });
        spawn_local(server::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

/// The fake listens for its tests and for the product on ports of its own, which it prints.
async fn bank(folder: PathBuf) -> Result<()> {
    let fake = Fake::start(Options { folder: Some(folder), ..Options::default() }).await?;
    let addresses = fake.addresses();
    let both = addresses.plain.zip(addresses.tls_client).zip(addresses.tls);
    let ((plain, pix), charges) = both.context("the fake listens nowhere")?;
    say(&format!("{plain} {pix} {charges}"))?;
    pending().await
}

/// Parsed and serialized, because that is the least that an API does.
fn echo(body: &[u8]) -> Bytes {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    serde_json::to_vec(&value).unwrap_or_default().into()
}

/// Posts with that many connections, each waiting for its response; returns the number of posts.
async fn post(address: SocketAddr, bytes: usize, callers: usize, time: Duration) -> Result<u64> {
    let (body, until) = (Bytes::from("a".repeat(bytes)), clock::now() + time);
    let counts = try_join_all((0..callers).map(|_| call(address, body.clone(), until))).await?;
    Ok(counts.into_iter().sum())
}

async fn call(address: SocketAddr, body: Bytes, until: std::time::Instant) -> Result<u64> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = client::handshake(TokioIo::new(stream)).await?;
    spawn_local(connection);
    let mut count = 0;
    while clock::now() < until {
        let request = Request::post("/hooks/0")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .body(Full::new(body.clone()))?;
        let answer = sender.send_request(request).await?;
        answer.into_body().collect().await?;
        count += 1;
    }
    Ok(count)
}

fn say(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}
