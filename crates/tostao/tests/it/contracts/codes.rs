//! The codes of refusals, with their statuses, and which of them a repeated request gets again.

use std::fmt::Write as _;
use std::fs::{read_dir, read_to_string};
use std::path::Path;

use tostao::platform::error::field_codes::FIELD_CODES;
use tostao::platform::error::{Error, ErrorCode};

#[test]
fn every_code_has_its_status() {
    let mut table = String::new();
    for code in ErrorCode::ALL {
        let kept = if Error::refused(*code, "").is_final() { " kept" } else { "" };
        writeln!(table, "{} {}{kept}", code.status(), code.name()).expect("has room");
    }
    insta::assert_snapshot!("codes", table);
}

/// What only says when a code is answered.
const LISTS: [&str; 3] = ["error/field_codes.rs", "openapi/docs/errors.rs", "routes/refusals.rs"];

/// What only says when a code is answered answers none; everything else that names one may.
#[test]
fn every_code_is_answered_by_something() {
    let mut sources = String::new();
    gather(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut sources);
    let answers = |code: &&ErrorCode| {
        let name = format!("ErrorCode::{code:?}");
        sources.split(&name).skip(1).any(|after| !after.starts_with(char::is_alphanumeric))
    };
    let unused = |code: &&str| !sources.contains(&format!("\"{code}\""));
    let unused: Vec<_> = FIELD_CODES.iter().map(|(code, _)| *code).filter(unused).collect();
    assert!(unused.is_empty(), "{unused:?}");
    let unheard: Vec<_> = ErrorCode::ALL.iter().filter(|code| !answers(code)).collect();
    assert!(unheard.is_empty(), "{unheard:?}");
}

fn gather(folder: &Path, found: &mut String) {
    for entry in read_dir(folder).expect("is a folder") {
        let path = entry.expect("can be read").path();
        if path.is_dir() {
            gather(&path, found);
        } else if !LISTS.iter().any(|list| path.ends_with(list)) {
            found.push_str(&read_to_string(&path).expect("is text"));
        }
    }
}
