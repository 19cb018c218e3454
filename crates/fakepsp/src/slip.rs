//! The numbers of a payment slip, read from the clearing house's definition.

use jiff::civil::{Date, date};

/// Counts the days of the due date from here.
const FACTOR_ZERO: Date = date(1997, 10, 7);

/// A slip's numbers: the bars' 44 digits and the 47 that a person types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbers {
    pub bars: String,
    pub line: String,
}

/// `free` are the 25 digits that a bank may fill as it likes.
pub fn numbers(bank: &str, due: Date, cents: i64, free: &str) -> Numbers {
    let head = format!("{bank}9");
    let rest = format!("{:04}{cents:010}", factor(due));
    let digit = mod11(&format!("{head}{rest}{free}"));
    let bars = format!("{head}{digit}{rest}{free}");
    let fields = [format!("{head}{}", &free[..5]), free[5..15].to_owned(), free[15..].to_owned()];
    let fields = fields.map(|field| format!("{field}{}", mod10(&field)));
    let line = format!("{}{digit}{rest}", fields.concat());
    Numbers { bars, line }
}

impl Numbers {
    /// The typed line as it is printed, with points and blanks.
    pub fn printed(&self) -> String {
        let part = |from: usize, to: usize| &self.line[from..to];
        format!(
            "{}.{} {}.{} {}.{} {} {}",
            part(0, 5),
            part(5, 10),
            part(10, 15),
            part(15, 21),
            part(21, 26),
            part(26, 32),
            part(32, 33),
            part(33, 47),
        )
    }
}

/// Days since 1997-10-07; after 9999 it starts again at 1000.
fn factor(due: Date) -> i64 {
    let days = i64::from(due.since(FACTOR_ZERO).map_or(0, |span| span.get_days()));
    if days <= 9_999 { days } else { (days - 1_000) % 9_000 + 1_000 }
}

/// Weights 2 to 9 from the right; 0, 10 and 11 become 1.
fn mod11(digits: &str) -> u32 {
    let sum: u32 = from_the_right(digits).zip((2..=9).cycle()).map(|(d, w)| d * w).sum();
    match 11 - sum % 11 {
        10 | 11 => 1,
        digit => digit,
    }
}

/// Weights 2 and 1 from the right, summing the digits of each product.
fn mod10(digits: &str) -> u32 {
    let products = from_the_right(digits).zip([2, 1].into_iter().cycle()).map(|(d, w)| d * w);
    let sum: u32 = products.map(|product| product / 10 + product % 10).sum();
    (10 - sum % 10) % 10
}

fn from_the_right(digits: &str) -> impl Iterator<Item = u32> {
    digits.bytes().rev().map(|byte| u32::from(byte.wrapping_sub(b'0')))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::{factor, numbers};

    #[test]
    fn published_slips_come_out_digit_by_digit() {
        for (bank, due, cents, free, bars, line) in [
            (
                "341",
                date(2002, 5, 1),
                12_345,
                "1101234567880057123457000",
                "34196166700000123451101234567880057123457000",
                "34191101213456788005871234570001616670000012345",
            ),
            (
                "001",
                date(2026, 12, 10),
                15_000,
                "0000003128557000000004217",
                "00191165600000150000000003128557000000004217",
                "00190000090312855700000000042176116560000015000",
            ),
            (
                "756",
                date(2017, 4, 15),
                23_500,
                "1413405014818000001104001",
                "75694713000000235001413405014818000001104001",
                "75691413490501481800800011040011471300000023500",
            ),
        ] {
            let made = numbers(bank, due, cents, free);
            assert_eq!((made.bars.as_str(), made.line.as_str()), (bars, line));
        }
    }

    #[test]
    fn the_factor_starts_again_in_2025_and_in_2049() {
        assert_eq!(factor(date(2025, 2, 21)), 9_999);
        assert_eq!(factor(date(2025, 2, 22)), 1_000);
        assert_eq!(factor(date(2026, 11, 21)), 1_637);
        assert_eq!(factor(date(2049, 10, 13)), 9_999);
        assert_eq!(factor(date(2049, 10, 14)), 1_000);
    }

    #[test]
    fn the_printed_line_has_the_usual_groups() {
        let made = numbers("341", date(2002, 5, 1), 12_345, "1101234567880057123457000");

        assert_eq!(made.printed(), "34191.10121 34567.880058 71234.570001 6 16670000012345");
    }
}
