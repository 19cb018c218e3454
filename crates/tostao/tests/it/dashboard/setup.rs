//! The addresses that the program prints: the first account, and signing in to the demo.

use std::time::Duration;

use db::database::Dialect;
use futures_util::future::{join, join_all};
use serde_json::json;
use tostao::people;
use tostao::platform::config::Registration;
use tostao::registration::setup;

use super::{Browser, COOKIE, EMAIL, HOSTILE, next};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::page::Page;
use crate::harness::shop::PASSWORD;

const BIA: &str = "bia@example.com";
const TYPED: [(&str, &str); 3] = [("name", "Loja"), ("email", EMAIL), ("password", PASSWORD)];

/// The address that a server without accounts prints; `None` if there is one.
async fn printed(test: &TestApp) -> Option<String> {
    let made = test.app.transact(async |tx| setup::link_if_empty(tx).await).await;
    made.expect("is made").map(|(token, _)| format!("/setup/{}", token.expose()))
}

/// The address that the demo prints for its shop.
async fn of_demo(test: &TestApp) -> String {
    let made = test.app.transact(async |tx| {
        let owner = people::find_by_email(tx, EMAIL).await?.expect("has an account");
        let accounts = people::accounts_of(tx, owner.id).await?;
        setup::link_into(tx, accounts[0]).await
    });
    format!("/setup/{}", made.await.expect("is made").0.expose())
}

#[story::test(|settings| settings.registration = Registration::Closed)]
async fn the_first_person_opens_their_account_though_registration_is_closed(test: &TestApp) {
    let place = printed(test).await.expect("there is no account");
    let browser = Browser::new(test);
    let form = browser.page(&place).await;
    assert_eq!(form.heading(), "Primeira conta deste servidor");
    let home = browser.land(browser.post(&place, &TYPED).await).await;
    assert!(home.says("Conta criada.") && home.says("Loja"), "{}", home.text);
    assert!(browser.is_in().await);
    assert_eq!(printed(test).await, None);
    let over = Page::of(browser.get(&place).await, 404);
    assert!(over.says("Este endereço não vale mais") && over.says("Peça outro"));
    let other = Browser::new(test);
    let fields = [("name", "Outra"), ("email", BIA), ("password", PASSWORD)];
    Page::of(other.post(&place, &fields).await, 404);
    assert_eq!(other.cookie(COOKIE), None);
    let again = Browser::new(test);
    next(&again.post(&place, &TYPED).await);
    assert!(again.is_in().await, "a second press leads to the same account");
    let accounts = Engine::open(test).await.rows("select name from merchants").await;
    assert_eq!(accounts, [["Loja"]]);
}

#[story::test]
async fn an_address_works_for_half_an_hour_and_only_its_hash_is_stored(test: &TestApp) {
    let place = printed(test).await.expect("there is no account");
    let stored = Engine::open(test).await.rows("select created_at || '' from setup_links").await;
    assert_eq!(stored.len(), 1);
    let browser = Browser::new(test);
    test.pass(Duration::from_mins(29));
    browser.page(&place).await;
    test.pass(Duration::from_mins(1));
    Page::of(browser.get(&place).await, 404);
    Page::of(browser.post(&place, &TYPED).await, 404);
    for wrong in ["/setup/x", "/setup/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        Page::of(browser.get(wrong).await, 404);
    }
    tostao::housekeeping::run(&test.app).await.expect("runs");
    let left = Engine::open(test).await.rows("select created_at || '' from setup_links").await;
    assert_eq!(left, [[""; 0]; 0]);
}

#[story::test]
async fn a_refused_form_uses_no_address_up(test: &TestApp) {
    let place = printed(test).await.expect("there is no account");
    let browser = Browser::new(test);
    let fields = [("name", ""), ("email", "loja"), ("password", "123")];
    let refused = Page::of(browser.post(&place, &fields).await, 422);
    assert_eq!(refused.wrong(), ["name", "email", "password"]);
    assert_eq!(refused.value("email"), "loja");
    let fields = [("name", HOSTILE), ("email", "x"), ("password", PASSWORD)];
    let refused = Page::of(browser.post(&place, &fields).await, 422);
    assert!(!refused.says("<script>alert"));
    let fields = [("name", "4111 1111 1111 1111"), ("email", EMAIL), ("password", PASSWORD)];
    let refused = Page::of(browser.post(&place, &fields).await, 422);
    assert!(refused.wrong() == ["name"] && !refused.says("4111"));
    let foreign = Browser::new(test).with("origin", "https://evil.example");
    assert_eq!(foreign.get(&place).await.status, 200);
    next(&browser.post(&place, &TYPED).await);
}

#[story::test(|settings| settings.registration = Registration::Closed)]
async fn a_program_opens_the_first_account_by_the_api(test: &TestApp) {
    let place = printed(test).await.expect("there is no account");
    let token = place.strip_prefix("/setup/").expect("is a path");
    let body = |email: &str| {
        let (name, password) = ("Loja", PASSWORD);
        json!({ "token": token, "name": name, "email": email, "password": password })
    };
    let refused = test.anyone().post("/api/auth/setup", body("loja")).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["email"]);
    let made = test.anyone().post("/api/auth/setup", body(EMAIL)).await.expect(201);
    assert_eq!(made["user"]["email"], EMAIL);
    let again = test.anyone().post("/api/auth/setup", body(BIA)).await;
    again.expect_refusal(404, "NOT_FOUND");
    Browser::signed_in(test, EMAIL).await;
}

/// Each node prints one when it starts.
#[story::test(|settings| settings.registration = Registration::Closed)]
async fn of_several_addresses_that_are_used_at_once_one_opens_an_account(test: &TestApp) {
    let mut bodies = Vec::new();
    for number in 0..4 {
        let place = printed(test).await.expect("there is no account");
        let token = place.strip_prefix("/setup/").expect("is a path");
        let email = format!("loja{number}@example.com");
        bodies
            .push(json!({ "token": token, "name": "Loja", "email": email, "password": PASSWORD }));
    }
    let open = |body| async move { test.anyone().post("/api/auth/setup", body).await.status };
    let mut statuses = join_all(bodies.into_iter().map(open)).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 404, 404, 404]);
    let accounts = Engine::open(test).await.rows("select name from merchants").await;
    assert_eq!(accounts, [["Loja"]]);
}

#[story::test(|settings| settings.registration = Registration::Closed)]
async fn an_address_that_is_made_while_the_first_account_opens_opens_no_second(test: &TestApp) {
    let (holder, watcher) = (Engine::open(test).await, Engine::open(test).await);
    let open = async |place: Option<String>, email: &str| {
        let place = place.expect("there is no account");
        let token = place.strip_prefix("/setup/").expect("is a path");
        let body = json!({ "token": token, "name": "Loja", "email": email, "password": PASSWORD });
        test.anyone().post("/api/auth/setup", body).await
    };
    // On an embedded engine nothing happens in the middle of a unit: one opens after the other.
    if holder.dialect() == Dialect::Sqlite {
        let (early, late) = (printed(test).await, printed(test).await);
        open(early, EMAIL).await.expect(201);
        open(late, BIA).await.expect_refusal(404, "NOT_FOUND");
        return;
    }
    // The first account stands still where it gets its person.
    holder.rows("begin").await;
    let person = format!(
        "insert into people (id, name, email, password_hash, created_at, updated_at)
         values ('00000000-0000-7000-8000-000000000001', 'a', '{EMAIL}', 'a', 0, 0)"
    );
    holder.rows(&person).await;
    let meanwhile = async {
        watcher.until_waiting(1).await;
        let late = printed(test).await;
        let release = async {
            watcher.until_waiting(2).await;
            holder.rows("rollback").await;
        };
        join(open(late, BIA), release).await.0
    };
    let (first, second) = join(open(printed(test).await, EMAIL), meanwhile).await;
    first.expect(201);
    second.expect_refusal(404, "NOT_FOUND");
}

#[story::test]
async fn the_address_of_the_demo_signs_in_once_by_a_button(test: &TestApp) {
    let shop = test.shop("Loja").await;
    assert_eq!(printed(test).await, None);
    let place = of_demo(test).await;
    let browser = Browser::new(test);
    for _ in 0..2 {
        assert!(browser.page(&place).await.says("uma vez, sem senha"), "looking changes nothing");
    }
    assert!(!browser.is_in().await);
    next(&browser.post(&place, &[]).await);
    assert!(browser.is_in().await);
    let other = Browser::new(test);
    Page::of(other.get(&place).await, 404);
    Page::of(other.post(&place, &[]).await, 404);
    assert_eq!(other.cookie(COOKIE), None);
    let demo = of_demo(test).await;
    let token = demo.strip_prefix("/setup/").expect("is a path");
    let made = json!({ "token": token, "name": "Outra", "email": BIA, "password": PASSWORD });
    test.anyone().post("/api/auth/setup", made).await.expect_refusal(404, "NOT_FOUND");
    assert!(shop.owner.total("/api/audit?action=sign_in.succeeded").await.as_i64() > Some(0));
}
