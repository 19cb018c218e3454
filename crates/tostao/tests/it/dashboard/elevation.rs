//! Proving again who is there, before what opens real money.

use std::time::Duration;

use super::{Browser, COOKIE, EMAIL, next};
use crate::audit;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::harness::{TestApp, rate_limited};
use crate::payout_keys;
use crate::second_step::Device;

const KEYS: &str = "/dashboard/prod/developers/keys";
const PROVE: &str = "/account/elevate";
const MINUTES: Duration = Duration::from_mins(10);

/// Fills in the form of a new key and posts it.
async fn ask_for_key(browser: &Browser, form: &Page) -> Reply {
    let attempt = form.hidden("attempt").expect("has one").to_owned();
    let name = form.value("name").to_owned();
    let name = if name.is_empty() { "loja-web".to_owned() } else { name };
    let fields = [("name", &*name), ("everything", "true"), ("attempt", &*attempt)];
    browser.post(&format!("{KEYS}/new"), &fields).await
}

/// Asks for a key of production in a session whose proof is too old; answers the page that asks
/// for another one.
async fn asked(test: &TestApp, browser: &Browser) -> Page {
    test.pass(MINUTES);
    let form = browser.page(&format!("{KEYS}/new")).await;
    let asked = ask_for_key(browser, &form).await;
    assert!(next(&asked).starts_with("/account/elevate?next="), "{}", next(&asked));
    browser.land(asked).await
}

async fn prove(browser: &Browser, page: &Page, proof: &str) -> Reply {
    let back = page.hidden("next").expect("leads back");
    browser.post(PROVE, &[("next", back), ("proof", proof)]).await
}

#[story::test]
async fn a_key_of_production_waits_for_a_code_and_the_form_comes_back_filled(
    test: &TestApp,
    shop: Shop,
) {
    let device = Device::enrolled(test, &shop.owner).await;
    let browser = Browser::signed_in_with(test, &device).await;
    let page = asked(test, &browser).await;
    assert_eq!(page.heading(), "Confirme que é você");
    assert_eq!(page.label("proof"), Some("Código de verificação"));
    let wrong = Page::of(prove(&browser, &page, &device.wrong_code(test)).await, 422);
    assert_eq!(wrong.wrong(), ["proof"]);
    assert_eq!(Page::of(prove(&browser, &wrong, " ").await, 422).wrong(), ["proof"]);
    let password = Page::of(prove(&browser, &wrong, PASSWORD).await, 422);
    assert_eq!(password.wrong(), ["proof"], "the password is not enough");
    let before = browser.cookie(COOKIE).expect("is signed in");
    let form = browser.land(prove(&browser, &wrong, &device.code(test, 0)).await).await;
    assert!(form.says("O formulário está como você o preencheu."), "{}", form.text);
    assert_eq!(form.value("name"), "loja-web");
    let made = Page::of(ask_for_key(&browser, &form).await, 200);
    assert!(made.within("<code id=\"secret\"", "</code>").is_some(), "{}", made.text);
    let entries = audit::entries(&shop.owner, "session.elevated").await;
    assert_eq!(entries[0]["details"]["with"], "app");

    // A copy of the cookie from before is not elevated too, and opens nothing after a minute.
    let copied = Browser::new(test);
    copied.hold(COOKIE, &before);
    test.pass(Duration::from_mins(1));
    assert!(browser.is_in().await && !copied.is_in().await);
}

#[story::test]
async fn a_person_without_a_second_step_gives_their_password(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    test.pass(MINUTES);
    let page = browser.page(&format!("{PROVE}?next=/dashboard/dev/transactions")).await;
    assert_eq!(page.label("proof"), Some("Senha"));
    let wrong = Page::of(prove(&browser, &page, "a guess").await, 422);
    assert!(wrong.says("Senha errada."));
    let done = prove(&browser, &wrong, PASSWORD).await;
    assert_eq!(next(&done), "/dashboard/dev/transactions");
    assert!(browser.is_in().await);
    let entries = audit::entries(&shop.owner, "session.elevated").await;
    assert_eq!(entries[0]["details"]["with"], "password");
}

#[story::test]
async fn a_proof_leads_to_pages_of_ours_alone(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    for foreign in ["https://evil.example", "//evil.example", "/pay/x"] {
        let page = browser.page(&format!("{PROVE}?next={foreign}")).await;
        assert_eq!(page.hidden("next"), Some("/dashboard"));
        let done = browser.post(PROVE, &[("next", foreign), ("proof", PASSWORD)]).await;
        assert_eq!(next(&done), "/dashboard");
    }
    let stranger = Browser::new(test);
    assert!(next(&stranger.get(PROVE).await).starts_with("/sign-in"));
    assert!(next(&stranger.post(PROVE, &[("proof", PASSWORD)]).await).starts_with("/sign-in"));
}

#[story::test(rate_limited)]
async fn proofs_are_limited_as_sign_ins_are(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let browser = Browser::signed_in_with(test, &device).await;
    let page = asked(test, &browser).await;
    let wrong = async || {
        let wrong = prove(&browser, &page, &device.wrong_code(test)).await;
        assert_eq!(wrong.status, 422, "{}", wrong.text);
    };
    for _ in 0..4 {
        wrong().await;
    }
    next(&prove(&browser, &page, &device.code(test, 0)).await);
    wrong().await;
    let waiting = Page::of(prove(&browser, &page, &device.code(test, 0)).await, 429);
    assert!(waiting.says("Muitas tentativas"));
    assert_eq!(waiting.header("retry-after"), Some("900"));
}

#[story::test]
async fn a_choice_that_asks_for_a_proof_is_still_chosen_afterwards(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let browser = Browser::signed_in_with(test, &device).await;
    let form = browser.page(&format!("{KEYS}/new")).await;
    Page::of(ask_for_key(&browser, &form).await, 200);
    let key = shop.owner.list("/api/credentials").await;
    let key = key.iter().find(|key| key["name"] == "loja-web").expect("was made");
    let path = format!("{KEYS}/{}/rotate", key["id"].as_str().expect("has an id"));
    test.pass(MINUTES);
    let form = browser.page(&path).await;
    assert_eq!(form.chosen(), Some("86400"));
    let attempt = form.hidden("attempt").expect("has one");
    let fields = [("gracePeriodSeconds", "0"), ("attempt", attempt)];
    let page = browser.land(browser.post(&path, &fields).await).await;
    let back = browser.land(prove(&browser, &page, &device.code(test, 0)).await).await;
    assert_eq!(back.chosen(), Some("0"));
}

#[story::test]
async fn real_money_leaves_by_a_page_only_after_a_proof(test: &TestApp, shop: Shop) {
    let form = "/dashboard/prod/balance/withdraw";
    let saved = payout_keys::add(&shop.owner, "ana@example.com").await;
    payout_keys::make_usable(test).await;
    let without = Browser::signed_in(test, EMAIL).await;
    let device = Device::enrolled(test, &shop.owner).await;
    let browser = Browser::signed_in_with(test, &device).await;
    test.pass(MINUTES);
    let fields = [("amountCents", "10,00"), ("payoutKeyId", id(&saved))];
    let asked = browser.land(browser.post(form, &fields).await).await;
    assert_eq!(asked.heading(), "Confirme que é você");
    let back = browser.land(prove(&browser, &asked, &device.code(test, 0)).await).await;
    assert_eq!(back.value("amountCents"), "10,00");
    assert!(back.says("ana@example.com"), "{}", back.text);
    let again = without.land(without.post(form, &fields).await).await;
    assert_eq!(again.heading(), "Confirme que é você", "the earlier session proved less");
    let withdrawals = shop.owner.with("x-dev-mode", "false").list("/api/withdraws").await;
    assert!(withdrawals.is_empty());
}
