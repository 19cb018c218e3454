//! Units of one statement that writes, which a database server commits by itself.

use crate::database::Database;
use crate::error::Error;
use crate::postgres::engine::UnitRequest;
use crate::tx::Tx;
use crate::unit::{downcast_result, erased};

impl Database {
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
        let one = async move |tx: &Tx| {
            let done = unit(tx).await;
            if tx.statements() > 1 {
                return Err(Error::second_statement().into());
            }
            done
        };
        downcast_result(self.run_writing(erased(one), UnitRequest::single).await)
    }
}
