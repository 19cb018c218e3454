//! Forms: whose page may post one, and that reading changes nothing.

use std::time::Duration;

use serde_json::json;
use tostao::dashboard::attempt;
use tostao::platform::error::ErrorCode;
use tostao::platform::ids::{Mode, Scope};

use super::{Browser, COOKIE, EMAIL, join};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{PASSWORD, Shop};

/// What a browser, or another program, says of a form that is not proven to be ours.
fn unproven() -> Vec<Vec<(&'static str, &'static str)>> {
    vec![
        vec![],
        vec![("sec-fetch-site", "cross-site")],
        vec![("sec-fetch-site", "same-site")],
        vec![("sec-fetch-site", "none")],
        vec![("sec-fetch-site", "")],
        vec![("origin", "null")],
        vec![("origin", "https://evil.example")],
        vec![("origin", "http://api.example.com")],
        vec![("origin", "https://pay.example.com")],
        vec![("sec-fetch-site", "cross-site"), ("origin", "https://api.example.com")],
        vec![("sec-fetch-site", "same-origin, cross-site")],
    ]
}

#[story::test]
async fn a_form_that_is_not_proven_to_be_ours_does_nothing(test: &TestApp, shop: Shop) {
    join(test, &test.shop("Bia").await, EMAIL, "VIEWER").await;
    let account = shop.owner.get("/api/auth/me").await.expect(200)["user"]["id"].clone();
    let account = account.as_str().expect("is an id");
    let browser = Browser::signed_in(test, EMAIL).await;
    let cookie = format!("{COOKIE}={}", browser.cookie(COOKIE).expect("is signed in"));
    let credentials = [("email", EMAIL), ("password", PASSWORD)];
    let forms: [(&str, &[(&str, &str)]); 6] = [
        ("/sign-in", &credentials),
        ("/sign-up", &credentials),
        ("/sign-out", &[]),
        ("/invitations/x", &credentials),
        ("/account/switch", &[("account", account)]),
        ("/dashboard/dev/unknown", &[]),
    ];
    for (path, fields) in forms {
        for headers in unproven() {
            let mut client = test.anyone().with("cookie", &cookie).with("accept", "text/html");
            for (name, value) in &headers {
                client = client.with(name, value);
            }
            let refused = Page::of(client.submit(path, fields).await, 403);
            assert_eq!(
                refused.heading(),
                "Este formulário não veio desta página",
                "{path} {headers:?}"
            );
            assert_eq!(refused.headers.get("set-cookie"), None);
        }
    }
    assert!(browser.is_in().await);
}

#[story::test]
async fn a_browser_without_fetch_metadata_names_our_origin(test: &TestApp) {
    test.shop("Loja").await;
    let old = test.anyone().with("origin", "https://api.example.com");
    let fields = [("email", EMAIL), ("password", PASSWORD)];
    assert_eq!(old.submit("/sign-in", &fields).await.status, 303);
}

#[story::test]
async fn pages_let_their_forms_name_their_origin_and_run_no_script_of_others(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    for page in [browser.page("/dashboard/dev").await, Browser::new(test).page("/sign-in").await] {
        assert!(page.says("<meta name=\"referrer\" content=\"same-origin\">"));
        let policy = page.header("content-security-policy").expect("has a policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"));
        assert!(policy.contains("form-action 'self'") && !policy.contains("unsafe"));
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert!(!page.says(" style=") && !page.says("<script>"));
    }
}

#[story::test]
async fn reading_changes_nothing(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    for path in ["/sign-out", "/account/switch"] {
        assert_eq!(browser.get(path).await.status, 405, "{path}");
    }
    assert!(browser.is_in().await);
    let before = shop.owner.total("/api/audit").await;
    for path in ["/dashboard/dev", "/dashboard/prod", "/dashboard", "/sign-in", "/sign-up"] {
        browser.get(path).await;
    }
    assert_eq!(shop.owner.total("/api/audit").await, before);
}

#[story::test]
async fn the_dashboard_is_not_on_the_checkouts_host(test: &TestApp) {
    test.shop("Loja").await;
    for path in ["/sign-in", "/dashboard/dev", "/dashboard", "/sign-up"] {
        let browser = Browser::new(test).with("host", "pay.example.com");
        let page = Page::of(browser.get(path).await, 404);
        assert_eq!(page.heading(), "Página não encontrada", "{path}");
    }
    let form = Browser::new(test).with("host", "pay.example.com:443");
    assert_eq!(form.sign_in(EMAIL, PASSWORD).await.status, 404);
    let fields = json!({ "email": EMAIL, "password": PASSWORD });
    test.anyone().post("/api/auth/login", fields).await.expect(200);
}

#[story::test]
async fn the_dashboard_answers_on_its_own_host_and_on_the_machine_itself_alone(test: &TestApp) {
    test.shop("Loja").await;
    let others = [
        "evil.example",
        "api.example.com.evil.example",
        "192.0.2.1",
        "api.example.com:81",
        "api.example.com:80",
        "evil.example@api.example.com",
    ];
    for foreign in others {
        let browser = Browser::new(test).with("host", foreign);
        for path in ["/sign-in", "/dashboard", "/dashboard/dev"] {
            assert_eq!(browser.get(path).await.status, 404, "{foreign} {path}");
        }
        assert_eq!(browser.sign_in(EMAIL, PASSWORD).await.status, 404, "{foreign}");
        assert_eq!(browser.cookie(COOKIE), None);
    }
    let own = [
        "api.example.com",
        "API.example.com",
        "api.example.com:443",
        "localhost:8080",
        "127.0.0.1",
        "[::1]:8080",
    ];
    for own in own {
        let browser = Browser::new(test).with("host", own);
        assert_eq!(browser.sign_in(EMAIL, PASSWORD).await.status, 303, "{own}");
    }
}

#[story::test]
async fn a_form_acts_only_in_the_account_and_mode_that_it_was_drawn_for(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let scope = async |shop: &Shop, mode| {
        let me = shop.owner.get("/api/auth/me").await.expect(200);
        let merchant = me["user"]["id"].as_str().expect("is an id").parse().expect("is an id");
        Scope { merchant, mode, ahead: Duration::ZERO }
    };
    let drawn = scope(&shop, Mode::Development).await;
    let attempt = attempt::fresh(&test.app, drawn);
    assert_ne!(attempt, attempt::fresh(&test.app, drawn));
    let key = |scope, attempt: &str| attempt::key(&test.app, scope, "POST /x", attempt, "10");
    assert!(key(drawn, &attempt).is_ok());
    let elsewhere = [scope(&shop, Mode::Production).await, scope(&other, Mode::Development).await];
    for scope in elsewhere {
        let refused = key(scope, &attempt).expect_err("was drawn elsewhere");
        assert_eq!(refused.code(), ErrorCode::CrossSiteForm);
    }
    test.pass(Duration::from_hours(6 * 24).saturating_sub(Duration::from_secs(1)));
    assert!(key(drawn, &attempt).is_ok());
    test.pass(Duration::from_secs(2));
    assert!(key(drawn, &attempt).is_err(), "its answer is forgotten a day later");
    let attempt = attempt::fresh(&test.app, drawn);
    for forged in ["", "x", &attempt[1..], &attempt.replace('A', "B")] {
        assert!(forged == attempt || key(drawn, forged).is_err(), "{forged}");
    }
}
