//! Lines about the progress of a verification, for the person at the terminal.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use db::time::Timestamp;

/// A line so often, and none about what takes less.
const EVERY: Duration = Duration::from_secs(1);

/// The progress of a verification of all transfers.
pub struct Progress<S> {
    /// How many entries there are, two for each transfer.
    total: u64,
    begun: Timestamp,
    due: Mutex<Timestamp>,
    say: S,
}

impl<S: Fn(&str)> Progress<S> {
    pub fn begin(now: Timestamp, total: u64, say: S) -> Self {
        Self { total, begun: now, due: Mutex::new(now.plus(EVERY)), say }
    }

    /// Writes how far it is, if the last line is a second old.
    pub fn reached(&self, now: Timestamp, entries: u64) {
        if !self.is_due(now) {
            return;
        }
        (self.say)(&line(entries / 2, self.total / 2, now.since(self.begun)));
        if entries >= self.total {
            (self.say)("all transfers are checked; the totals are compared next");
        }
    }

    fn is_due(&self, now: Timestamp) -> bool {
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = now >= *due;
        if is_due {
            *due = now.plus(EVERY);
        }
        is_due
    }
}

fn line(done: u64, total: u64, spent: Duration) -> String {
    let millis = u64::try_from(spent.as_millis()).unwrap_or(u64::MAX).max(1);
    let rate = done.saturating_mul(1_000) / millis;
    let left = total.saturating_sub(done).checked_div(rate);
    let left = left.map_or_else(String::new, |seconds| format!(", {seconds} s left"));
    format!("{done} of {total} transfers checked, {rate} per second{left}")
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::time::Duration;

    use db::time::Timestamp;

    use super::{Progress, line};

    #[test]
    fn a_line_says_how_much_is_checked_how_fast_and_what_is_left() {
        let table = [
            (0, 10, 1_000, "0 of 10 transfers checked, 0 per second"),
            (
                1_500_000,
                4_000_000,
                3_000,
                "1500000 of 4000000 transfers checked, 500000 per second, 5 s left",
            ),
            (10, 10, 2_000, "10 of 10 transfers checked, 5 per second, 0 s left"),
        ];
        for (done, total, millis, expected) in table {
            assert_eq!(line(done, total, Duration::from_millis(millis)), expected);
        }
    }

    #[test]
    fn a_line_is_written_each_second_and_none_about_what_takes_less() {
        let begun = Timestamp::from_micros(1_700_000_000_000_000);
        let said = RefCell::new(Vec::new());
        let progress =
            Progress::begin(begun, 8_000, |line| said.borrow_mut().push(line.to_owned()));
        for tenths in 0..25 {
            let now = begun.plus(Duration::from_millis(tenths * 100));
            progress.reached(now, tenths * 200);
        }
        let expected = [
            "1000 of 4000 transfers checked, 1000 per second, 3 s left",
            "2000 of 4000 transfers checked, 1000 per second, 2 s left",
        ];
        assert_eq!(said.take(), expected);
    }

    #[test]
    fn the_end_of_the_transfers_is_reported_before_the_totals() {
        let begun = Timestamp::from_micros(1_700_000_000_000_000);
        let said = RefCell::new(Vec::new());
        let progress = Progress::begin(begun, 8, |line| said.borrow_mut().push(line.to_owned()));
        progress.reached(begun.plus(Duration::from_secs(2)), 8);
        assert_eq!(said.take()[1], "all transfers are checked; the totals are compared next");
    }
}
