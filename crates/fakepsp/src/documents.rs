//! Check digits of CPF and CNPJ, read from their definition.

/// Whether the text is a CPF: eleven digits of which the last two follow from the others.
pub fn is_cpf(text: &str) -> bool {
    let Some(digits) = values(text, 11) else { return false };
    let repeats = digits.iter().all(|digit| *digit == digits[0]);
    let numeric = digits.iter().all(|digit| *digit < 10);
    let digit = |count: usize| {
        let weights = (2..=11).rev().skip(10 - count);
        check(digits.iter().take(count).zip(weights).map(|(digit, weight)| digit * weight).sum())
    };
    numeric && !repeats && digit(9) == digits[9] && digit(10) == digits[10]
}

/// Whether the text is a CNPJ, whose first twelve characters may be letters since 2026.
pub fn is_cnpj(text: &str) -> bool {
    let Some(values) = values(text, 14) else { return false };
    let repeats = values.iter().all(|value| *value == values[0]);
    let digit = |count: usize| {
        let weights = (2..=9).cycle();
        let from_the_right = values.iter().take(count).rev();
        check(from_the_right.zip(weights).map(|(value, weight)| value * weight).sum())
    };
    !repeats && digit(12) == values[12] && digit(13) == values[13]
}

/// Characters as the check digits count them: their ASCII code less that of zero.
fn values(text: &str, length: usize) -> Option<Vec<u32>> {
    let fits = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    if text.len() != length || !text.as_bytes().iter().all(fits) {
        return None;
    }
    Some(text.bytes().map(|byte| u32::from(byte - b'0')).collect())
}

fn check(sum: u32) -> u32 {
    match sum % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_cnpj, is_cpf};

    #[test]
    fn check_digits_decide() {
        for (text, is_valid) in [
            ("52998224725", true),
            ("12345678909", true),
            ("12345678900", false),
            ("11111111111", false),
            ("1234567890", false),
        ] {
            assert_eq!(is_cpf(text), is_valid, "{text}");
        }
        for (text, is_valid) in [
            ("11222333000181", true),
            ("12ABC34501DE35", true),
            ("12ABC34501DE36", false),
            ("11222333000182", false),
            ("00000000000000", false),
        ] {
            assert_eq!(is_cnpj(text), is_valid, "{text}");
        }
    }
}
