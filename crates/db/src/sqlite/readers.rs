//! Read-only connections. They see the last commit and never wait for the writer.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot::error::TryRecvError;

use crate::error::{Error, Result};
use crate::source::Sources;
use crate::sqlite::connection::{Connection, Role};
use crate::tx::{Engine, Tx, poll_once};
use crate::unit::{CallerGone, Unit};

const IDLE_MAX: usize = 16;

pub struct Readers {
    path: PathBuf,
    role: Role,
    sources: Sources,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub fn new(path: PathBuf, role: Role, sources: Sources) -> Self {
        Self { path, role, sources, idle: Mutex::default() }
    }

    /// Runs a unit on the calling thread against one snapshot.
    pub fn run(&self, unit: Unit) {
        match self.take() {
            Ok(connection) => self.run_on(connection, unit),
            Err(error) => unit.answer(Err(error)),
        }
    }

    /// The same, interrupted when its caller has gone.
    pub fn scan(&self, unit: Unit, mut gone: CallerGone) {
        let is_gone = move || gone.try_recv() == Err(TryRecvError::Closed);
        let connection = self.take().and_then(|mut connection| {
            connection.stop_when(is_gone)?;
            Ok(connection)
        });
        match connection {
            Ok(connection) => self.run_on(connection, unit),
            Err(error) => unit.answer(Err(error)),
        }
    }

    fn run_on(&self, connection: Connection, mut unit: Unit) {
        // A connection that fails here is not used again.
        if let Err(error) = connection.command("begin") {
            return unit.answer(Err(error));
        }
        let tx = Tx::new(Engine::Sqlite(connection), self.sources.clone());
        if poll_once(unit.run(&tx)).is_none() {
            tracing::error!("a reading unit awaited something other than SQL");
        }
        if let Engine::Sqlite(mut connection) = tx.into_engine()
            && connection.never_stop().is_ok()
            && (connection.is_idle() || connection.command("rollback").is_ok())
        {
            self.put(connection);
        }
        unit.answer(Ok(()));
    }

    fn take(&self) -> Result<Connection> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(connection) => Ok(connection),
            None => Connection::open(&self.path, self.role)
                .map_err(|error| Error::Unavailable(error.to_string())),
        }
    }

    fn put(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_MAX {
            idle.push(connection);
        }
    }
}
