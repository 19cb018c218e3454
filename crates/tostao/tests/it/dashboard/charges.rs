//! Charges in the dashboard: issued for one buyer without a link, and simulated.

use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, join, next, typed, without_harm};
use crate::affiliates::Scene;
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id};
use crate::subscriptions;
use crate::webhooks::subscribe;

const LIST: &str = "/dashboard/dev/transactions";
const FORM: &str = "/dashboard/dev/transactions/new";
const API: &str = "/api/v1/transactions";
const SUPPORT: &str = "apoio@example.com";
const VIEWER: &str = "leitura@example.com";

fn path_of(charge: &Value) -> String {
    format!("{LIST}/{}", id(charge))
}

/// What two charges that are the same have in common.
fn alike(charge: &Value) -> Value {
    let customer = &charge["customer"];
    json!([
        charge["amount"],
        charge["method"],
        charge["status"],
        charge["description"],
        charge["externalId"],
        charge["expiresAt"],
        charge["metadata"],
        customer["name"],
        customer["email"],
        customer["taxId"],
        customer["phone"],
    ])
}

/// Simulates an outcome by the form of a charge's page; answers where that leads.
async fn simulate(browser: &Browser, charge: &Value, outcome: &str, paid: &str) -> String {
    let fields = [("outcome", outcome), ("paidAmountCents", paid)];
    let fields = typed(browser, &path_of(charge), &fields).await;
    next(&browser.post_typed(&format!("{}/simulate", path_of(charge)), &fields).await)
}

#[story::test]
async fn a_form_and_a_body_issue_the_same_charge_and_a_double_click_one(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    join(test, &shop, SUPPORT, "SUPPORT").await;
    let browser = Browser::signed_in(test, SUPPORT).await;
    let fields = [
        ("method", "PIX"),
        ("amountCents", "R$ 49,90"),
        ("description", "Conserto da bicicleta"),
        ("expiresIn", "86400"),
        ("dueDate", "2026-12-24"),
        ("externalId", "pedido-7"),
        ("customer.name", "Fulano de Tal"),
        ("customer.email", "fulano@example.com"),
        ("customer.document", "529.982.247-25"),
        ("customer.phone", "(11) 98765-4321"),
    ];
    let fields = typed(&browser, FORM, &fields).await;
    let mut made = Vec::new();
    for _ in 0..2 {
        made.push(next(&browser.post_typed(FORM, &fields).await));
    }
    assert_eq!(made[0], made[1]);
    assert_eq!(shop.key.total(API).await, 1);
    let body = json!({
        "method": "PIX", "amountCents": 4_990, "description": "Conserto da bicicleta",
        "expiresIn": 86_400, "externalId": "pedido-7",
        "customer": {
            "name": "Fulano de Tal", "email": "fulano@example.com",
            "document": "529.982.247-25", "phone": "(11) 98765-4321",
        },
    });
    other.key.post(API, body).await.expect(201);
    let left = async |shop: &Shop| {
        (alike(&shop.key.list(API).await[0]), shop.events_of("transaction").await)
    };
    assert_eq!(left(&shop).await, left(&other).await);
    let audit = shop.owner.list("/api/audit?action=transaction.created").await;
    let charge = shop.key.list(API).await.remove(0);
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &charge["id"]));
    assert_eq!(made[0], path_of(&charge));
    let page = browser.page(&made[0]).await;
    let code = charge["pix"]["brCode"].as_str().expect("has a code");
    assert!(page.says(code) && page.drawing().is_some(), "{}", page.text);
    assert!(page.says("https://wa.me/?text=Conserto%20da%20bicicleta"), "{}", page.text);
    assert!(page.says("Copiar código PIX") && page.says("mailto:?subject=Conserto"));
    shop.pay(&charge).await;
    assert!(!browser.page(&made[0]).await.says("Copiar código PIX"), "it is paid");
}

#[story::test]
async fn a_boleto_needs_its_payers_document_and_shows_its_line(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let fields = [
        ("method", "BOLETO"),
        ("amountCents", "100"),
        ("expiresIn", "3600"),
        ("customer.name", "Ana"),
        ("customer.email", "ana@example.com"),
    ];
    let missing = typed(&browser, FORM, &fields).await;
    let refused = Page::of(browser.post_typed(FORM, &missing).await, 422);
    assert_eq!(refused.wrong(), ["customer.document"]);
    assert_eq!((refused.value("customer.name"), refused.value("amountCents")), ("Ana", "100"));
    let fields = [fields.as_slice(), &[("customer.document", "529.982.247-25")]].concat();
    let fields = typed(&browser, FORM, &fields).await;
    let page = browser.land(browser.post_typed(FORM, &fields).await).await;
    let charge = shop.key.list(API).await.remove(0);
    let line = charge["boleto"]["digitableLine"].as_str().expect("is made");
    assert!(page.says(line) && page.says("Abrir o boleto"), "{}", page.text);
    let due = charge["boleto"]["dueDate"].as_str().expect("is a date");
    let due: Vec<_> = due.split('-').collect();
    let due = format!("<dd>{}/{}/{}</dd>", due[2], due[1], due[0]);
    assert!(page.says("Vencimento do boleto") && page.says(&due), "{due}: {}", page.text);
    assert!(page.says("confirmado em até 1 dia útil"), "{}", page.text);
    assert_eq!(charge["amount"], 10_000);
}

#[story::test]
async fn a_refused_charge_comes_back_with_its_values(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(browser.page(FORM).await.says("Cartão não é cobrado aqui"));
    let fields = [("method", "CREDIT_CARD"), ("amountCents", "muito"), ("description", HOSTILE)];
    let fields = typed(&browser, FORM, &fields).await;
    let refused = Page::of(browser.post_typed(FORM, &fields).await, 422);
    assert_eq!(refused.wrong(), ["method", "amountCents"]);
    assert_eq!(refused.value("amountCents"), "muito");
    without_harm(&refused);
    let fields = [("method", "PIX"), ("amountCents", "1"), ("customer.email", "ana")];
    let fields = typed(&browser, FORM, &fields).await;
    let refused = Page::of(browser.post_typed(FORM, &fields).await, 422);
    assert_eq!(refused.wrong(), ["customer.name", "customer.email"]);
    assert_eq!(shop.key.total(API).await, 0);
}

#[story::test]
async fn a_card_number_is_refused_in_every_field_of_a_charge(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let fields = [
        "description",
        "externalId",
        "customer.name",
        "customer.email",
        "customer.document",
        "customer.phone",
    ];
    for field in fields {
        let fields = [("method", "PIX"), ("amountCents", "1"), (field, "4111 1111 1111 1111")];
        let fields = typed(&browser, FORM, &fields).await;
        let refused = Page::of(browser.post_typed(FORM, &fields).await, 422);
        assert_eq!(refused.wrong(), [field]);
    }
    assert_eq!(shop.key.total(API).await, 0);
}

#[story::test]
async fn a_role_that_may_not_issue_charges_sees_why(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    join(test, &shop, VIEWER, "VIEWER").await;
    let browser = Browser::signed_in(test, VIEWER).await;
    let list = browser.page(LIST).await;
    assert!(list.says("disabled aria-describedby=\"no-new\">Nova cobrança</button>"));
    assert!(list.says("O seu papel nesta conta não inclui isto."));
    let path = path_of(&charge);
    assert!(browser.page(&path).await.says("disabled aria-describedby=\"no-simulate\""));
    for refused in [
        browser.get(FORM).await,
        browser.post(FORM, &[("method", "PIX")]).await,
        browser.post(&format!("{path}/simulate"), &[("outcome", "PAID")]).await,
        browser.post(&format!("{path}/receipt"), &[("attempt", "x")]).await,
    ] {
        assert!(Page::of(refused, 403).says("transactions:write"));
    }
    assert_eq!(shop.transaction(&charge).await["status"], "PENDING");
}

#[story::test]
async fn without_a_bank_the_page_says_so_before_a_form(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let said = "Ainda não há banco que emita cobranças aqui";
    for path in ["", "/links/new"] {
        let real = browser.page(&format!("/dashboard/prod{path}")).await;
        assert!(real.says(said), "{path}: {}", real.text);
        assert!(!browser.page(&format!("/dashboard/dev{path}")).await.says(said), "{path}");
    }
    let page = browser.page("/dashboard/prod/transactions/new").await;
    assert!(page.says(said), "{}", page.text);
    assert!(!page.says("sheet fields"));
    let charge = shop.charge(1_000).await;
    let path = format!("/dashboard/prod/transactions/{}/simulate", id(&charge));
    assert_ne!(browser.post(&path, &[("outcome", "PAID")]).await.status, 303);
    assert_eq!(shop.transaction(&charge).await["status"], "PENDING");
}

#[story::test]
async fn what_can_happen_to_a_test_payment_is_simulated(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = path_of(&charge);
    let page = browser.page(&path).await;
    assert!(page.says("O comprador paga</option>") && page.says("O prazo termina</option>"));
    assert!(!page.says("Você perde a contestação"));
    let fields = typed(&browser, &path, &[("outcome", "PAID"), ("paidAmountCents", "dez")]).await;
    let refused = browser.post_typed(&format!("{path}/simulate"), &fields).await;
    let refused = Page::of(refused, 422);
    assert_eq!(
        (refused.wrong(), refused.value("paidAmountCents")),
        (vec!["paidAmountCents"], "dez")
    );
    let fields = typed(&browser, &path, &[("outcome", "CHARGED_BACK")]).await;
    let refused = browser.post_typed(&format!("{path}/simulate"), &fields).await;
    assert!(Page::of(refused, 422).says("Isto não pode acontecer no estado"));
    let fields = typed(&browser, &path, &[("outcome", "PAID"), ("paidAmountCents", "12,50")]).await;
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(&format!("{path}/simulate"), &fields).await), path);
    }
    assert_eq!(shop.transaction(&charge).await["status"], "PAID");
    assert_eq!(shop.unmatched(&charge).await.len(), 1, "a double click pays once");
    let audit = shop.owner.list("/api/audit?action=transaction.simulated").await;
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &charge["id"]));
    assert_eq!(simulate(&browser, &charge, "DISPUTED", "").await, path);
    let page = browser.page(&path).await;
    assert!(page.says("MED, a devolução do Banco Central") && page.says("Em análise"));
    assert_eq!(simulate(&browser, &charge, "CHARGED_BACK", "").await, path);
    let page = browser.page(&path).await;
    assert!(page.says("Você perdeu") && page.says("O valor foi para o comprador."));
}

#[story::test]
async fn a_payment_names_its_events_and_the_request_that_made_it(test: &TestApp, shop: Shop) {
    let receiver = Receiver::start().await;
    subscribe(&shop.key, &receiver.url, &["*"]).await;
    let charge = shop.key.with("x-request-id", "made-by-this");
    let body = json!({
        "method": "PIX", "amountCents": 1_000,
        "customer": { "name": "Ana", "email": "ana@example.com" },
    });
    let charge = charge.post(API, body).await.expect(201)["transaction"].clone();
    test.run_jobs().await;
    let path = format!("/api/requests?objectId={}&method=POST", id(&charge));
    let logged = shop.key.list(&path).await;
    assert_eq!(logged.len(), 1, "{logged:?}");
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&path_of(&charge)).await;
    assert!(page.says("/dashboard/dev/developers/requests/made-by-this"), "{}", page.text);
    assert!(page.says(&format!("/developers/events?objectId={}", id(&charge))));
    assert!(page.says("transaction.created"), "{}", page.text);
    for path in [format!("/api/webhooks/events?objectId={}", id(&charge)), path] {
        assert!(page.says(&path.replace('&', "&#38;")), "{path}: {}", page.text);
        shop.key.get(&path).await.expect(200);
    }
    // A later request about it did not make it.
    let checkout = shop.sell(1_000).await;
    let page = browser.page(&path_of(&checkout)).await;
    assert!(!page.says("made-by-this"));
}

#[story::test]
async fn an_amount_alone_has_a_description(shop: Shop) {
    let charge = json!({ "amountCents": 1_000, "description": "Aula de canto" });
    assert_eq!(shop.charge_with(charge).await["description"], "Aula de canto");
    let link = shop.link(1_000).await;
    let wrong = json!({ "paymentLinkId": id(&link), "description": "Aula de canto" });
    let refused = shop.try_charge(wrong).await.expect(400);
    assert_eq!(refused["errors"][0]["field"], "description");
}

#[story::test]
async fn a_charge_that_came_to_nothing_leads_to_another_with_the_same_data(
    test: &TestApp,
    shop: Shop,
) {
    let more = json!({ "amountCents": 4_990, "description": "Conserto", "externalId": "pedido-7" });
    let charge = shop.charge_with(more).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let again = format!("{FORM}?copy={}", id(&charge));
    let link = format!("href=\"{again}\"");
    assert!(!browser.page(&path_of(&charge)).await.says(&link), "it can still be paid");
    shop.cancel(&charge).await;
    assert!(browser.page(&path_of(&charge)).await.says(&link));
    let form = browser.page(&again).await;
    assert_eq!(form.value("amountCents"), "49,90");
    let kept = ["description", "customer.name", "customer.email", "customer.document"];
    let kept = kept.map(|name| form.value(name));
    assert_eq!(kept, ["Conserto", "Ana", "ana@example.com", "52998224725"]);
    assert_eq!(form.value("externalId"), "", "a reference stands for one charge");
    join(test, &shop, SUPPORT, "SUPPORT").await;
    let form = Browser::signed_in(test, SUPPORT).await.page(&again).await;
    assert_eq!((form.value("customer.name"), form.value("customer.document")), ("Ana", ""));
}

#[story::test]
async fn what_more_than_an_amount_stood_behind_is_not_charged_again_without_it(test: &TestApp) {
    let scene = Scene::open(test, json!({ "extendedCommission": true })).await;
    let (shop, items) = (&scene.shop, json!([{ "productId": id(&scene.product), "quantity": 1 }]));
    let coupon = json!({ "code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 10 });
    shop.key.post("/api/v1/coupons", coupon).await.expect(201);
    let link = shop.link(1_000).await;
    let by_link = shop.charge_with(json!({ "paymentLinkId": id(&link) })).await;
    shop.charge_with(json!({ "items": items })).await;
    shop.charge_with(json!({ "amountCents": 1_000, "couponCode": "DEZ" })).await;
    let sent = json!({ "amountCents": 1_000, "affiliateCode": scene.code() });
    assert_eq!(shop.charge_with(sent).await["affiliateCode"], scene.code());
    let plan = subscriptions::plan(shop, json!({})).await;
    subscriptions::subscribe(test, &plan, json!({})).await.expect(201);
    let alone = shop.charge(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let charges = shop.key.list(API).await;
    assert_eq!(charges.len(), 6);
    for charge in &charges {
        let expired = shop.simulate(charge, json!({ "outcome": "EXPIRED" })).await;
        assert_eq!(expired["status"], "EXPIRED");
        let page = browser.page(&path_of(charge)).await;
        let is_alone = id(charge) == id(&alone);
        let offers = (page.says("?copy="), page.says("Nova cobrança com os mesmos"));
        assert_eq!(offers, (is_alone, is_alone), "{}", page.text);
    }
    let form = browser.page(&format!("{FORM}?copy={}", id(&by_link))).await;
    assert_eq!((form.value("amountCents"), form.value("customer.name")), ("", ""));
}
