//! How much work the hot path takes: the statements of the unit that writes a payment down as paid.
//!
//! What a feature adds there, everybody pays for; so who does not use it must not.

use std::time::Duration;

use db::tx::Tx;
use ledger::cents::Cents;
use serde_json::{Value, json};
use tostao::merchants;
use tostao::platform::ids::{MerchantId, Mode, TransactionId};
use tostao::transactions::confirm::confirm;
use tostao::transactions::find;
use tostao::transactions::incoming_payment::{IncomingPayment, Rail};
use tostao::transactions::terms::PaymentTerms;

use crate::carts::capture;
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};
use crate::referrals::{code, invited};

/// What a PIX through a link takes, without subscriptions; one of them writes the heads of the
/// ledger's hash chains.
const PLAIN: u64 = 14;
/// What looking for its buyer's carts adds, on a link that may have some.
const CARTS: u64 = 2;
/// What a commission adds: the referral and its clock, the reward with its job, three legs of the
/// books with the heads of their hash chains, and the referral as it then is.
const COMMISSION: u64 = 9;

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
        confirm(tx, scope, &terms, &before, &incoming).await?;
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
