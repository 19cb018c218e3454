//! How long a browser's session lasts, what ends it, and what it cannot be used for.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use uuid::Uuid;

use super::{Browser, COOKIE, EMAIL, join, next};
use crate::harness::TestApp;
use crate::harness::shop::{PASSWORD, Shop, id};

const BIA: &str = "bia@example.com";
const MOMENT: Duration = Duration::from_secs(1);

fn minutes(count: u64) -> Duration {
    Duration::from_mins(count)
}

#[story::test]
async fn a_session_ends_half_an_hour_after_its_last_use(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    for _ in 0..3 {
        test.pass(minutes(29));
        assert!(browser.is_in().await);
    }
    test.pass(minutes(30).saturating_sub(MOMENT));
    assert!(browser.is_in().await);
    test.pass(minutes(30));
    let turned = next(&browser.get("/dashboard/dev").await);
    assert_eq!(turned, "/sign-in?next=%2Fdashboard%2Fdev&ended=yes");
    assert!(browser.page(&turned).await.says("Sua sessão terminou."));
}

#[story::test]
async fn a_session_ends_twelve_hours_after_the_sign_in_however_much_it_is_used(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    for _ in 0..36 {
        test.pass(minutes(20).saturating_sub(MOMENT));
        assert!(browser.is_in().await);
    }
    test.pass(MOMENT * 36);
    assert!(!browser.is_in().await);
}

#[story::test]
async fn a_page_knows_when_its_session_ends(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let ends_in = async |name: &str| {
        let page = browser.page("/dashboard/dev").await;
        let (_, rest) = page.text.split_once(&format!("data-{name}=\"")).expect("is in the page");
        rest.split_once('"').expect("has an end").0.to_owned()
    };
    assert_eq!((ends_in("idle").await, ends_in("most").await), ("1800".into(), "43200".into()));
    for _ in 0..35 {
        test.pass(minutes(20));
        assert!(browser.is_in().await);
    }
    assert_eq!((ends_in("idle").await, ends_in("most").await), ("1800".into(), "1200".into()));
}

#[story::test(|settings| {
    settings.dashboard.dashboard_idle_minutes = 5;
    settings.dashboard.dashboard_session_hours = 1;
})]
async fn an_operator_sets_both_terms(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    test.pass(minutes(5));
    assert!(!browser.is_in().await);
    let browser = Browser::signed_in(test, EMAIL).await;
    for _ in 0..14 {
        test.pass(minutes(4));
        assert!(browser.is_in().await);
    }
    test.pass(minutes(4));
    assert!(!browser.is_in().await);
}

#[story::test]
async fn the_last_use_is_recorded_at_most_once_a_minute(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let used = async || {
        let sessions = shop.owner.list("/api/auth/sessions").await;
        sessions.iter().find(|one| one["kind"] == "BROWSER").expect("is listed")["lastUsedAt"]
            .clone()
    };
    let first = used().await;
    test.pass(Duration::from_secs(59));
    assert!(browser.is_in().await);
    assert_eq!(used().await, first);
    test.pass(MOMENT);
    assert!(browser.is_in().await);
    assert_ne!(used().await, first);
}

#[story::test]
async fn a_session_is_listed_with_its_browser_and_ended_there(test: &TestApp, shop: Shop) {
    let browser = Browser::new(test).from("198.51.100.7").with("user-agent", "Navegador/1.0");
    browser.sign_in(EMAIL, PASSWORD).await;
    let sessions = shop.owner.list("/api/auth/sessions").await;
    let listed = sessions.iter().find(|one| one["kind"] == "BROWSER").expect("is listed");
    assert_eq!(listed["userAgent"], "Navegador/1.0");
    assert_eq!(listed["clientAddress"], "198.51.100.7");
    assert_eq!(listed["current"], false);
    let own = sessions.iter().find(|one| one["current"] == true).expect("is listed");
    assert_eq!((&own["kind"], &own["userAgent"]), (&json!("API"), &json!(null)));
    shop.owner.delete(&format!("/api/auth/sessions/{}", id(listed))).await.expect(200);
    assert!(!browser.is_in().await);
}

#[story::test]
async fn a_new_password_and_ending_all_others_end_browsers_too(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    shop.owner.delete("/api/auth/sessions").await.expect(200);
    assert!(!browser.is_in().await);
    let browser = Browser::signed_in(test, EMAIL).await;
    let change = json!({ "currentPassword": PASSWORD, "newPassword": "another battery staple" });
    shop.owner.post("/api/auth/password", change).await.expect(200);
    assert!(!browser.is_in().await);
    assert_eq!(browser.sign_in(EMAIL, PASSWORD).await.status, 422);
}

#[story::test]
async fn who_is_removed_while_signed_in_sees_no_further_page(test: &TestApp, shop: Shop) {
    join(test, &shop, BIA, "FINANCE").await;
    let browser = Browser::signed_in(test, BIA).await;
    assert!(browser.is_in().await);
    let members = shop.owner.list("/api/members").await;
    let bia = members.iter().find(|one| one["email"] == BIA).expect("is a member");
    shop.owner.delete(&format!("/api/members/{}", id(bia))).await.expect(200);
    assert!(!browser.is_in().await);
    assert_eq!(browser.sign_in(BIA, PASSWORD).await.status, 422);
}

#[story::test]
async fn an_account_that_closes_ends_its_browsers_sessions(test: &TestApp, shop: Shop) {
    join(test, &shop, BIA, "MANAGER").await;
    let (owner, member) =
        (Browser::signed_in(test, EMAIL).await, Browser::signed_in(test, BIA).await);
    let close = json!({ "password": PASSWORD });
    shop.owner.post("/api/auth/account/close", close).await.expect(200);
    assert!(!owner.is_in().await && !member.is_in().await);
}

#[story::test]
async fn a_cookie_is_no_token_of_the_api_and_a_token_no_cookie(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let cookie = browser.cookie(COOKIE).expect("is signed in");
    let sessions = shop.owner.list("/api/auth/sessions").await;
    let session = sessions.iter().find(|one| one["kind"] == "BROWSER").expect("is listed");
    let session: Uuid = id(session).parse().expect("is an id");
    let secret = URL_SAFE_NO_PAD.decode(&cookie).expect("is base64");
    let forged = URL_SAFE_NO_PAD.encode([session.as_bytes().as_slice(), &secret].concat());
    for token in [&cookie, &forged] {
        let refresh = json!({ "refreshToken": token });
        let refused = test.anyone().post("/api/auth/refresh", refresh).await;
        refused.expect_refusal(401, "UNAUTHORIZED");
        let bearer = test.anyone().with("authorization", &format!("Bearer {token}"));
        bearer.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
    }
    assert!(browser.is_in().await, "a wrong refresh token does not end it");
    let login = json!({ "email": EMAIL, "password": PASSWORD });
    let tokens = test.anyone().post("/api/auth/login", login).await.expect(200);
    for token in ["accessToken", "refreshToken"] {
        let other = Browser::new(test);
        let token = tokens[token].as_str().expect("is a token");
        other.hold(COOKIE, token);
        assert!(!other.is_in().await);
        let refresh = URL_SAFE_NO_PAD.decode(token).unwrap_or_default();
        if let Some(secret) = refresh.get(16..) {
            other.hold(COOKIE, &URL_SAFE_NO_PAD.encode(secret));
            assert!(!other.is_in().await);
        }
    }
}

#[story::test]
async fn a_cookie_that_is_none_leads_to_the_sign_in(test: &TestApp) {
    test.shop("Loja").await;
    for wrong in ["x", "", "é", &"A".repeat(43), &"A".repeat(5_000), "a b", "__Host-tostao=x"] {
        let browser = Browser::new(test);
        browser.hold(COOKIE, wrong);
        assert!(next(&browser.get("/dashboard/prod").await).starts_with("/sign-in?"), "{wrong}");
    }
}
