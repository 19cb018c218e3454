//! The shared handle: opens either engine and sends units to it.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Semaphore, broadcast, mpsc, oneshot};
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::postgres::engine::{Thread, UnitRequest, config};
use crate::postgres::lane::Keyed;
use crate::postgres::traffic::Counter;
pub use crate::postgres::traffic::Traffic;
use crate::queue::{NO_KEY, Priority, Queue, Taker};
use crate::source::Sources;
use crate::sqlite::checkpoints::Checkpoints;
use crate::sqlite::connection::{Connection, Role};
use crate::sqlite::files;
use crate::sqlite::readers::Readers;
use crate::sqlite::writer::Writer;
use crate::tx::{Engine, Notice, Tx};
use crate::unit::{CallerGone, Closure, Returned, Unit, downcast_result, erased};

const NOTICES_KEPT: usize = 4096;
/// How many connections serve units without a key; each lane has one of its own besides.
const CONNECTIONS_MAX: u32 = 16;
/// How many threads drive connections, at most.
const THREADS_MAX: u32 = 4;
const ORDERS_MAX: usize = 16_384;
/// One lane runs units while the other one commits.
const LANES_EACH: usize = 2;
/// How many scans run concurrently; the others queue. On a database server that is half of each
/// thread's connections, so that short reads never wait for them.
const SCANS_MAX: u32 = 8;

/// An open database. Clones share it; dropping the last one closes it.
#[derive(Clone)]
pub struct Database {
    engine: Arc<Running>,
    notices: broadcast::Sender<Notice>,
    scans: Arc<Semaphore>,
    sources: Sources,
}

tokio::task_local! {
    static IN_BACKGROUND: ();
}

/// Which engine serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Sqlite,
    Postgres,
}

enum Running {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

struct Sqlite {
    path: PathBuf,
    readers: Arc<Readers>,
    /// Absent if the file was opened read-only.
    writing: Option<Writing>,
}

/// Parts that only the one serving process of the file has.
struct Writing {
    queue: Arc<Queue<Unit>>,
    checkpoints: Arc<Checkpoints>,
    threads: Vec<JoinHandle<()>>,
    _lock: std::fs::File,
}

struct Postgres {
    threads: Vec<mpsc::Sender<UnitRequest>>,
    /// How many scans each thread may begin.
    scans: Vec<Arc<Semaphore>>,
    next: AtomicUsize,
    connections_each: usize,
    counter: Arc<Counter>,
    lanes: Vec<Arc<Queue<Keyed>>>,
}

impl Database {
    /// Opens `sqlite:PATH` (created if absent) or `postgres://…`.
    pub fn open(url: &str, sources: Sources) -> Result<Self> {
        Self::open_with_lanes(url, sources, LANES_EACH)
    }

    /// The same, with so many lanes in each thread that drives connections to a database server.
    pub fn open_with_lanes(url: &str, sources: Sources, lanes_each: usize) -> Result<Self> {
        let (notices, _) = broadcast::channel(NOTICES_KEPT);
        let engine = if let Some(path) = url.strip_prefix("sqlite:") {
            Running::Sqlite(Sqlite::open(Path::new(path), &sources, &notices)?)
        } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            Running::Postgres(Postgres::open(url, &sources, &notices, lanes_each)?)
        } else {
            return Err(Error::Open("the address must start with sqlite: or postgres://".into()));
        };
        Ok(Self::with(engine, notices, sources))
    }

    /// Opens a database read-only, also while another process serves it.
    ///
    /// An embedded one must exist, and rejects every unit that writes.
    pub fn open_to_read(url: &str, sources: Sources) -> Result<Self> {
        let Some(path) = url.strip_prefix("sqlite:") else { return Self::open(url, sources) };
        let (notices, _) = broadcast::channel(NOTICES_KEPT);
        let engine = Running::Sqlite(Sqlite::open_to_read(Path::new(path), &sources)?);
        Ok(Self::with(engine, notices, sources))
    }

    fn with(engine: Running, notices: broadcast::Sender<Notice>, sources: Sources) -> Self {
        let scans = Arc::new(Semaphore::new(usize::try_from(SCANS_MAX).unwrap_or(1)));
        Self { engine: Arc::new(engine), notices, scans, sources }
    }

    /// Which engine serves.
    pub fn dialect(&self) -> Dialect {
        match &*self.engine {
            Running::Sqlite(_) => Dialect::Sqlite,
            Running::Postgres(_) => Dialect::Postgres,
        }
    }

    /// The file, if there is one.
    pub fn path(&self) -> Option<&Path> {
        match &*self.engine {
            Running::Sqlite(sqlite) => Some(&sqlite.path),
            Running::Postgres(_) => None,
        }
    }

    /// The time, randomness and IDs that units use.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// How many writing units without a key run concurrently; further ones queue.
    pub fn writers_max(&self) -> usize {
        match &*self.engine {
            Running::Sqlite(_) => 1,
            Running::Postgres(postgres) => postgres.threads.len() * postgres.connections_each,
        }
    }

    /// What its server was asked since it was opened, if it has one.
    pub fn traffic(&self) -> Option<Traffic> {
        match &*self.engine {
            Running::Sqlite(_) => None,
            Running::Postgres(postgres) => Some(postgres.counter.read()),
        }
    }

    /// Subscribes to what committed units sent with [`Tx::notify`].
    pub fn notices(&self) -> broadcast::Receiver<Notice> {
        self.notices.subscribe()
    }

    /// Runs a unit that writes; the closure may run more than once, and is committed once or not at
    /// all.
    ///
    /// Where units are committed in groups, those of [`in_background`] yield to the others.
    pub async fn transact<T, E>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        downcast_result(self.run_writing(erased(unit), UnitRequest::writing).await)
    }

    /// The same for a unit that shares rows with others of one key, such as a merchant's.
    ///
    /// Such units are committed in groups on a database server too, where they would only wait for
    /// each other's rows. A key saves time; the result is the same with any key, or none.
    pub async fn transact_for<T, E>(
        &self,
        key: Uuid,
        unit: impl AsyncFn(&Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        downcast_result(self.run_keyed(key, erased(unit)).await)
    }

    /// Whether a unit gains from having a key.
    pub fn has_lanes(&self) -> bool {
        matches!(&*self.engine, Running::Postgres(postgres) if !postgres.lanes.is_empty())
    }

    /// Runs a unit that reads a few rows of one snapshot.
    ///
    /// It runs on the calling thread where the engine is embedded.
    pub async fn read<T, E>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        downcast_result(self.run_reading(erased(unit), UnitRequest::reading).await)
    }

    /// Runs a unit that reads a few rows, where what one statement reads need not fit what another
    /// does, because a unit that writes checks it again.
    ///
    /// It costs a database server half of what [`Database::read`] does.
    pub async fn glance<T, E>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        downcast_result(self.run_reading(erased(unit), UnitRequest::bare).await)
    }

    /// Runs a unit that reads much of one snapshot, off the threads that serve requests.
    ///
    /// Only a few run concurrently, so that they never take every connection or core. If its caller
    /// has gone, a scan is stopped and its slot is freed.
    pub async fn scan<T, E>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        downcast_result(self.run_scan(erased(unit)).await)
    }

    /// Runs a closure that writes, by the request that a server is sent for it.
    pub(crate) async fn run_writing(
        &self,
        closure: Box<dyn Closure>,
        request: fn(Unit) -> UnitRequest,
    ) -> Result<Returned> {
        let (unit, answer) = Unit::new(closure);
        match &*self.engine {
            Running::Sqlite(sqlite) => sqlite.write(NO_KEY, unit)?,
            Running::Postgres(postgres) => postgres.send(request(unit))?,
        }
        answer.receive().await
    }

    /// Runs a closure that writes in the lane of its key, or where there is one writer, in turn
    /// with those of other keys.
    async fn run_keyed(&self, key: Uuid, closure: Box<dyn Closure>) -> Result<Returned> {
        let (unit, answer) = Unit::new(closure);
        match &*self.engine {
            Running::Sqlite(sqlite) => sqlite.write(key, unit)?,
            Running::Postgres(postgres) => match postgres.lane(key) {
                Some(lane) => lane.push(priority(), key, Keyed { key, unit })?,
                None => postgres.send(UnitRequest::writing(unit))?,
            },
        }
        answer.receive().await
    }

    /// Runs a closure that reads, by the request that a server is sent for it.
    pub(crate) async fn run_reading(
        &self,
        closure: Box<dyn Closure>,
        request: fn(Unit) -> UnitRequest,
    ) -> Result<Returned> {
        let (unit, answer) = Unit::new(closure);
        match &*self.engine {
            Running::Sqlite(sqlite) => sqlite.readers.run(unit),
            Running::Postgres(postgres) => postgres.send(request(unit))?,
        }
        answer.receive().await
    }

    async fn run_scan(&self, closure: Box<dyn Closure>) -> Result<Returned> {
        let (unit, answer) = Unit::new(closure);
        // Never sent: the channel closes when this future ends, however it ends.
        let (_caller, gone) = oneshot::channel();
        match &*self.engine {
            Running::Sqlite(sqlite) => {
                let permit = self.scans.clone().acquire_owned().await.map_err(closing)?;
                let readers = sqlite.readers.clone();
                tokio::task::spawn_blocking(move || {
                    readers.scan(unit, gone);
                    drop(permit);
                });
            }
            Running::Postgres(postgres) => postgres.scan(unit, gone).await?,
        }
        answer.receive().await
    }
}

impl Sqlite {
    fn open(path: &Path, sources: &Sources, notices: &broadcast::Sender<Notice>) -> Result<Self> {
        files::check_version()?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            files::make_folder(folder)?;
        }
        let lock = files::lock(&files::real(path))?;
        files::make(path)?;
        let connection = Connection::open(path, Role::Writer).map_err(to_open)?;
        let queue = Arc::<Queue<Unit>>::default();
        let checkpoints = Arc::<Checkpoints>::default();
        let (units, sender, own) = (Taker::new(queue.clone()), notices.clone(), sources.clone());
        let own_checkpoints = checkpoints.clone();
        let writer = spawn("db-writer", move || {
            Writer::new(Tx::new(Engine::Sqlite(connection), own), units, sender, own_checkpoints)
                .serve();
        })?;
        let (moving, file) = (checkpoints.clone(), path.to_owned());
        let log = spawn("db-checkpoint", move || moving.serve(&file))?;
        let writing = Writing { queue, checkpoints, threads: vec![writer, log], _lock: lock };
        Ok(Self::with(path, sources, Some(writing)))
    }

    fn open_to_read(path: &Path, sources: &Sources) -> Result<Self> {
        files::check_version()?;
        if !path.exists() {
            return Err(Error::Open(format!("{} does not exist", path.display())));
        }
        Ok(Self::with(path, sources, None))
    }

    fn with(path: &Path, sources: &Sources, writing: Option<Writing>) -> Self {
        let role = if writing.is_some() { Role::Reader } else { Role::LoneReader };
        let readers = Arc::new(Readers::new(path.to_owned(), role, sources.clone()));
        Self { path: path.to_owned(), readers, writing }
    }

    fn write(&self, key: Uuid, unit: Unit) -> Result<()> {
        let Some(writing) = &self.writing else {
            return Err(Error::Unavailable("the database was opened to be read".into()));
        };
        Ok(writing.queue.push(priority(), key, unit)?)
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.queue.close();
        self.checkpoints.stop();
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            // The last handle may be dropped on the writer thread itself, inside an answer.
            if thread.thread().id() != std::thread::current().id() && thread.join().is_err() {
                tracing::error!("a database thread panicked");
            }
        }
    }
}

impl Postgres {
    fn open(
        url: &str,
        sources: &Sources,
        notices: &broadcast::Sender<Notice>,
        lanes_each: usize,
    ) -> Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let count = threads(cores);
        let connections_max = CONNECTIONS_MAX / count;
        let scans_each = usize::try_from(SCANS_MAX / count).unwrap_or(1);
        let (mut threads, counter) = (Vec::new(), Arc::<Counter>::default());
        let mut lanes = Vec::new();
        for _ in 0..count {
            let queues: Vec<Arc<Queue<Keyed>>> = (0..lanes_each).map(|_| Arc::default()).collect();
            let thread = Thread {
                config: config(url)?,
                sources: sources.clone(),
                notices: notices.clone(),
                connections_max,
                counter: counter.clone(),
                lanes: queues.iter().cloned().map(Taker::new).collect(),
            };
            lanes.extend(queues);
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(to_open)?;
            let (sender, orders) = mpsc::channel(ORDERS_MAX);
            spawn("db-postgres", move || thread.serve(&runtime, orders))?;
            threads.push(sender);
        }
        let connections_each = usize::try_from(connections_max).unwrap_or(1);
        let scans = threads.iter().map(|_| Arc::new(Semaphore::new(scans_each))).collect();
        let next = AtomicUsize::new(0);
        Ok(Self { threads, scans, next, connections_each, counter, lanes })
    }

    fn lane(&self, key: Uuid) -> Option<&Queue<Keyed>> {
        // The last bits of an ID are random.
        let place = usize::try_from(key.as_u64_pair().1).unwrap_or(usize::MAX);
        self.lanes.get(place.checked_rem(self.lanes.len())?).map(|lane| &**lane)
    }

    fn send(&self, request: UnitRequest) -> Result<()> {
        self.send_to(self.next.fetch_add(1, Ordering::Relaxed) % self.threads.len(), request)
    }

    /// Sends a scan to the thread that has the fewest.
    async fn scan(&self, unit: Unit, gone: CallerGone) -> Result<()> {
        let scans = self.scans.iter().enumerate();
        let (thread, scans) =
            scans.max_by_key(|(_, scans)| scans.available_permits()).ok_or_else(|| closing(()))?;
        let permit = scans.clone().acquire_owned().await.map_err(closing)?;
        self.send_to(thread, UnitRequest::scan(unit, permit, gone))
    }

    fn send_to(&self, thread: usize, request: UnitRequest) -> Result<()> {
        let sent = self.threads[thread].try_send(request);
        sent.map_err(|refused| match refused {
            TrySendError::Full(_) => Error::Unavailable("too many units are waiting".into()),
            TrySendError::Closed(_) => Error::Unavailable("the database thread has ended".into()),
        })
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.lanes.iter().for_each(|lane| lane.close());
    }
}

/// Runs work that can wait, such as a worker's: its writes yield to those of callers.
///
/// Applies to everything that the work awaits, and not to tasks that it spawns. So code that
/// requests and workers share need not know which of them runs it.
pub fn in_background<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    IN_BACKGROUND.scope((), work)
}

fn priority() -> Priority {
    let background = IN_BACKGROUND.try_with(|()| ()).is_ok();
    if background { Priority::Background } else { Priority::Caller }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let spawned = std::thread::Builder::new().name(name.into()).spawn(work);
    spawned.map_err(to_open)
}

/// How many threads drive connections.
fn threads(cores: usize) -> u32 {
    u32::try_from(cores.div_ceil(2)).unwrap_or(THREADS_MAX).clamp(1, THREADS_MAX)
}

fn closing<E>(_: E) -> Error {
    Error::Unavailable("the database is closing".into())
}

fn to_open(error: impl Display) -> Error {
    Error::Open(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::{CONNECTIONS_MAX, SCANS_MAX, threads};

    #[test]
    fn scans_leave_half_of_every_threads_connections_to_others() {
        for cores in 0..=64 {
            let count = threads(cores);
            let (connections, scans) = (CONNECTIONS_MAX / count, SCANS_MAX / count);
            assert!(scans >= 1 && scans * 2 <= connections, "{cores} cores: {count} threads");
            assert!(connections * count <= CONNECTIONS_MAX, "{cores} cores: {count} threads");
        }
        assert_eq!([1, 2, 3, 8, 64].map(threads), [1, 1, 2, 4, 4]);
    }
}
