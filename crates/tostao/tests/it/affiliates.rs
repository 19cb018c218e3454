//! Affiliates: programs, who joins them, how a buyer is known to be sent, and what that brings.

use std::time::Duration;

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::shop::{Shop, id, merged};
use crate::sandbox::token_that;

mod attribution;
mod clicks;
mod debts;
mod joining;
mod programs;
mod renewals;
mod returns;
mod sales;
mod subscribers;
mod together;

pub const PROGRAMS: &str = "/api/affiliate/programs";

/// A seller with a program of ten percent on a product of 10,000, and an affiliate who joined.
pub struct Scene {
    pub shop: Shop,
    pub affiliate: Shop,
    pub product: Value,
    pub program: Value,
    pub link: Value,
}

impl Scene {
    /// Sets it up, with other fields of the program where a story wants them.
    pub async fn open(test: &TestApp, more: Value) -> Self {
        let (shop, affiliate) = (test.shop("Loja").await, test.shop("Bia Lima").await);
        let product = shop.product(json!({ "name": "Curso", "price": 10_000 })).await;
        let program = program(&shop, &product, more).await;
        let link = join(&affiliate, &program).await;
        Self { shop, affiliate, product, program, link }
    }

    /// The affiliate's code.
    pub fn code(&self) -> &str {
        self.link["code"].as_str().expect("has one")
    }

    /// Issues a PIX for one of the product by the affiliate's code, with more fields or others.
    pub async fn issue(&self, more: Value) -> Value {
        let items = json!([{ "productId": id(&self.product), "quantity": 1 }]);
        let sale = merged(json!({ "items": items, "affiliateCode": self.code() }), &more);
        self.shop.charge_with(sale).await
    }

    /// The same, paid.
    pub async fn sell(&self, more: Value) -> Value {
        let charge = self.issue(more).await;
        self.shop.pay(&charge).await
    }

    /// Sells one of the product by the affiliate's code on a card, in so many installments.
    pub async fn by_card(&self, test: &TestApp, scenario: Scenario, installments: i64) -> Value {
        let token = token_that(test, scenario).await;
        let card = json!({
            "method": "CREDIT_CARD", "installments": installments, "cardToken": token,
        });
        self.issue(card).await
    }

    /// What the affiliate has, newest first.
    pub async fn commissions(&self) -> Vec<Value> {
        commissions(&self.affiliate).await
    }

    /// The types, amounts and statuses of all commissions, newest first.
    pub async fn rows(&self) -> Vec<(String, i64, String)> {
        let text = |value: &Value| value.as_str().expect("is text").to_owned();
        let row = |row: &Value| {
            let amount = row["amountCents"].as_i64().expect("is a number");
            (text(&row["type"]), amount, text(&row["status"]))
        };
        self.commissions().await.iter().map(row).collect()
    }

    /// The only commission, as (amount, status).
    pub async fn only(&self) -> (Value, Value) {
        let all = self.commissions().await;
        assert_eq!(all.len(), 1, "{all:?}");
        (all[0]["amountCents"].clone(), all[0]["status"].clone())
    }
}

/// Makes a program of ten percent, with more fields or others; answers it.
pub async fn program(shop: &Shop, product: &Value, more: Value) -> Value {
    shop.key.post(PROGRAMS, tenth(product, &more)).await.expect(201)["data"].clone()
}

/// What makes a program of ten percent.
fn tenth(product: &Value, more: &Value) -> Value {
    let body = json!({
        "productId": id(product), "commissionType": "PERCENTAGE", "commissionValue": 1_000,
    });
    merged(body, more)
}

/// Joins a program; answers the link.
pub async fn join(affiliate: &Shop, program: &Value) -> Value {
    let path = format!("/api/affiliate/join/{}", id(program));
    affiliate.key.post(&path, json!({})).await.expect(201)["data"].clone()
}

/// What an affiliate has, newest first.
pub async fn commissions(affiliate: &Shop) -> Vec<Value> {
    affiliate.key.list("/api/affiliate/commissions").await
}

/// Sells what an affiliate brings a buyer for, until its commission is released.
pub async fn live_with_an_affiliate(test: &TestApp, shop: &Shop) {
    let product = shop.product(json!({ "name": "Curso", "price": 10_000 })).await;
    let program = program(shop, &product, json!({})).await;
    let link = join(&test.shop("Bia Lima").await, &program).await;
    let items = json!([{ "productId": id(&product), "quantity": 1 }]);
    let page = shop.link_with(json!({ "products": items })).await;
    let sale = json!({
        "paymentLinkId": id(&page), "affiliateCode": link["code"], "externalId": "pedido-4",
    });
    shop.pay(&shop.try_charge(sale).await.expect(201)["transaction"]).await;
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_hours(7 * 24)).await;
}

/// The address of a program.
fn path(program: &Value) -> String {
    format!("{PROGRAMS}/{}", id(program))
}
