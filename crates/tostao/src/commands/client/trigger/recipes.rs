//! What has to be done for an event to happen, as an integrator's program would do it.

use db::hex::hex;
use serde_json::{Value, json};

use crate::commands::client::api::Api;
use crate::commands::client::failure::Failure;
use crate::commands::client::trigger::{Method, text};
use crate::platform::messages::Lang;

const TRANSACTIONS: &str = "/api/v1/transactions";
const LINKS: &str = "/api/v1/payment-links";
const PRODUCTS: &str = "/api/v1/products";
const COUPONS: &str = "/api/v1/coupons";
const PLANS: &str = "/api/subscriptions/plans";
const SUBSCRIPTIONS: &str = "/api/subscriptions";
const WITHDRAWALS: &str = "/api/withdraws";
const PIX_KEY: &str = "ana@example.com";
const REASON: &str = "tostao trigger";
const TEST_CARD: &str = "4242424242424242";
const DECLINED_CARD: &str = "4000000000000002";

/// What the command line says about a payment.
#[derive(Debug, Clone)]
pub struct Order {
    pub amount: i64,
    pub method: Method,
    pub link: Option<String>,
}

/// The id of the payment that a recipe made; known also where a later step fails.
pub type Payment = Option<String>;

/// A way to make an event happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipe {
    /// Charges, then simulates these outcomes.
    Charge(&'static [&'static str]),
    /// Charges a card that is declined.
    Decline,
    Cancel,
    Refund,
    /// Pays a payment link.
    PayLink,
    /// Pays a payment link with a coupon that may be used once.
    PayWithCoupon,
    Link(Change),
    Product(Change),
    Coupon,
    /// Pays, then withdraws and cancels that before an administrator approves it.
    CancelWithdrawal,
    /// Subscribes, and does this afterwards.
    Subscribe(&'static [&'static str]),
    /// Subscribes to a plan with a trial.
    Trial,
}

/// What is done with a new object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Create,
    Update,
    Delete,
}

/// How an event is made to happen; `None` if that takes time, another merchant or an administrator.
pub fn of(event: &str) -> Option<Recipe> {
    Some(match event {
        "transaction.created" => Recipe::Charge(&[]),
        "transaction.paid" | "balance.updated" => Recipe::Charge(&["PAID"]),
        "transaction.failed" => Recipe::Decline,
        "transaction.expired" => Recipe::Charge(&["EXPIRED"]),
        "transaction.disputed" => Recipe::Charge(&["PAID", "DISPUTED"]),
        "transaction.dispute_won" => Recipe::Charge(&["PAID", "DISPUTED", "PAID"]),
        "transaction.charged_back" => Recipe::Charge(&["PAID", "DISPUTED", "CHARGED_BACK"]),
        "transaction.cancelled" => Recipe::Cancel,
        "transaction.refunded" => Recipe::Refund,
        "payment_link.created" => Recipe::Link(Change::Create),
        "payment_link.updated" => Recipe::Link(Change::Update),
        "payment_link.deleted" => Recipe::Link(Change::Delete),
        "payment_link.paid" => Recipe::PayLink,
        "product.created" => Recipe::Product(Change::Create),
        "product.updated" => Recipe::Product(Change::Update),
        "product.deleted" => Recipe::Product(Change::Delete),
        "coupon.created" => Recipe::Coupon,
        "coupon.used" | "coupon.exhausted" => Recipe::PayWithCoupon,
        "withdrawal.failed" => Recipe::CancelWithdrawal,
        "subscription.created" => Recipe::Subscribe(&[]),
        "subscription.activated" => Recipe::Subscribe(&["PAID"]),
        "subscription.cancelled" => Recipe::Subscribe(&["PAID", "cancel"]),
        "subscription.paused" => Recipe::Subscribe(&["PAID", "pause"]),
        "subscription.resumed" => Recipe::Subscribe(&["PAID", "pause", "resume"]),
        "subscription.trial_started" => Recipe::Trial,
        _ => return None,
    })
}

impl Recipe {
    /// Whether it pays a payment link.
    pub fn pays_a_link(self) -> bool {
        matches!(self, Self::PayLink | Self::PayWithCoupon)
    }

    /// Does it, and notes the payment; returns a sentence that says what was done.
    pub async fn run(
        self,
        api: &Api,
        order: &Order,
        lang: Lang,
        payment: &mut Payment,
    ) -> Result<String, Failure> {
        match self {
            Self::Charge(outcomes) => {
                let id = charge(api, order, payment).await?;
                simulate(api, &id, outcomes).await?;
                Ok(charged(order, &id, outcomes, lang))
            }
            Self::Decline => {
                decline(api, order).await?;
                let order = Order { method: Method::Card, ..order.clone() };
                Ok(charged(&order, DECLINED_CARD, &["FAILED"], lang))
            }
            Self::Cancel => {
                let id = charge(api, order, payment).await?;
                api.post(&format!("{TRANSACTIONS}/{id}/cancel"), &json!({})).await?;
                Ok(charged(order, &id, &["CANCELLED"], lang))
            }
            Self::Refund => {
                let id = charge(api, order, payment).await?;
                simulate(api, &id, &["PAID"]).await?;
                api.post(&format!("{TRANSACTIONS}/{id}/refund"), &json!({ "reason": REASON }))
                    .await?;
                Ok(charged(order, &id, &["PAID", "REFUNDED"], lang))
            }
            Self::PayLink => pay_link(api, order, None, lang, payment).await,
            Self::PayWithCoupon => {
                let code = coupon(api).await?;
                pay_link(api, order, Some(&code), lang, payment).await
            }
            Self::Link(change) => {
                let link = json!({ "title": "tostao trigger", "amountCents": order.amount });
                object(api, LINKS, &link, "title", change).await
            }
            Self::Product(change) => {
                let product = json!({ "name": "tostao trigger", "price": order.amount });
                object(api, PRODUCTS, &product, "name", change).await
            }
            Self::Coupon => Ok(format!("{COUPONS}: {}", coupon(api).await?)),
            Self::CancelWithdrawal => cancel_withdrawal(api, order, lang, payment).await,
            Self::Subscribe(steps) => subscribe(api, order, 0, steps, payment).await,
            Self::Trial => subscribe(api, order, 7, &[], payment).await,
        }
    }
}

/// Issues a charge; its id.
async fn charge(api: &Api, order: &Order, payment: &mut Payment) -> Result<String, Failure> {
    let mut body = json!({ "amountCents": order.amount, "customer": buyer() });
    with_method(api, order.method, &mut body).await?;
    let made = api.post(TRANSACTIONS, &body).await?;
    noted(&made["transaction"], payment)
}

/// The id of a payment, which is noted.
fn noted(transaction: &Value, payment: &mut Payment) -> Result<String, Failure> {
    let id = text(&transaction["id"])?;
    *payment = Some(id.clone());
    Ok(id)
}

/// Charges a card that is declined, which is an error of its own.
async fn decline(api: &Api, order: &Order) -> Result<(), Failure> {
    let mut body = json!({ "amountCents": order.amount, "customer": buyer() });
    body["method"] = "CREDIT_CARD".into();
    body["cardToken"] = token(api, DECLINED_CARD).await?;
    match api.post(TRANSACTIONS, &body).await {
        Err(Failure::Refused(refusal)) if refusal.body["code"] == "CARD_DECLINED" => Ok(()),
        done => done.map(drop),
    }
}

/// Sends a test card to the sandbox, as the buyer's page does.
async fn token(api: &Api, number: &str) -> Result<Value, Failure> {
    let card = json!({
        "number": number, "expMonth": 12, "expYear": 2049, "cvv": "123",
        "holderName": "FULANO DE TAL",
    });
    Ok(api.post("/sandbox/card-tokens", &card).await?["cardToken"].clone())
}

/// Fills in how the buyer pays.
async fn with_method(api: &Api, method: Method, body: &mut Value) -> Result<(), Failure> {
    body["method"] = match method {
        Method::Pix => "PIX",
        Method::Boleto => "BOLETO",
        Method::Card => "CREDIT_CARD",
    }
    .into();
    if method == Method::Card {
        body["cardToken"] = token(api, TEST_CARD).await?;
    }
    Ok(())
}

async fn simulate(api: &Api, id: &str, outcomes: &[&str]) -> Result<(), Failure> {
    for outcome in outcomes {
        let path = format!("{TRANSACTIONS}/{id}/simulate");
        api.post(&path, &json!({ "outcome": outcome })).await?;
    }
    Ok(())
}

async fn pay_link(
    api: &Api,
    order: &Order,
    coupon: Option<&str>,
    lang: Lang,
    payment: &mut Payment,
) -> Result<String, Failure> {
    let slug = if let Some(slug) = &order.link {
        slug.clone()
    } else {
        let link = json!({ "title": "tostao trigger", "amountCents": order.amount });
        text(&api.post(LINKS, &link).await?["data"]["slug"])?
    };
    let mut body = json!({ "customer": buyer() });
    with_method(api, order.method, &mut body).await?;
    if let Some(code) = coupon {
        body["couponCode"] = code.into();
    }
    let path = format!("/api/payment-links/public/slug/{slug}/checkout");
    let made = api.post(&path, &body).await?;
    let id = noted(&made["transaction"], payment)?;
    simulate(api, &id, &["PAID"]).await?;
    // The link and a coupon set the price.
    let amount = made["transaction"]["amount"].as_i64().unwrap_or(order.amount);
    let order = Order { amount, ..order.clone() };
    Ok(format!("/pay/{slug}: {}", charged(&order, &id, &["PAID"], lang)))
}

/// Creates a coupon that may be used once; its code.
async fn coupon(api: &Api) -> Result<String, Failure> {
    let code = format!("TRIGGER-{}", hex(&api.sources.random::<4>()).to_uppercase());
    let body = json!({
        "code": code, "discountType": "PERCENTAGE", "discountValue": 10, "usageLimit": 1,
    });
    api.post(COUPONS, &body).await?;
    Ok(code)
}

/// Creates an object, and changes or deletes it.
async fn object(
    api: &Api,
    path: &str,
    body: &Value,
    renamed: &str,
    change: Change,
) -> Result<String, Failure> {
    let made = api.post(path, body).await?;
    let object = [&made["data"], &made["product"]].into_iter().find(|part| part.is_object());
    let id = text(&object.unwrap_or(&made)["id"])?;
    let one = format!("{path}/{id}");
    match change {
        Change::Create => {}
        Change::Update => {
            api.patch(&one, &json!({ renamed: "tostao trigger, changed" })).await?;
        }
        Change::Delete => {
            api.delete(&one).await?;
        }
    }
    Ok(one)
}

async fn cancel_withdrawal(
    api: &Api,
    order: &Order,
    lang: Lang,
    payment: &mut Payment,
) -> Result<String, Failure> {
    let id = charge(api, order, payment).await?;
    simulate(api, &id, &["PAID"]).await?;
    let body = json!({ "amountCents": order.amount, "pixKey": PIX_KEY, "pixKeyType": "email" });
    let made = api.post(WITHDRAWALS, &body).await?;
    let one = format!("{WITHDRAWALS}/{}", text(&made["data"]["id"])?);
    api.post(&format!("{one}/cancel"), &json!({})).await?;
    Ok(format!("{}\n{one} → FAILED", charged(order, &id, &["PAID"], lang)))
}

/// Subscribes somebody to a new plan.
async fn subscribe(
    api: &Api,
    order: &Order,
    trial_days: i64,
    steps: &[&str],
    payment: &mut Payment,
) -> Result<String, Failure> {
    let plan = json!({
        "name": "tostao trigger", "amountCents": order.amount, "interval": "MONTHLY",
        "trialDays": trial_days,
    });
    let plan = text(&api.post(PLANS, &plan).await?["data"]["id"])?;
    let mut body = json!({ "planId": plan, "customer": buyer() });
    with_method(api, order.method, &mut body).await?;
    body["paymentMethod"] = body["method"].take();
    if let Some(fields) = body.as_object_mut() {
        fields.remove("method");
    }
    let made = api.post(&format!("{SUBSCRIPTIONS}/checkout"), &body).await?;
    let id = text(&made["data"]["subscription"]["id"])?;
    let one = format!("{SUBSCRIPTIONS}/{id}");
    let first = &made["data"]["transaction"];
    if first.is_object() {
        noted(first, payment)?;
    }
    for step in steps {
        if *step == "PAID" {
            let transaction = text(&first["id"])?;
            simulate(api, &transaction, &["PAID"]).await?;
        } else {
            api.post(&format!("{one}/{step}"), &json!({})).await?;
        }
    }
    Ok(one)
}

/// Somebody who buys; simulated money asks no more of them.
fn buyer() -> Value {
    json!({ "name": "Fulano de Tal", "email": "fulano@example.com", "document": "52998224725" })
}

fn charged(order: &Order, id: &str, outcomes: &[&str], lang: Lang) -> String {
    let method = match order.method {
        Method::Pix => "PIX",
        Method::Boleto => "boleto",
        Method::Card => lang.cli_card(),
    };
    let amount = brazil::money::format_brl(order.amount);
    let issued = lang.cli_issued(amount, method, id);
    std::iter::once(issued.as_str()).chain(outcomes.iter().copied()).collect::<Vec<_>>().join(" → ")
}
