//! The codes of authenticator apps: RFC 6238 with HMAC-SHA-1, six digits and thirty seconds, which
//! every app can do.

use aws_lc_rs::hmac::{HMAC_SHA1_FOR_LEGACY_USE_ONLY, Key, sign};
use db::time::Timestamp;

use crate::platform::secrets::same;

/// How many digits a code has.
pub const DIGITS: usize = 6;
/// For how many seconds an app shows a code.
pub const PERIOD_SECONDS: i64 = 30;
/// By how many time steps the clock of a device may differ.
const SKEW: i64 = 1;

/// The time step of an instant.
pub fn time_step(now: Timestamp) -> i64 {
    now.seconds().div_euclid(PERIOD_SECONDS)
}

/// The code of a time step.
pub fn code(secret: &[u8], time_step: i64) -> String {
    let key = Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = sign(&key, &time_step.to_be_bytes());
    let tag = tag.as_ref();
    // The last four bits say where the 31 bits of the code begin.
    let offset = usize::from(tag[tag.len() - 1] & 0x0f);
    let bytes = [tag[offset] & 0x7f, tag[offset + 1], tag[offset + 2], tag[offset + 3]];
    format!("{:06}", u32::from_be_bytes(bytes) % 1_000_000)
}

/// The time step of a code, among those around now that are later than the last accepted one.
pub fn accepted_step(secret: &[u8], typed: &str, now: Timestamp, last: i64) -> Option<i64> {
    let now = time_step(now);
    let fits = |step: &i64| same(code(secret, *step).as_bytes(), typed.as_bytes());
    (now - SKEW..=now + SKEW).filter(|step| *step > last).find(fits)
}

#[cfg(test)]
mod tests {
    use db::time::Timestamp;

    use super::{accepted_step, code, time_step};

    const SECRET: &[u8] = b"12345678901234567890";

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    /// The vectors of RFC 6238, which have eight digits: a code of six has the last ones.
    #[test]
    fn codes_are_those_of_the_standard() {
        let table = [
            (59, "94287082"),
            (1_111_111_109, "07081804"),
            (1_111_111_111, "14050471"),
            (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"),
            (20_000_000_000, "65353130"),
        ];
        for (seconds, expected) in table {
            assert_eq!(code(SECRET, time_step(at(seconds))), expected[2..], "{seconds}");
        }
    }

    #[test]
    fn a_code_holds_for_one_step_around_its_own_and_never_again() {
        let (now, own) = (at(1_234_567_890), time_step(at(1_234_567_890)));
        for (step, accepted) in [(-2, false), (-1, true), (0, true), (1, true), (2, false)] {
            let typed = code(SECRET, own + step);
            let found = accepted_step(SECRET, &typed, now, 0);
            assert_eq!(found, accepted.then_some(own + step), "{step}");
            assert_eq!(accepted_step(SECRET, &typed, now, own + step), None, "{step} again");
        }
        assert_eq!(accepted_step(SECRET, "", now, 0), None);
    }
}
