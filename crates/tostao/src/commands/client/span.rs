//! Spans of time as they are typed: `45s`, `10m`, `2h`, `30d`.

use std::time::Duration;

/// Ten years; what is more is a mistake.
const SPAN_MAX: u64 = 10 * 366 * 86_400;

/// Reads a span.
pub fn span(text: &str) -> Result<Duration, String> {
    let wrong = || "a span is a number and s, m, h or d, such as 10m or 30d".to_owned();
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(wrong)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let all = number.checked_mul(seconds).filter(|all| (1..=SPAN_MAX).contains(all));
    all.map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::span;

    #[test]
    fn a_span_is_a_number_and_a_unit() {
        let table = [("45s", 45), ("10m", 600), ("2h", 7_200), ("30d", 2_592_000)];
        for (text, seconds) in table {
            assert_eq!(span(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        let wrong = ["", "m", "10", "-1m", "0s", "1w", "1.5h", "10 m", "ç", "99999999999999999d"];
        for text in wrong {
            assert!(span(text).is_err(), "{text}");
        }
    }
}
