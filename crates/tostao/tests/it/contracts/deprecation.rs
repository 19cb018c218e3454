//! Routes that will go.

use jiff::civil::date;
use tostao::credentials::whoami_api;
use tostao::openapi::api::Api;
use tostao::openapi::deprecation::Deprecation;
use tostao::routes;

use crate::harness::TestApp;
use crate::harness::client::Client;

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
    let caller = Client::new(routes::router_of(api(), test.app.clone()), None);
    for (path, sunset) in [("/old/7", Some("Mon, 31 May 2027 00:00:00 GMT")), ("/new", None)] {
        // An error is a response like any other.
        let refused = caller.get(path).await;
        assert_eq!(refused.status, 401, "{path}");
        assert_eq!(refused.header("sunset"), sunset, "{path}");
        assert_eq!(refused.header("deprecation").is_some(), sunset.is_some(), "{path}");
    }
    let document = api().document();
    assert_eq!(document["paths"]["/old/{id}"]["get"]["deprecated"], true);
    assert!(document["paths"]["/new"]["get"].get("deprecated").is_none());
}
