//! The codes of refusals, with their statuses, and which of them a repeated request gets again.

use std::fmt::Write as _;
use std::fs::{read_dir, read_to_string};
use std::path::Path;

use http::{HeaderMap, Method};
use serde_json::json;
use tostao::openapi::docs::operations;
use tostao::platform::error::field_codes::FIELD_CODES;
use tostao::platform::error::{Error, ErrorCode};
use tostao::routes;

use crate::harness::refusals::{codes, expect_listed};
use crate::harness::reply::Reply;

#[test]
fn every_code_has_its_status() {
    let mut table = String::new();
    for code in ErrorCode::ALL {
        let kept = if Error::refused(*code, "").is_final() { " kept" } else { "" };
        writeln!(table, "{} {}{kept}", code.status(), code.name()).expect("has room");
    }
    insta::assert_snapshot!("codes", table);
}

#[test]
fn every_operation_lists_known_codes_by_status_and_those_that_any_can_answer() {
    let document = routes::document();
    for (path, method, operation) in operations(&document) {
        let listed = codes(operation);
        let known = ErrorCode::ALL.iter().map(|code| code.name());
        let known: Vec<_> = known.filter(|name| listed.iter().any(|code| code == name)).collect();
        assert_eq!(listed, known, "{method} {path}");
        let last = ["RATE_LIMITED", "INTERNAL_ERROR", "UNAVAILABLE"];
        assert!(known.ends_with(&last), "{method} {path}: {known:?}");
    }
}

#[test]
fn a_story_in_which_an_operation_answers_a_listed_code_passes() {
    expect_listed(&Method::POST, "/api/withdraws?dryRun=true", &refusal("INSUFFICIENT_BALANCE"));
}

#[test]
#[should_panic(expected = "POST /api/withdraws does not list CARD_DECLINED")]
fn a_story_in_which_an_operation_answers_a_code_that_it_does_not_list_fails() {
    expect_listed(&Method::POST, "/api/withdraws", &refusal("CARD_DECLINED"));
}

fn refusal(code: &str) -> Reply {
    Reply { status: 400, headers: HeaderMap::new(), text: json!({ "code": code }).to_string() }
}

/// What only says when a code is answered.
const LISTS: [&str; 3] = ["error/field_codes.rs", "openapi/errors.rs", "routes/refusals.rs"];

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
