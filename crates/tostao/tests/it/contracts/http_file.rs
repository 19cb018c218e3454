//! `examples/tostao.http`: requests that an editor sends, each as the document has it.

use serde_json::Value;
use tostao::routes;

use crate::contracts::described::faults;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tostao.http");

#[test]
fn every_request_of_the_http_file_is_one_of_the_document() {
    let (text, document) = (std::fs::read_to_string(FILE).expect("is there"), routes::document());
    let requests: Vec<&str> = text.split("\n### ").skip(1).collect();
    assert!(!requests.is_empty(), "{text}");
    for request in requests {
        let (head, body) = request.split_once("\n\n").unwrap_or((request, ""));
        let line = head.lines().nth(1).expect("has a title and a request");
        let (method, address) = line.split_once(" {{TOSTAO_SERVER}}").expect("goes to the server");
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let path = path.replace("{{transaction}}", "{id}");
        let operation = &document["paths"][&path][method.to_ascii_lowercase()];
        assert!(operation["operationId"].is_string(), "{line}");
        let known = operation["parameters"].as_array().expect("has parameters");
        for name in query.split('&').filter_map(|pair| pair.split('=').next()) {
            let is_known = known.iter().any(|it| it["in"] == "query" && it["name"] == name);
            assert!(is_known || name.is_empty(), "{line}: {name}");
        }
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(body.trim().is_empty(), schema.is_null(), "{line}");
        if !schema.is_null() {
            let body: Value = serde_json::from_str(body).expect("is JSON");
            assert_eq!(faults(&document, schema, &body), Vec::<String>::new(), "{line}");
        }
    }
}
