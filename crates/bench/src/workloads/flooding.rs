//! W11: one merchant's charges, alone and next to another merchant whose webhook receivers send
//! interim responses forever.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{JoinHandle, spawn_local};

use crate::bench::Bench;
use crate::client::{Connection, Request, Transport};
use crate::clock;
use crate::load::{Meter, Quantiles};
use crate::report::{Ratio, progress};
use crate::shop::Shop;

const CREATE: &str = "create";
const EVENT: &str = "product.created";
const HOOKS: usize = 20;
const CHARGES_PER_SECOND: f64 = 100.0;
/// Each event is delivered to every receiver.
const EVENT_EVERY: Duration = Duration::from_millis(500);
const INTERIM: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
const INTERIM_AT_ONCE: usize = 640;
/// Receivers share a core with the callers that are measured, so they fill no more of a socket than
/// the server could read.
const SEND_BUFFER_BYTES: u32 = 16 * 1_024;
const BACKLOG: u32 = 128;

/// A receiver that never sends its final response.
struct Flood {
    address: SocketAddr,
    calls: Rc<Cell<u64>>,
    accepting: JoinHandle<()>,
}

impl Flood {
    fn open() -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        let listener = socket.listen(BACKLOG)?;
        let (address, calls) = (listener.local_addr()?, Rc::<Cell<u64>>::default());
        let accepting = spawn_local(accept(listener, calls.clone()));
        Ok(Self { address, calls, accepting })
    }
}

impl Drop for Flood {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Prints W11.
pub async fn run(bench: &Bench) -> Result<()> {
    progress("W11: charges beside receivers that answer for ever");
    let (place, flood) = (bench.place().await?, Flood::open()?);
    let server = bench.server(&place).await?;
    let (shop, other) =
        (Shop::open(server.address, 0).await?, Shop::open(server.address, 1).await?);
    for number in 0..HOOKS {
        let url = format!("http://{}/{number}", flood.address);
        other.subscribe(server.address, &url, &[EVENT]).await?;
    }
    let request = new_charge(&shop.key);
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        connection.send(&request).await?.expect(201)?;
        meter.lap(CREATE, intended)
    };
    let target = bench.target(&server, &place);
    let (alone, _) = target.open(CHARGES_PER_SECOND, 1.0, &work).await?;
    let (beside, charges) = tokio::select! {
        found = target.open(CHARGES_PER_SECOND, 1.0, &work) => found?,
        broken = make_events(server.address, &other.key) => return broken,
    };
    server.stop().await?;
    place.remove().await?;
    let quantiles = |laps: Option<&Quantiles>| laps.copied().context("no charge was measured");
    let (quiet, loud) = (quantiles(alone.laps.get(CREATE))?, quantiles(beside.laps.get(CREATE))?);
    let mut line = bench.line("W11")?;
    (line.p50_ms, line.p99_ms) = (Some(loud.p50), Some(loud.p99));
    line.ratio = Some(Ratio::new("alone", loud.p99, quiet.p99));
    line.with("p50_alone_ms", quiet.p50)?
        .with("p99_alone_ms", quiet.p99)?
        .with("receivers", HOOKS)?
        .with("calls_to_receivers", flood.calls.get())?
        .with("charges_beside", charges)?
        .print()
}

/// Creates events until something fails.
async fn make_events(address: SocketAddr, key: &str) -> Result<()> {
    let body = json!({ "name": "Pão", "price": 100 }).to_string();
    let request = Request::post("/api/v1/products", &[("api-key", key)], body.as_bytes());
    let mut connection = Connection::open(address).await?;
    loop {
        connection.send(&request).await?.expect(201)?;
        clock::pause(EVENT_EVERY).await;
    }
}

async fn accept(listener: TcpListener, calls: Rc<Cell<u64>>) {
    while let Ok((stream, _)) = listener.accept().await {
        calls.set(calls.get() + 1);
        spawn_local(answer_for_ever(stream));
    }
}

/// Ends when the caller closes the connection.
async fn answer_for_ever(mut stream: TcpStream) {
    let interim = INTERIM.repeat(INTERIM_AT_ONCE);
    let asked = stream.read(&mut [0; 1_024]).await;
    while asked.is_ok() && stream.write_all(&interim).await.is_ok() {}
}

fn new_charge(key: &str) -> Request {
    let customer =
        json!({ "name": "Ana", "email": "ana@example.com", "document": "529.982.247-25" });
    let body = json!({ "method": "PIX", "amountCents": 1_000, "customer": customer }).to_string();
    Request::post("/api/v1/transactions", &[("api-key", key)], body.as_bytes())
}
