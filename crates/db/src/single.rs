//! Units of one statement, which a database server runs without a transaction around it.

use crate::database::Database;
use crate::error::Error;
use crate::postgres::engine::UnitRequest;
use crate::tx::Tx;
use crate::unit::{Closure, downcast_result, erased};

impl Database {
    /// Runs a unit of one statement that reads a few rows; a second statement fails it.
    ///
    /// One statement sees one snapshot by itself, so a database server is not asked for one.
    pub async fn lookup<T, E>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        downcast_result(self.run_reading(of_one_statement(unit), UnitRequest::bare).await)
    }

    /// Runs a unit of one statement that writes, and waits for its answer; a second statement is
    /// not sent, and fails it.
    ///
    /// A database server commits one statement by itself, so it is asked once instead of three
    /// times. There, what the unit makes of the answer comes after the commit, and cannot undo it:
    /// if it then fails, refuses or panics, this is [`Error::Unknown`].
    pub async fn transact_one<T, E>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        downcast_result(self.run_writing(of_one_statement(unit), UnitRequest::single).await)
    }
}

/// The closure of a unit that a second statement fails.
fn of_one_statement<T, E>(
    unit: impl AsyncFn(&Tx) -> Result<T, E> + Send + 'static,
) -> Box<dyn Closure>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    erased(async move |tx: &Tx| {
        let done = unit(tx).await;
        if tx.statements() > 1 {
            return Err(Error::second_statement().into());
        }
        done
    })
}
