//! A table of a document that the code generates: what stands there is what the code says.
//!
//! A table stands between two markers of its document; `UPDATE_DOCS=1` in the environment of a test
//! writes it again. The tests of other crates include this file.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

static TURN: Mutex<()> = Mutex::new(());

/// Compares a document's table with the generated one.
///
/// # Panics
///
/// If they differ and are not to be written.
pub fn check(document: &str, table: &str, generated: &str) {
    // The tests of one document run side by side.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let path = path.join(document).with_extension("md");
    let text = std::fs::read_to_string(&path).expect("the document is there");
    let begin = format!("<!-- {table} -->\n");
    let (before, rest) = text.split_once(&begin).expect("the document has the marker");
    let end = format!("<!-- end of {table} -->");
    let (present, after) = rest.split_once(&end).expect("the document has the end's marker");
    let generated = format!("\n{}\n\n", generated.trim_end());
    if present == generated {
        return;
    }
    assert!(wants_update(), "docs/{document}.md differs from the code; run with UPDATE_DOCS=1");
    let text = format!("{before}{begin}{generated}{end}{after}");
    std::fs::write(&path, text).expect("the document can be written");
}

#[expect(clippy::disallowed_methods, reason = "the person who runs the tests asks for it this way")]
fn wants_update() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}
