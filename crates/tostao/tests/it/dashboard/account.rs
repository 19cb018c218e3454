//! A person's profile, their business, the mails they get, and the history of their account.

use serde_json::json;

use super::{Browser, EMAIL, HOSTILE, join, next, typed, without_harm};
use crate::audit;
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{PASSWORD, Shop};

const PROFILE: &str = "/account/profile";
const BUSINESS: &str = "/account/business";
const EDIT: &str = "/account/business/edit";
const AUDIT: &str = "/account/audit";

#[story::test]
async fn a_person_changes_their_name_once_however_often_the_form_is_sent(
    test: &TestApp,
    shop: Shop,
) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let form = browser.page(PROFILE).await;
    assert_eq!((form.heading(), form.value("name")), ("Perfil", "Loja"));
    assert!(form.says(EMAIL) && form.says("href=\"/account/profile/email\""), "{}", form.text);
    let fields = typed(&browser, PROFILE, &[("name", "Ana")]).await;
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(PROFILE, &fields).await), PROFILE);
    }
    assert_eq!(browser.page(PROFILE).await.value("name"), "Ana");
    assert_eq!(audit::entries(&shop.owner, "profile.updated").await.len(), 1);
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    assert_eq!((&me["person"]["name"], &me["user"]["name"]), (&json!("Ana"), &json!("Loja")));
    let bad = typed(&browser, PROFILE, &[("name", " ")]).await;
    assert_eq!(Page::of(browser.post_typed(PROFILE, &bad).await, 422).wrong(), ["name"]);
    let hostile = typed(&browser, PROFILE, &[("name", HOSTILE)]).await;
    browser.post_typed(PROFILE, &hostile).await;
    without_harm(&browser.page(PROFILE).await);
    without_harm(&browser.page("/account/team").await);
    without_harm(&browser.page(AUDIT).await);
}

#[story::test]
async fn an_owner_says_who_the_business_is_and_its_document_stays(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(browser.page(BUSINESS).await.says("Ainda não verificada"));
    let values = [("name", "Café da Ana"), ("phone", "+5511987654321"), ("document", "1")];
    let bad = typed(&browser, EDIT, &values).await;
    let refused = Page::of(browser.post_typed(EDIT, &bad).await, 422);
    assert_eq!((refused.wrong(), refused.value("name")), (vec!["document"], "Café da Ana"));
    let values = [values[0], values[1], ("document", "529.982.247-25")];
    let good = typed(&browser, EDIT, &values).await;
    assert_eq!(next(&browser.post_typed(EDIT, &good).await), BUSINESS);
    let shown = browser.page(BUSINESS).await;
    assert!(shown.says("Café da Ana") && shown.says("529.982.247-25"), "{}", shown.text);
    let form = browser.page(EDIT).await;
    assert!(!form.has("document") && form.says("Não muda"));
    let entries = audit::entries(&shop.owner, "account.updated").await;
    assert_eq!(entries[0]["details"]["changed"], "name, phone, document");
    let other = json!({ "document": "11.222.333/0001-81" });
    let refused = shop.owner.patch("/api/auth/account", other).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
}

#[story::test]
async fn who_owns_nothing_sees_why_the_business_is_not_theirs_to_change(
    test: &TestApp,
    shop: Shop,
) {
    join(test, &shop, "bia@example.com", "MANAGER").await;
    let browser = Browser::signed_in(test, "bia@example.com").await;
    assert!(browser.page(BUSINESS).await.says("Só titulares mudam"));
    assert_eq!(browser.get(EDIT).await.status, 403);
    assert_eq!(browser.post(EDIT, &[("name", "Outra"), ("attempt", "x")]).await.status, 403);
}

#[story::test]
async fn the_page_about_mails_names_each_kind_and_who_gets_it(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page("/account/notifications").await;
    assert!(page.says(EMAIL) && page.says("Um saque foi pago") && page.says("Sua senha mudou"));
    assert!(page.says("Este servidor não envia e-mails"));
}

#[story::test]
async fn the_history_is_found_by_person_action_and_period(test: &TestApp, shop: Shop) {
    join(test, &shop, "bia@example.com", "MANAGER").await;
    let bia = Browser::signed_in(test, "bia@example.com").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let all = browser.page(AUDIT).await;
    for said in ["Convidou uma pessoa", "Aceitou um convite", "Entrou na conta", "Bia", "Loja"] {
        assert!(all.says(said), "{said} {}", all.text);
    }
    assert!(
        all.says("Segunda etapa ao entrar: sem código") && !all.says("secondStep"),
        "{}",
        all.text
    );
    shop.key_for("development", &["products:read", "coupons:read"]).await;
    let made = audit::entries(&shop.owner, "api_key.created").await;
    let mut given = made.iter().filter_map(|entry| entry["details"]["permissions"].as_array());
    let given = given.find(|given| given.len() == 2).expect("was made").iter();
    let given: Vec<_> = given.map(|one| one.as_str().expect("is text")).collect();
    let keys = browser.page(&format!("{AUDIT}?action=api_key.created")).await;
    assert!(keys.says(&format!(">Permissões: {}</small>", given.join(", "))), "{}", keys.text);
    let members = shop.owner.list("/api/members").await;
    let id = members.iter().find(|one| one["name"] == "Bia").expect("joined")["id"].clone();
    let id = id.as_str().expect("is an id");
    let hers = bia.page(&format!("{AUDIT}?actorId={id}&action=member.joined")).await;
    let rows = hers.within("<tbody", "</tbody>").expect("has rows");
    assert_eq!(rows.matches("<tr>").count(), 1, "{rows}");
    let of_api = shop.owner.list(&format!("/api/audit?actorId={id}")).await;
    assert!(of_api.iter().all(|entry| entry["actor"]["id"] == id) && !of_api.is_empty());
    let none = browser.page(&format!("{AUDIT}?from=2020-01-01&to=2020-01-31")).await;
    assert!(none.says("Nada no histórico passa por estes filtros.") && none.says("01/01/2020"));
    let wrong = Page::of(browser.get(&format!("{AUDIT}?from=x&action=y")).await, 400);
    assert_eq!(wrong.wrong(), ["action", "from"]);
    for role in ["SUPPORT", "DEVELOPER", "VIEWER"] {
        let email = format!("{}@example.com", role.to_lowercase());
        join(test, &shop, &email, role).await;
        let browser = Browser::signed_in(test, &email).await;
        assert_eq!(browser.get(AUDIT).await.status, 403, "{role}");
    }
}

#[story::test]
async fn the_pages_are_whole_in_english_and_outside_of_both_modes(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await.with("accept-language", "en");
    let pages = ["profile", "business", "security", "team", "notifications", "audit"];
    let names = ["Profile", "Business", "Security", "Team", "Emails", "History"];
    for (page, name) in pages.iter().zip(names) {
        let page = browser.page(&format!("/account/{page}")).await;
        assert_eq!((page.language(), page.heading()), ("en", name));
        assert!(page.says("Your account") && page.says("Back to the dashboard"));
        assert!(page.says("The same by the API"));
    }
    assert_eq!(browser.get("/account/nothing").await.status, 404);
    let stranger = Browser::new(test);
    assert!(next(&stranger.get(PROFILE).await).starts_with("/sign-in?next=%2Faccount"));
    let fields = [("email", EMAIL), ("password", PASSWORD), ("next", PROFILE)];
    assert_eq!(next(&stranger.post("/sign-in", &fields).await), PROFILE);
}
