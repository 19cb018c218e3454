//! The open loop: requests leave by a timetable, whether or not the server keeps up.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::Semaphore;

use crate::client::Connection;
use crate::clock;
use crate::load::{Meter, Plan};

/// Loads a server with so many requests a second; `work` is told when each should have left.
///
/// A request that finds every connection taken waits for one, and its time runs.
pub async fn run(
    address: SocketAddr,
    connections: usize,
    per_second: f64,
    plan: Plan,
    work: impl AsyncFn(&mut Connection, Instant, &Meter) -> Result<()>,
) -> Result<Meter> {
    let idle = RefCell::new(Vec::with_capacity(connections));
    for _ in 0..connections {
        let connection = Connection::open(address).await?;
        idle.borrow_mut().push(connection);
    }
    let (seats, meter) = (Semaphore::new(connections), Meter::new(plan));
    let send = async |intended: Instant| {
        let _seat = seats.acquire().await?;
        let taken = idle.borrow_mut().pop();
        let mut connection = taken.context("a seat without a connection")?;
        work(&mut connection, intended, &meter).await?;
        meter.count();
        idle.borrow_mut().push(connection);
        anyhow::Ok(())
    };
    let mut at_work = FuturesUnordered::new();
    let gap = Duration::from_secs_f64(1.0 / per_second);
    let mut intended = clock::now();
    while intended < meter.to {
        loop {
            tokio::select! {
                biased;
                Some(done) = at_work.next() => done?,
                () = clock::wait_until(intended) => break,
            }
        }
        at_work.push(send(intended));
        intended += gap;
    }
    while let Some(done) = at_work.next().await {
        done?;
    }
    drop(at_work);
    Ok(meter)
}
