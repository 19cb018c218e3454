//! A sale that was charged to a card at an acquirer, for stories of what becomes of its money.

use std::time::Duration;

use serde_json::{Value, json};

use super::acquirer::{self, Acquirer};
use super::{administrator, read, real, status};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};

/// As long as it takes until a notice or a list has been read.
pub const HALF_AN_HOUR: Duration = Duration::from_mins(30);

/// An acquirer, and a merchant with a sale of 10000 cents.
pub struct CardScene {
    pub acquirer: Acquirer,
    pub shop: Shop,
    pub sold: Value,
    /// The acquirer's name of the charge.
    pub theirs: String,
}

impl CardScene {
    pub async fn open(test: &TestApp) -> Self {
        Self::sold_as(test, json!({})).await
    }

    /// The same, paid in two installments.
    pub async fn in_two(test: &TestApp) -> Self {
        Self::sold_as(test, json!({ "installments": 2 })).await
    }

    async fn sold_as(test: &TestApp, sale: Value) -> Self {
        let acquirer = Acquirer::routed(test).await;
        Self::of(acquirer, test.shop("Loja").await, sale).await
    }

    /// The sale of a merchant at an acquirer.
    pub async fn of(acquirer: Acquirer, shop: Shop, sale: Value) -> Self {
        let shop = real(shop).await;
        let sold = acquirer.sell(&shop, sale).await;
        let theirs = acquirer.newest().await;
        Self { acquirer, shop, sold, theirs }
    }

    /// Sells once more; the scene is about that sale then.
    pub async fn sell(&mut self, sale: Value) {
        self.sold = self.acquirer.sell(&self.shop, sale).await;
        self.theirs = self.acquirer.newest().await;
    }

    /// The sale as it now is.
    pub async fn now(&self) -> Value {
        read(&self.shop, &self.sold).await
    }

    pub async fn status(&self) -> String {
        status(&self.shop, &self.sold).await
    }

    /// What of the merchant's money is not settled yet.
    pub async fn pending(&self) -> i64 {
        let balance = self.shop.owner.get("/api/withdraws/balance").await.expect(200);
        balance["data"]["pendingBalance"].as_i64().expect("is a number")
    }

    /// Asks for a refund.
    pub async fn refund(&self, cents: i64) {
        acquirer::refund(&self.shop, &self.sold, cents).await;
    }

    /// The statuses of the sale's refunds, oldest first.
    pub async fn refunds(&self) -> Vec<Value> {
        acquirer::refunds(&self.shop, &self.sold).await
    }

    /// By which path an administrator resolves the oldest refund.
    pub async fn resolution(&self) -> String {
        let path = format!("/api/v1/transactions/{}/refunds", id(&self.sold));
        let listed = self.shop.owner.list(&path).await;
        format!("/api/admin/refunds/{}/resolve", id(&listed[0]))
    }

    /// What the acquirer has refunded.
    pub async fn canceled(&self) -> Value {
        self.acquirer.charges().await[0]["canceled_amount"].clone()
    }

    /// The buyer contests the charge, or its issuer decides.
    pub async fn disputes(&self, more: Value) {
        self.acquirer.dispute(&self.theirs, more).await;
    }

    /// The acquirer is asked about the charge.
    pub async fn notify(&self, test: &TestApp) {
        self.acquirer.notify(&test.anyone(), &self.theirs).await.expect(200);
        test.run_jobs().await;
    }

    /// The same, and twice about what it owes.
    pub async fn report(&self, test: &TestApp) {
        self.acquirer.notify(&test.anyone(), &self.theirs).await.expect(200);
        self.pass_lists(test).await;
    }

    /// Lets what the acquirer owes be read twice: what was due by then is of the second list.
    pub async fn pass_lists(&self, test: &TestApp) {
        for _ in 0..2 {
            self.acquirer.pass(test, HALF_AN_HOUR).await;
        }
    }

    /// Resolves the dispute about the sale; returns the dispute.
    pub async fn resolve(&self, test: &TestApp, outcome: &str) -> Value {
        let path = format!("/api/admin/disputes/{}/resolve", id(&self.sold));
        let decision = json!({ "outcome": outcome, "note": "Diz a Pagar.me." });
        administrator(test).await.post(&path, decision).await.expect(200)["data"].clone()
    }

    /// The names of the events about payments.
    pub async fn events(&self) -> Vec<String> {
        let events = self.shop.owner.list("/api/webhooks/events?limit=100").await;
        let name = |event: &Value| event["event"].as_str().expect("has a name").to_owned();
        let mut names: Vec<_> = events.iter().map(name).collect();
        names.retain(|name| name.starts_with("transaction."));
        names.reverse();
        names
    }
}
