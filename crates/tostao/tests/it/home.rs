//! The pages of the server itself: its own address, and the page about the API.

use serde_json::json;
use tostao::platform::error::ErrorCode;
use tostao::platform::permissions::Permission;

use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::receiver::Receiver;
use crate::harness::shop::id;

#[story::test]
async fn the_address_of_the_server_says_what_it_is_and_leads_on(test: &TestApp) {
    for (address, note) in
        [("/", "Este servidor recebe pagamentos."), ("/?lang=en", "This server takes payments.")]
    {
        let page = Page::of(test.anyone().get(address).await, 200);
        assert_eq!(page.heading(), "Tostão");
        assert!(page.says(note));
        for place in ["/sign-in", "/sign-up", "/docs", "/healthz"] {
            assert!(page.says(&format!("href=\"{place}\"")));
            assert_eq!(test.anyone().get(place).await.status, 200);
        }
    }
}

#[story::test]
async fn the_page_about_the_api_names_whatever_a_delivery_brings(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let body = json!({ "url": receiver.url, "events": ["transaction.paid"] });
    let hook = shop.key.post("/api/webhooks/subscriptions", body).await.expect(201);
    let path = format!("/api/webhooks/subscriptions/{}/test", id(&hook["data"]));
    shop.key.post(&path, json!({ "event": "transaction.paid" })).await.expect(200);
    test.run_jobs().await;
    let delivery = receiver.take_one();
    let page = test.anyone().get("/docs").await.text.to_lowercase();
    let body = delivery.json();
    let fields = body.as_object().expect("is an object").keys().map(|key| key.to_lowercase());
    let headers = delivery.headers.keys().map(ToString::to_string);
    let own = headers.filter(|name| name.starts_with("x-") || name.starts_with("webhook-"));
    for name in fields.chain(own) {
        assert!(page.contains(&format!("<code>{name}</code>")), "{name}");
    }
}

#[story::test]
async fn the_pages_about_the_api_say_what_types_cannot(test: &TestApp) {
    let keys = Page::of(test.anyone().get("/docs/api/api-keys").await, 200);
    for permission in Permission::ALL {
        assert!(keys.says(&format!("<code>{permission}</code>")), "{permission}");
    }
    let payments = Page::of(test.anyone().get("/docs/api/transactions").await, 200);
    assert!(payments.says("exactly one of amountCents, paymentLinkId and items"));
    let page = Page::of(test.anyone().get("/docs").await, 200);
    for code in ErrorCode::ALL {
        let when = code.when().replace('`', "").replace('\'', "&#39;");
        assert!(page.says(&when), "{when}");
    }
}
