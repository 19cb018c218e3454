//! The open loop: requests are sent on a schedule, whether or not the server keeps up.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use anyhow::Result;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::Semaphore;

use crate::client::Connection;
use crate::clock;
use crate::load::{Meter, Nodes, Plan};

/// The server closes a connection that is idle for half a minute.
const QUIET_MAX: Duration = Duration::from_secs(10);

/// Idle connections, each with its time of last use, and how another one is made.
struct Pool<D> {
    dial: D,
    idle: RefCell<Vec<(Connection, Instant)>>,
}

/// Loads servers with that many requests per second; `work` receives each one's scheduled time.
///
/// A request without a free connection waits for one, and its time counts.
pub async fn run(
    nodes: &Nodes,
    connections: usize,
    per_second: f64,
    plan: Plan,
    work: impl AsyncFn(&mut Connection, Instant, &Meter) -> Result<()>,
) -> Result<Meter> {
    run_over(async || nodes.connect().await, connections, per_second, plan, work).await
}

/// The same over connections that `dial` makes.
pub async fn run_over(
    dial: impl AsyncFn() -> Result<Connection>,
    connections: usize,
    per_second: f64,
    plan: Plan,
    work: impl AsyncFn(&mut Connection, Instant, &Meter) -> Result<()>,
) -> Result<Meter> {
    let pool = Pool { dial, idle: RefCell::default() };
    let (seats, meter) = (Semaphore::new(connections), Meter::new(plan));
    let send = async |intended: Instant| {
        let _seat = seats.acquire().await?;
        let mut connection = pool.take().await?;
        work(&mut connection, intended, &meter).await?;
        meter.count();
        pool.put(connection);
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

impl<D: AsyncFn() -> Result<Connection>> Pool<D> {
    /// Returns the connection used last, or a new one.
    async fn take(&self) -> Result<Connection> {
        let last = self.idle.borrow_mut().pop();
        match last {
            Some((connection, used_at)) if clock::now() - used_at < QUIET_MAX => Ok(connection),
            // The others have been idle for even longer.
            Some(_) => {
                self.idle.borrow_mut().clear();
                (self.dial)().await
            }
            None => (self.dial)().await,
        }
    }

    fn put(&self, connection: Connection) {
        self.idle.borrow_mut().push((connection, clock::now()));
    }
}
