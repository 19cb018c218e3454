//! The second step of a sign-in in a browser.

use std::time::Duration;

use serde_json::json;

use super::{Browser, COOKIE, EMAIL, next};
use crate::audit;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::PASSWORD;
use crate::harness::{TestApp, rate_limited};
use crate::second_step::{Device, STEP};

/// Types the email and the password, and comes to the page that asks for a code.
async fn asked(browser: &Browser) -> Page {
    let wanted = "/dashboard/dev?page=2";
    let fields = [("email", EMAIL), ("password", PASSWORD), ("next", wanted)];
    let page = Page::of(browser.post("/sign-in", &fields).await, 200);
    assert_eq!(page.heading(), "Código de verificação");
    assert_eq!(browser.cookie(COOKIE), None, "no session before the code");
    page
}

/// Types a code there.
async fn typed(browser: &Browser, page: &Page, code: &str) -> Reply {
    let proved = page.hidden("proved").expect("is sealed");
    browser.post("/sign-in/code", &[("proved", proved), ("code", code)]).await
}

#[story::test]
async fn a_password_alone_opens_no_page_of_a_person_with_a_second_step(test: &TestApp) {
    let owner = test.shop("Loja").await.owner;
    let device = Device::enrolled(test, &owner).await;
    test.pass(STEP);
    let browser = Browser::new(test);
    let page = asked(&browser).await;
    assert!(!browser.is_in().await);
    let wrong = Page::of(typed(&browser, &page, &device.wrong_code(test)).await, 422);
    assert_eq!(wrong.wrong(), ["code"]);
    assert_eq!(Page::of(typed(&browser, &wrong, " ").await, 422).wrong(), ["code"]);
    assert!(!browser.is_in().await);
    let entered = typed(&browser, &wrong, &device.code(test, 0)).await;
    assert_eq!(next(&entered), "/dashboard/dev?page=2");
    assert!(browser.is_in().await);
    let entry = &audit::entries(&owner, "sign_in.succeeded").await[0];
    assert_eq!(entry["details"], json!({ "secondStep": "app" }));
}

#[story::test(rate_limited)]
async fn codes_are_limited_as_passwords_are(test: &TestApp) {
    let owner = test.shop("Loja").await.owner;
    let device = Device::enrolled(test, &owner).await;
    let browser = Browser::new(test).from("198.51.100.7");
    let page = asked(&browser).await;
    for _ in 0..6 {
        assert_eq!(typed(&browser, &page, &device.wrong_code(test)).await.status, 422);
    }
    let right = async |page: &Page| typed(&browser, page, &device.code(test, 1)).await;
    for (seconds, left) in [(0, "900"), (60, "840"), (480, "360")] {
        test.pass(Duration::from_secs(seconds));
        let waiting = Page::of(right(&page).await, 429);
        assert!(waiting.says("Muitas tentativas"), "{}", waiting.text);
        assert_eq!(waiting.header("retry-after"), Some(left));
        assert!(!browser.is_in().await, "after {seconds} s more");
    }
    let lacks = audit::entries(&owner, "sign_in.password_only").await;
    assert_eq!((lacks.len(), &lacks[6]["details"]["code"]), (7, &json!("missing")));
    assert_eq!(audit::entries(&owner, "sign_in.succeeded").await.len(), 1);
    // The page of the first password is late by then, and the limit is the person's.
    test.pass(Duration::from_secs(359));
    let page = asked(&browser).await;
    let waiting = Page::of(right(&page).await, 429);
    assert_eq!(waiting.header("retry-after"), Some("1"));
    test.pass(Duration::from_secs(1));
    assert_eq!(next(&right(&page).await), "/dashboard/dev?page=2");
    assert!(browser.is_in().await);
}

#[story::test]
async fn a_code_signs_one_browser_in_and_a_backup_code_another(test: &TestApp) {
    let owner = test.shop("Loja").await.owner;
    let device = Device::enrolled(test, &owner).await;
    test.pass(STEP);
    let (first, second) = (Browser::new(test), Browser::new(test));
    let (page, other) = (asked(&first).await, asked(&second).await);
    let code = device.code(test, 0);
    assert_eq!(typed(&first, &page, &code).await.status, 303);
    assert_eq!(typed(&second, &other, &code).await.status, 422);
    let backup = &device.backup_codes[0];
    assert_eq!(typed(&second, &other, backup).await.status, 303);
    let third = Browser::new(test);
    let page = asked(&third).await;
    assert_eq!(typed(&third, &page, backup).await.status, 422);
}

#[story::test]
async fn the_password_counts_for_ten_minutes_and_until_it_is_changed(test: &TestApp) {
    let owner = test.shop("Loja").await.owner;
    let device = Device::enrolled(test, &owner).await;
    test.pass(STEP);
    let browser = Browser::new(test);
    let page = asked(&browser).await;
    let changed = json!({ "currentPassword": PASSWORD, "newPassword": "outra senha longa" });
    owner.post("/api/auth/password", changed).await.expect(200);
    let late = typed(&browser, &page, &device.code(test, 0)).await;
    assert_eq!(next(&late), "/sign-in");
    assert!(browser.land(late).await.says("Entre de novo"));
    let back = json!({ "currentPassword": "outra senha longa", "newPassword": PASSWORD });
    owner.post("/api/auth/password", back).await.expect(200);

    let page = asked(&browser).await;
    test.pass(STEP * 20);
    assert_eq!(next(&typed(&browser, &page, &device.code(test, 0)).await), "/sign-in");
    let forged = [("proved", "AAAA"), ("code", "123456")];
    assert_eq!(next(&browser.post("/sign-in/code", &forged).await), "/sign-in");
}
