//! Referrals in the dashboard: the code, those who came with it, and rewards moved to the balance.

use serde_json::json;

use super::{Browser, EMAIL, HOSTILE, calls_answer, join, next, typed, without_harm};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::Shop;
use crate::referrals::{HELD, code, invited};

const HOME: &str = "/dashboard/dev/referrals";
const REWARDS: &str = "/dashboard/dev/referrals/rewards";
const MOVED: &str = "/dashboard/dev/referrals/withdrawals";
const FORM: &str = "/dashboard/dev/referrals/withdraw";
const VIEWER: &str = "leitura@example.com";

#[story::test]
async fn a_code_is_made_by_a_form_and_never_by_looking(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    for _ in 0..2 {
        assert!(browser.page(HOME).await.says("ainda não tem um código de convite"));
    }
    let fields = typed(&browser, HOME, &[]).await;
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(&format!("{HOME}/code"), &fields).await), HOME);
    }
    let audit = "/api/audit?action=referral_code.created";
    assert_eq!(shop.owner.total(audit).await, 1);
    let page = browser.page(HOME).await;
    let made = shop.key.get("/api/referral/code").await.expect(200);
    let (code, url) = (made["code"].as_str().expect("is one"), made["url"].as_str());
    assert!(page.says(code) && page.says(url.expect("has one")) && page.says("class=\"qr\""));
    calls_answer(&shop, &page).await;
    let sent = test.anyone().get(&format!("/?inviteCode={code}")).await;
    assert_eq!(next(&sent), format!("/sign-up?code={code}"));
}

#[story::test]
async fn those_who_came_are_shown_with_why_and_what_they_brought(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(browser.page(HOME).await.says("Nenhuma conta veio pelo código ainda"));
    let guest = invited(test, "Ana Souza", &code(&shop).await).await;
    guest.sell(40_000).await;
    let page = browser.page(HOME).await;
    assert!(page.says("Ana S.") && page.says("Vendeu R$\u{a0}400,00 de R$\u{a0}1.000,00"));
    let referral = shop.key.get("/api/referral/history").await.expect(200);
    let of = referral["referrals"][0]["id"].as_str().expect("has one").to_owned();
    assert!(page.says(&format!("{REWARDS}?referralId={of}")), "{}", page.text);
    let rewards = browser.page(&format!("{REWARDS}?referralId={of}")).await;
    // 40,000 × 0.5 % = 200.
    assert!(rewards.says("R$\u{a0}2,00") && rewards.says("quando a venda não puder mais"));
    calls_answer(&shop, &rewards).await;
    guest.sell(60_000).await;
    assert!(browser.page(HOME).await.says("Chegou à meta em"));
    let none = browser.page(&format!("{HOME}?status=EXPIRED")).await;
    assert!(none.says("Nenhuma indicação passa por este filtro"));
    calls_answer(&shop, &none).await;
    let wrong = Page::of(browser.get(&format!("{HOME}?status=LATER")).await, 400);
    assert_eq!(wrong.wrong(), ["status"]);
    let wrong = Page::of(browser.get(&format!("{REWARDS}?status=LATER")).await, 400);
    assert_eq!(wrong.wrong(), ["status"]);
}

#[story::test]
async fn rewards_are_moved_after_a_review_and_by_a_double_click_once(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    guest.sell(100_000).await;
    test.run_jobs_after(HELD).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let released = browser.page(&format!("{REWARDS}?status=AVAILABLE")).await;
    // 100,000 × 0.5 % = 500, and 5,000 for the goal.
    assert!(released.says("R$\u{a0}5,00") && released.says("R$\u{a0}50,00"));
    assert!(browser.page(FORM).await.says("Disponíveis para mover: R$\u{a0}55,00."));
    assert!(browser.page(MOVED).await.says("Nada foi movido ainda"));
    let review = Page::of(browser.post(FORM, &[("amountCents", "20,00")]).await, 200);
    assert!(review.says("R$\u{a0}55,00 → R$\u{a0}35,00"), "{}", review.text);
    assert!(review.says("R$\u{a0}0,00 → R$\u{a0}20,00"), "{}", review.text);
    assert_eq!(shop.available().await, 0, "nothing has happened yet");
    let back =
        Page::of(browser.post(FORM, &[("amountCents", "20,00"), ("back", "yes")]).await, 200);
    assert_eq!(back.value("amountCents"), "20,00");
    let attempt = review.hidden("attempt").expect("is a hidden field");
    let fields = [("attempt", attempt), ("amountCents", "20,00")];
    for _ in 0..2 {
        assert_eq!(next(&browser.post(&format!("{FORM}/confirm"), &fields).await), HOME);
    }
    assert_eq!(shop.available().await, 2_000);
    let again = test.shop_again("Loja").await;
    assert_eq!(again.owner.total("/api/audit?action=referral_rewards.withdrawn").await, 1);
    let moved = browser.page(MOVED).await;
    assert!(moved.says("R$\u{a0}20,00"));
    calls_answer(&shop, &moved).await;
    let page = browser.page(HOME).await;
    assert!(page.says("R$\u{a0}35,00"), "{}", page.text);
}

#[story::test]
async fn what_cannot_be_moved_is_said_in_the_form(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    for typed in ["", "muito", "4111 1111 1111 1111"] {
        let refused = Page::of(browser.post(FORM, &[("amountCents", typed)]).await, 422);
        assert_eq!(refused.wrong(), ["amountCents"], "{typed}");
    }
    let refused = Page::of(browser.post(FORM, &[("amountCents", "1,00")]).await, 422);
    assert!(refused.says("Só R$\u{a0}0,00 estão liberados."), "{}", refused.text);
    assert_eq!(refused.value("amountCents"), "1,00");
    assert_eq!(shop.available().await, 0);
}

#[story::test]
async fn a_role_that_may_not_move_rewards_reads_them(test: &TestApp, shop: Shop) {
    join(test, &shop, VIEWER, "VIEWER").await;
    let browser = Browser::signed_in(test, VIEWER).await;
    let page = browser.page(HOME).await;
    assert!(page.says("O seu papel nesta conta não inclui isto."), "{}", page.text);
    browser.page(REWARDS).await;
    let fields = [("attempt", "x"), ("amountCents", "1,00")];
    for refused in [
        browser.get(FORM).await,
        browser.post(FORM, &fields).await,
        browser.post(&format!("{FORM}/confirm"), &fields).await,
        browser.post(&format!("{HOME}/code"), &fields).await,
    ] {
        assert!(Page::of(refused, 403).says("referrals:write"));
    }
}

#[story::test]
async fn the_rewards_of_another_account_are_not_shown(test: &TestApp, shop: Shop, other: Shop) {
    invited(test, "Ana", &code(&other).await).await.sell(40_000).await;
    let theirs = other.key.get("/api/referral/history").await.expect(200);
    let of = theirs["referrals"][0]["id"].as_str().expect("has one");
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(browser.page(&format!("{REWARDS}?referralId={of}")).await.says("Nenhuma recompensa"));
    assert_eq!(shop.key.get("/api/referral/history").await.expect(200)["pagination"]["total"], 0);
}

#[story::test]
async fn hostile_names_of_invited_accounts_are_text(test: &TestApp, shop: Shop) {
    let body = json!({
        "name": HOSTILE, "email": "ana@example.com",
        "password": crate::harness::shop::PASSWORD, "inviteCode": code(&shop).await,
    });
    test.anyone().post("/api/auth/register", body).await.expect(201);
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(HOME).await;
    without_harm(&page);
}
