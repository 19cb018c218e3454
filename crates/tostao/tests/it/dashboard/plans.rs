//! Plans in the dashboard: made, changed and switched off by forms.

use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, as_unknown, calls_answer, join, next, typed, without_harm};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id, merged};
use crate::subscriptions::{plan, subscribe};

const LIST: &str = "/dashboard/dev/subscriptions/plans";
const API: &str = "/api/subscriptions/plans";
const VIEWER: &str = "leitura@example.com";

fn path_of(plan: &Value) -> String {
    format!("{LIST}/{}", id(plan))
}

async fn read(shop: &Shop, plan: &Value) -> Value {
    shop.key.get(&format!("{API}/{}", id(plan))).await.expect(200)["data"].clone()
}

#[story::test]
async fn a_form_and_a_body_make_the_same_plan_and_a_double_click_one(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let (mug, theirs) = (shop.product(json!({})).await, other.product(json!({})).await);
    let browser = Browser::signed_in(test, EMAIL).await;
    let fields = [
        ("name", "Clube do café"),
        ("amountCents", "R$ 49,90"),
        ("interval", "QUARTERLY"),
        ("description", "Um por mês"),
        ("trialDays", "7"),
        ("maxSubscribers", "100"),
        ("retryPolicy.maxRetry", "3"),
        ("retryPolicy.retryEvery", "5"),
        ("productId", id(&mug)),
    ];
    let fields = typed(&browser, &format!("{LIST}/new"), &fields).await;
    let mut made = Vec::new();
    for _ in 0..2 {
        made.push(next(&browser.post_typed(&format!("{LIST}/new"), &fields).await));
    }
    assert_eq!(made[0], made[1]);
    let body = json!({
        "name": "Clube do café", "amountCents": 4_990, "interval": "QUARTERLY",
        "description": "Um por mês", "trialDays": 7, "maxSubscribers": 100,
        "retryPolicy": { "maxRetry": 3, "retryEvery": 5 }, "productId": theirs["id"],
    });
    other.key.post(API, body).await.expect(201);
    let left = async |shop: &Shop| {
        let mut plans = shop.key.list(API).await;
        assert_eq!(plans.len(), 1);
        let mut plan = plans.remove(0);
        for own in ["id", "url", "productId"] {
            assert!(plan[own].is_string(), "{own}");
            plan[own] = Value::Null;
        }
        plan
    };
    assert_eq!(left(&shop).await, left(&other).await);
    let audit = shop.owner.list("/api/audit?action=plan.created").await;
    assert_eq!(audit.len(), 1);
    assert!(made[0].ends_with(audit[0]["subjectId"].as_str().expect("is an id")));
    let page = browser.page(&made[0]).await;
    assert_eq!(page.heading(), "Clube do café");
    let terms = ["a cada 3 meses", "7 dias grátis", "0 de 100", "3 vezes, a cada 5 dias", "Caneca"];
    for says in terms {
        assert!(page.says(says), "{says}: {}", page.text);
    }
    assert!(page.says("/subscribe/") && page.says("Está ligado"));
    calls_answer(&shop, &page).await;
}

#[story::test]
async fn a_refused_plan_comes_back_with_its_values(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = format!("{LIST}/new");
    let fields = [("name", "Clube"), ("amountCents", "caro"), ("retryPolicy.maxRetry", "3")];
    let fields = typed(&browser, &page, &fields).await;
    let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
    assert_eq!(refused.wrong(), ["amountCents", "retryPolicy.retryEvery"]);
    assert_eq!((refused.value("name"), refused.value("amountCents")), ("Clube", "caro"));
    let fields =
        [("name", "Clube"), ("amountCents", "1,00"), ("interval", "ANNUAL"), ("trialDays", "900")];
    let fields = typed(&browser, &page, &fields).await;
    let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
    assert_eq!(refused.wrong(), ["amountCents", "trialDays"]);
    assert!(refused.says("<option value=\"ANNUAL\" selected>"));
    for field in ["name", "description", "amountCents", "trialDays", "maxSubscribers", "interval"] {
        let good = [("name", "Clube"), ("amountCents", "50"), ("interval", "MONTHLY")];
        let good = good.into_iter().filter(|(name, _)| *name != field);
        let card: Vec<_> = good.chain([(field, "4111 1111 1111 1111")]).collect();
        let fields = typed(&browser, &page, &card).await;
        let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
        assert_eq!(refused.wrong(), [field]);
    }
    assert_eq!(shop.key.total(API).await, 0);
}

#[story::test]
async fn a_change_leaves_what_was_not_typed_as_it_is(test: &TestApp, shop: Shop) {
    let more = json!({ "maxSubscribers": 5, "retryPolicy": { "maxRetry": 3, "retryEvery": 5 } });
    let before = plan(&shop, more).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{}/edit", path_of(&before));
    let form = browser.page(&path).await;
    let fields = form.filled(&[("amountCents", "59,90"), ("retryPolicy.maxRetry", "")]);
    let refused = Page::of(browser.post_typed(&path, &fields).await, 422);
    assert_eq!(refused.wrong(), ["retryPolicy.maxRetry"]);
    let empty =
        [("amountCents", "59,90"), ("retryPolicy.maxRetry", ""), ("retryPolicy.retryEvery", "")];
    let fields = browser.page(&path).await.filled(&empty);
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(&path, &fields).await), path_of(&before));
    }
    let now = read(&shop, &before).await;
    let change = json!({
        "amountCents": 5_990, "retryPolicy": null, "updatedAt": now["updatedAt"],
    });
    assert_eq!(now, merged(before, &change));
    assert_eq!(shop.owner.total("/api/audit?action=plan.updated").await, 1);
}

#[story::test]
async fn a_limit_below_the_subscribers_is_refused_in_words(test: &TestApp, shop: Shop) {
    let made = plan(&shop, json!({})).await;
    for who in ["ana", "bia"] {
        let customer = json!({ "name": who, "email": format!("{who}@example.com") });
        subscribe(test, &made, json!({ "customer": customer })).await.expect(201);
    }
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{}/edit", path_of(&made));
    let fields = browser.page(&path).await.filled(&[("maxSubscribers", "1")]);
    let refused = Page::of(browser.post_typed(&path, &fields).await, 422);
    assert!(refused.says("O plano já tem mais assinantes do que este limite."));
    assert_eq!(refused.value("maxSubscribers"), "1");
    assert_eq!(read(&shop, &made).await["maxSubscribers"], Value::Null);
}

#[story::test]
async fn a_plan_is_closed_and_opened_again_and_says_why_it_stands_so(test: &TestApp, shop: Shop) {
    let made = plan(&shop, json!({ "maxSubscribers": 1 })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let switch = async |status| {
        let fields = typed(&browser, &path_of(&made), &[("status", status)]).await;
        let done = browser.post_typed(&format!("{}/switch", path_of(&made)), &fields).await;
        browser.land(done).await
    };
    let page = switch("false").await;
    assert!(page.says("O plano foi fechado.") && page.says("Foi desligado: ninguém novo assina"));
    assert_eq!(read(&shop, &made).await["active"], false);
    let list = browser.page(&format!("{LIST}?active=true")).await;
    assert!(list.says("Nenhum plano passa por este filtro"));
    assert!(switch("true").await.says("O plano aceita assinantes de novo."));
    subscribe(test, &made, json!({})).await.expect(201);
    let page = browser.page(&path_of(&made)).await;
    assert!(page.says("Sem vagas") && page.says("1 de 1"), "{}", page.text);
    let wrong = Page::of(browser.get(&format!("{LIST}?active=talvez")).await, 400);
    assert_eq!(wrong.wrong(), ["status"]);
}

#[story::test]
async fn a_role_that_may_not_change_plans_reads_them(test: &TestApp, shop: Shop) {
    let made = plan(&shop, json!({})).await;
    join(test, &shop, VIEWER, "VIEWER").await;
    let browser = Browser::signed_in(test, VIEWER).await;
    for path in [LIST.to_owned(), path_of(&made)] {
        let page = browser.page(&path).await;
        assert!(page.says("O seu papel nesta conta não inclui isto."), "{path}");
    }
    let attempt = [("attempt", "x"), ("status", "false")];
    for refused in [
        browser.get(&format!("{LIST}/new")).await,
        browser.post(&format!("{LIST}/new"), &attempt).await,
        browser.post(&format!("{}/edit", path_of(&made)), &attempt).await,
        browser.post(&format!("{}/switch", path_of(&made)), &attempt).await,
    ] {
        assert!(Page::of(refused, 403).says("subscriptions:write"));
    }
    assert_eq!(read(&shop, &made).await, made);
}

#[story::test]
async fn the_plan_of_another_merchant_is_as_unknown_as_one_that_does_not_exist(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    drop(shop);
    let theirs = plan(&other, json!({})).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    as_unknown(&browser, LIST, id(&theirs), &["", "/edit"]).await;
    let page = browser.page(&format!("{LIST}/new")).await;
    let attempt = page.hidden("attempt").expect("has an attempt");
    for form in ["edit", "switch"] {
        let fields = [("attempt", attempt), ("status", "false")];
        let refused = browser.post(&format!("{}/{form}", path_of(&theirs)), &fields).await;
        assert_eq!(refused.status, 404, "{form}");
    }
    assert_eq!(read(&other, &theirs).await, theirs);
}

#[story::test]
async fn hostile_descriptions_of_plans_are_text(test: &TestApp, shop: Shop) {
    let product = shop.product(json!({ "name": HOSTILE })).await;
    let more = json!({ "description": HOSTILE, "productId": product["id"] });
    let made = plan(&shop, more).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let query: String = url::form_urlencoded::byte_serialize(HOSTILE.as_bytes()).collect();
    for path in [path_of(&made), format!("{}/edit", path_of(&made)), format!("{LIST}?q={query}")] {
        let page = browser.page(&path).await;
        without_harm(&page);
        calls_answer(&shop, &page).await;
    }
}
