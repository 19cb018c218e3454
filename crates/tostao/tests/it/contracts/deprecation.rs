//! Routes that will go.

use http::Request;
use jiff::civil::date;
use tostao::merchants::whoami_api;
use tostao::openapi::api::Api;
use tostao::openapi::deprecation::Deprecation;
use tower::ServiceExt;

use crate::harness::TestApp;

fn api() -> Api {
    let deprecation = Deprecation {
        since: date(2026, 11, 27),
        sunset: date(2027, 5, 31),
        explained_at: "/docs/changelog",
    };
    Api::default()
        .tag("Accounts")
        .operation("getOld", "Get what goes")
        .get("/old/{id}", whoami_api::show)
        .deprecated(deprecation)
        .operation("getNew", "Get what stays")
        .get("/new", whoami_api::show)
}

#[story::test]
async fn responses_of_a_deprecated_route_say_when_it_ends_and_so_does_the_document(test: &TestApp) {
    let router = api().into_router().with_state(test.app.clone());
    for (path, sunset) in [("/old/7", Some("Mon, 31 May 2027 00:00:00 GMT")), ("/new", None)] {
        let request = Request::builder().uri(path).body(axum::body::Body::empty());
        let response = router.clone().oneshot(request.expect("is a request")).await;
        let response = response.expect("the router answers");
        let found = response.headers().get("sunset").map(|it| it.to_str().expect("is text"));
        assert_eq!(found, sunset, "{path}");
        assert_eq!(response.headers().contains_key("deprecation"), sunset.is_some(), "{path}");
    }
    let document = api().document();
    assert_eq!(document["paths"]["/old/{id}"]["get"]["deprecated"], true);
    assert!(document["paths"]["/new"]["get"].get("deprecated").is_none());
}
