//! The forms that make and change objects: what they send, and what they leave as it is.

use serde_json::{Value, json};

use super::{Browser, EMAIL, next};
use crate::affiliates::{PROGRAMS, program};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, client_path, id, link_path, merged, product_path};
use crate::subscriptions::plan;

/// An object of each kind that has a form.
struct Objects {
    coupon: Value,
    product: Value,
    link: Value,
    client: Value,
    plan: Value,
    program: Value,
}

impl Objects {
    async fn of(shop: &Shop) -> Self {
        let coupon = json!({ "code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 10 });
        let coupon = shop.key.post("/api/v1/coupons", coupon).await.expect(201);
        let buyer = json!({ "name": "Fulana", "email": "fulana@example.com" });
        let product = shop.product(json!({ "stockEnabled": true, "stockQuantity": 5 })).await;
        Self {
            coupon: coupon["coupon"].clone(),
            link: shop.link(1_000).await,
            client: shop.client(buyer).await,
            plan: plan(shop, json!({})).await,
            program: program(shop, &product, json!({})).await,
            product,
        }
    }

    /// The page of each form, the path of its object in the API and the name of that there.
    fn places(&self) -> [(String, String, &'static str); 6] {
        let edit = |list: &str, it: &Value| format!("/dashboard/dev/{list}/{}/edit", id(it));
        let coupon = format!("/api/v1/coupons/{}", id(&self.coupon));
        let plan = format!("/api/subscriptions/plans/{}", id(&self.plan));
        let program = format!("{PROGRAMS}/{}", id(&self.program));
        [
            (edit("coupons", &self.coupon), coupon, "coupon"),
            (edit("products", &self.product), product_path(&self.product), "product"),
            (edit("links", &self.link), link_path(&self.link), "paymentLink"),
            (edit("clients", &self.client), client_path(&self.client), "client"),
            (edit("subscriptions/plans", &self.plan), plan, "data"),
            (edit("affiliates/programs", &self.program), program, "data"),
        ]
    }
}

#[story::test]
async fn what_another_person_changed_since_a_form_was_drawn_stays(test: &TestApp, shop: Shop) {
    let objects = Objects::of(&shop).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let changes = [
        ("description", json!({ "usageLimit": 7, "minPurchaseCents": 500, "code": "ONZE" })),
        ("name", json!({ "price": 2_000, "stockQuantity": 9, "isDigital": true })),
        (
            "title",
            json!({
                "amountCents": 2_000, "description": "Com frete.", "stockEnabled": true,
                "stockQuantity": 3, "expiresAt": "2026-12-25T03:00:00.000Z",
                "settings": { "boletoEnabled": false, "requirePhone": true },
            }),
        ),
        ("name", json!({ "email": "bia@example.com", "phone": "11912345678" })),
        ("name", json!({ "amountCents": 4_000, "trialDays": 7, "maxSubscribers": 9 })),
        ("description", json!({ "commissionValue": 2_000, "cookieDays": 60, "rules": "Sem spam" })),
    ];
    for ((page, path, kind), (field, change)) in objects.places().into_iter().zip(changes) {
        let form = browser.page(&page).await;
        let theirs = shop.key.patch(&path, change).await.expect(200)[kind].clone();
        let fields = form.filled(&[(field, "Outro texto")]);
        // A refused form is drawn again, and still knows how it was drawn at first.
        let wrong = form.filled(&[(field, "4111 1111 1111 1111")]);
        let refused = Page::of(browser.post_typed(&page, &wrong).await, 422);
        let again = refused.filled(&[(field, "Outro texto")]);
        for fields in [fields, again] {
            next(&browser.post_typed(&page, &fields).await);
            let now = shop.key.get(&path).await.expect(200)[kind].clone();
            let mine = json!({ field: "Outro texto", "updatedAt": now["updatedAt"] });
            assert_eq!(now, merged(theirs.clone(), &mine), "{page}");
        }
    }
}

/// What a form posts for a field.
fn typed(page: &Page, name: &str) -> String {
    let fields = page.form();
    fields.into_iter().find(|(field, _)| field == name).expect("is a field").1
}

#[story::test]
async fn a_form_that_saved_something_is_drawn_again_upon_that(test: &TestApp, shop: Shop) {
    let objects = Objects::of(&shop).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let fields = ["description", "name", "title", "name", "name", "description"];
    for ((page, path, kind), field) in objects.places().into_iter().zip(fields) {
        let form = browser.page(&page).await;
        let stored = async || shop.key.get(&path).await.expect(200)[kind][field].clone();
        let first = typed(&form, field);
        next(&browser.post_typed(&page, &form.filled(&[(field, "Outro texto")])).await);
        // The browser goes back to the form as it was drawn at first.
        let again = Page::of(browser.post_typed(&page, &form.filled(&[])).await, 422);
        assert_eq!(typed(&again, field), "Outro texto", "{page}");
        assert_eq!(stored().await, "Outro texto", "{page}");
        next(&browser.post_typed(&page, &again.filled(&[(field, &*first)])).await);
        assert_eq!(stored().await.as_str().unwrap_or_default(), first, "{page}");
    }
}

#[story::test]
async fn what_was_there_first_is_saved_from_a_form_that_saved_something_else(
    test: &TestApp,
    shop: Shop,
) {
    let plan = plan(&shop, json!({})).await;
    let course = shop.product(json!({})).await;
    let program = program(&shop, &course, json!({ "rules": "Sem spam" })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    for (page, field) in [
        (format!("/dashboard/dev/subscriptions/plans/{}/edit", id(&plan)), "name"),
        (format!("/dashboard/dev/affiliates/programs/{}/edit", id(&program)), "rules"),
        ("/account/business/edit".to_owned(), "name"),
    ] {
        let form = browser.page(&page).await;
        let first = typed(&form, field);
        next(&browser.post_typed(&page, &form.filled(&[(field, "Outro texto")])).await);
        let again = Page::of(browser.post_typed(&page, &form.filled(&[])).await, 422);
        assert_eq!(typed(&again, field), "Outro texto", "{page}");
        next(&browser.post_typed(&page, &again.filled(&[(field, &*first)])).await);
        assert_eq!(typed(&browser.page(&page).await, field), first, "{page}");
    }
}

#[story::test]
async fn a_form_that_is_saved_as_it_was_drawn_changes_nothing(test: &TestApp, shop: Shop) {
    let objects = Objects::of(&shop).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let lines = "Uma linha\ne outra";
    let changes = [
        json!({ "description": lines, "validUntil": "2026-11-30T15:30:00.000Z" }),
        json!({ "description": lines }),
        json!({
            "description": lines, "productDescription": lines,
            "settings": { "maxInstallments": 3, "interestRate": 2.99 },
        }),
        json!({ "document": "529.982.247-25" }),
        json!({ "description": lines, "retryPolicy": { "maxRetry": 3, "retryEvery": 5 } }),
        json!({ "description": lines, "rules": lines, "commissionValue": 1_250 }),
    ];
    for ((page, path, kind), change) in objects.places().into_iter().zip(changes) {
        let before = shop.key.patch(&path, change).await.expect(200)[kind].clone();
        let form = browser.page(&page).await;
        next(&browser.post_typed(&page, &form.form()).await);
        let now = shop.key.get(&path).await.expect(200)[kind].clone();
        assert_eq!(now, merged(before, &json!({ "updatedAt": now["updatedAt"] })), "{page}");
    }
}

#[story::test]
async fn a_description_keeps_its_lines(test: &TestApp, shop: Shop) {
    let objects = Objects::of(&shop).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let typed = [("description", ""), ("description", ""), ("description", "productDescription")];
    for ((page, path, kind), fields) in objects.places().into_iter().zip(typed) {
        for field in [fields.0, fields.1].into_iter().filter(|field| !field.is_empty()) {
            let form = browser.page(&page).await;
            assert!(form.says(&format!("<textarea id=\"{field}\"")), "{page} {field}");
            let fields = form.filled(&[(field, "Uma linha\r\ne outra")]);
            next(&browser.post_typed(&page, &fields).await);
            let now = shop.key.get(&path).await.expect(200);
            assert_eq!(now[kind][field], "Uma linha\ne outra", "{page} {field}");
        }
    }
}

#[story::test]
async fn a_form_that_was_sent_with_other_values_comes_back_and_says_so(test: &TestApp, shop: Shop) {
    let objects = Objects::of(&shop).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let edit = objects.places().map(|(page, ..)| page);
    let new = ["coupons", "products", "links"].map(|list| format!("/dashboard/dev/{list}/new"));
    let field = |page: &str| match page.split('/').nth(3).expect("names a list") {
        "coupons" => "code",
        "links" => "title",
        "affiliates" => "description",
        _ => "name",
    };
    let needed = [("discountValue", "10"), ("price", "10"), ("amountCents", "10")];
    for page in edit.iter().chain(&new) {
        let (form, field) = (browser.page(page).await, field(page));
        let makes = page.ends_with("/new");
        let typed = |text: &'static str| {
            let more = needed.into_iter().filter(|(name, _)| makes && form.has(name));
            form.filled(&more.chain([(field, text)]).collect::<Vec<_>>())
        };
        next(&browser.post_typed(page, &typed("PRIMEIRO")).await);
        let refused = Page::of(browser.post_typed(page, &typed("SEGUNDO")).await, 422);
        assert!(refused.says("Este formulário já foi enviado com outros valores."), "{page}");
        assert_eq!(refused.value(field), "SEGUNDO", "{page}");
        let last = if makes { "QUARTO" } else { "TERCEIRO" };
        next(&browser.post_typed(page, &refused.filled(&[(field, last)])).await);
    }
}
