//! Hints in a statement's text: what PostgreSQL needs to be told and SQLite, where one unit writes
//! at a time, reads as a comment.
//!
//! | Hint | On PostgreSQL |
//! |---|---|
//! | `/*+ skip locked */` | rows that another unit holds are passed over |
//! | `/*+ lock TABLE */` | the rows of that table are held until the unit ends |

const SKIP_LOCKED: &str = "/*+ skip locked */";
const LOCK: &str = "/*+ lock ";

/// The text as PostgreSQL is given it.
pub fn on_postgres(sql: &str) -> String {
    let sql = sql.replace(SKIP_LOCKED, "for update skip locked");
    let locked = sql.split_once(LOCK).and_then(|(head, tail)| {
        let (table, rest) = tail.split_once(" */")?;
        Some(format!("{head}for update of {table}{rest}"))
    });
    locked.unwrap_or(sql)
}

#[cfg(test)]
mod tests {
    use super::on_postgres;

    #[test]
    fn each_hint_becomes_its_clause_and_other_comments_stay() {
        let table = [
            ("select 1 /* one */", "select 1 /* one */"),
            ("select id from a /*+ skip locked */", "select id from a for update skip locked"),
            ("(select id from a /*+ lock a */)", "(select id from a for update of a)"),
        ];
        for (sql, expected) in table {
            assert_eq!(on_postgres(sql), expected);
        }
    }
}
