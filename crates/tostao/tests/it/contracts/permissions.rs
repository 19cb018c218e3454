//! What every route needs of its caller, found out by asking it.

use std::collections::HashMap;
use std::fmt::Write as _;

use http::Method;
use serde_json::Value;
use tostao::openapi::api::Route;
use tostao::openapi::docs::operations;
use tostao::platform::openapi::operation::Security;
use tostao::platform::permissions::Permission;
use tostao::routes;

use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::Shop;
use crate::harness::{TestApp, story};

/// A key that has one of them alone may do nothing but what asks for it.
const LITTLE: [&str; 2] = ["referrals:write", "referrals:read"];
/// What a route needs that any key may call.
const ANY: &str = "any credential";
/// They hand over the secret of a listener, and whole events, as a webhook's URL gets them.
const WHOLE: [&str; 2] = ["/api/dev/listeners/{id}", "/api/dev/listeners/{id}/deliveries"];
const REQUESTS: &str = "/api/requests/stream";
const NOBODYS: &str = "00000000-0000-7000-8000-000000000001";

/// Calls a route about something that is not there.
async fn call(client: &Client, route: &Route) -> Reply {
    let path = route.path.replace("{id}", NOBODYS).replace("{unmatchedId}", NOBODYS);
    let path = path.replace("{eventId}", NOBODYS);
    // The stream has no end, but refuses a filter that makes no sense.
    let path = path.replace(REQUESTS, "/api/requests/stream?status=none");
    let path = path.replace("/api/search", "/api/search?q=x");
    let path = path.replace("{slug}", "123456789ABC").replace("{programId}", NOBODYS);
    let bodiless = route.method == Method::GET || route.method == Method::DELETE;
    let (kind, body) = if bodiless { (None, "") } else { (Some("application/json"), "{}") };
    client.send(route.method.clone(), &path, kind, body.to_owned()).await
}

/// What a route says it needs, to somebody without a key, to one with a key of no use there,
/// and to an owner who is no administrator.
async fn asked(route: &Route, anyone: &Client, little: &[Client; 2], owner: &Client) -> String {
    let stranger = call(anyone, route).await;
    if !matches!(stranger.status, 401 | 403) {
        return "nothing".to_owned();
    }
    stranger.expect_refusal(401, "UNAUTHORIZED");
    let useless = LITTLE.iter().zip(little).find(|(has, _)| !declared(route).contains(**has));
    let known = call(useless.expect("one of them is").1, route).await;
    match known.status {
        401 if route.needs == Some(Security::Admin) => {
            call(owner, route).await.expect_refusal(403, "ADMIN_REQUIRED");
            "an administrator's access token".to_owned()
        }
        401 => "an access token".to_owned(),
        403 => known.json()["requiredPermission"].as_str().expect("is there").to_owned(),
        200 if declared(route) == ANY => ANY.to_owned(),
        other => panic!("{} {} let a useless key in: {other}", route.method, route.path),
    }
}

fn declared(route: &Route) -> String {
    match route.needs {
        None => "nothing".to_owned(),
        Some(Security::Permissions([])) => ANY.to_owned(),
        Some(Security::Permissions(permissions)) => joined(permissions),
        Some(Security::Person([])) => "an access token".to_owned(),
        Some(Security::Person(permissions)) => {
            format!("an access token with {}", joined(permissions))
        }
        Some(Security::Admin) => "an administrator's access token".to_owned(),
    }
}

fn joined(permissions: &[impl ToString]) -> String {
    permissions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn documented(document: &Value, route: &Route) -> String {
    let method = route.method.as_str().to_ascii_lowercase();
    let operations = operations(document);
    let found = operations.iter().find(|(path, m, _)| *path == route.path && *m == method);
    let (_, _, operation) = found.expect("is described");
    let ways = operation["security"].as_array().expect("is a list").iter();
    let ways = ways.flat_map(|way| way.as_object().expect("is one").keys());
    let ways: Vec<&str> = ways.map(String::as_str).collect();
    match (ways.as_slice(), operation["description"].as_str()) {
        ([], None) => "nothing".to_owned(),
        (["bearer"], Some(text)) if text.contains(" of a member.") => {
            format!("an access token with {}", permissions_in(text).join(", "))
        }
        (["bearer"], Some(text))
            if text.starts_with("Requires an administrator's access token.") =>
        {
            "an administrator's access token".to_owned()
        }
        (["bearer"], _) => "an access token".to_owned(),
        (["apiKey", "bearer"], None) => ANY.to_owned(),
        (["apiKey", "bearer"], Some(text)) => permissions_in(text).join(", "),
        other => panic!("{} {}: {other:?}", route.method, route.path),
    }
}

/// The permissions that a description names; a note may name fields, too, which have no colon.
fn permissions_in(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).filter(|name| name.contains(':')).collect()
}

#[story::test]
async fn every_route_needs_what_it_says(test: &TestApp, shop: Shop) {
    let [write, read] = LITTLE.map(|has| [has]);
    let little =
        [shop.key_for("development", &write).await, shop.key_for("development", &read).await];
    let document = routes::document();
    let mut table = String::new();
    for route in routes::routes() {
        let needs = asked(&route, &test.anyone(), &little, &shop.owner).await;
        let (method, path) = (route.method.as_str(), route.path);
        let declared = declared(&route);
        // A key that lacks several gets the first; one where only people may gets none.
        let first = declared.split(", ").next().and_then(|first| first.split(" with ").next());
        assert_eq!(first, Some(needs.as_str()), "{method} {path}");
        assert_eq!(documented(&document, &route), declared, "{method} {path}");
        writeln!(table, "{method:6} {path:55} {declared}").expect("has room");
    }
    insta::assert_snapshot!("permissions", table);
}

/// Whether a key got past the question of what it may do.
fn let_in(reply: &Reply) -> bool {
    let denied = reply.status == 403 && !reply.json()["requiredPermission"].is_null();
    reply.status != 401 && !denied
}

/// Asks every route with keys that hold one permission each.
fn compare_every_key_with_every_route(mode: &'static str) {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let mut asked = 0;
        for permission in Permission::ALL {
            let key = shop.key_for(mode, &[permission.name()]).await;
            for route in routes::routes() {
                let needed = match route.needs {
                    None => true,
                    Some(Security::Permissions(permissions)) => {
                        permissions.is_empty() || permissions == [*permission]
                    }
                    Some(Security::Person(_) | Security::Admin) => false,
                };
                let reply = call(&key, &route).await;
                let (method, path) = (&route.method, route.path);
                let what = format!("{mode} {permission} {method} {path}: {}", reply.text);
                assert_eq!(let_in(&reply), needed, "{what}");
                asked += 1;
            }
        }
        assert_eq!(asked, Permission::ALL.len() * routes::routes().len());
    });
}

#[test]
fn a_development_key_may_do_what_its_permission_says_and_nothing_else() {
    compare_every_key_with_every_route("development");
}

#[test]
fn a_production_key_may_do_what_its_permission_says_and_nothing_else() {
    compare_every_key_with_every_route("production");
}

#[story::test]
async fn a_key_with_all_the_permissions_that_a_route_names_is_let_in(shop: Shop) {
    let mut keys = HashMap::new();
    for route in routes::routes() {
        let Some(Security::Permissions(permissions)) = route.needs else { continue };
        if permissions.is_empty() {
            continue;
        }
        let names: Vec<_> = permissions.iter().map(|permission| permission.name()).collect();
        if !keys.contains_key(permissions) {
            keys.insert(permissions, shop.key_for("development", &names).await);
        }
        let reply = call(&keys[permissions], &route).await;
        assert!(let_in(&reply), "{} {}: {}", route.method, route.path, reply.text);
    }
    assert!(keys.len() > 2, "routes need permissions");
}

#[test]
fn reading_never_needs_a_permission_to_write_nor_writing_one_to_read() {
    for route in routes::routes() {
        let Some(Security::Permissions(permissions)) = route.needs else { continue };
        let is_read = route.method == Method::GET && !WHOLE.contains(&route.path);
        let kind = if is_read { ":read" } else { ":write" };
        for permission in permissions {
            assert!(permission.name().ends_with(kind), "{} {permission}", route.path);
        }
    }
}
