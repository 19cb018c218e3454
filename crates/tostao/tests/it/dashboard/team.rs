//! The team of an account, on its pages.

use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, as_unknown, join, typed, without_harm};
use crate::audit;
use crate::harness::TestApp;
use crate::harness::authenticator::Authenticator;
use crate::harness::page::Page;
use crate::harness::shop::{PASSWORD, Shop};
use crate::second_step::Device;

const TEAM: &str = "/account/team";
const INVITE: &str = "/account/team/invite";
const BIA: &str = "bia@example.com";
/// What the forms about the team say to a person without a second step.
const NEEDS_STEP: &str = "A equipe só muda com a sua segunda etapa ligada.";

/// The browser of an owner with a second step, after some of the account's people joined.
async fn owner(test: &TestApp, shop: &Shop) -> (Browser, Device) {
    let device = Device::enrolled(test, &shop.owner).await;
    (Browser::signed_in_with(test, &device).await, device)
}

/// The id of a member by their email.
async fn id_of(shop: &Shop, email: &str) -> String {
    let members = shop.owner.list("/api/members").await;
    let member = members.iter().find(|one| one["email"] == email).expect("is a member");
    member["id"].as_str().expect("is an id").to_owned()
}

async fn open(shop: &Shop) -> Vec<Value> {
    shop.owner.list("/api/invitations").await
}

#[story::test]
async fn without_a_second_step_the_team_stays_and_the_form_comes_back_once_there_is_one(
    test: &TestApp,
    shop: Shop,
) {
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(browser.page(INVITE).await.says(NEEDS_STEP), "before the form is filled in");
    let fields = typed(&browser, INVITE, &[("email", BIA), ("role", "FINANCE")]).await;
    let refused = Page::of(browser.post_typed(INVITE, &fields).await, 403);
    assert_eq!(refused.heading(), "Ligue a segunda etapa primeiro");
    assert!(refused.says("TWO_FACTOR_MISSING") && open(&shop).await.is_empty());
    let lead = refused.text.split("href=\"/account/security/second-step?").nth(1);
    let lead = lead.and_then(|rest| rest.split('"').next()).expect("leads there");
    let page = browser.page(&format!("/account/security/second-step?{lead}")).await;
    let back = page.hidden("next").expect("leads back").to_owned();
    assert!(back.starts_with(INVITE), "{back}");
    let fields = [("next", &*back), ("password", PASSWORD)];
    let started = browser.post("/account/security/second-step", &fields).await;
    let started = Page::of(started, 200);
    let secret = started.within("<code id=\"secret\"", "</code>").expect("is shown").to_owned();
    let app = Authenticator::with(&secret);
    let fields = [("code", &*app.code(test.app.now(), 0)), ("next", &*back)];
    let codes = browser.post("/account/security/second-step/confirm", &fields).await;
    let codes = Page::of(codes, 200);
    let onward = codes.text.split("class=\"action main\" href=\"").nth(1).expect("leads on");
    let onward = onward.split('"').next().expect("is quoted").replace("&#38;", "&");
    let form = browser.page(&onward).await;
    assert_eq!((form.value("email"), form.chosen()), (BIA, Some("FINANCE")));
    assert!(!form.says(NEEDS_STEP), "{}", form.text);
    let fields = typed(&browser, INVITE, &[("email", BIA), ("role", "FINANCE")]).await;
    assert_eq!(browser.post_typed(INVITE, &fields).await.status, 200);
    assert_eq!(open(&shop).await.len(), 1);
}

#[story::test]
async fn an_invitation_is_made_once_sent_again_and_taken_back(test: &TestApp, shop: Shop) {
    let (browser, _) = owner(test, &shop).await;
    let form = browser.page(INVITE).await;
    assert!(!form.says("value=\"OWNER\""), "ownership is not given with an invitation");
    let bad = typed(&browser, INVITE, &[("email", "bia"), ("role", "KING")]).await;
    let refused = Page::of(browser.post_typed(INVITE, &bad).await, 422);
    assert_eq!((refused.value("email"), refused.wrong()), ("bia", vec!["role"]));
    let fields = typed(&browser, INVITE, &[("email", BIA), ("role", "SUPPORT")]).await;
    for _ in 0..2 {
        let made = Page::of(browser.post_typed(INVITE, &fields).await, 200);
        assert!(made.says("https://api.example.com/invitations/"), "{}", made.text);
    }
    assert_eq!(audit::entries(&shop.owner, "member.invited").await.len(), 1);
    let first = open(&shop).await[0]["id"].as_str().expect("has an id").to_owned();
    let here = format!("{TEAM}/invitations/{first}");
    assert!(browser.page(TEAM).await.says(&here));
    let again = typed(&browser, &here, &[]).await;
    let sent = browser.post_typed(&format!("{here}/resend"), &again).await;
    assert!(Page::of(sent, 200).says("Endereço do convite"));
    let left = open(&shop).await;
    assert!(left.len() == 1 && left[0]["id"] != first.as_str());
    let second = left[0]["id"].as_str().expect("has an id");
    let here = format!("{TEAM}/invitations/{second}");
    let back = typed(&browser, &here, &[]).await;
    for _ in 0..2 {
        let taken = browser.post_typed(&format!("{here}/cancel"), &back).await;
        assert!(browser.land(taken).await.says("O convite foi retirado."));
    }
    assert!(open(&shop).await.is_empty());
    assert_eq!(audit::entries(&shop.owner, "member.invitation_revoked").await.len(), 1);
    assert_eq!(browser.get(&here).await.status, 404);
}

#[story::test]
async fn a_role_is_changed_and_a_member_removed_by_name(test: &TestApp, shop: Shop) {
    join(test, &shop, BIA, "VIEWER").await;
    let bia = Browser::signed_in(test, BIA).await;
    let id = id_of(&shop, BIA).await;
    let (role, remove) = (format!("{TEAM}/{id}/role"), format!("{TEAM}/{id}/remove"));
    let without = Browser::signed_in(test, EMAIL).await;
    for path in [&role, &remove] {
        assert!(without.page(path).await.says(NEEDS_STEP), "{path}");
    }
    let (browser, _) = owner(test, &shop).await;
    for path in [&role, &remove] {
        assert!(!browser.page(path).await.says(NEEDS_STEP), "{path}");
    }
    assert_eq!(browser.page(&role).await.chosen(), Some("VIEWER"));
    let fields = typed(&browser, &role, &[("role", "FINANCE")]).await;
    let changed = browser.land(browser.post_typed(&role, &fields).await).await;
    assert!(changed.says("Bia agora é: Financeiro."), "{}", changed.text);
    let wrong = typed(&browser, &role, &[("role", "KING")]).await;
    assert_eq!(Page::of(browser.post_typed(&role, &wrong).await, 422).wrong(), ["role"]);
    let mistyped = typed(&browser, &remove, &[("typed", "Ana")]).await;
    assert_eq!(Page::of(browser.post_typed(&remove, &mistyped).await, 422).wrong(), ["typed"]);
    assert!(bia.is_in().await);
    let fields = typed(&browser, &remove, &[("typed", "Bia")]).await;
    for _ in 0..2 {
        let gone = browser.land(browser.post_typed(&remove, &fields).await).await;
        assert!(gone.says("Bia não está mais na equipe."), "{}", gone.text);
    }
    assert!(!bia.is_in().await);
    assert_eq!(audit::entries(&shop.owner, "member.removed").await.len(), 1);
}

#[story::test]
async fn who_may_not_change_the_team_sees_it_with_the_reasons(test: &TestApp, shop: Shop) {
    join(test, &shop, BIA, "SUPPORT").await;
    let bia = Browser::signed_in(test, BIA).await;
    let page = bia.page(TEAM).await;
    for said in ["Só titulares e gerentes mudam a equipe.", "Quem abriu a conta", "Sair da equipe"]
    {
        assert!(page.says(said), "{said} {}", page.text);
    }
    assert!(page.says("Só lê, e não vê quem comprou."), "roles are explained");
    let account = id_of(&shop, EMAIL).await;
    for path in [INVITE.to_owned(), format!("{TEAM}/{account}/role")] {
        assert_eq!(bia.get(&path).await.status, 403, "{path}");
        assert_eq!(bia.post(&path, &[("attempt", "x")]).await.status, 403, "{path}");
    }
    assert_eq!(bia.get(&format!("{TEAM}/{account}/remove")).await.status, 403);
}

#[story::test]
async fn a_member_leaves_without_a_second_step_and_who_opened_the_account_stays(
    test: &TestApp,
    shop: Shop,
) {
    join(test, &shop, BIA, "VIEWER").await;
    let bia = Browser::signed_in(test, BIA).await;
    let leave = format!("{TEAM}/{}/remove", id_of(&shop, BIA).await);
    let page = bia.page(&leave).await;
    assert_eq!(page.heading(), "Sair da equipe de Loja");
    assert!(!page.says(NEEDS_STEP), "{}", page.text);
    let fields = typed(&bia, &leave, &[("typed", "Bia")]).await;
    let left = bia.land(bia.post_typed(&leave, &fields).await).await;
    assert!(left.says("Você saiu da equipe.") && !bia.is_in().await);
    let browser = Browser::signed_in(test, EMAIL).await;
    let own = format!("{TEAM}/{}/remove", id_of(&shop, EMAIL).await);
    assert_eq!(browser.get(&own).await.status, 409);
}

#[story::test]
async fn members_and_invitations_of_another_account_are_as_unknown(test: &TestApp, shop: Shop) {
    let other = test.shop("Outra").await;
    let theirs = id_of(&other, "outra@example.com").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    as_unknown(&browser, TEAM, &theirs, &["/role", "/remove"]).await;
    join(test, &shop, BIA, "VIEWER").await;
    let invited = json!({ "email": "ana@example.com", "role": "VIEWER" });
    let made = other.owner.post("/api/invitations", invited).await.expect(201);
    let theirs = made["data"]["id"].as_str().expect("has an id");
    as_unknown(&browser, &format!("{TEAM}/invitations"), theirs, &[""]).await;
}

#[story::test]
async fn hostile_names_do_nothing_in_the_team(test: &TestApp, shop: Shop) {
    join(test, &shop, BIA, "VIEWER").await;
    let bia = Browser::signed_in(test, BIA).await;
    let fields = typed(&bia, "/account/profile", &[("name", HOSTILE)]).await;
    bia.post_typed("/account/profile", &fields).await;
    let (browser, _) = owner(test, &shop).await;
    let id = id_of(&shop, BIA).await;
    for path in [TEAM.to_owned(), format!("{TEAM}/{id}/role"), format!("{TEAM}/{id}/remove")] {
        without_harm(&browser.page(&path).await);
    }
}
