//! Payment links: what they offer, when they end, and what that means for what was issued.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::shop::{Shop, id, link_path, merged};
use crate::harness::story;

const LINKS: &str = "/api/v1/payment-links";
const HOUR: Duration = Duration::from_hours(1);
/// One microsecond less.
const ALMOST_AN_HOUR: Duration = Duration::from_micros(3_599_999_999);
/// An hour after every story's beginning.
const IN_AN_HOUR: &str = "2026-11-21T13:00:00.000Z";
const IN_TWO_HOURS: &str = "2026-11-21T14:00:00.000Z";

#[test]
fn a_link_is_made_shown_changed_and_deleted() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let settings = json!({
            "pixEnabled": true, "boletoEnabled": false, "creditCardEnabled": true,
            "maxInstallments": 12, "interestFreeInstallments": 3, "interestRate": 2.99,
            "requirePhone": true, "requireAddress": true,
        });
        let fields = json!({
            "title": "Curso", "description": "Em vídeo.", "currency": "BRL",
            "expiresAt": IN_AN_HOUR, "redirectUrl": "https://example.com/obrigado?pedido=1",
            "productDescription": "Dez aulas.", "settings": settings, "stockQuantity": 10,
            "stockEnabled": true, "metaPixelCode": "1234567890", "status": "INACTIVE",
        });
        let body = merged(fields.clone(), &json!({ "amountCents": 4_990 }));
        let made = shop.key.post(LINKS, body).await.expect(201);
        assert_eq!(made["message"], "Payment link created.");
        let link = made["data"].clone();
        let slug = link["slug"].as_str().expect("has one");
        assert_eq!(slug.len(), 12);
        let now = json!("2026-11-21T12:00:00.000Z");
        let given = json!({
            "id": id(&link), "slug": slug, "url": format!("https://pay.example.com/pay/{slug}"),
            "amount": 4_990, "totalCents": 4_990, "products": [], "salesCount": 0,
            "timesUsed": 0, "createdAt": now, "updatedAt": now,
        });
        assert_eq!(link, merged(fields, &given));
        assert_eq!(shop.read_link(&link).await, link);

        test.pass(Duration::from_mins(1));
        let change = json!({ "amountCents": 5_990, "description": null, "redirectUrl": null });
        let changed = shop.change_link(&link, change).await;
        let difference = json!({
            "amount": 5_990, "totalCents": 5_990, "description": null, "redirectUrl": null,
            "updatedAt": "2026-11-21T12:01:00.000Z",
        });
        assert_eq!(changed, merged(link.clone(), &difference));
        assert_eq!(shop.read_link(&link).await, changed);

        let deleted = shop.key.delete(&link_path(&link)).await.expect(200);
        assert_eq!(deleted, json!({ "message": "Payment link deleted." }));
        let path = link_path(&link);
        shop.key.get(&path).await.expect_refusal(404, "NOT_FOUND");
        shop.key.patch(&path, json!({})).await.expect_refusal(404, "NOT_FOUND");
        shop.key.delete(&path).await.expect_refusal(404, "NOT_FOUND");
        assert_eq!(titles(&shop, "").await, [] as [&str; 0]);
        let names = ["payment_link.created", "payment_link.updated", "payment_link.deleted"];
        assert_eq!(shop.events().await, names);
    });
}

#[test]
fn what_is_not_said_of_a_link_has_a_default() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link_with(json!({ "amountCents": 100, "colour": "blue" })).await;
        let defaults = json!({
            "description": null, "productDescription": null, "amount": 100, "currency": "BRL",
            "status": "ACTIVE", "expiresAt": null, "redirectUrl": null, "stockQuantity": null,
            "stockEnabled": false, "metaPixelCode": null, "products": [],
            "settings": {
                "pixEnabled": true, "boletoEnabled": true, "creditCardEnabled": true,
                "maxInstallments": 1, "interestFreeInstallments": 1, "interestRate": 0,
                "requirePhone": false, "requireAddress": false,
            },
        });
        for (field, value) in defaults.as_object().expect("are fields") {
            assert_eq!(&link[field], value, "{field}");
        }
        assert_eq!(link.get("colour"), None);
        assert_ne!(link["slug"], shop.link(100).await["slug"]);
    });
}

/// What is wrong with a link, and the field that is named for it.
fn bad_fields() -> Vec<(Value, &'static str)> {
    let unknown = "00000000-0000-7000-8000-000000000001";
    let item = |quantity: Value| json!({ "productId": unknown, "quantity": quantity });
    let settings = |settings: Value| json!({ "settings": settings });
    vec![
        (json!({ "title": "" }), "title"),
        (json!({ "title": "a".repeat(256) }), "title"),
        (json!({ "title": 1 }), "title"),
        (json!({ "description": "a".repeat(1_001) }), "description"),
        (json!({ "amountCents": 0 }), "amountCents"),
        (json!({ "amountCents": 1_000_000_001 }), "amountCents"),
        (json!({ "amountCents": "1" }), "amountCents"),
        (json!({ "currency": "USD" }), "currency"),
        (json!({ "expiresAt": "2026-11-21T12:01:00Z" }), "expiresAt"),
        (json!({ "expiresAt": "2032-01-01T00:00:00Z" }), "expiresAt"),
        (json!({ "expiresAt": "tomorrow" }), "expiresAt"),
        (json!({ "redirectUrl": "javascript:alert(1)" }), "redirectUrl"),
        (json!({ "redirectUrl": "//example.com" }), "redirectUrl"),
        (json!({ "productDescription": "a".repeat(1_001) }), "productDescription"),
        (json!({ "stockQuantity": -1 }), "stockQuantity"),
        (json!({ "stockEnabled": true }), "stockQuantity"),
        (json!({ "metaPixelCode": "<script>" }), "metaPixelCode"),
        (json!({ "metaPixelCode": "1".repeat(65) }), "metaPixelCode"),
        (json!({ "metaPixelCode": "" }), "metaPixelCode"),
        (json!({ "status": "EXPIRED" }), "status"),
        (json!({ "products": [item(json!(1))] }), "products[0].productId"),
        (json!({ "products": [item(json!(0))] }), "products[0].quantity"),
        (json!({ "products": [item(json!("1"))] }), "products[0].quantity"),
        (json!({ "products": [{ "productId": unknown }] }), "products[0].quantity"),
        (json!({ "products": [{ "quantity": 1 }] }), "products[0].productId"),
        (json!({ "products": vec![item(json!(1)); 101] }), "products"),
        (settings(json!({ "maxInstallments": 0 })), "settings.maxInstallments"),
        (settings(json!({ "maxInstallments": 13 })), "settings.maxInstallments"),
        (settings(json!({ "interestFreeInstallments": 2 })), "settings.interestFreeInstallments"),
        (settings(json!({ "interestFreeInstallments": -1 })), "settings.interestFreeInstallments"),
        (settings(json!({ "interestRate": 20.0001 })), "settings.interestRate"),
        (settings(json!({ "interestRate": -1 })), "settings.interestRate"),
        (settings(json!({ "interestRate": 0.00001 })), "settings.interestRate"),
        (settings(json!({ "pixEnabled": "yes" })), "settings.pixEnabled"),
    ]
}

/// What makes a link no link at all, and the code that says so.
fn refused_links() -> [(Value, &'static str); 3] {
    let no_method = json!({
        "pixEnabled": false, "boletoEnabled": false, "creditCardEnabled": false,
    });
    [
        (json!({ "amountCents": null }), "MISSING_AMOUNT_OR_PRODUCTS"),
        (json!({ "amountCents": null, "products": [] }), "MISSING_AMOUNT_OR_PRODUCTS"),
        (json!({ "settings": no_method }), "NO_PAYMENT_METHOD_ENABLED"),
    ]
}

#[test]
fn a_link_with_a_bad_field_is_not_made() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        test.pass(Duration::from_mins(1));
        let good = json!({ "title": "Caneca", "amountCents": 1_000 });
        for (bad, field) in bad_fields() {
            let refused = shop.key.post(LINKS, merged(good.clone(), &bad)).await;
            assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{bad}");
        }
        for (bad, code) in refused_links() {
            let refused = shop.key.post(LINKS, merged(good.clone(), &bad)).await;
            refused.expect_refusal(400, code);
        }
        let refused = shop.key.post(LINKS, json!({ "amountCents": 1 })).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["title"]);
        let worst = json!({ "title": "", "amountCents": 0, "redirectUrl": "x" });
        let refused = shop.key.post(LINKS, worst).await;
        let all = ["title", "redirectUrl", "amountCents"];
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), all);
        assert_eq!(titles(&shop, "").await, [] as [&str; 0]);
        assert!(shop.events().await.is_empty());
    });
}

#[test]
fn a_bad_change_changes_nothing() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link(1_000).await;
        test.pass(Duration::from_mins(1));
        for (bad, field) in bad_fields() {
            let bad = merged(json!({ "description": "Verde." }), &bad);
            let refused = shop.key.patch(&link_path(&link), bad.clone()).await;
            assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{bad}");
        }
        for (bad, code) in refused_links() {
            shop.key.patch(&link_path(&link), bad).await.expect_refusal(400, code);
        }
        assert_eq!(shop.read_link(&link).await, link);
        assert_eq!(shop.events().await, ["payment_link.created"]);
    });
}

#[test]
fn settings_are_changed_one_by_one_and_null_brings_the_defaults_back() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link(1_000).await;
        let defaults = link["settings"].clone();
        let table = [
            (
                json!({ "maxInstallments": 6, "interestRate": "1.5" }),
                json!({ "maxInstallments": 6, "interestRate": 1.5 }),
            ),
            (json!({ "interestFreeInstallments": 6 }), json!({ "interestFreeInstallments": 6 })),
            (json!({ "boletoEnabled": false }), json!({ "boletoEnabled": false })),
        ];
        let mut settings = defaults.clone();
        for (sent, difference) in table {
            settings = merged(settings, &difference);
            let changed = shop.change_link(&link, json!({ "settings": sent })).await;
            assert_eq!(changed["settings"], settings, "{sent}");
        }
        let fewer = json!({ "settings": { "maxInstallments": 5 } });
        let refused = shop.key.patch(&link_path(&link), fewer).await;
        let field = "settings.interestFreeInstallments";
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field]);
        let reset = shop.change_link(&link, json!({ "settings": null })).await;
        assert_eq!(reset["settings"], defaults);
    });
}

#[test]
fn every_move_of_a_link_is_decided() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let mut links = Vec::new();
        for _ in 0..15 {
            let fields = json!({ "amountCents": 100, "expiresAt": IN_AN_HOUR });
            links.push(shop.link_with(fields).await);
        }
        let (active, inactive) = (json!({ "status": "ACTIVE" }), json!({ "status": "INACTIVE" }));
        let later = json!({ "expiresAt": IN_TWO_HOURS });
        let never = json!({ "expiresAt": null });
        let table = [
            ("ACTIVE", json!({}), Some("ACTIVE")),
            ("ACTIVE", active.clone(), Some("ACTIVE")),
            ("ACTIVE", inactive.clone(), Some("INACTIVE")),
            ("ACTIVE", later.clone(), Some("ACTIVE")),
            ("INACTIVE", json!({}), Some("INACTIVE")),
            ("INACTIVE", active.clone(), Some("ACTIVE")),
            ("INACTIVE", inactive.clone(), Some("INACTIVE")),
            ("INACTIVE", later.clone(), Some("INACTIVE")),
            ("EXPIRED", json!({ "title": "Outro" }), Some("EXPIRED")),
            ("EXPIRED", active.clone(), None),
            ("EXPIRED", inactive.clone(), None),
            ("EXPIRED", later.clone(), Some("ACTIVE")),
            ("EXPIRED", never.clone(), Some("ACTIVE")),
            ("EXPIRED", merged(later, &inactive), Some("INACTIVE")),
            ("EXPIRED", merged(never, &active), Some("ACTIVE")),
        ];
        for (link, (from, change, to)) in links.iter().zip(&table) {
            if *from == "INACTIVE" {
                shop.change_link(link, inactive.clone()).await;
            }
            if *from == "EXPIRED" {
                continue;
            }
            let changed = shop.change_link(link, change.clone()).await;
            assert_eq!(Some(&changed["status"]), to.map(Value::from).as_ref(), "{from} {change}");
        }
        test.pass(HOUR);
        for (link, (from, change, to)) in links.iter().zip(&table) {
            if *from != "EXPIRED" {
                continue;
            }
            let reply = shop.key.patch(&link_path(link), change.clone()).await;
            if let Some(to) = to {
                assert_eq!(reply.expect(200)["paymentLink"]["status"], *to, "{change}");
            } else {
                reply.expect_refusal(409, "INVALID_STATE_TRANSITION");
                assert_eq!(reply.json()["currentStatus"], "EXPIRED");
            }
        }
    });
}

#[test]
fn a_link_expires_on_the_instant_and_is_told_of_once() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link_with(json!({ "amountCents": 100, "expiresAt": IN_AN_HOUR })).await;
        let public = format!("/api/payment-links/public/slug/{}", link["slug"].as_str().unwrap());
        test.pass(ALMOST_AN_HOUR);
        test.run_jobs().await;
        assert_eq!(shop.read_link(&link).await["status"], "ACTIVE");
        assert_eq!(titles(&shop, "status=ACTIVE").await, ["Caneca"]);
        test.anyone().get(&public).await.expect(200);

        test.pass(Duration::from_micros(1));
        assert_eq!(shop.read_link(&link).await["status"], "EXPIRED");
        assert_eq!(titles(&shop, "status=EXPIRED").await, ["Caneca"]);
        assert_eq!(titles(&shop, "status=ACTIVE").await, [] as [&str; 0]);
        test.anyone().get(&public).await.expect_refusal(410, "PAYMENT_LINK_EXPIRED");
        let sale = json!({ "paymentLinkId": id(&link) });
        shop.try_charge(sale).await.expect_refusal(410, "PAYMENT_LINK_EXPIRED");
        assert_eq!(shop.events().await, ["payment_link.created"]);

        for _ in 0..2 {
            test.run_jobs().await;
            let names = ["payment_link.created", "payment_link.expired"];
            assert_eq!(shop.events().await, names);
            assert_eq!(shop.read_link(&link).await["status"], "EXPIRED");
            test.pass(HOUR);
        }
    });
}

#[test]
fn an_inactive_link_expires_too() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let fields = json!({ "amountCents": 100, "expiresAt": IN_AN_HOUR, "status": "INACTIVE" });
        let link = shop.link_with(fields).await;
        test.pass(HOUR);
        test.run_jobs().await;
        assert_eq!(shop.read_link(&link).await["status"], "EXPIRED");
        assert_eq!(shop.events().await, ["payment_link.created", "payment_link.expired"]);
    });
}

#[test]
fn a_change_after_the_end_tells_of_the_end_first_and_once() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link_with(json!({ "amountCents": 100, "expiresAt": IN_AN_HOUR })).await;
        test.pass(HOUR);
        shop.change_link(&link, json!({ "title": "Outra" })).await;
        test.run_jobs().await;
        let revived = shop.change_link(&link, json!({ "expiresAt": IN_TWO_HOURS })).await;
        assert_eq!(revived["status"], "ACTIVE");
        test.pass(HOUR);
        test.run_jobs().await;
        let names = [
            "payment_link.created",
            "payment_link.expired",
            "payment_link.updated",
            "payment_link.updated",
            "payment_link.expired",
        ];
        assert_eq!(shop.events().await, names);
    });
}

#[test]
fn a_link_deleted_after_its_end_tells_of_the_end_first() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link_with(json!({ "amountCents": 100, "expiresAt": IN_AN_HOUR })).await;
        test.pass(HOUR);
        shop.key.delete(&link_path(&link)).await.expect(200);
        test.run_jobs().await;
        let names = ["payment_link.created", "payment_link.expired", "payment_link.deleted"];
        assert_eq!(shop.events().await, names);
    });
}

#[test]
fn a_moved_date_moves_the_end() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let fields = json!({ "amountCents": 100, "expiresAt": IN_AN_HOUR });
        let postponed = shop.link_with(fields.clone()).await;
        let endless = shop.link_with(fields.clone()).await;
        let hastened = shop.link_with(fields.clone()).await;
        let deleted = shop.link_with(fields).await;
        shop.change_link(&postponed, json!({ "expiresAt": IN_TWO_HOURS })).await;
        shop.change_link(&endless, json!({ "expiresAt": null })).await;
        let sooner = json!({ "expiresAt": "2026-11-21T12:30:00Z" });
        shop.change_link(&hastened, sooner).await;
        shop.key.delete(&link_path(&deleted)).await.expect(200);
        let expired = async || {
            let names = shop.events().await;
            names.iter().filter(|name| *name == "payment_link.expired").count()
        };
        for (minutes, so_far) in [(29, 0), (1, 1), (30, 1), (59, 1), (1, 2), (60, 2)] {
            test.pass(Duration::from_mins(minutes));
            test.run_jobs().await;
            assert_eq!(expired().await, so_far, "{minutes} minutes later");
        }
        assert_eq!(shop.read_link(&endless).await["status"], "ACTIVE");
    });
}

#[test]
fn neither_the_end_nor_a_pause_kills_what_was_issued() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let soon = "2026-11-21T12:30:00Z";
        let ends = shop.link_with(json!({ "amountCents": 100, "expiresAt": soon })).await;
        let pauses = shop.link(200).await;
        let goes = shop.link(300).await;
        let mut charges = Vec::new();
        for link in [&ends, &pauses, &goes] {
            let sale = json!({ "paymentLinkId": id(link) });
            charges.push(shop.try_charge(sale).await.expect(201)["transaction"].clone());
        }
        shop.change_link(&pauses, json!({ "status": "INACTIVE" })).await;
        shop.key.delete(&link_path(&goes)).await.expect(200);
        test.pass(Duration::from_mins(31));
        test.run_jobs().await;
        for (link, code) in [(&ends, "PAYMENT_LINK_EXPIRED"), (&pauses, "PAYMENT_LINK_INACTIVE")] {
            let sale = json!({ "paymentLinkId": id(link) });
            shop.try_charge(sale).await.expect_refusal(410, code);
        }
        for charge in &charges {
            assert_eq!(shop.transaction(charge).await["status"], "PENDING");
            assert_eq!(shop.pay(charge).await["status"], "PAID");
        }
        assert_eq!(shop.available().await, 600);
        for (link, status) in [(&ends, "EXPIRED"), (&pauses, "INACTIVE")] {
            let link = shop.read_link(link).await;
            assert_eq!((&link["status"], &link["salesCount"]), (&json!(status), &json!(1)));
        }
        let names = shop.events().await;
        assert_eq!(names.iter().filter(|name| *name == "payment_link.paid").count(), 3);
    });
}

#[test]
fn a_link_counts_what_is_issued_and_what_is_paid() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link(100).await;
        let sale = json!({ "paymentLinkId": id(&link) });
        let mut charges = Vec::new();
        for _ in 0..3 {
            let charge = shop.try_charge(sale.clone()).await.expect(201)["transaction"].clone();
            assert_eq!(charge["paymentLinkId"], link["id"]);
            charges.push(charge);
        }
        shop.pay(&charges[0]).await;
        shop.simulate(&charges[0], json!({ "outcome": "PAID" })).await;
        test.pass(HOUR);
        test.run_jobs().await;
        shop.pay(&charges[1]).await;
        let link = shop.read_link(&link).await;
        assert_eq!((&link["timesUsed"], &link["salesCount"]), (&json!(3), &json!(2)));
    });
}

#[test]
fn products_are_priced_at_the_moment_of_the_sale_unless_the_bundle_has_a_price() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let mug = shop.product(json!({ "price": 2_500 })).await;
        let shirt = shop.product(json!({ "price": 4_000 })).await;
        let products = json!([
            { "productId": id(&mug), "quantity": 2 },
            { "productId": id(&shirt), "quantity": 1 },
        ]);
        let sum = shop.link_with(json!({ "products": products })).await;
        let bundle = shop.link_with(json!({ "products": products, "amountCents": 7_777 })).await;
        let issued_at = async |link: &Value| {
            let sale = json!({ "paymentLinkId": id(link) });
            shop.try_charge(sale).await.expect(201)["transaction"]["amount"].clone()
        };
        for (price, total) in [(2_500, 9_000), (3_000, 10_000)] {
            shop.change_product(&mug, json!({ "price": price })).await;
            for (link, total) in [(&sum, total), (&bundle, 7_777)] {
                let link = shop.read_link(link).await;
                assert_eq!((&link["amount"], &link["totalCents"]), (&Value::Null, &json!(total)));
                assert_eq!(link["products"], products);
                assert_eq!(issued_at(&link).await, total);
            }
        }
        let computed = shop.change_link(&bundle, json!({ "amountCents": null })).await;
        assert_eq!(computed["totalCents"], 10_000);
        let plain = json!({ "amountCents": 500, "products": null });
        let plain = shop.change_link(&bundle, plain).await;
        let shown = (&plain["amount"], &plain["totalCents"], &plain["products"]);
        assert_eq!(shown, (&json!(500), &json!(500), &json!([])));
        let refused = shop.key.patch(&link_path(&sum), json!({ "products": null })).await;
        refused.expect_refusal(400, "MISSING_AMOUNT_OR_PRODUCTS");
    });
}

#[test]
fn a_new_amount_never_alters_what_was_issued() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link(1_000).await;
        let sale = json!({ "paymentLinkId": id(&link) });
        let issued = shop.try_charge(sale.clone()).await.expect(201)["transaction"].clone();
        shop.change_link(&link, json!({ "amountCents": 9_000 })).await;
        assert_eq!(shop.transaction(&issued).await, issued);
        assert_eq!(shop.pay(&issued).await["paidAmount"], 1_000);
        let new = shop.try_charge(sale).await.expect(201);
        assert_eq!(new["transaction"]["amount"], 9_000);
    });
}

#[test]
fn a_link_is_its_merchants_and_modes_alone() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let link = shop.link(1_000).await;
        let product = shop.product(json!({})).await;
        let other = test.shop("Outra").await;
        let may = ["paymentLinks:read", "paymentLinks:write", "transactions:write"];
        let real = shop.key_for("production", &may).await;
        let items = json!([{ "productId": id(&product), "quantity": 1 }]);
        for stranger in [&other.key, &real] {
            let path = link_path(&link);
            stranger.get(&path).await.expect_refusal(404, "NOT_FOUND");
            stranger.patch(&path, json!({ "title": "x" })).await.expect_refusal(404, "NOT_FOUND");
            stranger.delete(&path).await.expect_refusal(404, "NOT_FOUND");
            let listed = stranger.get(LINKS).await.expect(200);
            assert_eq!((&listed["data"], &listed["pagination"]["total"]), (&json!([]), &json!(0)));
            let foreign = json!({ "title": "x", "products": items });
            let refused = stranger.post(LINKS, foreign).await;
            let field = "products[0].productId";
            assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field]);
            let sale = json!({
                "paymentLinkId": id(&link), "method": "PIX",
                "customer": { "name": "Ana", "email": "ana@example.com" },
            });
            let refused = stranger.post("/api/v1/transactions", sale).await;
            refused.expect_refusal(404, "NOT_FOUND");
        }
        assert_eq!(shop.read_link(&link).await, link);
    });
}

#[test]
fn links_are_listed_newest_first_and_found_among_many() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        for (title, description, status) in [
            ("Caneca", "Azul", "ACTIVE"),
            ("Camiseta", "100% algodão", "INACTIVE"),
            ("Curso", "", "ACTIVE"),
        ] {
            let fields = json!({
                "title": title, "description": description, "status": status, "amountCents": 100,
            });
            shop.link_with(fields).await;
            test.pass(Duration::from_mins(1));
        }
        let newest = shop.key.get(&format!("{LINKS}?limit=1")).await.expect(200);
        let slug = newest["data"][0]["slug"].as_str().expect("has one").to_owned();
        let by_slug = format!("q={slug}");
        let table = [
            ("", vec!["Curso", "Camiseta", "Caneca"]),
            ("status=ACTIVE", vec!["Curso", "Caneca"]),
            ("status=INACTIVE", vec!["Camiseta"]),
            ("status=EXPIRED", vec![]),
            ("status=ACTIVE&q=AZUL", vec!["Caneca"]),
            ("q=%25", vec!["Camiseta"]),
            ("q=_", vec![]),
            (by_slug.as_str(), vec!["Curso"]),
            ("createdFrom=2026-11-21T12:01:00Z", vec!["Curso", "Camiseta"]),
            ("createdTo=2026-11-21T12:01:00Z", vec!["Caneca"]),
            ("limit=1&page=2", vec!["Camiseta"]),
        ];
        for (query, expected) in table {
            assert_eq!(titles(&shop, query).await, expected, "{query}");
        }
        let first = shop.key.get(&format!("{LINKS}?limit=2&cursor=")).await.expect(200);
        let cursor = first["pagination"]["nextCursor"].as_str().expect("goes on");
        assert_eq!(titles(&shop, &format!("cursor={cursor}")).await, ["Caneca"]);
    });
}

async fn titles(shop: &Shop, query: &str) -> Vec<String> {
    let listed = shop.key.get(&format!("{LINKS}?{query}")).await.expect(200);
    let links = listed["data"].as_array().expect("is a list").iter();
    links.map(|link| link["title"].as_str().expect("has a title").to_owned()).collect()
}
