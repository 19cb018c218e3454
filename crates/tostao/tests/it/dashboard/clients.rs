//! Clients in the dashboard: who they are, what they owe, and what is left of one who is erased.

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{
    Browser, EMAIL, HOSTILE, as_unknown, calls_answer, join, next, token, typed, without_harm,
};
use crate::clients::erasure::{EMAIL as BUYER, NAME, customer};
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};
use crate::harness::{TestApp, rate_limited_to};
use crate::subscriptions::{by_card_with, plan};

const LIST: &str = "/dashboard/dev/clients";
const SUPPORT: &str = "apoio@example.com";
const VIEWER: &str = "leitura@example.com";

fn path_of(client: &Value) -> String {
    format!("{LIST}/{}", id(client))
}

/// Opens the second page of erasing a client, which has the field to type in.
async fn asked_to_confirm(browser: &Browser, client: &Value) -> Page {
    Page::of(browser.post(&format!("{}/erase", path_of(client)), &[]).await, 200)
}

#[story::test(rate_limited_to("document_lookup=2/60"))]
async fn support_looks_for_few_documents_in_a_minute(test: &TestApp, shop: Shop) {
    let client = shop.client(customer()).await;
    join(test, &shop, SUPPORT, "SUPPORT").await;
    let browser = Browser::signed_in(test, SUPPORT).await;
    let edit = format!("{}/edit", path_of(&client));
    let form = typed(&browser, &edit, &[("name", NAME), ("document", "111.444.777-35")]).await;
    for text in ["529.982.247-25", "111.444.777-35"] {
        browser.page(&format!("{LIST}?q={text}")).await;
    }
    let refused = browser.get(&format!("{LIST}?q=52998224725")).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("60")));
    let refused = browser.post_typed(&edit, &form).await;
    assert_eq!(refused.status, 429, "{}", refused.text);
    browser.page(&format!("{LIST}?q=Quixaba")).await;
    Browser::signed_in(test, EMAIL).await.page(&format!("{LIST}?q=52998224725")).await;
}

#[story::test]
async fn support_finds_a_client_and_sees_what_they_bought_and_owe(test: &TestApp, shop: Shop) {
    let client = shop.client(customer()).await;
    shop.client(json!({ "name": "Bia", "email": "bia@example.com" })).await;
    let charge = |cents| json!({ "amountCents": cents, "customer": customer() });
    let paid = shop.charge_with(charge(4_990)).await;
    shop.pay(&paid).await;
    shop.charge_with(charge(1_234)).await;
    let monthly = plan(&shop, json!({ "name": "Clube do Café" })).await;
    by_card_with(test, &monthly, Scenario::Approves, json!({ "customer": customer() })).await;
    join(test, &shop, SUPPORT, "SUPPORT").await;
    let browser = Browser::signed_in(test, SUPPORT).await;
    for text in ["Quixaba", BUYER, "529.982.247-25"] {
        let list = browser.page(&format!("{LIST}?q={text}")).await;
        assert!(list.says(&path_of(&client)) && !list.says("bia@example.com"), "{text}");
    }
    let page = browser.page(&path_of(&client)).await;
    assert_eq!(page.heading(), NAME);
    assert!(page.says("R$\u{a0}49,90") && page.says("R$\u{a0}12,34"), "{}", page.text);
    assert!(page.says("Clube do Café") && page.says("próxima cobrança"));
    calls_answer(&shop, &page).await;
    let all = format!("/dashboard/dev/transactions?customerId={}", id(&client));
    assert!(page.says(&format!("href=\"{all}\"")), "{}", page.text);
    let list = browser.page(&all).await;
    assert!(list.says("49,90") && list.says("12,34"));
}

#[story::test]
async fn support_sees_a_document_in_part_wherever_it_looks(test: &TestApp, shop: Shop) {
    let client = shop.client(customer()).await;
    join(test, &shop, SUPPORT, "SUPPORT").await;
    let browser = Browser::signed_in(test, SUPPORT).await;
    let page = browser.page(&path_of(&client)).await;
    assert!(page.says("529.***.***-**") && page.says("vê documentos só em parte"));
    let refused = browser.post(&format!("{}/document", path_of(&client)), &[]).await;
    assert!(Page::of(refused, 403).says("documents:read"));
    for path in [LIST.to_owned(), path_of(&client), format!("{}/edit", path_of(&client))] {
        let page = browser.page(&path).await;
        assert!(!page.says("982.247") && !page.says("52998224725"), "{path}");
    }
    // Digit by digit, a search would give the rest away.
    assert!(!browser.page(&format!("{LIST}?q=5299")).await.says(BUYER));
    assert_eq!(shop.owner.total("/api/audit?action=customer.document_shown").await, 0);
}

#[story::test]
async fn a_token_of_support_sees_documents_in_part_and_a_key_sees_them_whole(
    test: &TestApp,
    shop: Shop,
) {
    let client = shop.client(customer()).await;
    join(test, &shop, SUPPORT, "SUPPORT").await;
    let token = token(test, SUPPORT).await;
    let path = format!("/api/clients/{}", id(&client));
    let document = |reply: &Value| reply["client"]["document"].clone();
    assert_eq!(document(&token.get(&path).await.expect(200)), "529.***.***-**");
    let changed = token.patch(&path, json!({ "phone": null })).await.expect(200);
    assert_eq!(document(&changed), "529.***.***-**");
    assert_eq!(token.list("/api/clients").await[0]["document"], "529.***.***-**");
    assert_eq!(token.total("/api/clients?q=5299").await, 0);
    assert_eq!(token.total("/api/clients?q=529.982.247-25").await, 1);
    assert_eq!(document(&shop.key.get(&path).await.expect(200)), "52998224725");
    assert_eq!(shop.key.total("/api/clients?q=5299").await, 1);
}

#[story::test]
async fn an_owner_sees_a_whole_document_and_each_look_is_noted(test: &TestApp, shop: Shop) {
    let client = shop.client(customer()).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&path_of(&client)).await;
    assert!(page.says("529.***.***-**") && !page.says("529.982.247-25"));
    for looks in 1..=2 {
        let shown = browser.post(&format!("{}/document", path_of(&client)), &[]).await;
        assert!(Page::of(shown, 200).says("529.982.247-25"));
        let audit = shop.owner.list("/api/audit?action=customer.document_shown").await;
        assert_eq!((audit.len(), &audit[0]["subjectId"]), (looks, &client["id"]));
    }
}

#[story::test]
async fn a_form_and_a_body_change_a_client_in_the_same_way(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let (by_form, by_body) = (shop.client(customer()).await, other.client(customer()).await);
    let browser = Browser::signed_in(test, EMAIL).await;
    let typed = [("name", "Bia Souza"), ("email", "bia@example.com"), ("phone", "(11) 91234-5678")];
    let fields = super::typed(&browser, &format!("{}/edit", path_of(&by_form)), &typed).await;
    for _ in 0..2 {
        let done = browser.post_typed(&format!("{}/edit", path_of(&by_form)), &fields).await;
        assert_eq!(next(&done), path_of(&by_form));
    }
    let body = json!({ "name": typed[0].1, "email": typed[1].1, "phone": typed[2].1 });
    other.change_client(&by_body, body).await;
    let read = async |shop: &Shop, client: &Value| {
        let mut client = shop.read_client(client).await;
        client["id"] = Value::Null;
        (client, shop.events().await)
    };
    let changed = read(&shop, &by_form).await;
    assert_eq!(changed.0["document"], "52998224725");
    assert_eq!(changed, read(&other, &by_body).await);
    let audit = shop.owner.list("/api/audit?action=customer.updated").await;
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &by_form["id"]));
}

#[story::test]
async fn a_refused_change_comes_back_with_its_values(test: &TestApp, shop: Shop) {
    let client = shop.client(customer()).await;
    shop.client(json!({ "name": "Bia", "email": "bia@example.com" })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{}/edit", path_of(&client));
    let typed = [("name", ""), ("email", "bia"), ("phone", "1"), ("document", "529")];
    let fields = super::typed(&browser, &format!("{}/edit", path_of(&client)), &typed).await;
    let page = Page::of(browser.post_typed(&path, &fields).await, 422);
    assert_eq!(page.wrong(), ["name", "email", "phone", "document"]);
    assert_eq!((page.value("email"), page.value("document")), ("bia", "529"));
    let typed =
        [("name", "Bia"), ("email", "bia@example.com"), ("phone", ""), ("removeDocument", "true")];
    let fields = super::typed(&browser, &format!("{}/edit", path_of(&client)), &typed).await;
    let page = Page::of(browser.post_typed(&path, &fields).await, 422);
    assert!(page.says("Outro cliente seu já tem este documento"));
    assert_eq!(shop.read_client(&client).await, client);
}

#[story::test]
async fn a_card_number_is_refused_in_every_field_of_a_client(test: &TestApp, shop: Shop) {
    let client = json!({ "name": "Ana", "email": "ana@example.com" });
    let client = shop.key.post("/api/clients", client).await.expect(201)["client"].clone();
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{LIST}/{}/edit", id(&client));
    for field in ["name", "email", "phone", "document"] {
        let kept = [("name", "Ana"), ("email", "ana@example.com")];
        let kept = kept.into_iter().filter(|(name, _)| *name != field);
        let form = browser.page(&path).await;
        let attempt = form.hidden("attempt").expect("has a form").to_owned();
        let fields: Vec<_> =
            kept.chain([(field, "4111 1111 1111 1111"), ("attempt", &*attempt)]).collect();
        let refused = Page::of(browser.post(&path, &fields).await, 422);
        assert_eq!(refused.wrong(), [field]);
    }
}

#[story::test]
async fn a_client_is_erased_in_two_pages_that_say_what_stays(test: &TestApp, shop: Shop) {
    let paid = shop.charge_with(json!({ "amountCents": 4_990, "customer": customer() })).await;
    shop.pay(&paid).await;
    let client = json!({ "id": paid["customer"]["id"] });
    let monthly = plan(&shop, json!({})).await;
    by_card_with(test, &monthly, Scenario::Approves, json!({ "customer": customer() })).await;
    join(test, &shop, SUPPORT, "SUPPORT").await;
    let browser = Browser::signed_in(test, SUPPORT).await;
    let first = browser.page(&format!("{}/erase", path_of(&client))).await;
    assert!(first.says("O que fica, e por quê") && first.says("a lei manda"));
    let second = asked_to_confirm(&browser, &client).await;
    assert!(second.says("Passo 2 de 2"));
    assert!(second.says("1 assinatura é cancelada agora."), "{}", second.text);
    calls_answer(&shop, &second).await;
    assert!(second.says("guardam o comprador até 21/11/"), "{}", second.text);
    // Nothing has happened yet.
    assert_eq!(shop.read_client(&client).await["name"], NAME);
    let confirm = format!("{}/erase/confirm", path_of(&client));
    let attempt = second.hidden("attempt").expect("has an attempt").to_owned();
    let wrong = [("typed", "eulalia"), ("attempt", attempt.as_str())];
    let page = Page::of(browser.post(&confirm, &wrong).await, 422);
    assert_eq!((page.wrong(), page.value("typed")), (vec!["typed"], "eulalia"));
    assert_eq!(shop.read_client(&client).await["name"], NAME);
    let attempt = page.hidden("attempt").expect("has an attempt").to_owned();
    let right = [("typed", BUYER), ("attempt", attempt.as_str())];
    for _ in 0..2 {
        assert_eq!(next(&browser.post(&confirm, &right).await), LIST);
    }
    let list = browser.page(LIST).await;
    assert!(list.says("Nenhum cliente ainda"), "{}", list.text);
    let audit = shop.owner.list("/api/audit?action=customer.erased").await;
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &client["id"]));
    assert!(shop.events().await.contains(&"subscription.cancelled".to_owned()));
}

#[story::test]
async fn a_role_that_may_not_read_buyers_opens_no_client(test: &TestApp, shop: Shop) {
    let client = shop.client(customer()).await;
    join(test, &shop, VIEWER, "VIEWER").await;
    join(test, &shop, "contas@example.com", "FINANCE").await;
    let viewer = Browser::signed_in(test, VIEWER).await;
    for path in [LIST.to_owned(), path_of(&client)] {
        assert!(Page::of(viewer.get(&path).await, 403).says("customers:read"), "{path}");
    }
    assert!(!viewer.page("/dashboard/dev").await.says("Clientes"));
    // Finance reads, and changes nothing.
    let finance = Browser::signed_in(test, "contas@example.com").await;
    assert!(finance.page(&path_of(&client)).await.says("O seu papel nesta conta não inclui isto."));
    for refused in [
        finance.get(&format!("{}/edit", path_of(&client))).await,
        finance.post(&format!("{}/edit", path_of(&client)), &[("attempt", "x")]).await,
        finance.post(&format!("{}/erase", path_of(&client)), &[]).await,
        finance.post(&format!("{}/erase/confirm", path_of(&client)), &[("attempt", "x")]).await,
    ] {
        assert!(Page::of(refused, 403).says("customers:write"));
    }
    assert_eq!(shop.read_client(&client).await, client);
}

#[story::test]
async fn the_client_of_another_merchant_is_as_unknown_as_one_that_does_not_exist(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    drop(shop);
    let theirs = other.client(customer()).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    as_unknown(&browser, LIST, id(&theirs), &["", "/edit", "/erase"]).await;
    for form in ["document", "erase"] {
        let refused = browser.post(&format!("{}/{form}", path_of(&theirs)), &[]).await;
        assert_eq!(refused.status, 404, "{form}");
    }
}

#[story::test]
async fn hostile_names_of_clients_are_text(test: &TestApp, shop: Shop) {
    let client = shop.client(json!({ "name": HOSTILE, "email": "ana@example.com" })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let query: String = url::form_urlencoded::byte_serialize(HOSTILE.as_bytes()).collect();
    for page in ["", "/edit", "/erase"] {
        without_harm(&browser.page(&format!("{}{page}", path_of(&client))).await);
    }
    without_harm(&asked_to_confirm(&browser, &client).await);
    without_harm(&browser.page(&format!("{LIST}?q={query}")).await);
}

#[story::test]
async fn a_long_list_of_clients_goes_on_page_by_page(test: &TestApp, shop: Shop) {
    for number in 0..52 {
        let email = format!("cliente{number}@example.com");
        shop.client(json!({ "name": "Cliente", "email": email })).await;
    }
    let browser = Browser::signed_in(test, EMAIL).await;
    let first = browser.page(&format!("{LIST}?q=cliente")).await;
    calls_answer(&shop, &first).await;
    assert_eq!(first.text.matches("@example.com").count(), 50);
    let next = first.within("<a href=\"", "\" rel=\"next\">");
    let next = next.and_then(|links| links.rsplit("<a href=\"").next()).expect("goes on");
    let second = browser.page(&next.replace("&#38;", "&")).await;
    assert_eq!(second.text.matches("@example.com").count(), 2);
    let none = browser.page(&format!("{LIST}?q=ninguém")).await;
    assert!(none.says("Nenhum cliente passa por este filtro") && none.says("Remover os filtros"));
    let long = "a".repeat(256);
    let wrong = Page::of(browser.get(&format!("{LIST}?q={long}")).await, 400);
    assert_eq!(wrong.wrong(), ["q"]);
}
