//! Uses: promised to a payment, kept when it is paid, given back when it is not.

use std::time::Duration;

use brazil::document::Document;
use db::tx::Tx;
use futures_util::future::join_all;
use ledger::cents::Cents;
use serde::Serialize;
use serde_json::{Value, json};
use tostao::coupons::discount::Basket;
use tostao::coupons::events::CouponPayload;
use tostao::coupons::uses::{BuyerIdentity, free_slot, record_redemption, release, reserve};
use tostao::coupons::{Discount, quote};
use tostao::events::Payload;
use tostao::events::names::Name;
use tostao::merchants;
use tostao::platform::error::{Error, ErrorCode, Result};
use tostao::platform::ids::{MerchantId, Mode, Scope, TransactionId};
use uuid::Uuid;

use crate::coupons::{change, coupon, path, read};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};

/// A merchant's coupons from the side of payments.
struct Till<'a> {
    test: &'a TestApp,
    scope: Scope,
}

impl<'a> Till<'a> {
    async fn of(test: &'a TestApp, shop: &Shop) -> Self {
        let me = shop.owner.get("/api/auth/me").await.expect(200);
        let merchant: MerchantId = id(&me["user"]).parse().expect("is an id");
        let unit = async move |tx: &Tx| merchants::scope(tx, merchant, Mode::Development).await;
        Self { test, scope: test.app.read(unit).await.expect("has a scope") }
    }

    /// Issues a payment of R$ 100,00 that uses a code; answers its id.
    async fn issue(&self, code: &str, buyer: &BuyerIdentity) -> Result<TransactionId> {
        self.issue_quote(&self.quote(code).await?, buyer).await
    }

    async fn quote(&self, code: &str) -> Result<Discount> {
        let (scope, code) = (self.scope, code.to_owned());
        let basket = Basket { amount: Cents::new(10_000), items: &[] };
        self.test.app.read(async move |tx| quote(tx, scope, &code, basket, None).await).await
    }

    /// The same, at a discount that was quoted some time ago.
    async fn issue_quote(&self, quote: &Discount, buyer: &BuyerIdentity) -> Result<TransactionId> {
        let (scope, discount, buyer) = (self.scope, quote.clone(), buyer.clone());
        let unit = async move |tx: &Tx| {
            let transaction = TransactionId::new(tx);
            reserve(tx, scope, &discount, transaction, &buyer).await?;
            Ok(transaction)
        };
        self.test.app.transact(unit).await
    }

    async fn pay(&self, transaction: TransactionId) {
        let scope = self.scope;
        let unit = async move |tx: &Tx| record_redemption(tx, scope, transaction, used).await;
        self.test.app.transact(unit).await.expect("is counted");
    }

    async fn end(&self, transaction: TransactionId) {
        let scope = self.scope;
        let unit = async move |tx: &Tx| release(tx, scope, transaction).await;
        self.test.app.transact(unit).await.expect("is released");
    }

    async fn refund(&self, transaction: TransactionId) {
        let scope = self.scope;
        let unit = async move |tx: &Tx| free_slot(tx, scope, transaction).await;
        self.test.app.transact(unit).await.expect("is freed");
    }
}

/// Uses a coupon up by one payment that waits.
pub async fn use_once(test: &TestApp, shop: &Shop, coupon: &Value) {
    let till = Till::of(test, shop).await;
    let code = coupon["code"].as_str().expect("has one");
    till.issue(code, &buyer("ana@example.com")).await.expect("is reserved");
}

fn buyer(email: &str) -> BuyerIdentity {
    BuyerIdentity::new(None, email, None)
}

/// What a paid use publishes, without its payment.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Used {
    coupon: CouponPayload,
    discount_amount: Cents,
}

impl Payload for Used {
    fn name(&self) -> Name {
        Name::CouponUsed
    }

    fn object(&self) -> Uuid {
        self.coupon.id.0
    }
}

fn used(coupon: CouponPayload, discount_amount: Cents) -> Used {
    Used { coupon, discount_amount }
}

#[track_caller]
fn is_invalid(refused: Result<TransactionId>) {
    match refused {
        Err(Error::Refused(ErrorCode::CouponInvalid, message)) => {
            assert_eq!(message, "This coupon is not valid.");
        }
        other => panic!("not refused: {other:?}"),
    }
}

async fn count(shop: &Shop, coupon: &Value) -> Value {
    read(shop, coupon).await["usageCount"].clone()
}

#[story::test]
async fn of_sixty_four_buyers_at_once_exactly_one_gets_the_last_use(test: &TestApp, shop: Shop) {
    let made = coupon(&shop, json!({ "usageLimit": 1 })).await;
    let till = Till::of(test, &shop).await;
    let buyers: Vec<_> =
        (0..64).map(|number| buyer(&format!("buyer{number}@example.com"))).collect();
    let quoted = till.quote("DEZ").await.expect("is good");
    let answers = join_all(buyers.iter().map(|buyer| till.issue_quote(&quoted, buyer))).await;
    let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!((won.len(), lost.len()), (1, 63));
    lost.into_iter().for_each(is_invalid);
    assert_eq!(count(&shop, &made).await, 1);
}

#[story::test]
async fn sixty_four_payments_of_one_buyer_respect_the_limit_per_buyer(test: &TestApp, shop: Shop) {
    let made = coupon(&shop, json!({ "perUserLimit": 2 })).await;
    let till = Till::of(test, &shop).await;
    let buyers: Vec<_> =
        (0..64).map(|number| buyer(&format!("ana+{number}@example.com"))).collect();
    let quoted = till.quote("DEZ").await.expect("is good");
    let answers = join_all(buyers.iter().map(|buyer| till.issue_quote(&quoted, buyer))).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 2);
    assert_eq!(count(&shop, &made).await, 2);
}

#[story::test]
async fn a_buyer_is_identified_by_any_of_their_data(test: &TestApp, shop: Shop) {
    let (one, two) = ("529.982.247-25", "111.444.777-35");
    let first = (Some(one), "ana@example.com", Some("card-1"));
    let table = [
        (first, false),
        ((Some(two), "bia@example.com", Some("card-2")), true),
        ((Some(one), "bia@example.com", Some("card-2")), false),
        ((Some(two), "ana@example.com", Some("card-2")), false),
        ((Some(two), "Ana+outra@Example.com", None), false),
        ((Some(two), "bia@example.com", Some("card-1")), false),
        ((None, "ana@example.com", None), false),
        ((None, "bia@example.com", None), true),
        ((None, "ana.b@example.com", None), true),
    ];
    let identity = |(document, email, card): (Option<&str>, &str, Option<&str>)| {
        let document = document.map(|text| Document::parse(text).expect("is valid"));
        BuyerIdentity::new(document.as_ref(), email, card)
    };
    let till = Till::of(test, &shop).await;
    for (number, (second, other)) in table.into_iter().enumerate() {
        let code = format!("CODIGO{number}");
        coupon(&shop, json!({ "code": code, "perUserLimit": 1 })).await;
        till.issue(&code, &identity(first)).await.expect("is the first");
        let issued = till.issue(&code, &identity(second)).await;
        assert_eq!(issued.is_ok(), other, "{second:?}");
    }
}

#[story::test]
async fn a_refused_buyer_takes_nothing(test: &TestApp, shop: Shop) {
    let made = coupon(&shop, json!({ "perUserLimit": 1, "usageLimit": 2 })).await;
    let till = Till::of(test, &shop).await;
    till.issue("DEZ", &buyer("ana@example.com")).await.expect("is the first");
    is_invalid(till.issue("DEZ", &buyer("ana@example.com")).await);
    assert_eq!(count(&shop, &made).await, 1);
    till.issue("DEZ", &buyer("bia@example.com")).await.expect("is another");
}

#[story::test]
async fn what_was_promised_comes_back_when_the_payment_does_not(test: &TestApp, shop: Shop) {
    let made = coupon(&shop, json!({ "usageLimit": 1, "perUserLimit": 1 })).await;
    let till = Till::of(test, &shop).await;
    let ana = buyer("ana@example.com");
    for _ in 0..2 {
        let waiting = till.issue("DEZ", &ana).await.expect("is reserved");
        assert_eq!(count(&shop, &made).await, 1);
        is_invalid(till.issue("DEZ", &ana).await);
        for _ in 0..2 {
            till.end(waiting).await;
        }
        assert_eq!(count(&shop, &made).await, 0);
    }
    assert_eq!(shop.events_of("coupon.").await, ["coupon.created"]);
}

#[story::test]
async fn a_paid_use_is_emitted_once_and_so_is_the_exhaustion(test: &TestApp, shop: Shop) {
    let made = coupon(&shop, json!({ "usageLimit": 2 })).await;
    let till = Till::of(test, &shop).await;
    let first = till.issue("DEZ", &buyer("ana@example.com")).await.expect("is reserved");
    let second = till.issue("DEZ", &buyer("bia@example.com")).await.expect("is reserved");
    for _ in 0..2 {
        till.pay(first).await;
        till.end(first).await;
    }
    assert_eq!(shop.events_of("coupon.").await, ["coupon.created", "coupon.used"]);
    till.pay(second).await;
    let names = ["coupon.created", "coupon.used", "coupon.used", "coupon.exhausted"];
    assert_eq!(shop.events_of("coupon.").await, names);
    assert_eq!(count(&shop, &made).await, 2);

    let events = shop.key.get("/api/webhooks/events").await.expect(200);
    let mut events = events["data"].as_array().expect("is a list").clone();
    events.reverse();
    let sequences: Vec<_> = events.iter().map(|event| event["sequence"].clone()).collect();
    assert_eq!(sequences, [1, 2, 3, 4]);
    let path = format!("/api/webhooks/events/{}", id(&events[2]));
    let data = shop.key.get(&path).await.expect(200)["data"]["data"].clone();
    assert_eq!(data["discountAmount"], 1_000);
    assert_eq!(data["coupon"], read(&shop, &made).await);
}

#[story::test]
async fn a_late_payment_takes_its_use_again_whatever_the_limits_say(test: &TestApp, shop: Shop) {
    let made = coupon(&shop, json!({ "usageLimit": 1, "perUserLimit": 1 })).await;
    let till = Till::of(test, &shop).await;
    let ana = buyer("ana@example.com");
    let late = till.issue("DEZ", &ana).await.expect("is reserved");
    till.end(late).await;
    let other = till.issue("DEZ", &ana).await.expect("is reserved");
    for _ in 0..2 {
        till.pay(late).await;
    }
    assert_eq!(count(&shop, &made).await, 2);
    let names = ["coupon.created", "coupon.used", "coupon.exhausted"];
    assert_eq!(shop.events_of("coupon.").await, names);
    till.pay(other).await;
    let names = ["coupon.created", "coupon.used", "coupon.exhausted", "coupon.used"];
    assert_eq!(shop.events_of("coupon.").await, names);
    assert_eq!(count(&shop, &made).await, 2);
}

#[story::test]
async fn a_payment_paid_back_frees_its_use(test: &TestApp, shop: Shop) {
    let made = coupon(&shop, json!({ "usageLimit": 1, "perUserLimit": 1 })).await;
    let till = Till::of(test, &shop).await;
    let ana = buyer("ana@example.com");
    let first = till.issue("DEZ", &ana).await.expect("is reserved");
    till.refund(first).await;
    assert_eq!(count(&shop, &made).await, 1);
    till.pay(first).await;
    is_invalid(till.issue("DEZ", &ana).await);
    for _ in 0..2 {
        till.refund(first).await;
    }
    assert_eq!(count(&shop, &made).await, 0);
    // What was paid back is not paid again by a repeated call.
    till.pay(first).await;
    assert_eq!(count(&shop, &made).await, 0);
    till.issue("DEZ", &ana).await.expect("is reserved again");
}

#[story::test]
async fn what_was_quoted_is_not_promised_yet(test: &TestApp, shop: Shop) {
    let till = Till::of(test, &shop).await;
    let ends = "2026-11-21T13:00:00Z";
    let table = [
        ("DESLIGADO", json!({ "status": "INACTIVE" })),
        ("ADIADO", json!({ "validFrom": "2026-11-22T12:00:00Z" })),
        ("ENCERRADO", json!({ "validUntil": ends })),
        ("APAGADO", Value::Null),
    ];
    let mut quoted = Vec::new();
    for (code, fields) in &table {
        let made = coupon(&shop, json!({ "code": code })).await;
        quoted.push(till.quote(code).await.expect("is good"));
        if fields.is_null() {
            shop.key.delete(&path(&made)).await.expect(200);
        } else {
            change(&shop, &made, fields.clone()).await;
        }
    }
    test.pass(Duration::from_hours(1));
    for discount in &quoted {
        is_invalid(till.issue_quote(discount, &buyer("ana@example.com")).await);
    }
}

#[story::test]
async fn a_promise_outlives_its_coupon(test: &TestApp, shop: Shop) {
    let made = coupon(&shop, json!({})).await;
    let till = Till::of(test, &shop).await;
    let [paid, ended, switched] = ["ana@example.com", "bia@example.com", "caio@example.com"];
    let paid = till.issue("DEZ", &buyer(paid)).await.expect("is reserved");
    let ended = till.issue("DEZ", &buyer(ended)).await.expect("is reserved");
    let switched = till.issue("DEZ", &buyer(switched)).await.expect("is reserved");
    change(&shop, &made, json!({ "status": "INACTIVE", "usageLimit": 1 })).await;
    is_invalid(till.issue("DEZ", &buyer("davi@example.com")).await);
    till.pay(switched).await;
    shop.key.delete(&path(&made)).await.expect(200);
    is_invalid(till.issue("DEZ", &buyer("davi@example.com")).await);
    till.pay(paid).await;
    till.end(ended).await;
    let names = ["coupon.created", "coupon.used", "coupon.exhausted", "coupon.used"];
    assert_eq!(shop.events_of("coupon.").await, names);
}

#[story::test]
async fn a_payment_without_a_coupon_has_no_use(test: &TestApp, shop: Shop) {
    let till = Till::of(test, &shop).await;
    let unused = test.app.transact(async |tx| Ok(TransactionId::new(tx))).await;
    let unused = unused.expect("is made");
    till.pay(unused).await;
    till.end(unused).await;
    till.refund(unused).await;
    assert_eq!(shop.events_of("coupon.").await, [] as [&str; 0]);
}
