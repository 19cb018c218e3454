//! The keys to withdraw to in the dashboard: saved, chosen, and in production waited for.

use std::time::Duration;

use serde_json::Value;

use super::{Browser, EMAIL, HOSTILE, as_unknown, join, next, typed, without_harm};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};
use crate::payout_keys::add;
use crate::second_step::Device;

const LIST: &str = "/dashboard/dev/balance/keys";
const REAL: &str = "/dashboard/prod/balance/keys";
const FORM: &str = "/dashboard/dev/balance/withdraw";
const REAL_FORM: &str = "/dashboard/prod/balance/withdraw";
const API: &str = "/api/payout-keys";
const KEY: &str = "financas@example.com";
const FINANCE: &str = "bia@example.com";
const VIEWER: &str = "leitura@example.com";
const DAY: Duration = Duration::from_hours(24);

/// Saves a key by the form of a list.
async fn save(browser: &Browser, list: &str, label: &str) -> Reply {
    let fields = [("label", label), ("pixKeyType", "email"), ("pixKey", KEY)];
    let path = format!("{list}/new");
    let fields = typed(browser, &path, &fields).await;
    browser.post_typed(&path, &fields).await
}

#[story::test]
async fn finance_saves_a_key_and_withdraws_to_it(test: &TestApp, shop: Shop) {
    shop.sell(10_000).await;
    join(test, &shop, FINANCE, "FINANCE").await;
    let browser = Browser::signed_in(test, FINANCE).await;
    assert!(browser.page(LIST).await.says("Nenhuma chave salva ainda"));
    let fields = [("label", "Empresa"), ("pixKeyType", "email"), ("pixKey", KEY)];
    let path = format!("{LIST}/new");
    let fields = typed(&browser, &path, &fields).await;
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(&path, &fields).await), LIST, "a double click, too");
    }
    let [saved] = shop.key.list(API).await.try_into().expect("is one");
    let entries = shop.owner.list("/api/audit?action=payout_key.created").await;
    assert_eq!((entries.len(), &entries[0]["subjectId"]), (1, &saved["id"]));
    let page = browser.page(LIST).await;
    assert!(page.says("Empresa") && page.says("Pronta") && page.says(KEY), "{}", page.text);
    super::calls_answer(&shop, &page).await;

    let form = browser.page(FORM).await;
    assert!(form.says(&format!("Empresa: {KEY}")), "{}", form.text);
    let chosen = [("amountCents", "50,00"), ("payoutKeyId", id(&saved)), ("pixKey", "")];
    let review = Page::of(browser.post(FORM, &chosen).await, 200);
    assert!(review.heading().contains(KEY), "{}", review.text);
    let field = |name| (name, review.hidden(name).expect("is hidden").to_owned());
    let fields = ["attempt", "amountCents", "pixKeyType", "pixKey", "description"].map(field);
    next(&browser.post_typed(&format!("{FORM}/confirm"), &fields).await);
    let [withdrawal] = shop.key.list("/api/withdraws").await.try_into().expect("is one");
    assert_eq!(withdrawal["pixKey"], KEY);
    let unknown = [("amountCents", "50,00"), ("payoutKeyId", "x")];
    assert_eq!(Page::of(browser.post(FORM, &unknown).await, 422).wrong(), ["payoutKeyId"]);
}

#[story::test]
async fn a_key_is_deleted_by_typing_its_name(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    next(&save(&browser, LIST, HOSTILE).await);
    without_harm(&browser.page(LIST).await);
    without_harm(&browser.page(FORM).await);
    let [saved] = shop.key.list(API).await.try_into().expect("is one");
    let path = format!("{LIST}/{}/delete", id(&saved));
    let fields = typed(&browser, &path, &[("typed", "another")]).await;
    let page = Page::of(browser.post_typed(&path, &fields).await, 422);
    assert_eq!((page.wrong(), shop.key.list(API).await.len()), (vec!["typed"], 1));
    let fields = typed(&browser, &path, &[("typed", HOSTILE)]).await;
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(&path, &fields).await), LIST, "a double click, too");
    }
    assert_eq!(shop.key.list(API).await, [] as [Value; 0]);
    assert_eq!(shop.owner.list("/api/audit?action=payout_key.deleted").await.len(), 1);
}

#[story::test]
async fn what_is_wrong_with_a_key_is_said_in_the_form(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{LIST}/new");
    let fields = [("label", ""), ("pixKeyType", "cpf"), ("pixKey", KEY)];
    let fields = typed(&browser, &path, &fields).await;
    let page = Page::of(browser.post_typed(&path, &fields).await, 422);
    assert_eq!((page.wrong(), page.value("pixKey")), (vec!["label", "pixKey"], KEY));
    next(&save(&browser, LIST, "Empresa").await);
    let again = Page::of(save(&browser, LIST, "Outra").await, 422);
    assert!(again.says("Esta chave PIX já está salva."), "{}", again.text);
    assert_eq!(shop.key.list(API).await.len(), 1);
}

#[story::test]
async fn real_money_leaves_by_a_page_to_a_key_that_was_saved_a_day_ago(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let browser = Browser::signed_in_with(test, &device).await;
    let form = browser.page(REAL_FORM).await;
    assert!(form.says("Antes, salve uma chave PIX") && form.says(&format!("{REAL}/new")));
    assert!(!form.says("name=\"amountCents\""), "{}", form.text);
    let fields = [("amountCents", "10,00"), ("pixKeyType", "email"), ("pixKey", KEY)];
    let refused = Page::of(browser.post(REAL_FORM, &fields).await, 422);
    assert!(refused.says("você saca para uma chave salva"), "{}", refused.text);
    next(&save(&browser, REAL, "Empresa").await);
    assert!(browser.page(REAL).await.says("Em espera"));
    let waiting = browser.page(REAL_FORM).await;
    assert!(waiting.says("Suas chaves ainda não estão prontas"), "{}", waiting.text);
    let refused = Page::of(browser.post(REAL_FORM, &fields).await, 422);
    assert!(refused.says("só pode ser usada a partir de 22/11/2026"), "{}", refused.text);
    let [saved] = shop.owner.list(API).await.try_into().expect("is one");

    test.pass(DAY);
    let browser = Browser::signed_in_with(test, &device).await;
    let form = browser.page(REAL_FORM).await;
    assert!(form.says(&format!("Empresa: {KEY}")) && !form.says("name=\"pixKey\""));
    let chosen = [("amountCents", "10,00"), ("payoutKeyId", id(&saved))];
    // The rule is past; no bank is connected here.
    let asked = Page::of(browser.post(REAL_FORM, &chosen).await, 422);
    assert!(asked.says("ainda não ligou um banco"), "{}", asked.text);
    let other = [("amountCents", "10,00"), ("pixKeyType", "email"), ("pixKey", "x@example.com")];
    let refused = Page::of(browser.post(REAL_FORM, &other).await, 422);
    assert!(refused.says("você saca para uma chave salva"), "{}", refused.text);
    let none = Page::of(browser.post(REAL_FORM, &[("amountCents", "10,00")]).await, 422);
    assert_eq!(none.wrong(), ["payoutKeyId"]);
}

#[story::test]
async fn a_key_of_production_waits_for_a_code(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let browser = Browser::signed_in_with(test, &device).await;
    test.pass(Duration::from_mins(10));
    let asked = save(&browser, REAL, "Empresa").await;
    assert!(next(&asked).starts_with("/account/elevate?next="), "{}", next(&asked));
    assert_eq!(shop.owner.list(API).await, [] as [Value; 0]);
}

#[story::test]
async fn who_only_reads_sees_the_keys_and_why_they_cannot_change_them(test: &TestApp, shop: Shop) {
    let saved = add(&shop.owner.with("x-dev-mode", "true"), KEY).await;
    join(test, &shop, VIEWER, "VIEWER").await;
    let browser = Browser::signed_in(test, VIEWER).await;
    let page = browser.page(LIST).await;
    assert!(page.says(KEY) && page.says("disabled"), "{}", page.text);
    let delete = format!("{LIST}/{}/delete", id(&saved));
    for path in [format!("{LIST}/new"), delete.clone()] {
        assert_eq!(browser.get(&path).await.status, 403, "{path}");
    }
    assert_eq!(browser.post(&delete, &[("typed", "Conta da empresa")]).await.status, 403);
    assert_eq!(shop.key.list(API).await.len(), 1);
}

#[story::test]
async fn another_accounts_key_is_no_page(test: &TestApp, shop: Shop, other: Shop) {
    let theirs = add(&other.owner.with("x-dev-mode", "true"), KEY).await;
    let real = add(&shop.owner, KEY).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    for of_others in [&theirs, &real] {
        as_unknown(&browser, LIST, id(of_others), &["/delete"]).await;
    }
}
