//! CSV as spreadsheets in Brazil read it: a byte-order mark, semicolons, decimal commas and local
//! time.

use std::borrow::Cow;

use brazil::calendar::sao_paulo_date_time;
use ledger::cents::Cents;

use crate::platform::spreadsheet::Cell;

/// Without it, Excel takes the file for one of another encoding.
const BYTE_ORDER_MARK: char = '\u{feff}';
const END: &str = "\r\n";
/// What a spreadsheet takes for the begin of a formula, which a buyer's name must not be.
const OF_FORMULAS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// The headings of the columns.
pub fn head(names: &[&str]) -> String {
    format!("{BYTE_ORDER_MARK}{}{END}", names.join(";"))
}

/// Rows, a line each.
pub fn lines(rows: &[Vec<Cell>]) -> String {
    let line = |row: &Vec<Cell>| row.iter().map(field).collect::<Vec<_>>().join(";") + END;
    rows.iter().map(line).collect()
}

fn field(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => quoted(&harmless(text)).into_owned(),
        Cell::Whole(number) => number.to_string(),
        Cell::Money(cents) => with_comma(*cents),
        Cell::At(at) => sao_paulo_date_time(at.micros()).strftime("%d/%m/%Y %H:%M:%S").to_string(),
    }
}

/// A text that no spreadsheet takes for a formula.
fn harmless(text: &str) -> Cow<'_, str> {
    if text.starts_with(OF_FORMULAS) { format!("'{text}").into() } else { text.into() }
}

fn quoted(text: &str) -> Cow<'_, str> {
    if text.contains([';', '"', '\r', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

/// An amount as a spreadsheet reads it: `-1234,56`.
fn with_comma(amount: Cents) -> String {
    let cents = amount.get();
    let (whole, rest) = (cents.unsigned_abs() / 100, cents.unsigned_abs() % 100);
    format!("{}{whole},{rest:02}", if cents < 0 { "-" } else { "" })
}

#[cfg(test)]
mod tests {
    use ledger::cents::Cents;

    use super::{lines, with_comma};
    use crate::platform::spreadsheet::Cell;

    #[test]
    fn an_amount_has_a_comma_and_two_digits_and_its_sign() {
        let table = [
            (0, "0,00"),
            (5, "0,05"),
            (-5, "-0,05"),
            (123_456, "1234,56"),
            (-100, "-1,00"),
            (i64::MIN, "-92233720368547758,08"),
        ];
        for (cents, text) in table {
            assert_eq!(with_comma(Cents::new(cents)), text);
        }
    }

    #[test]
    fn no_text_breaks_a_line_or_becomes_a_formula() {
        let text = |text: &str| Cell::Text(text.to_owned());
        let row = vec![text("a;b"), text("say \"hi\"\nbye"), text("=1+1"), text("-2"), Cell::Empty];
        assert_eq!(lines(&[row]), "\"a;b\";\"say \"\"hi\"\"\nbye\";'=1+1;'-2;\r\n");
    }
}
