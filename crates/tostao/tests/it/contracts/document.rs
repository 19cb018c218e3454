//! The description of the API, as it is served.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use tostao::routes;

use crate::harness::{TestApp, story_where};

/// What of the document has a file for each of its members, and where it stands.
const PARTS: [(&str, &str); 3] =
    [("path", "/paths"), ("schema", "/components/schemas"), ("webhook", "/webhooks")];
const FOLDER: &str = "snapshots/openapi";
const WIDTH: usize = 100;

#[test]
fn the_document_is_what_it_was() {
    let pieces = pieces(routes::document());
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(FOLDER);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, piece) in &pieces {
            let mut text = String::new();
            lay_out(&mut text, "", piece);
            insta::assert_snapshot!(name.as_str(), text);
        }
    });
    let left_over: Vec<_> = stored().filter(|name| !pieces.contains_key(name)).collect();
    assert!(left_over.is_empty(), "delete from {FOLDER}: {left_over:?}");
}

/// Every member of the parts, and the document without them, by the names of their files.
fn pieces(mut document: Value) -> BTreeMap<String, Value> {
    let mut pieces = BTreeMap::new();
    for (kind, place) in PARTS {
        let part = document.pointer_mut(place).and_then(Value::as_object_mut);
        for (name, piece) in std::mem::take(part.expect("is in the document")) {
            let name = format!("{kind}.{}", name.trim_start_matches('/').replace('/', "."));
            assert!(!pieces.contains_key(&name), "{name} twice");
            pieces.insert(name, piece);
        }
    }
    pieces.insert("document".to_owned(), document);
    pieces
}

/// The names of the stored pieces.
fn stored() -> impl Iterator<Item = String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/contracts").join(FOLDER);
    let files = std::fs::read_dir(folder).expect("can be listed");
    let names = files.map(|file| file.expect("can be listed").file_name().into_string());
    names.filter_map(|name| Some(name.expect("is text").strip_suffix(".snap")?.to_owned()))
}

/// Writes JSON with one line for every value that fits into a line.
fn lay_out(text: &mut String, indent: &str, value: &Value) {
    let line = value.to_string();
    let column = text.rsplit('\n').next().map_or(0, str::len);
    let members: Vec<(String, &Value)> = match value {
        _ if column + line.len() <= WIDTH => Vec::new(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (format!("{name:?}: "), value)).collect()
        }
        Value::Array(values) => values.iter().map(|value| (String::new(), value)).collect(),
        _ => Vec::new(),
    };
    if members.is_empty() {
        return text.push_str(&line);
    }
    let (open, close) = if value.is_object() { ("{", "}") } else { ("[", "]") };
    text.push_str(open);
    let deeper = format!("{indent}  ");
    for (name, member) in members {
        text.extend(["\n", &deeper, &name]);
        lay_out(text, &deeper, member);
        text.push(',');
    }
    text.extend(["\n", indent, close]);
}

#[story::test]
async fn the_document_is_served_at_both_addresses(test: &TestApp) {
    for path in ["/openapi.json", "/api/openapi.json"] {
        let mut document = routes::document();
        document["servers"] = json!([{ "url": test.app.settings.base_url() }]);
        assert_eq!(test.anyone().get(path).await.expect(200), document, "{path}");
    }
}

#[test]
fn the_document_of_a_server_without_a_public_address_names_none() {
    story_where(
        |settings| settings.base_url = None,
        async |test: &TestApp| {
            let served = test.anyone().get("/openapi.json").await.expect(200);
            assert_eq!(served, routes::document());
        },
    );
}

#[story::test]
async fn the_document_and_its_pages_are_not_sent_again_to_who_has_them(test: &TestApp) {
    let plain = test.anyone();
    let document = ["/openapi.json", "/api/openapi.json"];
    let pages = ["/docs", "/docs/api/accounts", "/docs/api/accounts.md"];
    for path in document.into_iter().chain(pages) {
        let whole = plain.get(path).await;
        let tag = whole.header("etag").expect("is tagged").to_owned();
        let packed = plain.with("accept-encoding", "gzip").get(path).await;
        assert_eq!(
            (packed.header("content-encoding"), packed.header("etag")),
            (Some("gzip"), Some(tag.as_str())),
            "{path}"
        );
        assert_eq!(packed.text, whole.text, "{path}");
        assert_eq!(whole.header("cache-control"), Some("no-cache"), "{path}");
        let again = plain.with("if-none-match", &tag).get(path).await;
        assert_eq!((again.status, again.text.as_str()), (304, ""), "{path}");
        let other = plain.with("if-none-match", "W/\"0\"").get(path).await;
        assert_eq!((other.status, other.text == whole.text), (200, true), "{path}");
    }
}
