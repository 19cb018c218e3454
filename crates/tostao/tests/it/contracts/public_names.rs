//! The names that clients are generated from: those of schemas and operations.
//!
//! They are chosen one by one, so that neither a new route nor a moved module changes one. A name
//! that a program made up is recognized by its form.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tostao::openapi::docs::operations;
use tostao::routes;

/// What an operation may do to its noun.
const VERBS: [&str; 50] = [
    "accept",
    "advance",
    "answer",
    "approve",
    "archive",
    "cancel",
    "change",
    "close",
    "confirm",
    "create",
    "delete",
    "diagnose",
    "disable",
    "dismiss",
    "elevate",
    "enable",
    "end",
    "export",
    "extend",
    "get",
    "join",
    "list",
    "match",
    "pause",
    "pay",
    "process",
    "quote",
    "reactivate",
    "record",
    "recover",
    "redeliver",
    "refresh",
    "refund",
    "reject",
    "reset",
    "resolve",
    "resume",
    "retry",
    "return",
    "revoke",
    "rotate",
    "search",
    "send",
    "simulate",
    "stream",
    "test",
    "update",
    "validate",
    "verify",
    "withdraw",
];
/// Endings of types that say what they are in the code, which is nothing to a client.
const INTERNAL_ENDINGS: [&str; 4] = ["Body", "Params", "Reply", "View"];

#[test]
fn schemas_and_operations_have_names_of_their_own() {
    assert_eq!(faults(&routes::document()), Vec::<String>::new());
}

#[test]
fn a_name_that_was_made_up_by_a_program_is_found() {
    let named = |id: &str| json!({ "get": { "operationId": id } });
    let document = json!({
        "components": { "schemas": {
            "Status2": {}, "TransactionView": {}, "tostao_coupons_Coupon": {}, "Coupon": {},
        } },
        "paths": {
            "/a": named("listCoupons"), "/b": named("listCoupons"),
            "/c": named("coupons.list"), "/d": named("merchants.sessions_api.list"),
            "/e": named("couponsList"), "/f": named("list"), "/g": named("list_coupons"),
            "/h": { "post": {} },
        },
    });
    let expected = [
        "schema Status2: not PascalCase",
        "schema TransactionView: internal ending",
        "schema tostao_coupons_Coupon: not PascalCase",
        "post /h: no operationId",
        "operation coupons.list: not verbNoun",
        "operation couponsList: not verbNoun",
        "operation list: not verbNoun",
        "operation listCoupons: 2 times",
        "operation list_coupons: not verbNoun",
        "operation merchants.sessions_api.list: not verbNoun",
    ];
    assert_eq!(faults(&document), expected);
}

fn faults(document: &Value) -> Vec<String> {
    let schemas = document["components"]["schemas"].as_object().expect("has schemas");
    let mut faults: Vec<_> = schemas
        .keys()
        .filter_map(|name| Some(format!("schema {name}: {}", schema_fault(name)?)))
        .collect();
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, method, operation) in operations(document) {
        match operation["operationId"].as_str() {
            Some(id) => *ids.entry(id).or_default() += 1,
            None => faults.push(format!("{method} {path}: no operationId")),
        }
    }
    for (id, times) in ids {
        if !is_verb_noun(id) {
            faults.push(format!("operation {id}: not verbNoun"));
        }
        if times > 1 {
            faults.push(format!("operation {id}: {times} times"));
        }
    }
    faults
}

fn schema_fault(name: &str) -> Option<&'static str> {
    if !is_pascal_case(name) {
        return Some("not PascalCase");
    }
    // A saved view of a list is called one on the pages, too.
    let is_internal =
        name != "SavedView" && INTERNAL_ENDINGS.iter().any(|ending| name.ends_with(ending));
    is_internal.then_some("internal ending")
}

fn is_verb_noun(id: &str) -> bool {
    VERBS.iter().any(|verb| id.strip_prefix(verb).is_some_and(is_pascal_case))
}

/// Letters alone: a digit is what a program appends to distinguish two.
fn is_pascal_case(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|letter| letter.is_ascii_alphabetic())
}
