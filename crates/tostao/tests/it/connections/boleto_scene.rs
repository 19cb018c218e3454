//! Boletos at either bank that makes them, for stories that are the same at both.

use std::time::Duration;

use serde_json::{Value, json};

use super::payments::pass;
use super::{Bank, inter, read, real};
use crate::harness::TestApp;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, merged};

/// Makes a test of each story at each bank of boletos.
macro_rules! at_both_banks {
    ($($story:ident,)*) => {
        mod efi {
            use crate::connections::boleto_scene::{BoletoScene, Profile};
            use crate::harness::TestApp;

            $(#[story::test]
            async fn $story(test: &TestApp) {
                super::$story(test, BoletoScene::open(test, Profile::Efi).await).await;
            })*
        }

        mod inter {
            use crate::connections::boleto_scene::{BoletoScene, Profile};
            use crate::harness::TestApp;

            $(#[story::test]
            async fn $story(test: &TestApp) {
                super::$story(test, BoletoScene::open(test, Profile::Inter).await).await;
            })*
        }
    };
}

pub(super) use at_both_banks;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    Efi,
    Inter,
}

/// What a bank is asked for or about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Token,
    Order,
    /// By our reference, and for lists of payments.
    List,
    /// By what its notice names.
    Notice,
    Close,
}

/// A bank that registers boletos and whose notices are lost, and a merchant.
pub struct BoletoScene {
    pub profile: Profile,
    pub bank: Bank,
    pub shop: Shop,
}

impl BoletoScene {
    pub async fn open(test: &TestApp, profile: Profile) -> Self {
        let bank = match profile {
            Profile::Efi => Bank::connected(test).await,
            Profile::Inter => inter(test).await,
        };
        bank.route("boleto", id(&bank.connection)).await.expect(200);
        bank.at("/__notify", json!({ "lose": true })).await;
        let shop = real(test.shop("Loja").await).await;
        test.run_jobs().await;
        Self { profile, bank, shop }
    }

    /// Asks for a boleto.
    pub async fn try_order(&self, cents: i64) -> Reply {
        self.shop.owner.post("/api/v1/transactions", sale(cents)).await
    }

    /// Asks for a boleto of a hundred reais, which the bank takes the order for.
    pub async fn order(&self) -> Value {
        self.try_order(10_000).await.expect(201)["transaction"].clone()
    }

    /// The same, once the bank has made it.
    pub async fn made(&self, test: &TestApp) -> Value {
        let charge = self.order().await;
        self.until_made(test, &charge).await
    }

    /// Waits until the bank has made a boleto.
    pub async fn until_made(&self, test: &TestApp, charge: &Value) -> Value {
        for _ in 0..5 {
            let now = read(&self.shop, charge).await;
            if now["boleto"].is_object() {
                return now;
            }
            pass(test, &self.bank, Duration::from_secs(2)).await;
        }
        panic!("the bank does not make {charge}");
    }

    /// Enters a new secret, with which a bank that was left alone is called again at once.
    pub async fn begins_afresh(&self, test: &TestApp) {
        // Inter grants few tokens a minute.
        pass(test, &self.bank, Duration::from_mins(1)).await;
        self.bank.rotates(test, json!({ "client_secret": "the next one" })).await;
    }

    /// The boletos at the bank, in the order of their registration.
    async fn all(&self) -> Vec<Value> {
        let pointer = match self.profile {
            Profile::Efi => "/cobrancas",
            Profile::Inter => "/inter/slips",
        };
        self.bank.has(pointer).await.as_array().expect("is a list").clone()
    }

    /// What the bank names them by.
    pub async fn codes(&self) -> Vec<String> {
        let code = |boleto: &Value| match self.profile {
            Profile::Efi => boleto["charge_id"].to_string(),
            Profile::Inter => {
                boleto["cobranca"]["codigoSolicitacao"].as_str().expect("has one").to_owned()
            }
        };
        self.all().await.iter().map(code).collect()
    }

    /// What has become of them: `open`, `paid`, `closed`, or the bank's own word.
    pub async fn states(&self) -> Vec<String> {
        let state = |boleto: &Value| {
            let word = match self.profile {
                Profile::Efi => &boleto["status"],
                Profile::Inter => &boleto["cobranca"]["situacao"],
            };
            match word.as_str().expect("is a word") {
                "waiting" | "EM_PROCESSAMENTO" | "A_RECEBER" => "open".to_owned(),
                "paid" | "RECEBIDO" => "paid".to_owned(),
                "canceled" | "CANCELADO" => "closed".to_owned(),
                other => other.to_owned(),
            }
        };
        self.all().await.iter().map(state).collect()
    }

    /// What happens at the bank to the newest boleto.
    pub async fn happens(&self, by: &str, more: Value) {
        let newest = self.codes().await.pop().expect("is registered");
        self.happens_to(&newest, by, more).await;
    }

    /// What happens at the bank to a boleto.
    pub async fn happens_to(&self, code: &str, by: &str, more: Value) {
        let dialect = match self.profile {
            Profile::Efi => "cobrancas",
            Profile::Inter => "inter",
        };
        let by = match (self.profile, by) {
            (Profile::Inter, "settled") => "marked",
            (_, by) => by,
        };
        let paid = json!({ "dialect": dialect, "charge": code, "by": by });
        self.bank.at("/__pay", merged(paid, &more)).await;
    }

    /// The body of a notice about the newest boleto.
    pub async fn notice(&self) -> Vec<u8> {
        match self.profile {
            Profile::Efi => {
                let newest = self.all().await.pop().expect("is registered");
                let link = &newest["payment"]["banking_billet"]["link"];
                let link = link.as_str().expect("has one");
                notice(self.profile, link.rsplit('/').next().expect("ends in the token"))
            }
            Profile::Inter => {
                let newest = self.codes().await.pop().expect("is registered");
                notice(self.profile, &newest)
            }
        }
    }

    /// The bank reports that something became of the newest boleto.
    pub async fn notify(&self, test: &TestApp) {
        let notice = self.notice().await;
        self.sends(test, notice).await;
        test.run_jobs().await;
    }

    pub async fn sends(&self, test: &TestApp, notice: Vec<u8>) {
        test.anyone().post_bytes(&self.bank.door(), notice).await.expect(200);
    }

    /// Makes the next calls of a step fail.
    pub async fn fault(&self, step: Step, fault: Value) {
        let rule = json!({ "operation": self.operation(step) });
        self.bank.at("/__fault", merged(rule, &fault)).await;
    }

    /// How often a step was taken.
    pub async fn calls(&self, step: Step) -> usize {
        let path = format!("/__log?operation={}", self.operation(step));
        let (_, log) = self.bank.fake.admin("GET", &path, &Value::Null).await.expect("answers");
        log.as_array().expect("is a list").len()
    }

    fn operation(&self, step: Step) -> &'static str {
        match (self.profile, step) {
            (Profile::Efi, Step::Token) => "cobrancas.token",
            (Profile::Efi, Step::Order) => "cobrancas.create",
            (Profile::Efi, Step::List) => "cobrancas.list",
            (Profile::Efi, Step::Notice) => "cobrancas.notification",
            (Profile::Efi, Step::Close) => "cobrancas.cancel",
            (Profile::Inter, Step::Token) => "inter.token",
            (Profile::Inter, Step::Order) => "inter.slip.create",
            (Profile::Inter, Step::List) => "inter.slip.list",
            (Profile::Inter, Step::Notice) => "inter.slip.get",
            (Profile::Inter, Step::Close) => "inter.slip.cancel",
        }
    }

    /// What the merchant was paid by boletos, which banks settle on the next business day.
    pub async fn pending(&self) -> i64 {
        let balance = self.shop.owner.get("/api/withdraws/balance").await.expect(200);
        balance["data"]["pendingBalance"].as_i64().expect("is a number")
    }

    /// How many events of a name the merchant has.
    pub async fn events(&self, name: &str) -> usize {
        let events = self.shop.owner.list("/api/webhooks/events?limit=100").await;
        events.iter().filter(|event| event["event"] == name).count()
    }
}

/// The body of a notice about what a bank names like this.
pub fn notice(profile: Profile, name: &str) -> Vec<u8> {
    match profile {
        Profile::Efi => format!("notification={name}").into_bytes(),
        Profile::Inter => {
            let forged = json!([{
                "codigoSolicitacao": name, "situacao": "RECEBIDO", "valorTotalRecebido": "9999.00",
            }]);
            forged.to_string().into_bytes()
        }
    }
}

/// What a merchant's server sends for a boleto.
pub fn sale(cents: i64) -> Value {
    json!({
        "amountCents": cents, "method": "BOLETO",
        "customer": {
            "name": "Ana Souza", "email": "ana@example.com", "document": "529.982.247-25",
            "address": {
                "postalCode": "01001-000", "street": "Rua A", "number": "12", "district": "Centro",
                "city": "São Paulo", "state": "SP",
            },
        },
    })
}
