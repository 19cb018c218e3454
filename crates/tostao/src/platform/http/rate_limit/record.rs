//! The state of one client in one zone, and the decision on the next attempt.

use std::time::Duration;

use db::time::Timestamp;

use crate::platform::http::context::RateState;
use crate::platform::http::rate_limit::{Rule, Window, Zone};

const NEVER: Timestamp = Timestamp::from_micros(i64::MIN);

/// One client in one zone. It is small, because there may be millions.
#[derive(Debug, Clone)]
pub struct Record {
    /// When the record expires. For a paced zone this is the whole state: how far ahead of the rate
    /// the client is.
    until: Timestamp,
    blocked_until: Timestamp,
    /// The admitted attempts of the longest window, oldest first; exactly as large as needed.
    admitted: Box<[Timestamp]>,
}

impl Default for Record {
    fn default() -> Self {
        Self { until: NEVER, blocked_until: NEVER, admitted: Box::default() }
    }
}

impl Record {
    /// When the record expires.
    pub fn until(&self) -> Timestamp {
        self.until
    }

    /// Whether the record has not expired.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.until > now
    }

    /// Admits an attempt, or returns how long to wait.
    pub fn admit(&mut self, zone: &Zone, now: Timestamp) -> Result<RateState, Duration> {
        // The record was written before the clock was set back, and would lock the client out.
        if self.until.since(now) > memory(zone).saturating_mul(2) {
            *self = Self::default();
        }
        match &zone.rule {
            Rule::Windows(windows) => self.admit_exactly(zone, windows, now),
            &Rule::Paced { per_second, burst } => self.admit_paced(per_second, burst, now),
        }
    }

    fn admit_exactly(
        &mut self,
        zone: &Zone,
        windows: &[Window],
        now: Timestamp,
    ) -> Result<RateState, Duration> {
        // Two requests may read the clock in one order and arrive here in the other.
        let newest = self.admitted.last().copied().unwrap_or(NEVER);
        let now = now.max(newest);
        let full_until = windows.iter().filter_map(|window| self.full_until(window, now)).max();
        // Only the first refusal after an admitted attempt blocks; further attempts do not extend
        // it.
        if let Some(free) = full_until
            && self.blocked_until <= newest
        {
            self.blocked_until = now.plus(Duration::from_secs(zone.block_seconds));
            self.until = self.until.max(self.blocked_until).max(free);
        }
        let free = full_until.unwrap_or(now).max(self.blocked_until);
        if free > now {
            return Err(free.since(now));
        }
        let memory = memory(zone);
        let recent = self.admitted.iter().copied().filter(|at| now.since(*at) < memory);
        self.admitted = recent.chain([now]).collect();
        self.until = now.plus(memory);
        let states = windows.iter().map(|window| self.state(window, now));
        Ok(states.min_by_key(|state| state.remaining).unwrap_or_else(|| untouched(zone)))
    }

    /// When a full window has room again: when the attempt that fills it leaves the window.
    fn full_until(&self, window: &Window, now: Timestamp) -> Option<Timestamp> {
        let max = usize::try_from(window.max).unwrap_or(usize::MAX);
        let first = self.admitted.len().checked_sub(max)?;
        let free = self.admitted.get(first)?.plus(window.length());
        (free > now).then_some(free)
    }

    fn state(&self, window: &Window, now: Timestamp) -> RateState {
        let length = window.length();
        let outside = self.admitted.partition_point(|at| now.since(*at) >= length);
        let inside = self.admitted.get(outside..).unwrap_or_default();
        let reset = inside.first().map_or(Duration::ZERO, |at| at.plus(length).since(now));
        RateState {
            limit: window.max,
            remaining: window.max.saturating_sub(inside.len() as u64),
            reset_seconds: whole_seconds(reset),
        }
    }

    /// The generic cell rate algorithm: each attempt puts the client one interval ahead.
    fn admit_paced(
        &mut self,
        rate: u32,
        burst: u32,
        now: Timestamp,
    ) -> Result<RateState, Duration> {
        let interval = interval(rate);
        let ahead = self.until.since(now);
        let ahead_max = interval.saturating_mul(burst.saturating_sub(1));
        if ahead > ahead_max {
            return Err(ahead.saturating_sub(ahead_max));
        }
        let ahead = ahead.saturating_add(interval);
        self.until = now.plus(ahead);
        let used = ahead.as_nanos().div_ceil(interval.as_nanos());
        let limit = u64::from(burst);
        let remaining = limit.saturating_sub(u64::try_from(used).unwrap_or(limit));
        Ok(RateState { limit, remaining, reset_seconds: whole_seconds(ahead) })
    }
}

impl Window {
    fn length(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

/// The state of a client without attempts.
pub fn untouched(zone: &Zone) -> RateState {
    let limit = match &zone.rule {
        Rule::Windows(windows) => windows.iter().map(|window| window.max).min().unwrap_or(0),
        Rule::Paced { burst, .. } => u64::from(*burst),
    };
    RateState { limit, remaining: limit, reset_seconds: 0 }
}

/// Seconds, rounded up, so that a client that waits this long has waited long enough.
pub fn whole_seconds(span: Duration) -> u64 {
    span.as_secs().saturating_add(u64::from(span.subsec_nanos() > 0))
}

/// How long an attempt can matter.
fn memory(zone: &Zone) -> Duration {
    match &zone.rule {
        Rule::Windows(windows) => {
            let block = Duration::from_secs(zone.block_seconds);
            windows.iter().map(Window::length).fold(block, Duration::max)
        }
        Rule::Paced { per_second, burst } => interval(*per_second).saturating_mul(*burst),
    }
}

fn interval(per_second: u32) -> Duration {
    Duration::from_secs(1) / per_second.max(1)
}
