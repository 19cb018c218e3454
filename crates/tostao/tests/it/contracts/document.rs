//! The description of the API, as it is served.

use serde_json::Value;
use tostao::routes;

use crate::harness::story;

#[test]
fn the_document_is_what_it_was() {
    insta::assert_json_snapshot!("openapi", routes::document());
}

#[test]
fn the_document_is_served_at_both_addresses() {
    story(async |test| {
        for path in ["/openapi.json", "/api/openapi.json"] {
            assert_eq!(test.anyone().get(path).await.expect(200), routes::document(), "{path}");
        }
    });
}

#[test]
fn every_operation_has_a_name_of_its_own() {
    let document = routes::document();
    let operations = tostao::openapi::docs::operations(&document);
    let name = |operation: &Value| operation["operationId"].as_str().expect("has one").to_owned();
    let mut names: Vec<_> = operations.iter().map(|(_, _, operation)| name(operation)).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!((names.len(), routes::routes().len()), (all, all));
}
