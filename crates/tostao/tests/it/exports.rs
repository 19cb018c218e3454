//! Lists as files for spreadsheets, in the API and in the dashboard.

use serde_json::json;

use crate::affiliates::Scene;
use crate::dashboard::{Browser, EMAIL, join, token};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};
use crate::members::member;
use crate::refunds::refund;
use crate::subscriptions::{plan, subscribe};

const MARK: char = '\u{feff}';
/// Every list that is exported, by its path in the API.
const LISTS: [&str; 11] = [
    "v1/transactions",
    "balance/entries",
    "figures/entries",
    "v1/products",
    "v1/coupons",
    "v1/payment-links",
    "clients",
    "withdraws",
    "subscriptions",
    "subscriptions/plans",
    "affiliate/commissions",
];
const CPF: &str = "52998224725";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// The lines of a CSV file, each as its cells; no cell of these has a semicolon.
#[track_caller]
fn table(reply: &Reply) -> Vec<Vec<String>> {
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(reply.header("content-type"), Some("text/csv; charset=utf-8"));
    let text = reply.text.strip_prefix(MARK).expect("begins with its mark");
    text.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect()
}

/// The cells of a column below its heading.
fn column(table: &[Vec<String>], name: &str) -> Vec<String> {
    let place = table[0].iter().position(|head| head == name).expect("is a column");
    table[1..].iter().map(|line| line[place].clone()).collect()
}

#[story::test]
async fn a_file_has_the_payments_of_the_list_with_the_same_filter(shop: Shop) {
    shop.earn(1_000).await;
    let open = shop.charge(2_000).await;
    shop.earn(123_456).await;
    for filter in ["", "status=PAID", "q=20,00", "status=FAILED"] {
        let listed = shop.key.get(&format!("/api/v1/transactions?{filter}")).await.expect(200);
        let listed = listed["data"].as_array().expect("is a list").clone();
        let file = shop.key.get(&format!("/api/v1/transactions/export?{filter}")).await;
        let table = table(&file);
        let ids: Vec<_> = listed.iter().map(|payment| id(payment).to_owned()).collect();
        assert_eq!(column(&table, "id"), ids, "{filter}");
        let cents = column(&table, "amount").into_iter().map(|amount| amount.replace(',', ""));
        let expected = listed.iter().map(|payment| payment["amount"].to_string());
        assert!(cents.eq(expected), "{filter}");
    }
    let all = table(&shop.key.get("/api/v1/transactions/export").await);
    assert_eq!(column(&all, "status"), ["PAID", "PENDING", "PAID"]);
    assert_eq!(column(&all, "amount"), ["1234,56", "20,00", "10,00"]);
    assert_eq!(column(&all, "id")[1], id(&open));
}

#[story::test]
async fn a_file_is_a_workbook_where_one_is_asked_for(shop: Shop) {
    shop.earn(1_000).await;
    for list in LISTS {
        let file = shop.key.get(&format!("/api/{list}/export?format=xlsx")).await;
        assert_eq!((file.status, file.header("content-type")), (200, Some(XLSX)), "{list}");
        let name = file.header("content-disposition").expect("has a name");
        assert!(name.starts_with("attachment") && name.ends_with(".xlsx\""), "{name}");
        assert!(file.text.starts_with("PK"), "{list}");
    }
}

#[story::test]
async fn a_file_of_another_format_or_of_a_wrong_filter_is_refused(shop: Shop) {
    let path = "/api/v1/transactions/export";
    for (query, code, field) in [
        ("format=pdf", "VALIDATION_ERROR", "format"),
        ("status=LOST", "VALIDATION_ERROR", "status"),
        ("createdFrom=yesterday", "VALIDATION_ERROR", "createdFrom"),
    ] {
        let refused = shop.key.get(&format!("{path}?{query}")).await;
        assert_eq!(refused.expect_refusal(400, code), [field]);
    }
}

#[story::test]
async fn a_file_of_a_statement_sums_to_the_balance(shop: Shop) {
    shop.earn(1_000).await;
    shop.earn(5_000).await;
    let sent = json!({ "amountCents": 2_000, "pixKey": "ana@example.com", "pixKeyType": "email" });
    shop.key.post("/api/withdraws", sent).await.expect(201);
    let whole = table(&shop.key.get("/api/balance/entries/export?account=available").await);
    let cents = |text: &str| text.replace(',', "").parse::<i64>().expect("is an amount");
    let sum: i64 = column(&whole, "amount").iter().map(|amount| cents(amount)).sum();
    let balance = shop.key.get("/api/withdraws/balance").await.expect(200);
    assert_eq!(json!(sum), balance["data"]["availableBalance"]);
    assert_eq!(cents(&column(&whole, "balance")[0]), sum);
}

#[story::test]
async fn a_file_of_a_figure_sums_to_it(shop: Shop) {
    shop.earn(1_000).await;
    shop.earn(5_000).await;
    let figures = shop.key.get("/api/figures").await.expect(200);
    let sold = &figures["data"]["total"]["sold"];
    let list = sold["listUrl"].as_str().expect("has a list");
    let file = shop.key.get(&list.replace("/entries?", "/entries/export?")).await;
    let amounts = column(&table(&file), "amount");
    let sum: i64 = amounts.iter().filter_map(|it| it.replace(',', "").parse::<i64>().ok()).sum();
    assert_eq!((json!(sum), amounts.len()), (sold["value"].clone(), 2));
}

#[story::test]
async fn the_file_of_a_page_is_in_the_words_of_its_reader(test: &TestApp, shop: Shop) {
    shop.earn(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let list = Page::of(browser.get("/dashboard/dev/transactions?status=PAID").await, 200);
    assert!(list.says("/dashboard/dev/transactions/export?status=PAID&#38;format=xlsx"));
    let file = browser.get("/dashboard/dev/transactions/export?status=PAID&format=csv").await;
    let table_of = table(&file);
    assert_eq!(column(&table_of, "Situação"), ["Pago"]);
    assert_eq!(column(&table_of, "Valor"), ["10,00"]);
    let statement = browser.get("/dashboard/dev/balance/export?account=available").await;
    assert_eq!(column(&table(&statement), "O que foi"), ["Venda"]);
    let figure = browser.get("/dashboard/dev/figures/entries/export?figure=sold").await;
    assert_eq!(column(&table(&figure), "Valor"), ["10,00"]);
}

#[story::test]
async fn a_name_that_looks_like_a_formula_is_a_text_in_the_file(shop: Shop) {
    let customer = json!({ "name": "=HYPERLINK(1)", "email": "bia@example.com" });
    let sale = json!({ "amountCents": 1_000, "method": "PIX", "customer": customer });
    shop.charge_with(sale).await;
    let table = table(&shop.key.get("/api/v1/transactions/export").await);
    assert_eq!(column(&table, "customerName"), ["'=HYPERLINK(1)"]);
}

#[story::test]
async fn a_file_shows_nothing_of_another_merchant_and_asks_for_permission(test: &TestApp) {
    let (ours, theirs) = (test.shop("Loja").await, test.shop("Outra").await);
    theirs.earn(1_000).await;
    for list in LISTS {
        let file = ours.key.get(&format!("/api/{list}/export")).await;
        assert_eq!(table(&file).len(), 1, "{list}");
        let blind = ours.key_for("development", &["referrals:read"]).await;
        blind
            .get(&format!("/api/{list}/export"))
            .await
            .expect_refusal(403, "INSUFFICIENT_PERMISSION");
    }
}

/// Makes two of everything that is listed, of which one is off.
async fn furnished(test: &TestApp, shop: &Shop) {
    let (mug, _) = (shop.product(json!({})).await, shop.product(json!({ "name": "Copo" })).await);
    shop.change_product(&mug, json!({ "status": "INACTIVE" })).await;
    for (code, value) in [("DEZ", json!(12.5)), ("VINTE", json!(20))] {
        let coupon = json!({ "code": code, "discountType": "PERCENTAGE", "discountValue": value });
        shop.key.post("/api/v1/coupons", coupon).await.expect(201);
    }
    shop.link(4_990).await;
    let off = shop.link(1_000).await;
    shop.change_link(&off, json!({ "status": "INACTIVE" })).await;
    shop.client(json!({ "name": "Bia", "email": "bia@example.com", "document": CPF })).await;
    shop.earn(10_000).await;
    let withdrawal = shop.withdraw(1_000).await;
    shop.withdraw(2_000).await;
    let cancel = format!("/api/withdraws/{}/cancel", id(&withdrawal));
    shop.key.post(&cancel, json!({})).await.expect(200);
    let club = plan(shop, json!({})).await;
    subscribe(test, &club, json!({})).await.expect(201);
    let off = plan(shop, json!({ "name": "Clube do chá" })).await;
    let path = format!("/api/subscriptions/plans/{}", id(&off));
    shop.key.patch(&path, json!({ "active": false })).await.expect(200);
}

#[story::test]
async fn a_file_has_the_objects_of_its_list_with_the_same_filter(test: &TestApp, shop: Shop) {
    furnished(test, &shop).await;
    for (list, filters) in [
        ("v1/products", &["", "status=INACTIVE", "q=copo"][..]),
        ("v1/coupons", &["", "q=vinte"]),
        ("v1/payment-links", &["", "status=ACTIVE"]),
        ("clients", &["", "q=bia", "document=529.982.247-25"]),
        ("withdraws", &["", "status=PENDING", "status=FAILED"]),
        ("subscriptions", &["", "status=INCOMPLETE", "status=ACTIVE"]),
        ("subscriptions/plans", &["", "active=false", "q=ch%C3%A1"]),
    ] {
        for filter in filters {
            let listed = shop.key.list(&format!("/api/{list}?{filter}")).await;
            let file = table(&shop.key.get(&format!("/api/{list}/export?{filter}")).await);
            let wanted: Vec<_> = listed.iter().map(|one| id(one).to_owned()).collect();
            assert_eq!(column(&file, "id"), wanted, "{list}?{filter}");
        }
    }
    let file = async |list: &str| table(&shop.key.get(&format!("/api/{list}/export")).await);
    assert_eq!(column(&file("v1/coupons").await, "discount"), ["20%", "12.5%"]);
    assert_eq!(column(&file("v1/payment-links").await, "amount"), ["10,00", "49,90"]);
    assert_eq!(column(&file("withdraws").await, "amount"), ["20,00", "10,00"]);
    assert_eq!(column(&file("subscriptions").await, "customerName"), ["Ana"]);
}

#[story::test]
async fn a_file_of_customers_masks_their_documents_as_the_list_does(test: &TestApp, shop: Shop) {
    furnished(test, &shop).await;
    let support = member(test, &shop, "caio@example.com", "SUPPORT").await;
    let support = support.with("x-dev-mode", "true");
    let of = |reply: &Reply, name: &str| column(&table(reply), name).concat();
    let path = "/api/clients/export?q=bia";
    assert_eq!(of(&shop.key.get(path).await, "document"), CPF);
    let masked = of(&support.get(path).await, "document");
    assert!(!masked.is_empty() && masked != CPF, "{masked}");
    let browser = Browser::signed_in(test, EMAIL).await;
    let shown = browser.get("/dashboard/dev/clients/export?q=bia").await;
    assert_eq!(of(&shown, "CPF/CNPJ"), masked);
    let viewer = member(test, &shop, "leitura@example.com", "VIEWER").await;
    viewer
        .with("x-dev-mode", "true")
        .get(path)
        .await
        .expect_refusal(403, "INSUFFICIENT_PERMISSION");
}

#[story::test]
async fn every_page_of_a_list_leads_to_its_file(test: &TestApp, shop: Shop) {
    furnished(test, &shop).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    for (list, filter, heading, cell) in [
        ("products", "status=INACTIVE", "Nome", "Caneca"),
        ("coupons", "q=dez", "Desconto", "12,5%"),
        ("links", "status=ACTIVE", "Título", "Caneca"),
        ("clients", "q=bia", "Nome", "Bia"),
        ("subscriptions", "status=INCOMPLETE", "E-mail", "ana@example.com"),
        ("subscriptions/plans", "active=false", "Nome", "Clube do chá"),
        ("balance/withdrawals", "status=PENDING", "Valor", "20,00"),
    ] {
        let page = browser.page(&format!("/dashboard/dev/{list}?{filter}")).await;
        let file = format!("/dashboard/dev/{list}/export?{filter}");
        for format in ["csv", "xlsx"] {
            assert!(page.says(&format!("{file}&#38;format={format}\" download")), "{list}");
        }
        assert_eq!(column(&table(&browser.get(&file).await), heading), [cell], "{list}");
        let wrong = browser.get(&format!("/dashboard/dev/{list}/export?cursor=x")).await;
        assert!(wrong.status >= 400, "{list}");
    }
}

#[story::test]
async fn a_file_has_the_commissions_of_a_program_or_of_an_affiliate(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    let sold = scene.sell(json!({})).await;
    scene.sell(json!({})).await;
    refund(&scene.shop, &sold, json!({})).await;
    test.run_jobs().await;
    let of_program = format!("affiliate/programs/{}/commissions", id(&scene.program));
    for (client, list) in
        [(&scene.shop.key, &*of_program), (&scene.affiliate.key, "affiliate/commissions")]
    {
        let link = format!("linkId={}", id(&scene.link));
        for filter in ["", "status=PENDING", "status=CANCELLED", "status=PAID", &link] {
            let listed = client.list(&format!("/api/{list}?{filter}")).await;
            let file = table(&client.get(&format!("/api/{list}/export?{filter}")).await);
            let wanted: Vec<_> = listed.iter().map(|one| id(one).to_owned()).collect();
            assert_eq!(column(&file, "id"), wanted, "{list}?{filter}");
        }
        let file = table(&client.get(&format!("/api/{list}/export?status=PENDING")).await);
        assert_eq!(column(&file, "amount"), ["10,00"], "{list}");
        let cancelled = table(&client.get(&format!("/api/{list}/export?status=CANCELLED")).await);
        assert_eq!(column(&cancelled, "transactionId"), [id(&sold)], "{list}");
        assert_eq!(column(&cancelled, "cancelReason"), ["refunded"], "{list}");
    }
    let stranger = scene.affiliate.key.get(&format!("/api/{of_program}/export")).await;
    stranger.expect_refusal(404, "NOT_FOUND");
    let seller = Browser::signed_in(test, EMAIL).await;
    let list = format!("/dashboard/dev/affiliates/programs/{}/commissions", id(&scene.program));
    let query = format!("linkId={}&status=PENDING", id(&scene.link));
    let page = seller.page(&format!("{list}?{query}")).await;
    let body = page.text.replace("&#38;", "&");
    assert!(body.contains(&format!("{list}/export?{query}&format=xlsx\" download")), "{body}");
    let file = table(&seller.get(&format!("{list}/export?{query}")).await);
    assert_eq!(column(&file, "Valor"), ["10,00"]);
    assert_eq!(column(&file, "Código"), [scene.code()]);
    let path = "/dashboard/dev/affiliates/mine/commissions/export?status=PENDING";
    assert_eq!(table(&seller.get(path).await).len(), 1, "it is no affiliate");
    let wrong = seller.get("/dashboard/dev/affiliates/mine/commissions/export?status=LOST").await;
    assert_eq!(wrong.status, 400);
}

#[story::test]
async fn the_file_of_the_history_has_its_entries_in_the_words_of_its_reader(
    test: &TestApp,
    shop: Shop,
) {
    let name = json!({ "name": "Loja Azul" });
    shop.owner.patch("/api/auth/account", name).await.expect(200);
    let path = "/api/audit/export?action=account.updated";
    let of_api = table(&shop.owner.get(path).await);
    assert_eq!(column(&of_api, "action"), ["account.updated"]);
    assert_eq!(column(&of_api, "actor"), ["owner"]);
    let listed = shop.owner.list("/api/audit").await;
    let whole = table(&shop.owner.get("/api/audit/export").await);
    let ids: Vec<_> = listed.iter().map(|entry| id(entry).to_owned()).collect();
    assert_eq!(column(&whole, "id"), ids);
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = Page::of(browser.get("/account/audit?action=account.updated").await, 200);
    assert!(page.says("/account/audit/export?action=account.updated&#38;format=xlsx"));
    let file = browser.get("/account/audit/export?action=account.updated&format=csv").await;
    assert_eq!(column(&table(&file), "O quê"), ["Mudou os dados da empresa"]);
    assert_eq!(column(&table(&file), "Quem"), ["Loja"]);
    assert_eq!(column(&table(&file), "Detalhes"), ["changed: name"]);
    let file = browser.get("/account/audit/export?action=sign_in.succeeded&format=csv").await;
    let said = column(&table(&file), "Detalhes");
    assert!(said.contains(&"Segunda etapa ao entrar: sem código".to_owned()), "{said:?}");
    assert!(!said.iter().any(|it| it.contains("secondStep")), "{said:?}");
    let wrong = shop.owner.get("/api/audit/export?action=none").await;
    assert_eq!(wrong.expect_refusal(400, "VALIDATION_ERROR"), ["action"]);
    shop.key.get("/api/audit/export").await.expect_refusal(401, "UNAUTHORIZED");
    join(test, &shop, "bia@example.com", "VIEWER").await;
    let bia = token(test, "bia@example.com").await;
    bia.get("/api/audit/export").await.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    let bia = Browser::signed_in(test, "bia@example.com").await;
    assert_eq!(bia.get("/account/audit/export").await.status, 403);
    let other = test.shop("Outra").await;
    let theirs = table(&other.owner.get("/api/audit/export").await);
    assert!(column(&theirs, "id").iter().all(|id| !ids.contains(id)));
}
