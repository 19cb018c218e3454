//! The codes of refusals, with their statuses, and which of them a repeated request gets again.

use std::fmt::Write as _;

use tostao::error::{Error, Refusal};

#[test]
fn every_code_has_its_status() {
    let mut table = String::new();
    for refusal in Refusal::ALL {
        let kept = if Error::refused(*refusal, "").is_final() { " kept" } else { "" };
        writeln!(table, "{} {}{kept}", refusal.status(), refusal.code()).expect("has room");
    }
    insta::assert_snapshot!("codes", table);
}
