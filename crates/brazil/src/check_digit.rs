//! The weighted sums of the check digits of documents and boletos.
//!
//! All of them run from the right: CPF, CNPJ and the boleto differ only in where the weights
//! restart and in the replacement for an impossible remainder.

/// Returns the check digit of a CPF or CNPJ, with weights 2, 3, … `highest` from the right.
pub(crate) fn of_document(values: &[u32], highest: u32) -> u32 {
    match weighted_sum(values, highest) % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    }
}

/// Returns the check digit of a bank's three-digit code; the rule is that of documents.
pub(crate) fn of_bank(values: &[u32]) -> u32 {
    of_document(values, 9)
}

/// Returns the general check digit of a boleto's barcode, which is never 0.
pub(crate) fn of_barcode(values: &[u32]) -> u32 {
    match 11 - weighted_sum(values, 9) % 11 {
        10 | 11 => 1,
        digit => digit,
    }
}

/// Returns the check digit of one field of a boleto's line: weights 2, 1, 2, 1, … from the right.
pub(crate) fn of_line_field(values: &[u32]) -> u32 {
    let sum: u32 = values
        .iter()
        .rev()
        .zip([2, 1].into_iter().cycle())
        .map(|(value, weight)| value * weight)
        .map(|product| product / 10 + product % 10)
        .sum();
    (10 - sum % 10) % 10
}

/// Returns the values of decimal digits; other characters in `text` are skipped.
pub(crate) fn digits_of(text: &str) -> Vec<u32> {
    text.chars().filter_map(|c| c.to_digit(10)).collect()
}

fn weighted_sum(values: &[u32], highest: u32) -> u32 {
    values.iter().rev().zip((2..=highest).cycle()).map(|(value, weight)| value * weight).sum()
}
