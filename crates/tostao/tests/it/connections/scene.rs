//! A bank that pays out, with a merchant who sells there and withdraws.

use std::time::Duration;

use fakepsp::certificates::Identity;
use serde_json::{Value, json};

use super::orders::approved;
use super::{Bank, CONNECTIONS, administrator, charge, real, status};
use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id};

/// A bank and a merchant with a production key.
pub struct Scene {
    pub bank: Bank,
    pub shop: Shop,
    /// Where the bank sends its notices, which are lost.
    _notices: Receiver,
}

impl Scene {
    pub async fn open(test: &TestApp) -> Self {
        Self::open_at(test, Bank::routed(test).await).await
    }

    /// The same with a bank of the story's own.
    pub async fn open_at(test: &TestApp, bank: Bank) -> Self {
        let shop = real(test.shop("Loja").await).await;
        let notices = Receiver::start().await;
        // Efí pays from no key without an address for notices, which it tries.
        bank.register(test, &notices.url).await;
        bank.at("/__notify", json!({ "lose": true })).await;
        // It holds what is sold, and no other money.
        bank.at("/__balance", json!({ "cents": 0 })).await;
        // The first lists are read.
        test.run_jobs().await;
        Self { bank, shop, _notices: notices }
    }

    /// Sells for an amount; returns the charge and the payment's end-to-end id.
    pub async fn sell(&self, test: &TestApp, cents: i64) -> (Value, String) {
        let charge = charge(&self.shop, cents).await;
        let paid = self.bank.pays(&charge, json!({})).await;
        self.bank.notify(test, &paid).await.expect(200);
        test.run_jobs().await;
        assert_eq!(status(&self.shop, &charge).await, "PAID");
        (charge, paid)
    }

    /// Has a withdrawal approved, and nothing sent yet; returns its path.
    pub async fn approved(&self, test: &TestApp, cents: i64) -> String {
        approved(test, &self.shop, cents).await
    }

    /// A withdrawal as it now is.
    pub async fn withdrawal(&self, path: &str) -> Value {
        self.shop.owner.get(path).await.expect(200)["data"].clone()
    }

    /// The status of a withdrawal as it now is.
    pub async fn withdrawal_status(&self, path: &str) -> String {
        self.withdrawal(path).await["status"].as_str().expect("has one").to_owned()
    }

    /// Asks for a refund of a part of a charge.
    pub async fn refund(&self, charge: &Value, cents: i64) {
        let path = format!("/api/v1/transactions/{}/refund", id(charge));
        let body = json!({ "amountCents": cents, "reason": "Devolvido." });
        self.shop.owner.post(&path, body).await.expect(201);
    }

    /// The statuses of a charge's refunds.
    pub async fn refunds(&self, charge: &Value) -> Vec<String> {
        let path = format!("/api/v1/transactions/{}/refunds", id(charge));
        let refunds = self.shop.owner.list(&path).await;
        let status = |refund: &Value| refund["status"].as_str().expect("has one").to_owned();
        refunds.iter().map(status).collect()
    }

    /// The names of the merchant's events that begin like this.
    pub async fn events(&self, start: &str) -> Vec<String> {
        let events = self.shop.owner.list("/api/webhooks/events?limit=100").await;
        let name = |event: &Value| event["event"].as_str().expect("has a name").to_owned();
        let mut names: Vec<_> = events.iter().map(name).collect();
        names.retain(|name| name.starts_with(start));
        names.reverse();
        names
    }
}

impl Bank {
    /// What the bank has at a pointer.
    pub async fn has(&self, pointer: &str) -> Value {
        let (_, state) = self.fake.admin("GET", "/__state", &Value::Null).await.expect("answers");
        state.pointer(pointer).unwrap_or_else(|| panic!("no {pointer} in {state}")).clone()
    }

    /// How many there are of something at the bank.
    pub async fn count(&self, pointer: &str) -> usize {
        self.has(pointer).await.as_array().expect("is a list").len()
    }

    /// The bank's refunds of a payment, whichever bank it is.
    pub async fn refunds_of(&self, end_to_end_id: &str) -> usize {
        let lists = [self.has("/efi/pix/received").await, self.has("/inter/pix/received").await];
        let mut received = lists.iter().flat_map(|list| list.as_array().expect("is a list"));
        let paid = received.find(|it| it["endToEndId"] == end_to_end_id);
        paid.expect("was paid")["devolucoes"].as_array().map_or(0, Vec::len)
    }

    /// Every call goes well again.
    pub async fn recovers(&self) {
        self.fake.admin("DELETE", "/__fault", &Value::Null).await.expect("answers");
    }

    /// The connection as it is now shown.
    pub async fn shown(&self, test: &TestApp) -> Value {
        let path = format!("{CONNECTIONS}/{}", id(&self.connection));
        administrator(test).await.get(&path).await.expect(200)["data"].clone()
    }

    /// Has the connection tested, and returns what the administrator is shown of a failure.
    pub async fn fails_its_test(&self, test: &TestApp) -> String {
        let path = format!("{CONNECTIONS}/{}/test", id(&self.connection));
        let refused = administrator(test).await.post(&path, json!({})).await;
        refused.expect_refusal(409, "CONNECTION_REFUSED");
        let problem = self.shown(test).await["problem"].as_str().expect("has one").to_owned();
        assert!(refused.text.contains(&problem), "{problem}: {}", refused.text);
        problem
    }

    /// Replaces values of the connection, which begins afresh.
    pub async fn rotates(&self, test: &TestApp, values: Value) {
        let path = format!("{CONNECTIONS}/{}/rotate", id(&self.connection));
        let admin = administrator(test).await;
        admin.post(&path, json!({ "values": values })).await.expect(200);
    }

    /// The bank reports a payout.
    pub async fn reports_payout(&self, test: &TestApp, reference: &str) {
        let notice = json!({ "pix": [{
            "endToEndId": "E09089356202611211200abcdefghijk", "tipo": "SOLICITACAO",
            "gnExtras": { "idEnvio": reference },
        }] });
        test.anyone().post(&format!("{}/pix", self.door()), notice).await.expect(200);
    }
}

/// A certificate and its key, as one text.
pub fn pem(identity: &Identity) -> String {
    format!("{}\n{}", identity.certificate, identity.key)
}

/// Lets time pass here and at the bank in steps, and runs what is due in each.
pub async fn pass_in(test: &TestApp, bank: &Bank, steps: u32, step: Duration) {
    for _ in 0..steps {
        super::payments::pass(test, bank, step).await;
    }
}
