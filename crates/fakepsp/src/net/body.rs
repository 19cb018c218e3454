//! Bodies that end too early or take their time.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Sleep;

/// Time for the half of a body to leave before the connection is cut.
const BEFORE_THE_CUT: Duration = Duration::from_millis(20);

/// The pieces of an answer's body, the wait before each, and whether it ends well.
pub struct Output {
    pieces: std::collections::VecDeque<Bytes>,
    pause: Option<Duration>,
    is_cut: bool,
    waits: Option<Pin<Box<Sleep>>>,
    size: Option<u64>,
}

impl Output {
    pub fn whole(body: Bytes) -> Self {
        let size = u64::try_from(body.len()).ok();
        let pieces = if body.is_empty() { [].into() } else { [body].into() };
        Self { pieces, pause: None, is_cut: false, waits: None, size }
    }

    /// The first half of what the head promises.
    pub fn half(body: &Bytes) -> Self {
        let pieces = [body.slice(..body.len() / 2)].into();
        Self { pieces, pause: None, is_cut: true, waits: None, size: None }
    }

    /// One byte after each pause.
    pub fn drip(body: &Bytes, pause: Duration) -> Self {
        let pieces = (0..body.len()).map(|at| body.slice(at..=at)).collect();
        Self { pieces, pause: Some(pause), is_cut: false, waits: None, size: None }
    }

    fn poll_pause(&mut self, context: &mut Context<'_>, pause: Duration) -> Poll<()> {
        let waits = self.waits.get_or_insert_with(|| wait(pause));
        ready!(waits.as_mut().poll(context));
        self.waits = None;
        Poll::Ready(())
    }
}

#[expect(clippy::disallowed_methods, reason = "a slow bank is a matter of time, not of events")]
fn wait(pause: Duration) -> Pin<Box<Sleep>> {
    Box::pin(tokio::time::sleep(pause))
}

impl Body for Output {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if self.pieces.is_empty() {
            if !self.is_cut {
                return Poll::Ready(None);
            }
            ready!(self.poll_pause(context, BEFORE_THE_CUT));
            let cut = io::Error::other("the fault cuts the answer here");
            return Poll::Ready(Some(Err(cut)));
        }
        if let Some(pause) = self.pause {
            ready!(self.poll_pause(context, pause));
        }
        let piece = self.pieces.pop_front().unwrap_or_default();
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty() && !self.is_cut
    }

    fn size_hint(&self) -> SizeHint {
        self.size.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
