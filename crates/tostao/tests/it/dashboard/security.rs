//! The second step, the password and the sessions of a person, on their pages.

use std::time::Duration;

use super::{Browser, COOKIE, EMAIL, HOSTILE, next, without_harm};
use crate::audit;
use crate::harness::TestApp;
use crate::harness::authenticator::Authenticator;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, Shop};
use crate::second_step::{Device, STEP};

const SECURITY: &str = "/account/security";
const STEP_PAGE: &str = "/account/security/second-step";
const MINUTES: Duration = Duration::from_mins(10);

/// Begins a second step; the page with the secret, and the app that knows it.
async fn started(browser: &Browser, next: &str) -> (Page, Authenticator) {
    let fields = [("next", next), ("password", PASSWORD)];
    let page = Page::of(browser.post(STEP_PAGE, &fields).await, 200);
    let secret = page.within("<code id=\"secret\"", "</code>").expect("is shown").to_owned();
    (page, Authenticator::with(&secret))
}

async fn confirm(browser: &Browser, code: &str, next: &str) -> Reply {
    browser.post(&format!("{STEP_PAGE}/confirm"), &[("code", code), ("next", next)]).await
}

#[story::test]
async fn a_second_step_is_turned_on_with_a_qr_code_and_backup_codes_are_shown_once(
    test: &TestApp,
    shop: Shop,
) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let before = browser.page(SECURITY).await;
    assert!(before.says("Desligada") && before.says("Ligar a segunda etapa"));
    let (page, app) = started(&browser, "").await;
    assert!(page.drawing().is_some() && page.says("otpauth://totp/"), "{}", page.text);
    let wrong = Page::of(confirm(&browser, "000000", "").await, 422);
    assert_eq!(wrong.wrong(), ["code"]);
    let shown = |page: &Page| page.within("<code id=\"secret\"", "</code>").map(str::to_owned);
    assert_eq!(shown(&wrong), shown(&page), "the secret stays");
    let code = app.code(test.app.now(), 0);
    let codes = Page::of(confirm(&browser, &code, "").await, 200);
    let codes = codes.within("<code id=\"codes\"", "</code>").expect("are shown").to_owned();
    assert_eq!(codes.lines().count(), 10);
    // The same form again does nothing more.
    assert!(next(&confirm(&browser, &code, "").await).starts_with(STEP_PAGE));
    let after = browser.page(SECURITY).await;
    assert!(after.says("Ligada") && after.says("10 de 10"), "{}", after.text);
    assert!(!after.says(codes.lines().next().expect("is one")));
    assert_eq!(audit::entries(&shop.owner, "two_factor.enabled").await.len(), 1);
    assert_eq!(next(&browser.get(STEP_PAGE).await), SECURITY);
}

#[story::test]
async fn backup_codes_are_renewed_by_the_app_and_the_step_is_turned_off_with_password_and_code(
    test: &TestApp,
    shop: Shop,
) {
    let device = Device::enrolled(test, &shop.owner).await;
    let browser = Browser::signed_in_with(test, &device).await;
    let path = format!("{SECURITY}/backup-codes");
    let backup = &device.backup_codes[0];
    let refused = Page::of(browser.post(&path, &[("code", backup)]).await, 422);
    assert_eq!(refused.wrong(), ["code"], "a backup code is worth no others");
    test.pass(STEP);
    let renewed = Page::of(browser.post(&path, &[("code", &device.code(test, 0))]).await, 200);
    assert!(!renewed.says(backup) && renewed.says("Guardei os códigos"));
    assert!(renewed.says("Guarde os códigos agora") && !renewed.says("Guarde o segredo"));

    test.pass(STEP);
    let off = format!("{STEP_PAGE}/remove");
    let wrong = [("password", "a guess"), ("code", &*device.code(test, 0))];
    assert_eq!(Page::of(browser.post(&off, &wrong).await, 422).wrong(), ["password"]);
    let wrong = [("password", PASSWORD), ("code", &*device.wrong_code(test))];
    assert_eq!(Page::of(browser.post(&off, &wrong).await, 422).wrong(), ["code"]);
    let right = [("password", PASSWORD), ("code", &*device.code(test, 0))];
    assert_eq!(next(&browser.post(&off, &right).await), SECURITY);
    assert!(browser.page(SECURITY).await.says("Desligada"));
    assert_eq!(next(&browser.get(&off).await), SECURITY);
    assert_eq!(next(&browser.get(&path).await), SECURITY);
}

#[story::test]
async fn to_begin_a_second_step_takes_a_recent_proof(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    test.pass(MINUTES);
    let fields = [("next", "/account/team"), ("password", PASSWORD)];
    let asked = browser.post(STEP_PAGE, &fields).await;
    let page = browser.land(asked).await;
    assert_eq!(page.heading(), "Confirme que é você");
    let back = page.hidden("next").expect("leads back");
    let proved = browser.post("/account/elevate", &[("next", back), ("proof", PASSWORD)]).await;
    let form = browser.land(proved).await;
    assert_eq!(form.hidden("next"), Some("/account/team"), "{}", form.text);
    started(&browser, "").await;
}

#[story::test]
async fn a_browser_that_was_left_open_begins_no_second_step(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    assert_eq!(browser.page(STEP_PAGE).await.label("password"), Some("Senha"));
    for password in ["", "a guess"] {
        let fields = [("next", "/account/team"), ("password", password)];
        let refused = Page::of(browser.post(STEP_PAGE, &fields).await, 422);
        assert_eq!(refused.wrong(), ["password"]);
        assert_eq!(refused.hidden("next"), Some("/account/team"));
        assert!(!refused.says("otpauth://") && !refused.says("a guess"), "{}", refused.text);
    }
    assert!(audit::entries(&shop.owner, "two_factor.enabled").await.is_empty());
}

#[story::test]
async fn a_wrong_code_shows_the_secret_to_no_other_session(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let other = Browser::signed_in(test, EMAIL).await;
    let (_, app) = started(&browser, "").await;
    let refused = confirm(&other, "000000", "").await;
    assert!(next(&refused).starts_with(STEP_PAGE));
    assert!(!other.land(refused).await.says("otpauth://"));
    // The session that began it is where it was.
    assert!(Page::of(confirm(&browser, "000000", "").await, 422).says("otpauth://"));
    let code = app.code(test.app.now(), 0);
    assert!(next(&confirm(&other, &code, "").await).starts_with(STEP_PAGE));
    Page::of(confirm(&browser, &code, "").await, 200);
}

#[story::test]
async fn a_password_is_changed_by_who_knows_it_and_ends_the_other_sessions(
    test: &TestApp,
    shop: Shop,
) {
    let (browser, other) =
        (Browser::signed_in(test, EMAIL).await, Browser::signed_in(test, EMAIL).await);
    let path = format!("{SECURITY}/password");
    let form = browser.page(&path).await;
    assert_eq!(form.label("newPassword"), Some("Senha nova"));
    let send = async |current: &str, new: &str| {
        browser.post(&path, &[("currentPassword", current), ("newPassword", new)]).await
    };
    assert_eq!(Page::of(send("", "x").await, 422).wrong(), ["currentPassword"]);
    assert_eq!(Page::of(send(PASSWORD, "short").await, 422).wrong(), ["newPassword"]);
    let wrong = Page::of(send("a guess", "outra senha longa").await, 422);
    assert_eq!(wrong.wrong(), ["currentPassword"]);
    assert!(other.is_in().await);
    assert_eq!(next(&send(PASSWORD, "outra senha longa").await), SECURITY);
    assert!(browser.is_in().await && !other.is_in().await);
    shop.owner.get("/api/auth/me").await.expect(401);
}

#[story::test]
async fn sessions_are_listed_and_one_or_all_others_end(test: &TestApp) {
    test.shop("Loja").await;
    let agent = "Mozilla/5.0 (Linux; Android 14) Chrome/130.0 Mobile Safari/537.36";
    let browser = Browser::new(test).with("user-agent", agent);
    browser.sign_in(EMAIL, PASSWORD).await;
    let hostile = Browser::new(test).with("user-agent", HOSTILE).from("203.0.113.9");
    hostile.sign_in(EMAIL, PASSWORD).await;
    let page = browser.page(SECURITY).await;
    without_harm(&page);
    for said in ["Chrome em Android", "Esta sessão", "203.0.113.9", "Programa, pela API"] {
        assert!(page.says(said), "{said} {}", page.text);
    }
    let ids: Vec<_> = page.text.split("name=\"session\" value=\"").skip(1).collect();
    let id = ids[0].split('"').next().expect("is quoted");
    let end = format!("{SECURITY}/end");
    for said in ["A sessão foi encerrada.", "já tinha terminado"] {
        let ended = browser.post(&end, &[("session", id)]).await;
        assert!(browser.land(ended).await.says(said), "{said}");
    }
    assert!(!hostile.is_in().await && browser.is_in().await);
    browser.land(browser.post(&end, &[]).await).await;
    let left = browser.page(SECURITY).await;
    assert!(!left.says("Programa, pela API") && !left.says("Encerrar todas as outras"));
}

#[story::test]
async fn the_session_of_another_person_is_as_unknown(test: &TestApp, shop: Shop) {
    let other = test.shop("Outra").await;
    let theirs = other.owner.list("/api/auth/sessions").await;
    let theirs = theirs[0]["id"].as_str().expect("has an id").to_owned();
    let browser = Browser::signed_in(test, EMAIL).await;
    let ended = browser.post(&format!("{SECURITY}/end"), &[("session", &theirs)]).await;
    assert!(browser.land(ended).await.says("já tinha terminado"));
    other.owner.get("/api/auth/me").await.expect(200);
    shop.owner.get("/api/auth/me").await.expect(200);
}

#[story::test]
async fn five_wrong_codes_end_the_session_they_were_typed_in_and_no_one_is_locked_out(
    test: &TestApp,
    shop: Shop,
) {
    let device = Device::enrolled(test, &shop.owner).await;
    let owners = Browser::signed_in_with(test, &device).await;
    let stolen = Browser::new(test);
    let other = Browser::signed_in_with(test, &device).await;
    stolen.hold(COOKIE, &other.cookie(COOKIE).expect("is signed in"));
    let wrong = device.wrong_code(test);
    for _ in 0..4 {
        let tried = stolen.post("/account/elevate", &[("proof", &wrong)]).await;
        assert_eq!(tried.status, 422, "{}", tried.text);
    }
    let fifth = stolen.post("/account/elevate", &[("proof", &wrong)]).await;
    assert!(next(&fifth).starts_with("/sign-in"), "{}", next(&fifth));
    assert!(stolen.land(fifth).await.says("Cinco códigos errados"));
    assert!(!other.is_in().await && owners.is_in().await);
    test.pass(STEP);
    let proved = owners.post("/account/elevate", &[("proof", &device.code(test, 0))]).await;
    assert_eq!(next(&proved), "/dashboard");
    let entries = audit::entries(&shop.owner, "session.ended_by_codes").await;
    assert_eq!(entries.len(), 1);
    // A right code forgets the wrong ones from before.
    for _ in 0..4 {
        assert_eq!(owners.post("/account/elevate", &[("proof", &wrong)]).await.status, 422);
    }
    test.pass(STEP);
    owners.post("/account/elevate", &[("proof", &device.code(test, 0))]).await;
    assert_eq!(owners.post("/account/elevate", &[("proof", &wrong)]).await.status, 422);
    assert!(owners.is_in().await);
}

#[story::test]
async fn an_elevation_whose_answer_is_lost_ends_no_session_and_elevates_no_copy(
    test: &TestApp,
    shop: Shop,
) {
    let device = Device::enrolled(test, &shop.owner).await;
    let browser = Browser::signed_in_with(test, &device).await;
    test.pass(MINUTES);
    let before = browser.cookie(COOKIE).expect("is signed in");
    let elevate = async |browser: &Browser| {
        browser.post("/account/elevate", &[("proof", &device.code(test, 0))]).await
    };
    next(&elevate(&browser).await);
    let lost = Browser::new(test);
    lost.hold(COOKIE, &before);
    assert!(lost.is_in().await, "the cookie from before is good for a minute");
    let begin = lost.post("/account/team/invite", &invitation(&lost).await).await;
    assert!(next(&begin).starts_with("/account/elevate"), "and proves nothing");
    test.pass(STEP);
    next(&elevate(&lost).await);
    assert!(lost.is_in().await && lost.cookie(COOKIE) != Some(before.clone()));
    let copy = Browser::new(test);
    copy.hold(COOKIE, &before);
    test.pass(Duration::from_mins(1));
    assert!(!copy.is_in().await, "after the minute it opens nothing");
    assert!(lost.is_in().await);
}

/// The form of an invitation, filled in.
async fn invitation(browser: &Browser) -> [(&'static str, &'static str); 3] {
    let page = browser.page("/account/team/invite").await;
    let attempt = page.hidden("attempt").expect("has one").to_owned();
    [("email", "bia@example.com"), ("role", "VIEWER"), ("attempt", attempt.leak())]
}
