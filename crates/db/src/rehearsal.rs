//! Units that are undone at their end, to see what they would do.

use std::convert::Infallible;

use crate::database::Database;
use crate::error::{Error, Result};
use crate::tx::Tx;

/// How a unit that is undone has ended.
enum Rehearsed<T, E> {
    Done(T),
    Failed(E),
}

impl<T, E: From<Error>> From<Error> for Rehearsed<T, E> {
    fn from(error: Error) -> Self {
        Self::Failed(error.into())
    }
}

impl Database {
    /// Runs a unit that writes, and undoes it; returns what it returned.
    ///
    /// Nothing that it does is seen by another unit, and its hooks and notices are dropped. What it
    /// [notes](Tx::note_effect) is kept until its end, for the unit itself to say what it would
    /// change.
    pub async fn rehearse<T, E>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let undone = async move |tx: &Tx| {
            tx.rehearse();
            let value = unit(tx).await.map_err(Rehearsed::Failed)?;
            // What was not waited for may fail as well.
            tx.settle().await;
            match tx.failure() {
                Some(error) => Err::<Infallible, _>(error.into()),
                None => Err(Rehearsed::Done(value)),
            }
        };
        match self.transact(undone).await {
            Ok(never) => match never {},
            Err(Rehearsed::Done(value)) => Ok(value),
            Err(Rehearsed::Failed(error)) => Err(error),
        }
    }
}
