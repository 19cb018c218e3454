//! How much work the hot path takes: the statements of the unit that writes a payment down as paid.
//!
//! What a feature adds there, everybody pays for; so who does not use it must not.

use std::mem::replace;
use std::time::Duration;

use db::database::Traffic;
use db::tx::Tx;
use ledger::cents::Cents;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};
use tostao::merchants;
use tostao::platform::ids::{MerchantId, Mode, TransactionId};
use tostao::transactions::confirm::{AccountLocks, confirm};
use tostao::transactions::find;
use tostao::transactions::incoming_payment::{IncomingPayment, Rail};
use tostao::transactions::terms::PaymentTerms;

use crate::banks::{confirm_pix, pix, txid};
use crate::carts::capture;
use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id};
use crate::referrals::{code, invited};
use crate::subscriptions::{amounts, by_card, plan};
use crate::webhooks::subscribe;

/// What a PIX through a link takes, without subscriptions.
const PLAIN: u64 = 11;
/// What looking for its buyer's carts adds, on a link that may have some.
const CARTS: u64 = 2;
/// What a commission adds: the referral and its clock, the reward with its job, the accounts of the
/// books as they were and as they become, the transfer, and the referral as it then is.
const COMMISSION: u64 = 8;

/// Issues a PIX through a link and counts the statements of its being paid.
async fn paying(test: &TestApp, shop: &Shop, link: &Value) -> u64 {
    let sale = json!({ "paymentLinkId": link["id"] });
    let charge = shop.charge_with(sale).await;
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let merchant: MerchantId = id(&me["user"]).parse().expect("is an id");
    let of: TransactionId = id(&charge).parse().expect("is an id");
    let terms = PaymentTerms::of(&test.app);
    let unit = async move |tx: &Tx| {
        let scope = merchants::scope(tx, merchant, Mode::Development).await?;
        let before = find(tx, scope, of).await?;
        let already = tx.statements();
        let payment_id = "E00000000202611211201000000000AA".to_owned();
        let (amount, paid_at): (Cents, _) = (before.amount, scope.now(tx));
        let incoming = IncomingPayment { rail: Rail::Pix, payment_id, amount, paid_at };
        confirm(tx, scope, &terms, &before, &incoming, AccountLocks::Last).await?;
        Ok(tx.statements() - already)
    };
    test.app.transact(unit).await.expect("is paid")
}

#[story::test]
async fn a_payment_pays_for_carts_only_on_a_link_that_may_have_some(test: &TestApp, shop: Shop) {
    let (plain, link) = (shop.link(10_000).await, shop.link(10_000).await);
    // The first payment of all opens the accounts.
    shop.earn(1_000).await;
    assert_eq!(paying(test, &shop, &plain).await, PLAIN);
    assert_eq!(paying(test, &shop, &link).await, PLAIN);
    capture(test, &link, "bia@example.com", json!({})).await.expect(201);
    assert_eq!(paying(test, &shop, &plain).await, PLAIN);
    assert_eq!(paying(test, &shop, &link).await, PLAIN + CARTS);
}

#[story::test]
async fn a_payment_pays_for_referrals_only_if_its_merchant_was_invited(test: &TestApp) {
    let inviter = test.shop("Loja").await;
    let guest = invited(test, "Ana", &code(&inviter).await).await;
    let own = inviter.link(10_000).await;
    inviter.earn(1_000).await;
    assert_eq!(paying(test, &inviter, &own).await, PLAIN);
    let link = guest.link(10_000).await;
    guest.earn(1_000).await;
    assert_eq!(paying(test, &guest, &link).await, PLAIN + COMMISSION);
    // What earns nothing any more costs no more than the look.
    test.run_jobs_after(Duration::from_hours(90 * 24)).await;
    let guest = test.shop_again("Ana").await;
    assert_eq!(paying(test, &guest, &link).await, PLAIN + 1);
}

/// What a database server is asked for a charge of a link with an idempotency key, for its bank's
/// report that it is paid, and for the delivery of the event with a look into each of the six
/// lanes, before and after: messages and trips of each.
const ON_A_SERVER: [(&str, u64, u64); 3] =
    [("charge", 11, 4), ("payment", 10, 3), ("delivery", 18, 15)];

/// The same for the renewal of a subscription by card and the settlement of the payment before it,
/// with their jobs and with looks into each lane.
const RENEWAL: [(&str, u64, u64); 1] = [("renewal", 64, 45)];
const MONTH: Duration = Duration::from_hours(31 * 24);

/// A part of a charge, and what the server had been asked before.
struct Meter<'a> {
    test: &'a TestApp,
    before: Option<Traffic>,
}

impl Meter<'_> {
    /// What the server was asked since the last reading; nothing where there is none.
    fn read(&mut self, part: &'static str) -> Option<(&'static str, u64, u64)> {
        let now = self.test.app.database.traffic();
        let (now, was) = now.zip(replace(&mut self.before, now))?;
        Some((part, now.messages - was.messages, now.trips - was.trips))
    }
}

#[story::test]
async fn a_charge_asks_a_database_server_no_more_than_it_has_to(test: &TestApp, shop: Shop) {
    let receiver = Receiver::start().await;
    subscribe(&shop.key, &receiver.url, &["transaction.paid"]).await;
    let link = shop.link(10_000).await;
    let mut found = Vec::new();
    // The statements are prepared by the first ones, on each thread's connection.
    for number in 1..=8 {
        let sale = json!({
            "paymentLinkId": link["id"], "method": "PIX",
            "customer": { "name": "Ana", "email": "ana@example.com", "document": "52998224725" },
        });
        let key = shop.key.with("idempotency-key", &format!("charge-{number}"));
        let mut meter = Meter { test, before: test.app.database.traffic() };
        let reply = key.post("/api/v1/transactions", sale).await.expect(201);
        let mut parts = vec![meter.read("charge")];
        let charge = reply["transaction"].clone();
        let receipt = pix(txid(&charge), number, 10_000, test.app.now());
        confirm_pix(test, vec![receipt]).await.expect(200);
        parts.push(meter.read("payment"));
        test.run_jobs().await;
        parts.push(meter.read("delivery"));
        found = parts.into_iter().flatten().collect();
    }
    let expected: &[_] = if test.app.database.traffic().is_some() { &ON_A_SERVER } else { &[] };
    assert_eq!(found, expected);
}

#[story::test]
async fn a_renewal_asks_a_database_server_no_more_than_it_has_to(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    by_card(test, &plan, Scenario::Approves).await;
    let mut found = Vec::new();
    for _ in 1..=4 {
        let mut meter = Meter { test, before: test.app.database.traffic() };
        test.run_jobs_after(MONTH).await;
        found = meter.read("renewal").into_iter().collect();
    }
    assert_eq!(amounts(&shop).await, [3_000; 5]);
    let expected: &[_] = if test.app.database.traffic().is_some() { &RENEWAL } else { &[] };
    assert_eq!(found, expected);
}
