//! Threads that drive connections; each unit borrows one while it runs.

use std::cell::{Cell, RefCell};
use std::mem::take;
use std::pin::pin;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use futures_util::future::{Either, join_all, select};
use rustls::RootCertStore;
use tokio::runtime::Runtime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, mpsc};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::timeout;
use tokio_postgres::{Client, Config, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::{Error, Result};
use crate::postgres::lane::{Keyed, Lane};
use crate::postgres::session::{Link, Session};
use crate::postgres::traffic::Counter;
use crate::postgres::wire::{message_of, refused};
use crate::queue::Taker;
use crate::source::Sources;
use crate::tx::{Engine, Notice, Tx};
use crate::unit::{CallerGone, Unit};

const RUNS_MAX: u32 = 6;
/// The driver limits only the wait for the network.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);
/// A network that drops packets must not hold a unit for as long as TCP would.
const SILENCE_MAX: Duration = Duration::from_secs(15);
/// A statement that commits by itself has its own time, and that of a commit, which may wait for a
/// standby.
const SINGLE_TIME_MAX: Duration = Duration::from_secs(20);
const SESSION_OPTIONS: &str = "-c statement_timeout=15000 -c lock_timeout=3000 \
     -c idle_in_transaction_session_timeout=15000 \
     -c default_transaction_isolation=read\\ committed";
/// A response means that it is on disk, whatever the server, the role or the URL says.
const LASTING_COMMITS: &str = "-c synchronous_commit=on";

/// A unit for a thread, and what it does.
pub struct UnitRequest {
    unit: Unit,
    frame: Frame,
    /// Released when the unit has ended, even if its caller still waits.
    permit: Option<OwnedSemaphorePermit>,
    /// Closes when the caller has gone, for units that are then cancelled.
    gone: Option<CallerGone>,
}

/// What is around the statements of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    /// A transaction that is committed.
    Commit,
    /// Nothing: the only statement commits by itself.
    Single,
    /// One snapshot.
    Snapshot,
    /// Nothing: each statement sees its own moment.
    Bare,
}

/// What one thread needs to serve.
pub struct Thread {
    pub config: Config,
    pub sources: Sources,
    pub notices: broadcast::Sender<Notice>,
    /// How many units without a key run at once, each on a connection.
    pub connections_max: u32,
    pub counter: Arc<Counter>,
    /// The queues of its lanes.
    pub lanes: Vec<Taker<Keyed>>,
}

/// Connections, and what runs units on them.
pub struct Pool {
    thread: Thread,
    tls: MakeRustlsConnect,
    idle: RefCell<Vec<Rc<Link>>>,
    /// How many connections are kept: one for each such unit, and one for each lane.
    idle_max: usize,
    permits: Arc<Semaphore>,
    jitter: Cell<u64>,
}

/// Parses a `postgres://` URL and adds the limits of every session.
pub fn config(url: &str) -> Result<Config> {
    let mut config: Config = url.parse().map_err(|e| Error::Open(format!("{e}")))?;
    // Later options win.
    let own = config.get_options().unwrap_or_default();
    let options = format!("{SESSION_OPTIONS} {own} {LASTING_COMMITS}");
    config.options(&options).application_name("tostao");
    config.connect_timeout(CONNECT_TIME_MAX).tcp_user_timeout(SILENCE_MAX);
    config.keepalives_idle(SILENCE_MAX).keepalives_interval(SILENCE_MAX / 3).keepalives_retries(3);
    Ok(config)
}

impl UnitRequest {
    pub fn writing(unit: Unit) -> Self {
        Self { unit, frame: Frame::Commit, permit: None, gone: None }
    }

    pub fn single(unit: Unit) -> Self {
        Self { unit, frame: Frame::Single, permit: None, gone: None }
    }

    pub fn reading(unit: Unit) -> Self {
        Self { unit, frame: Frame::Snapshot, permit: None, gone: None }
    }

    pub fn bare(unit: Unit) -> Self {
        Self { unit, frame: Frame::Bare, permit: None, gone: None }
    }

    pub fn scan(unit: Unit, permit: OwnedSemaphorePermit, gone: CallerGone) -> Self {
        Self { unit, frame: Frame::Snapshot, permit: Some(permit), gone: Some(gone) }
    }
}

impl Thread {
    /// Serves until every sender of requests is dropped and every request is answered.
    pub fn serve(mut self, runtime: &Runtime, mut requests: mpsc::Receiver<UnitRequest>) {
        let connections_max = self.connections_max;
        let lanes = take(&mut self.lanes);
        let pool = Rc::new(Pool::new(self, lanes.len()));
        LocalSet::new().block_on(runtime, async move {
            let lanes = lanes.into_iter().map(|units| Lane::new(pool.clone(), units));
            let lanes: Vec<_> = lanes.map(|lane| spawn_local(lane.serve())).collect();
            while let Some(request) = requests.recv().await
                && let Some(permit) = pool.permit().await
            {
                let pool = pool.clone();
                spawn_local(async move {
                    pool.serve(request).await;
                    drop(permit);
                });
            }
            join_all(lanes).await;
            // All permits are available once no unit runs; they are never released again.
            let _ = pool.permits.acquire_many(connections_max).await;
        });
    }
}

impl Pool {
    fn new(thread: Thread, lanes: usize) -> Self {
        let units_max = thread.connections_max as usize;
        let (idle, idle_max) = (RefCell::default(), units_max + lanes);
        let (permits, jitter) = (Arc::new(Semaphore::new(units_max)), Cell::new(1));
        Self { thread, tls: tls(), idle, idle_max, permits, jitter }
    }

    /// Waits until another unit may have a connection.
    pub async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        self.permits.clone().acquire_owned().await.ok()
    }

    pub fn notices(&self) -> &broadcast::Sender<Notice> {
        &self.thread.notices
    }

    pub fn sources(&self) -> Sources {
        self.thread.sources.clone()
    }

    /// Runs a unit in a transaction of its own, and answers its caller.
    pub async fn serve(&self, mut request: UnitRequest) {
        let mut fate = self.run(&mut request).await;
        for run in 1..RUNS_MAX {
            if !matches!(fate, Err(Error::Collision(_))) {
                break;
            }
            self.pause(run).await;
            fate = self.run(&mut request).await;
        }
        drop(request.permit);
        request.unit.answer(fate);
    }

    async fn run(&self, request: &mut UnitRequest) -> Result<()> {
        let link = self.take().await?;
        let open = match request.frame {
            Frame::Commit => Session::writing,
            Frame::Single => Session::single,
            Frame::Snapshot => Session::reading,
            Frame::Bare => Session::bare,
        };
        let session = open(link.clone())?;
        let tx = Tx::new(Engine::Postgres(session), self.thread.sources.clone());
        if request.frame == Frame::Single {
            return self.run_single(&mut request.unit, &tx, link).await;
        }
        let run = request.unit.run(&tx);
        let keep = match &mut request.gone {
            None => run.await,
            Some(gone) => match select(pin!(run), gone).await {
                Either::Left((keep, _)) => keep,
                Either::Right(_) => return self.stop(&link).await,
            },
        };
        let (failure, commit_hooks) = (tx.failure(), tx.take_commit_hooks());
        let Engine::Postgres(session) = tx.into_engine() else {
            return Ok(());
        };
        let writes = request.frame == Frame::Commit;
        if keep && writes {
            self.commit(session, link).await?;
            commit_hooks.run(&self.thread.notices);
            return Ok(());
        }
        if writes {
            self.take_back(&session, link).await?;
        } else {
            session.end();
            self.put(link);
        }
        retried(failure)
    }

    /// Runs a unit whose only statement commits by itself, whatever becomes of the unit then.
    async fn run_single(&self, unit: &mut Unit, tx: &Tx, link: Rc<Link>) -> Result<()> {
        let Engine::Postgres(session) = tx.engine() else { return Ok(()) };
        let run = async { (unit.run(tx).await, session.settle().await) };
        let overdue = |_| Error::Unknown("no answer to a statement in time".into());
        let (keep, settled) = timeout(SINGLE_TIME_MAX, run).await.map_err(overdue)?;
        let fate = match tx.failure() {
            _ if keep => settled,
            Some(lost @ Error::Unknown(_)) => Err(lost),
            failure if session.may_be_committed() => {
                let why = failure.map_or_else(|| "it refused".to_owned(), |f| f.to_string());
                Err(Error::Unknown(format!("after its statement a unit failed: {why}")))
            }
            failure => retried(failure),
        };
        // A connection that may be lost serves nothing more.
        if !matches!(fate, Err(Error::Unknown(_))) {
            self.put(link);
        }
        if keep && fate.is_ok() {
            tx.take_commit_hooks().run(&self.thread.notices);
        }
        fate
    }

    pub async fn commit(&self, session: Session, link: Rc<Link>) -> Result<()> {
        let fate = session.commit().await;
        match &fate {
            Ok(()) => self.put(link),
            Err(Error::Unknown(_)) => {}
            Err(_) => self.take_back(&session, link).await?,
        }
        fate
    }

    /// Cancels a connection's statement and closes it: a late cancel could hit its next statement.
    async fn stop(&self, link: &Link) -> Result<()> {
        if let Err(error) = link.cancel(self.tls.clone()).await {
            tracing::warn!(%error, "an abandoned statement cannot be stopped");
        }
        Ok(())
    }

    /// Rolls back what was done; fails if it was done outside of a transaction.
    pub async fn take_back(&self, session: &Session, link: Rc<Link>) -> Result<()> {
        if session.rollback().await? {
            self.put(link);
        }
        Ok(())
    }

    pub async fn take(&self) -> Result<Rc<Link>> {
        loop {
            let idle = self.idle.borrow_mut().pop();
            match idle {
                Some(link) if link.is_closed() => {}
                Some(link) => return Ok(link),
                None => return self.connect().await,
            }
        }
    }

    async fn connect(&self) -> Result<Rc<Link>> {
        let connecting = timeout(CONNECT_TIME_MAX, self.thread.config.connect(self.tls.clone()));
        let overdue = |_| Error::Unavailable("the server does not accept a connection".into());
        let connected = connecting.await.map_err(overdue)?;
        let (client, connection) = connected.map_err(|e| match refused(&e, "connect") {
            Error::Statement { message, .. } => Error::Unavailable(message),
            other => other,
        })?;
        spawn_local(async move {
            if let Err(error) = connection.await {
                tracing::warn!(%error, "a database connection ended");
            }
        });
        let checking = timeout(CONNECT_TIME_MAX, check_options(&client)).await;
        checking.map_err(|_| Error::Unavailable("the server does not answer".into()))??;
        Ok(Rc::new(Link::new(client, self.thread.counter.clone())))
    }

    /// Keeps a connection for the next unit, unless there are enough.
    fn put(&self, link: Rc<Link>) {
        let mut idle = self.idle.borrow_mut();
        if !link.is_closed() && idle.len() < self.idle_max {
            idle.push(link);
        }
    }

    /// Grows with each run and differs between units, so that two do not collide again.
    #[expect(clippy::disallowed_methods, reason = "no notice will come when the other unit ends")]
    async fn pause(&self, run: u32) {
        let step = self.jitter.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.jitter.set(step);
        tokio::time::sleep(Duration::from_micros(u64::from(run) * 500 + (step >> 54))).await;
    }
}

/// Fails if the session lacks what no acknowledged payment can do without, as behind a pooler that
/// drops its options.
async fn check_options(client: &Client) -> Result<()> {
    for (name, wanted) in
        [("synchronous_commit", "on"), ("transaction_isolation", "read committed")]
    {
        let answer = client.simple_query(&format!("show {name}")).await;
        let answer = answer.map_err(|e| Error::Unavailable(message_of(&e)))?;
        let is_set = answer.iter().any(
            |message| matches!(message, SimpleQueryMessage::Row(row) if row.get(0) == Some(wanted)),
        );
        if !is_set {
            return Err(Error::Unavailable(format!(
                "{name} is not `{wanted}`: the URL must not set it, and a pooler must not drop the \
                 options of a session"
            )));
        }
    }
    Ok(())
}

/// The engine retries collisions, and no unit may take what is unknown for a refusal; the unit
/// reports everything else.
fn retried(failure: Option<Error>) -> Result<()> {
    failure.filter(|f| matches!(f, Error::Collision(_) | Error::Unknown(_))).map_or(Ok(()), Err)
}

/// The certificate authorities of this machine, read once.
static NATIVE_ROOTS: LazyLock<Arc<RootCertStore>> = LazyLock::new(|| {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    Arc::new(roots)
});

fn tls() -> MakeRustlsConnect {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider supports the default protocol versions");
    MakeRustlsConnect::new(
        builder.with_root_certificates(NATIVE_ROOTS.clone()).with_no_client_auth(),
    )
}
