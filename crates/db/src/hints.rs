//! Hints in a statement's text that PostgreSQL needs; on SQLite, where one unit writes at a time,
//! they are comments.
//!
//! | Hint | On PostgreSQL |
//! |---|---|
//! | `/*+ skip locked */` | rows that another unit has locked are skipped |
//! | `/*+ lock TABLE */` | the rows of that table stay locked until the unit ends |
//! | `/*+ share TABLE */` | a shared lock; only changes of their unique columns wait |

const SKIP_LOCKED: &str = "/*+ skip locked */";
const LOCK: &str = "/*+ lock ";
const SHARE: &str = "/*+ share ";

/// The statement's text for PostgreSQL.
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
