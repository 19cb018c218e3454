//! Boleto: a bank slip as the 44 digits of its barcode and the 47 digits of its typed line (linha
//! digitável).
//!
//! Barcode: `BBB` bank, `9` currency (BRL), general check digit, `FFFF` due date factor, ten digits
//! of cents and 25 digits of the bank's own use (campo livre). The typed line has the same digits
//! in another order, with a check digit after each of its first three fields. Tax and utility
//! boletos, which start with 8, are another format and are rejected.

mod due_factor;
mod itf;

#[cfg(test)]
mod tests;

use jiff::civil::Date;

use crate::check_digit;

/// The contents of a boleto.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boleto {
    /// Three digits, such as `001`.
    pub bank: String,
    pub due: Option<Date>,
    /// Zero lets the payer choose the amount.
    pub amount_cents: i64,
    /// The 25 digits defined by the bank.
    pub free_field: String,
}

/// A boleto's 44 digits, with a valid check digit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Barcode(String);

/// Why a boleto cannot be encoded or decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BoletoError {
    #[error("the bank must be 3 digits and not start with 8")]
    Bank,
    #[error("no boleto falls due before 3 July 2000")]
    Due,
    #[error("the amount must be between R$ 0.00 and R$ 99999999.99")]
    Amount,
    #[error("the free field must be 25 digits")]
    FreeField,
    #[error("a barcode has 44 digits and a typed line 47")]
    Length,
    #[error("the boleto is not in reais")]
    Currency,
    #[error("a check digit does not match")]
    CheckDigit,
}

impl Boleto {
    /// Returns the barcode of the boleto.
    pub fn barcode(&self) -> Result<Barcode, BoletoError> {
        if !is_bank(&self.bank) {
            return Err(BoletoError::Bank);
        }
        if self.free_field.len() != FREE_FIELD_LENGTH || !is_digits(&self.free_field) {
            return Err(BoletoError::FreeField);
        }
        if !(0..=AMOUNT_HIGHEST).contains(&self.amount_cents) {
            return Err(BoletoError::Amount);
        }
        let factor = match self.due {
            Some(due) => due_factor::of(due).ok_or(BoletoError::Due)?,
            None => 0,
        };
        let head = format!("{}{REAIS}", self.bank);
        let tail = format!("{factor:04}{:010}{}", self.amount_cents, self.free_field);
        let check = general_check_digit(&head, &tail);
        Ok(Barcode(format!("{head}{check}{tail}")))
    }
}

impl Barcode {
    /// Parses the 44 digits of a scanned barcode.
    pub fn parse(text: &str) -> Result<Self, BoletoError> {
        let text = text.trim();
        if text.len() != BARCODE_LENGTH || !is_digits(text) {
            return Err(BoletoError::Length);
        }
        if !is_bank(&text[..3]) {
            return Err(BoletoError::Bank);
        }
        if &text[3..4] != REAIS {
            return Err(BoletoError::Currency);
        }
        if text[4..5] != general_check_digit(&text[..4], &text[5..]).to_string() {
            return Err(BoletoError::CheckDigit);
        }
        let barcode = Self(text.to_owned());
        if due_factor::is_valid(barcode.factor()) { Ok(barcode) } else { Err(BoletoError::Due) }
    }

    /// Parses the 47 digits of a typed line, with or without dots and spaces.
    pub fn parse_line(text: &str) -> Result<Self, BoletoError> {
        let line: String = text.trim().chars().filter(|c| !matches!(c, '.' | ' ' | '-')).collect();
        if line.len() != LINE_LENGTH || !is_digits(&line) {
            return Err(BoletoError::Length);
        }
        for (start, check_at) in LINE_FIELDS {
            let digits = check_digit::digits_of(&line[start..check_at]);
            if line[check_at..=check_at] != check_digit::of_line_field(&digits).to_string() {
                return Err(BoletoError::CheckDigit);
            }
        }
        let free_field = [&line[4..9], &line[10..20], &line[21..31]].concat();
        Self::parse(&[&line[..4], &line[32..], &free_field].concat())
    }

    /// Returns the 44 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the 47 digits of the typed line.
    pub fn line(&self) -> String {
        let all = &self.0;
        let fields =
            [format!("{}{}", &all[..4], &all[19..24]), all[24..34].into(), all[34..].into()];
        let checked = fields.map(|field| {
            let check = check_digit::of_line_field(&check_digit::digits_of(&field));
            format!("{field}{check}")
        });
        format!("{}{}", checked.concat(), &all[4..19])
    }

    /// Returns the typed line in groups: `00190.00009 03128.557000 00000.042176 1 16560000015000`.
    pub fn formatted_line(&self) -> String {
        let line = self.line();
        format!(
            "{}.{} {}.{} {}.{} {} {}",
            &line[..5],
            &line[5..10],
            &line[10..15],
            &line[15..21],
            &line[21..26],
            &line[26..32],
            &line[32..33],
            &line[33..],
        )
    }

    /// Returns the bank code as printed, with its check digit: `001-9`.
    pub fn bank(&self) -> String {
        let bank = &self.0[..3];
        format!("{bank}-{}", check_digit::of_bank(&check_digit::digits_of(bank)))
    }

    /// Returns the boleto's contents as of today.
    ///
    /// Due date factors repeat every 9000 days; the date is the one that is at most 3000 days past.
    pub fn read(&self, today: Date) -> Boleto {
        Boleto {
            bank: self.0[..3].to_owned(),
            due: due_factor::due_date(self.factor(), today),
            amount_cents: number(&self.0[9..19]),
            free_field: self.0[19..].to_owned(),
        }
    }

    /// Returns the widths, in modules, of alternating bars and spaces, starting with a bar.
    ///
    /// The total is 405 modules; banks require 103 mm by 13 mm and 5 mm of margin.
    pub fn bar_widths(&self) -> Vec<u8> {
        itf::widths(&self.0)
    }

    fn factor(&self) -> i64 {
        number(&self.0[5..9])
    }
}

const BARCODE_LENGTH: usize = 44;
const LINE_LENGTH: usize = 47;
const FREE_FIELD_LENGTH: usize = 25;
const AMOUNT_HIGHEST: i64 = 9_999_999_999;
const REAIS: &str = "9";

/// Where each checked field of the typed line starts and where its check digit stands.
const LINE_FIELDS: [(usize, usize); 3] = [(0, 9), (10, 20), (21, 31)];

fn is_bank(text: &str) -> bool {
    text.len() == 3 && is_digits(text) && !text.starts_with('8')
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

/// The general check digit stands in the middle of what it checks.
fn general_check_digit(head: &str, tail: &str) -> u32 {
    let mut digits = check_digit::digits_of(head);
    digits.extend(check_digit::digits_of(tail));
    check_digit::of_barcode(&digits)
}

fn number(digits: &str) -> i64 {
    check_digit::digits_of(digits)
        .into_iter()
        .fold(0, |number, digit| number * 10 + i64::from(digit))
}
