//! Rows that wait to be inserted together, with the statements that go beside them, by one message
//! to the server.

use crate::hints::on_postgres;
use crate::postgres::wire::owned;
use crate::value::{Arg, Value};

/// Each number of rows is a statement of its own to the server.
const ROWS_MAX: usize = 8;
/// How many rows of all tables go together: each combination is a statement of its own, too.
const TOGETHER_MAX: usize = 12;
const VALUES: &str = "values (";

/// Rows in the order in which their tables were first written to, and statements in their order.
#[derive(Default)]
pub struct WaitingRows(Vec<Waiting>);

/// Rows for one table, or one statement.
struct Waiting {
    kind: Kind,
    /// The statement, or the one that inserts one of the rows.
    sql: &'static str,
    values: Vec<Vec<Value>>,
}

/// What becomes of a statement that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It is repeated for each row.
    Row,
    /// It is sent once.
    Once,
    /// The same, and it fails unless it changes one row.
    ExpectsOne,
}

/// A statement in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub kind: Kind,
    pub sql: &'static str,
    pub rows: usize,
}

/// What is sent as one statement; it has a part at least.
pub struct Batch {
    pub parts: Vec<Part>,
    pub values: Vec<Value>,
}

impl WaitingRows {
    pub fn push(&mut self, kind: Kind, sql: &'static str, args: &[Arg<'_>]) {
        let row = owned(args);
        let is_same = |waiting: &&mut Waiting| (waiting.kind, waiting.sql) == (Kind::Row, sql);
        match self.0.iter_mut().find(is_same).filter(|_| kind == Kind::Row) {
            Some(waiting) => waiting.values.push(row),
            None => self.0.push(Waiting { kind, sql, values: vec![row] }),
        }
    }

    /// Takes all of them, in as few statements as their number allows.
    pub fn take(&mut self) -> Vec<Batch> {
        let mut batches: Vec<Batch> = Vec::new();
        for Waiting { kind, sql, values } in self.0.drain(..) {
            let mut left = values.into_iter().peekable();
            while left.peek().is_some() {
                let rows: Vec<_> = left.by_ref().take(ROWS_MAX).collect();
                let part = Part { kind, sql, rows: rows.len() };
                let values = rows.into_iter().flatten();
                match batches.last_mut().filter(|batch| batch.rows() + part.rows <= TOGETHER_MAX) {
                    Some(batch) => {
                        batch.parts.push(part);
                        batch.values.extend(values);
                    }
                    None => batches.push(Batch { parts: vec![part], values: values.collect() }),
                }
            }
        }
        batches
    }
}

impl Batch {
    /// A statement alone.
    pub fn of(kind: Kind, sql: &'static str, values: Vec<Value>) -> Self {
        Self { parts: vec![Part { kind, sql, rows: 1 }], values }
    }

    /// Whether it fails unless each of some statements changes one row.
    fn expects_one(&self) -> bool {
        self.parts.iter().any(|part| part.kind == Kind::ExpectsOne)
    }

    /// The text of all parts as one statement: none of them sees what the others change.
    pub fn text(&self) -> String {
        let (mut texts, mut before) = (Vec::new(), 0);
        for part in &self.parts {
            let text = inserting(&on_postgres(part.sql), part.rows);
            texts.push(renumbered(&text, before));
            before += numbers(&text).max().unwrap_or(0);
        }
        let end = if self.expects_one() { self.check() } else { texts.pop().unwrap_or_default() };
        if texts.is_empty() {
            return end;
        }
        let named = texts.iter().zip(&self.parts).enumerate().map(|(place, (text, part))| {
            let returning = if part.kind == Kind::ExpectsOne { " returning 1" } else { "" };
            format!("part_{place} as ({text}{returning})")
        });
        format!("with {} {end}", named.collect::<Vec<_>>().join(", "))
    }

    fn rows(&self) -> usize {
        self.parts.iter().map(|part| part.rows).sum()
    }

    /// Divides by zero unless each part that expects to changed one row.
    fn check(&self) -> String {
        let expecting = self.parts.iter().enumerate();
        let expecting = expecting.filter(|(_, part)| part.kind == Kind::ExpectsOne);
        let counts: Vec<_> = expecting
            .map(|(place, _)| format!("(select count(*) from part_{place}) = 1"))
            .collect();
        format!("select 1 / (case when {} then 1 else 0 end)", counts.join(" and "))
    }
}

/// The statement that inserts so many rows, made of the one that inserts a row; any other statement
/// is as it is.
fn inserting(sql: &str, rows: usize) -> String {
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
    use super::{Batch, Kind, ROWS_MAX, WaitingRows, inserting};
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
            waiting.push(Kind::Row, "a", args![i64::try_from(number).unwrap()]);
            waiting.push(Kind::Row, "b", args![true, false]);
            if number < 2 {
                waiting.push(Kind::Once, "c", args![true]);
            }
        }
        let parts = |batch: &Batch| -> Vec<_> {
            batch.parts.iter().map(|part| (part.sql, part.rows)).collect()
        };
        let taken = waiting.take();
        let found: Vec<_> = taken.iter().map(|batch| (parts(batch), batch.values.len())).collect();
        let expected =
            [(vec![("a", 8), ("a", 1)], 9), (vec![("b", 8), ("b", 1), ("c", 1), ("c", 1)], 20)];
        assert_eq!(found, expected);
        assert_eq!(waiting.take().len(), 0);
    }

    #[test]
    fn what_goes_together_is_one_statement() {
        let row = "insert into a (b) values ($1)";
        let once = "update c set d = $2 where e = $1";
        let pairs: [(&[(Kind, &str)], &str); 4] = [
            (&[(Kind::Once, once)], once),
            (
                &[(Kind::Row, row), (Kind::Row, row), (Kind::Once, once)],
                "with part_0 as (insert into a (b) values ($1), ($2)) \
                 update c set d = $4 where e = $3",
            ),
            (
                &[(Kind::ExpectsOne, once)],
                "with part_0 as (update c set d = $2 where e = $1 returning 1) \
                 select 1 / (case when (select count(*) from part_0) = 1 then 1 else 0 end)",
            ),
            (
                &[(Kind::ExpectsOne, once), (Kind::Row, row), (Kind::ExpectsOne, once)],
                "with part_0 as (update c set d = $2 where e = $1 returning 1), \
                 part_1 as (insert into a (b) values ($3)), \
                 part_2 as (update c set d = $5 where e = $4 returning 1) \
                 select 1 / (case when (select count(*) from part_0) = 1 \
                 and (select count(*) from part_2) = 1 then 1 else 0 end)",
            ),
        ];
        for (statements, expected) in pairs {
            let mut waiting = WaitingRows::default();
            for (kind, sql) in statements {
                waiting.push(*kind, sql, &[]);
            }
            let texts: Vec<_> = waiting.take().iter().map(Batch::text).collect();
            assert_eq!(texts, [expected]);
        }
    }
}
