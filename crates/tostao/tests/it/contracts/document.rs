//! The description of the API, as it is served.

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
fn the_document_and_its_page_are_not_sent_again_to_who_has_them() {
    story(async |test| {
        let plain = test.anyone();
        for path in ["/openapi.json", "/api/openapi.json", "/docs"] {
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
    });
}
