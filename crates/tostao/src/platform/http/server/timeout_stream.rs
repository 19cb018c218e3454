//! A client's stream with the two deadlines that hyper does not keep.
//!
//! ```text
//!          first byte            head complete           answer sent
//! quiet ──────────────▶ head ──────────────────▶ at work ────────────▶ quiet
//!                       └ `head` from the first byte on
//! ```
//!
//! In every state, a pending write may wait for `stall` at most.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::{Sleep, Timer};
use hyper_util::rt::TokioTimer;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Counts the starts and ends of a connection's requests: odd while one is in flight.
#[derive(Debug, Clone, Default)]
pub struct InFlight(Arc<AtomicU64>);

/// A request in flight, until this is dropped.
#[derive(Debug)]
pub struct RequestInFlight(InFlight);

impl InFlight {
    /// Starts a request.
    pub fn begin(&self) -> RequestInFlight {
        self.0.fetch_add(1, Ordering::Relaxed);
        RequestInFlight(self.clone())
    }

    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A stream that fails when its client is too slow.
pub struct TimeoutStream<S> {
    stream: S,
    in_flight: InFlight,
    head: Duration,
    stall: Duration,
    /// The deadline of the head that is being read, and the counter value it belongs to.
    head_due: Option<(u64, Pin<Box<dyn Sleep>>)>,
    /// The deadline for the client to read something.
    taken_due: Option<Pin<Box<dyn Sleep>>>,
}

impl<S> TimeoutStream<S> {
    /// Guards a new connection, whose first head is due from now on.
    pub fn new(stream: S, in_flight: InFlight, head: Duration, stall: Duration) -> Self {
        let head_due = Some((in_flight.now(), TokioTimer::new().sleep(head)));
        Self { stream, in_flight, head, stall, head_due, taken_due: None }
    }

    /// Fails when the head is overdue; drops the deadline of a head that has arrived.
    fn poll_head(&mut self, context: &mut Context<'_>) -> Poll<Error> {
        let now = self.in_flight.now();
        match &mut self.head_due {
            Some((turn, due)) if *turn == now => {
                due.as_mut().poll(context).map(|()| timed_out_error())
            }
            _ => {
                self.head_due = None;
                Poll::Pending
            }
        }
    }

    /// Starts a head's deadline at its first byte. While a request is in flight there is none.
    fn begin_head(&mut self) {
        let now = self.in_flight.now();
        if self.head_due.is_none() && now.is_multiple_of(2) {
            self.head_due = Some((now, TokioTimer::new().sleep(self.head)));
        }
    }

    /// Returns a write's result, unless the client has read nothing for too long.
    fn watch_write<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<Result<T>>,
    ) -> Poll<Result<T>> {
        if written.is_ready() {
            self.taken_due = None;
            return written;
        }
        let stall = self.stall;
        let due = self.taken_due.get_or_insert_with(|| TokioTimer::new().sleep(stall));
        ready!(due.as_mut().poll(context));
        Poll::Ready(Err(timed_out_error()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let before = buffer.filled().len();
        if let Poll::Ready(error) = self.poll_head(context) {
            return Poll::Ready(Err(error));
        }
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if buffer.filled().len() > before {
            self.begin_head();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimeoutStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch_write(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.watch_write(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

fn timed_out_error() -> Error {
    Error::new(ErrorKind::TimedOut, "the client is too slow")
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    use tokio::io::AsyncWrite;

    use super::{InFlight, Result, TimeoutStream};

    /// Answers writes from the end of its list.
    struct SlowWriter(Vec<Poll<Result<usize>>>);

    impl AsyncWrite for SlowWriter {
        fn poll_write(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            _: &[u8],
        ) -> Poll<Result<usize>> {
            self.0.pop().unwrap_or(Poll::Ready(Ok(1)))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[tokio::test]
    async fn a_client_that_takes_a_little_has_its_whole_time_again() {
        let stream = SlowWriter(vec![Poll::Pending, Poll::Ready(Ok(1)), Poll::Pending]);
        let minute = Duration::from_mins(1);
        let mut guarded = TimeoutStream::new(stream, InFlight::default(), minute, minute);
        let mut context = Context::from_waker(Waker::noop());
        for waits in [true, false, true, false] {
            let written = Pin::new(&mut guarded).poll_write(&mut context, b"x");
            assert_eq!(written.is_pending(), waits);
            assert_eq!(guarded.taken_due.is_some(), waits);
        }
    }
}
