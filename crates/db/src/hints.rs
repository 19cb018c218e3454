//! Hints in a statement's text: what PostgreSQL needs to be told and SQLite, where one unit writes
//! at a time, reads as a comment.
//!
//! | Hint | On PostgreSQL |
//! |---|---|
//! | `/*+ skip locked */` | rows that another unit holds are passed over |
//! | `/*+ lock TABLE */` | the rows of that table are held until the unit ends |
//! | `/*+ share TABLE */` | the same, but shared; who changes a unique column of them waits |

const SKIP_LOCKED: &str = "/*+ skip locked */";
const LOCK: &str = "/*+ lock ";
const SHARE: &str = "/*+ share ";

/// The text as PostgreSQL is given it.
pub fn on_postgres(sql: &str) -> String {
    let sql = sql.replace(SKIP_LOCKED, "for update skip locked");
    let sql = held(&sql, LOCK, "update").unwrap_or(sql);
    held(&sql, SHARE, "key share").unwrap_or(sql)
}

fn held(sql: &str, hint: &str, strength: &str) -> Option<String> {
    let (head, tail) = sql.split_once(hint)?;
    let (table, rest) = tail.split_once(" */")?;
    Some(format!("{head}for {strength} of {table}{rest}"))
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
            ("(select id from a /*+ share a */)", "(select id from a for key share of a)"),
        ];
        for (sql, expected) in table {
            assert_eq!(on_postgres(sql), expected);
        }
    }
}
