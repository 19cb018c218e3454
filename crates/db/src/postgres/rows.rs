//! Rows that wait to be inserted together, by one message to the server for each table.

use crate::postgres::wire::owned;
use crate::value::{Arg, Value};

/// Each number of rows is a statement of its own to the server.
const ROWS_MAX: usize = 8;
const VALUES: &str = "values (";

/// Rows in the order in which their tables were first written to.
#[derive(Default)]
pub struct WaitingRows(Vec<Rows>);

/// Rows for one table.
struct Rows {
    /// The statement that inserts one of them.
    sql: &'static str,
    values: Vec<Vec<Value>>,
}

/// Some rows, with the statement that inserts one of them.
pub struct Insert {
    pub sql: &'static str,
    pub rows: usize,
    pub values: Vec<Value>,
}

impl WaitingRows {
    pub fn push(&mut self, sql: &'static str, args: &[Arg<'_>]) {
        let row = owned(args);
        match self.0.iter_mut().find(|rows| rows.sql == sql) {
            Some(rows) => rows.values.push(row),
            None => self.0.push(Rows { sql, values: vec![row] }),
        }
    }

    /// Takes all of them, in as few statements as their number allows.
    pub fn take(&mut self) -> Vec<Insert> {
        let mut inserts = Vec::new();
        for Rows { sql, values } in self.0.drain(..) {
            let mut left = values.into_iter().peekable();
            while left.peek().is_some() {
                let rows: Vec<_> = left.by_ref().take(ROWS_MAX).collect();
                let (rows, values) = (rows.len(), rows.into_iter().flatten().collect());
                inserts.push(Insert { sql, rows, values });
            }
        }
        inserts
    }
}

/// The statement that inserts so many rows, made of the one that inserts a row.
pub fn inserting(sql: &str, rows: usize) -> String {
    let parts = sql.split_once(VALUES).and_then(|(head, rest)| {
        let end = end_of_row(rest)?;
        Some((head, &rest[..end], &rest[end..]))
    });
    let Some((head, row, tail)) = parts else { return sql.to_owned() };
    let width = numbers(row).max().unwrap_or(0);
    let rows: Vec<_> = (0..rows).map(|before| renumbered(row, before * width)).collect();
    format!("{head}{VALUES}{}{tail}", rows.join("), ("))
}

/// Where the parenthesis closes that was open at the start.
fn end_of_row(text: &str) -> Option<usize> {
    let mut open = 1;
    text.char_indices().find_map(|(at, letter)| {
        match letter {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        (open == 0).then_some(at)
    })
}

/// The numbers of a text's parameters.
fn numbers(text: &str) -> impl Iterator<Item = usize> {
    text.split('$').skip(1).map(|part| number(part).0)
}

/// The text with its parameters' numbers increased.
fn renumbered(text: &str, by: usize) -> String {
    let mut parts = text.split('$');
    let mut renumbered = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = number(part);
        renumbered.push('$');
        renumbered.push_str(&(number + by).to_string());
        renumbered.push_str(rest);
    }
    renumbered
}

/// A parameter's number, and what follows it.
fn number(text: &str) -> (usize, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    (digits.parse().unwrap_or(0), rest)
}

#[cfg(test)]
mod tests {
    use super::{ROWS_MAX, WaitingRows, inserting};
    use crate::args;

    #[test]
    fn a_statement_for_many_rows_repeats_the_values_of_one() {
        let table = [
            ("insert into a (b) values ($1)", 1, "insert into a (b) values ($1)"),
            ("insert into a (b) values ($1)", 3, "insert into a (b) values ($1), ($2), ($3)"),
            (
                "insert into a (b, c, d) values ($1, (0), $2, $2, 'x') on conflict do nothing",
                2,
                "insert into a (b, c, d) values ($1, (0), $2, $2, 'x'), ($3, (0), $4, $4, 'x') \
                 on conflict do nothing",
            ),
        ];
        for (sql, rows, expected) in table {
            assert_eq!(inserting(sql, rows), expected);
        }
    }

    #[test]
    fn rows_are_taken_by_table_in_the_order_of_their_arrival() {
        let mut waiting = WaitingRows::default();
        for number in 0..=ROWS_MAX {
            waiting.push("a", args![i64::try_from(number).unwrap()]);
            waiting.push("b", args![true, false]);
        }
        let taken = waiting.take().into_iter();
        let sizes: Vec<_> = taken.map(|few| (few.sql, few.rows, few.values.len())).collect();
        assert_eq!(sizes, [("a", 8, 8), ("a", 1, 1), ("b", 8, 16), ("b", 1, 2)]);
        assert_eq!(waiting.take().len(), 0);
    }
}
