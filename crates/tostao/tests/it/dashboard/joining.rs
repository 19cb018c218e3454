//! Opening an account and accepting an invitation in a browser.

use serde_json::{Value, json};
use tostao::platform::config::Registration;

use super::{Browser, COOKIE, EMAIL, HOSTILE, next};
use crate::harness::page::Page;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::harness::{TestApp, rate_limited};

const BIA: &str = "bia@example.com";

async fn invite(shop: &Shop, email: &str, role: &str) -> Value {
    let wanted = json!({ "email": email, "role": role });
    shop.owner.post("/api/invitations", wanted).await.expect(201)["data"].clone()
}

fn place(invitation: &Value) -> String {
    format!("/invitations/{}", invitation["token"].as_str().expect("is shown once"))
}

#[story::test]
async fn who_opens_an_account_is_in_it(test: &TestApp) {
    let browser = Browser::new(test);
    assert_eq!(browser.page("/sign-up").await.heading(), "Criar conta");
    let fields = [
        ("name", "Café da Serra"),
        ("email", "cafe@example.com"),
        ("password", PASSWORD),
        ("document", "529.982.247-25"),
        ("phone", ""),
    ];
    let opened = browser.post("/sign-up", &fields).await;
    assert_eq!(next(&opened), "/dashboard/dev");
    let home = browser.land(opened).await;
    assert!(home.says("Conta criada.") && home.says("Café da Serra"));
    let login = json!({ "email": "cafe@example.com", "password": PASSWORD });
    let session = test.anyone().post("/api/auth/login", login).await.expect(200);
    assert_eq!(session["user"]["document"], "529.982.247-25");
    let again = Browser::new(test).post("/sign-up", &fields).await;
    assert_eq!(next(&again), "/dashboard/dev", "the same form twice opens one account");
}

#[story::test]
async fn a_wrong_form_comes_back_with_its_values_and_names_its_fields(test: &TestApp) {
    let browser = Browser::new(test);
    let fields = [
        ("name", HOSTILE),
        ("email", "no address"),
        ("password", "12345678"),
        ("document", "111"),
        ("phone", "22"),
        ("inviteCode", HOSTILE),
    ];
    let page = Page::of(browser.post("/sign-up", &fields).await, 422);
    assert_eq!(page.wrong(), ["email", "password", "document", "phone"]);
    assert!(page.error("password").contains("mais usadas"));
    assert_eq!(page.value("email"), "no address");
    assert_eq!(page.value("document"), "111");
    assert!(!page.says("12345678"), "a password is not sent back");
    assert!(!page.says("<script>alert") && !page.says("<b onclick"));
    let card = [("name", "4539 5787 6362 1486"), ("email", BIA), ("password", PASSWORD)];
    let refused = browser.post("/sign-up", &card).await;
    assert!((400..500).contains(&refused.status) && !refused.text.contains("4539"));
}

#[story::test]
async fn an_address_that_is_taken_opens_nothing_without_its_password(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::new(test);
    let fields = [("name", "Outra"), ("email", EMAIL), ("password", "another battery staple")];
    let page = Page::of(browser.post("/sign-up", &fields).await, 422);
    assert_eq!(page.wrong(), ["email"]);
    assert_eq!(browser.cookie(COOKIE), None);
}

#[story::test(|settings| settings.registration = Registration::Closed)]
async fn a_server_closed_to_strangers_says_so(test: &TestApp) {
    let browser = Browser::new(test);
    assert!(!browser.page("/sign-in").await.says("/sign-up"));
    let fields = [("name", "Outra"), ("email", BIA), ("password", PASSWORD)];
    for reply in [browser.get("/sign-up").await, browser.post("/sign-up", &fields).await] {
        assert!(Page::of(reply, 403).says("O cadastro está fechado"));
    }
}

#[story::test(rate_limited)]
async fn accounts_are_opened_at_the_rate_of_the_api(test: &TestApp) {
    let browser = Browser::new(test);
    for count in 0..30 {
        let email = format!("{count}@example.com");
        let fields = [("name", "Outra"), ("email", email.as_str()), ("password", PASSWORD)];
        assert_eq!(browser.post("/sign-up", &fields).await.status, 303);
    }
    let fields = [("name", "Outra"), ("email", "last@example.com"), ("password", PASSWORD)];
    let waiting = Page::of(browser.post("/sign-up", &fields).await, 429);
    assert_eq!(waiting.value("email"), "last@example.com");
    assert!(waiting.header("retry-after").is_some());
}

#[story::test]
async fn a_new_person_accepts_an_invitation_and_is_in(test: &TestApp, shop: Shop) {
    let place = place(&invite(&shop, BIA, "FINANCE").await);
    let browser = Browser::new(test);
    let form = browser.page(&place).await;
    assert_eq!(form.heading(), "Convite para Loja");
    assert!(form.says(BIA) && form.says("Financeiro"));
    let empty = Page::of(browser.post(&place, &[("name", ""), ("password", "")]).await, 422);
    assert_eq!(empty.wrong(), ["name", "password"]);
    let fields = [("name", "Bia"), ("password", PASSWORD)];
    let joined = browser.post(&place, &fields).await;
    let home = browser.land(joined).await;
    assert!(home.says("Você agora faz parte de Loja.") && home.says("Papel: Financeiro"));
    for reply in [browser.get(&place).await, browser.post(&place, &fields).await] {
        assert_eq!(Page::of(reply, 410).heading(), "Este convite não vale mais");
    }
}

#[story::test]
async fn a_known_person_proves_their_password_and_comes_to_the_new_account(
    test: &TestApp,
    shop: Shop,
) {
    test.shop("Bia").await;
    let place = place(&invite(&shop, BIA, "VIEWER").await);
    let browser = Browser::new(test);
    let form = browser.page(&place).await;
    assert_eq!(form.label("name"), None);
    let wrong = Page::of(browser.post(&place, &[("password", "a guess")]).await, 422);
    assert!(wrong.error("password").contains("Senha errada"));
    let joined = browser.post(&place, &[("password", PASSWORD)]).await;
    let home = browser.land(joined).await;
    assert!(home.says("Papel: Leitura") && home.says("Trabalhar em Bia"));
}

#[story::test]
async fn an_invitation_that_is_none_says_what_to_do(test: &TestApp, shop: Shop) {
    let revoked = invite(&shop, BIA, "VIEWER").await;
    shop.owner.delete(&format!("/api/invitations/{}", id(&revoked))).await.expect(200);
    let browser = Browser::new(test);
    for place in [place(&revoked), "/invitations/x".to_owned(), "/invitations/%22%3E".to_owned()] {
        let page = Page::of(browser.get(&place).await, 410);
        assert!(page.says("peça outro") && page.says("/sign-in"), "{place}");
    }
}
