//! The merchant: charges, what becomes of them at the bank, and refunds.

use anyhow::ensure;
use brazil::money::format_brl;
use hyper::StatusCode;
use serde_json::{Value, json};

use crate::commands::demo::production::{BEHIND_SECONDS, Stage, until};
use crate::commands::demo::story::{beginning, random, register, text};
use crate::platform::messages::Lang;

/// The buyer's PIX key, to which a boleto is refunded.
pub const BUYERS_KEY: &str = "fulano@example.com";

const LOST_CENTS: i64 = 12_990;
const PIX_CENTS: i64 = 4_990;
const TAKEN_CENTS: i64 = 2_500;

/// A merchant with a production key.
pub struct Shop {
    pub key: String,
    email: String,
    password: String,
}

/// A charge that was paid.
pub struct Sale {
    pub id: String,
    pub cents: i64,
}

impl Shop {
    /// Opens an account and makes a production key.
    pub async fn open(stage: &mut Stage<'_>) -> anyhow::Result<Self> {
        stage.console.step(stage.console.lang.demo_opens_production())?;
        let (email, password) =
            (format!("loja-{}@example.com", random(stage.app)), random(stage.app));
        let key =
            register(stage.client, (&email, &password), "production", stage.console.lang).await?;
        stage.console.fact(stage.console.lang.cli_account(), &email)?;
        stage.console.fact(stage.console.lang.cli_key(), &format!("{}…", beginning(&key)))?;
        Ok(Self { key, email, password })
    }

    /// How the merchant signs in.
    pub fn login(&self, lang: Lang) -> String {
        lang.demo_login(&self.email, &self.password)
    }

    /// Makes a charge; `how` has what its method needs.
    pub async fn charge(
        &self,
        stage: &Stage<'_>,
        cents: i64,
        how: &Value,
    ) -> anyhow::Result<Value> {
        let mut wanted = json!({
            "amountCents": cents,
            "customer": {
                "name": "Fulano de Tal", "email": "fulano@example.com",
                "document": "529.982.247-25", "phone": "+5511987654321",
            },
        });
        for (name, value) in how.as_object().into_iter().flatten() {
            wanted[name] = value.clone();
        }
        let (path, key) = ("/api/v1/transactions", Some(self.key.as_str()));
        let made = stage.client.post(path, key, &wanted, StatusCode::CREATED).await?;
        Ok(made["transaction"].clone())
    }

    /// A charge as it now is.
    pub async fn read(&self, stage: &Stage<'_>, id: &str) -> anyhow::Result<Value> {
        let path = format!("/api/v1/transactions/{id}");
        Ok(stage.client.get(&path, Some(&self.key)).await?["transaction"].clone())
    }

    /// Waits until a charge has a status.
    pub async fn until(&self, stage: &Stage<'_>, id: &str, wanted: &str) -> anyhow::Result<Value> {
        until(&format!("a payment becomes {wanted}"), async || {
            Ok(status(&self.read(stage, id).await?, wanted))
        })
        .await
    }
}

/// The object, if it has this status.
pub fn status(object: &Value, wanted: &str) -> Option<Value> {
    (object["status"] == wanted).then(|| object.clone())
}

/// A buyer pays while no worker runs; no notice says so.
pub async fn pay_without_notice(
    stage: &mut Stage<'_>,
    shop: &Shop,
) -> anyhow::Result<(Sale, String)> {
    stage.console.step(stage.console.lang.demo_loses_notice())?;
    stage.bank.at("/__notify", &json!({ "lose": true })).await?;
    let (sale, payment) = pay(stage, shop, LOST_CENTS).await?;
    let shown = shop.read(stage, &sale.id).await?;
    ensure!(shown["status"] == "PENDING", "the payment was booked without a word: {shown}");
    let lang = stage.console.lang;
    let paid = lang.demo_paid(format_brl(LOST_CENTS), &payment);
    stage.console.fact(lang.demo_at_the_bank(), &paid)?;
    stage.console.fact(lang.demo_at_the_shop(), lang.demo_unheard())?;
    Ok((sale, payment))
}

/// The workers have started, and read what the bank received.
pub async fn reconcile(
    stage: &mut Stage<'_>,
    shop: &Shop,
    (sale, payment): &(Sale, String),
) -> anyhow::Result<()> {
    stage.console.step(stage.console.lang.demo_reconciles())?;
    let minutes = BEHIND_SECONDS / 60;
    stage.console.note(&stage.console.lang.demo_reads_late(minutes))?;
    let shown = shop.until(stage, &sale.id, "PAID").await?;
    ensure!(text(&shown, "/pix/endToEndId")? == *payment, "another payment was booked: {shown}");
    let notices = stage.bank.read("/__notices").await?;
    let delivered = |notice: &Value| notice["fate"] == "delivered";
    let heard = notices.as_array().is_some_and(|all| all.iter().any(delivered));
    ensure!(!heard, "a notice arrived after all: {notices}");
    stage.bank.at("/__notify", &json!({ "lose": false })).await?;
    stage.console.fact(stage.console.lang.demo_status(), stage.console.lang.demo_without_notice())
}

/// A PIX that the bank reports.
pub async fn pix(stage: &mut Stage<'_>, shop: &Shop) -> anyhow::Result<Sale> {
    stage.console.step(stage.console.lang.demo_hears())?;
    let (sale, payment) = pay(stage, shop, PIX_CENTS).await?;
    shop.until(stage, &sale.id, "PAID").await?;
    let paid = format!("{}, PAID", format_brl(PIX_CENTS));
    stage.console.fact(stage.console.lang.demo_status(), &paid)?;
    stage.console.fact("EndToEndId", &payment)?;
    Ok(sale)
}

/// Refunds a sale, and waits until the money has arrived.
pub async fn refund(
    stage: &mut Stage<'_>,
    shop: &Shop,
    name: &str,
    sale: &Sale,
    to: Option<&str>,
) -> anyhow::Result<()> {
    let mut wanted = json!({ "amountCents": sale.cents, "reason": "Devolvido pela loja." });
    if let Some(to) = to {
        wanted["refundPixKey"] = json!(to);
    }
    let (path, key) = (format!("/api/v1/transactions/{}/refund", sale.id), Some(&*shop.key));
    stage.client.post(&path, key, &wanted, StatusCode::CREATED).await?;
    let path = format!("/api/v1/transactions/{}/refunds", sale.id);
    until(&format!("the refund arrives: {name}"), async || {
        let listed = stage.client.get(&path, key).await?;
        Ok(status(&listed["data"][0], "COMPLETED"))
    })
    .await?;
    stage.console.fact(name, &stage.console.lang.demo_refunded(format_brl(sale.cents)))
}

/// The payer's bank reports fraud, and the money goes back by the central bank's mechanism.
pub async fn taken_back(stage: &mut Stage<'_>, shop: &Shop) -> anyhow::Result<()> {
    stage.console.step(stage.console.lang.demo_takes_back())?;
    let (sale, payment) = pay(stage, shop, TAKEN_CENTS).await?;
    shop.until(stage, &sale.id, "PAID").await?;
    let report = json!({ "action": "open", "e2e": payment });
    let opened = stage.bank.at("/__med", &report).await?;
    let accepted = json!({ "action": "accept", "id": text(&opened, "/id")? });
    stage.bank.at("/__med", &accepted).await?;
    shop.until(stage, &sale.id, "CHARGED_BACK").await?;
    let taken = format!("{}, CHARGED_BACK", format_brl(TAKEN_CENTS));
    stage.console.fact(stage.console.lang.demo_status(), &taken)
}

/// Makes a PIX charge and pays it at the bank; returns the payment's end-to-end id, too.
async fn pay(stage: &Stage<'_>, shop: &Shop, cents: i64) -> anyhow::Result<(Sale, String)> {
    let made = shop.charge(stage, cents, &json!({ "method": "PIX" })).await?;
    let payment = json!({ "dialect": "efi", "charge": text(&made, "/pix/txid")? });
    let paid = stage.bank.at("/__pay", &payment).await?;
    Ok((Sale { id: text(&made, "/id")?, cents }, text(&paid, "/e2e/0")?))
}
