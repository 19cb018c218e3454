//! W8: many subscriptions become due at once, a tenth of their cards are declined, while buyers
//! keep paying.
//!
//! The run is timed with and without concurrent buyers; it is compared with the rate at which the
//! same engine creates charges of W2 without HTTP.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::json;

use crate::bench::Bench;
use crate::charge::{ACKNOWLEDGED, Charges, EVENT};
use crate::client::{Connection, Request, Transport};
use crate::clock;
use crate::load::Meter;
use crate::load::profile::{Target, Timetable};
use crate::numbers::{float, micros, millis, rounded};
use crate::past::subscribers::{self, Billed, DECLINED, PAYING, charged};
use crate::place::RunFolder;
use crate::report::{Ratio, progress};
use crate::server::Server;
use crate::shop::Shop;
use crate::sink::Sink;

/// The rate of concurrent buyers, as a fraction of their rate without the run.
const SHARE: f64 = 0.1;
const LOOK_EVERY: Duration = Duration::from_millis(100);
const METRICS_READ: usize = 20;
/// Published test cards: one that is charged, and one that can be kept but not charged.
const CARDS: [(&str, &str); 2] = [(PAYING, "4242424242424242"), (DECLINED, "4000000000000341")];

#[derive(Deserialize)]
struct Data<T> {
    data: T,
}

#[derive(Deserialize)]
struct Plan {
    id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Token {
    card_token: String,
}

/// How fast the run was.
struct Run {
    beside_per_second: f64,
    alone_per_second: f64,
    beside: Timetable,
}

/// Prints W8.
pub async fn run(bench: &Bench) -> Result<()> {
    if bench.cluster.is_some() {
        return bench.line("W8")?.with("skipped", "only SQLite files are loaded")?.print();
    }
    let at_best = charges_without_http(bench).await?;
    let count = bench.options.subscriptions;
    progress(&format!("W8: a billing run of {count} subscriptions"));
    let (place, sink) = (bench.place().await?, Sink::open().await?);
    let server = bench.server(&place).await?;
    let shops = [Shop::open(server.address, 0).await?];
    shops[0].subscribe(server.address, &sink.url(0), &[EVENT]).await?;
    let club = Shop::open(server.address, 1).await?;
    subscribe(&server, &club).await?;
    server.stop().await?;
    let billed = subscribers::load(&place.file(), count)?;

    let charges = Charges::new(&shops, &sink);
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        charges.one(1, connection, intended, meter).await
    };
    let server = bench.server(&place).await?;
    let target = bench.target(&server, &place);
    let throughput = target.closed(&work).await?.per_second;
    let (alone, _) = target.open(throughput, SHARE, &work).await?;
    server.stop().await?;

    subscribers::wake(&place.file(), count)?;
    let server = bench.server(&place).await?;
    let target = bench.target(&server, &place);
    let found = bill(&target, &place, count, throughput, &work).await?;
    prove(&server, &club, billed).await?;
    let metrics_ms = metrics_ms(&server, &club).await?;
    shops[0].prove(server.address, charges.paid().iter().sum()).await?;
    server.stop().await?;
    place.remove().await?;

    let p99 = |timetable: &Timetable| timetable.laps.get(ACKNOWLEDGED).map(|laps| laps.p99);
    let slower = p99(&found.beside).zip(p99(&alone)).map(|(beside, alone)| beside / alone);
    let mut line = bench.line("W8")?;
    line.per_second = Some(rounded(found.alone_per_second));
    line.p99_ms = p99(&found.beside);
    line.ratio = Some(Ratio::new("W2 without HTTP", found.alone_per_second, at_best));
    line.with("without_http_per_second", rounded(at_best))?
        .with("beside_w2_per_second", rounded(found.beside_per_second))?
        .with("w2_p99_to_alone", slower.map(rounded))?
        .with("w2_alone", alone)?
        .with("w2_beside", found.beside)?
        .with("paid", billed.paid)?
        .with("declined", billed.declined)?
        .with("metrics_p50_ms", metrics_ms[METRICS_READ / 2])?
        .with("metrics_max_ms", metrics_ms[METRICS_READ - 1])?
        .print()
}

/// How many charges per second the product creates in a process without HTTP.
async fn charges_without_http(bench: &Bench) -> Result<f64> {
    progress("W8: charges without HTTP");
    let place = bench.place().await?;
    let options = &bench.options;
    let mut command = bench.cores.server_command(std::env::current_exe()?);
    command.args(["helper", "charges"]).arg(place.file());
    command.args([options.connections.to_string(), options.warm_up.to_string()]);
    command.arg(options.duration.to_string()).stderr(Stdio::inherit());
    let output = command.output().await?;
    place.remove().await?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().context("the product without HTTP printed no rate")
}

/// Creates a plan with a trial, and a subscriber with each card.
async fn subscribe(server: &Server, shop: &Shop) -> Result<()> {
    let mut connection = Connection::open(server.address).await?;
    let plan = json!({
        "name": "Clube", "amountCents": 3_000, "interval": "MONTHLY", "trialDays": 7,
    });
    let body = plan.to_string();
    let headers = [("api-key", shop.key.as_str())];
    let request = Request::post("/api/subscriptions/plans", &headers, body.as_bytes());
    let plan: Data<Plan> = connection.send(&request).await?.expect(201)?.json()?;
    for (email, number) in CARDS {
        let card = json!({
            "number": number, "expMonth": 12, "expYear": 2060, "cvv": "123",
            "holderName": "FULANO DE TAL",
        });
        let body = card.to_string();
        let request = Request::post("/sandbox/card-tokens", &[], body.as_bytes());
        let token: Token = connection.send(&request).await?.expect(201)?.json()?;
        let order = json!({
            "planId": plan.data.id, "paymentMethod": "CREDIT_CARD",
            "cardToken": token.card_token,
            "customer": { "name": "Fulano de Tal", "email": email },
        });
        let body = order.to_string();
        let request = Request::post("/api/subscriptions/checkout", &[], body.as_bytes());
        connection.send(&request).await?.expect(201)?;
    }
    Ok(())
}

/// Runs with concurrent buyers for a while, then alone to the end.
async fn bill(
    target: &Target,
    place: &RunFolder,
    count: u64,
    throughput: f64,
    work: &impl AsyncFn(&mut Connection, Instant, &Meter) -> Result<()>,
) -> Result<Run> {
    let (began, before) = (clock::now(), charged(&place.file())?);
    let (beside, _) = target.open(throughput, SHARE, work).await?;
    let (paused, between) = (clock::now(), charged(&place.file())?);
    ensure!(between < count, "the run was over before it was measured: take more subscriptions");
    while charged(&place.file())? < count {
        clock::pause(LOOK_EVERY).await;
    }
    let ended = clock::now();
    let rate = |count: u64, time: Duration| float(count) / time.as_secs_f64();
    Ok(Run {
        beside_per_second: rate(between - before, paused - began),
        alone_per_second: rate(count - between, ended - paused),
        beside,
    })
}

/// Checks that every subscriber was charged once and the ledger is consistent.
async fn prove(server: &Server, shop: &Shop, billed: Billed) -> Result<()> {
    for (path, expected) in [
        ("/api/subscriptions?status=ACTIVE&limit=1", billed.paid),
        ("/api/subscriptions?status=PAST_DUE&limit=1", billed.declined),
        ("/api/v1/transactions?status=PAID&limit=1", billed.paid),
        ("/api/v1/transactions?status=FAILED&limit=1", billed.declined),
    ] {
        let total = shop.total(server.address, path).await?;
        ensure!(total == expected, "{path}: {total} instead of {expected}");
    }
    shop.prove_sums(server.address).await
}

/// The durations of the metrics request, in milliseconds, fastest first.
async fn metrics_ms(server: &Server, shop: &Shop) -> Result<Vec<f64>> {
    let mut connection = Connection::open(server.address).await?;
    let headers = [("api-key", shop.key.as_str())];
    let request = Request::get("/api/subscriptions/metrics", &headers);
    let mut took = Vec::new();
    for _ in 0..METRICS_READ {
        let began = clock::now();
        connection.send(&request).await?.expect(200)?;
        took.push(millis(micros(clock::now().duration_since(began))));
    }
    took.sort_by(f64::total_cmp);
    Ok(took)
}
