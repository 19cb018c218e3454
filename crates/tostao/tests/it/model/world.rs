//! The merchant whose life is played, and whether the product shows what should be.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::shop::{PASSWORD, Shop, every_permission, id, merged};
use crate::model::affiliates::{SHARE, THEIRS};
use crate::model::reference::{
    AVAILABLE, Coupon, DISPUTED, Good, MINUTE, PENDING, ReferenceModel, SUSPENSE, Sale,
};
use crate::model::refunds::Refund;
use crate::model::rng::Rng;

const STATUSES: [&str; 9] = [
    "PENDING",
    "PROCESSING",
    "PAID",
    "FAILED",
    "EXPIRED",
    "CANCELLED",
    "REFUNDED",
    "DISPUTED",
    "CHARGED_BACK",
];
/// Who sends buyers.
const AFFILIATE: &str = "Bia";
/// An administrator signs in again before the token expires.
const SIGNED_IN_FOR: i64 = 10 * MINUTE;

/// Everything that a player needs; nothing in it belongs to a running product.
pub struct World {
    pub reference: ReferenceModel,
    pub rng: Rng,
    /// The ids of goods and coupons, in the order in which the model has them.
    pub goods: Vec<String>,
    pub coupons: Vec<String>,
    /// Counts what was done; makes keys and delays that come once.
    pub actions: i64,
    /// The affiliate's code.
    pub code: String,
    key: String,
    affiliate_key: String,
    admin: Option<(String, i64)>,
    engine: Engine,
    last_event: Option<String>,
}

impl World {
    /// Opens a merchant with things to sell and coupons.
    pub async fn open(test: &TestApp, seed: u64, now: i64) -> Self {
        let shop = test.shop("Loja").await;
        let key = key_of(&shop).await;
        let counted = json!({ "stockEnabled": true, "stockQuantity": 6 });
        let link = shop.link_with(merged(counted.clone(), &json!({ "amountCents": 5_000 }))).await;
        let product = shop.product(merged(counted.clone(), &json!({ "price": 2_500 }))).await;
        let mut coupons = Vec::new();
        for (code, kind, value, limit) in [
            ("PARTE", "PERCENTAGE", json!(12.5), json!(4)),
            ("TUDO", "PERCENTAGE", json!(100), json!(3)),
            ("CINCO", "FIXED", json!(500), Value::Null),
        ] {
            let coupon = json!({
                "code": code, "discountType": kind, "discountValue": value, "usageLimit": limit,
            });
            let made = shop.key.post("/api/v1/coupons", coupon).await.expect(201);
            coupons.push(id(&made["coupon"]).to_owned());
        }
        let program = json!({
            "productId": id(&product), "commissionType": "PERCENTAGE", "commissionValue": SHARE,
        });
        let program = shop.key.post("/api/affiliate/programs", program).await.expect(201);
        let friend = test.shop(AFFILIATE).await;
        let path = format!("/api/affiliate/join/{}", id(&program["data"]));
        let joined = friend.key.post(&path, json!({})).await.expect(201);
        let mut world = Self {
            reference: ReferenceModel::new(now, goods(), ideal_coupons()),
            rng: Rng::new(seed),
            goods: vec![id(&link).to_owned(), id(&product).to_owned()],
            coupons,
            actions: 0,
            code: joined["data"]["code"].as_str().expect("has one").to_owned(),
            key,
            affiliate_key: key_of(&friend).await,
            admin: None,
            engine: Engine::open(test).await,
            last_event: None,
        };
        world.reference.emitted = vec!["payment_link.created", "product.created"];
        world.reference.emitted.extend(["coupon.created"; 3]);
        world.agree(test).await;
        world
    }

    /// The merchant's own server.
    pub fn shop(&self, test: &TestApp) -> Client {
        test.anyone().with("api-key", &self.key)
    }

    /// The affiliate's own server.
    pub fn affiliate(&self, test: &TestApp) -> Client {
        test.anyone().with("api-key", &self.affiliate_key)
    }

    /// An administrator; signing in is slow, so it is done seldom.
    pub async fn admin(&mut self, test: &TestApp) -> Client {
        let now = self.reference.server_now;
        let fresh = self.admin.take().filter(|(_, since)| now - since < SIGNED_IN_FOR);
        let (token, since) = match fresh {
            Some(known) => known,
            None => (admin_token(test).await, now),
        };
        let client = test.anyone().with("authorization", &format!("Bearer {token}"));
        self.admin = Some((token, since));
        client.with("x-dev-mode", "true")
    }

    /// Lets time pass by the server's clock.
    pub fn pass(&mut self, test: &TestApp, micros: i64) {
        test.pass(Duration::from_micros(micros.unsigned_abs()));
        self.reference.now += micros;
        self.reference.server_now += micros;
    }

    /// Fails unless the product is what it should be.
    pub async fn agree(&mut self, test: &TestApp) {
        test.run_jobs().await;
        self.reference.work();
        self.reference.judge();
        self.agree_on_money(test).await;
        self.agree_on_counts().await;
        self.agree_on_events(test).await;
        self.agree_on_a_sale(test).await;
    }

    async fn agree_on_money(&self, test: &TestApp) {
        let sql = format!(
            "select cast(code + case when name = '{AFFILIATE}' then {THEIRS} else 0 end as text),
                    cast(balance_cents as text)
               from ledger_accounts
               join merchants on merchants.id = owner_id"
        );
        let number = |text: &str| text.parse::<i64>().expect("is a number");
        let rows = self.engine.rows(&sql).await;
        let held: Vec<_> = rows.iter().map(|row| (number(&row[0]), number(&row[1]))).collect();
        assert_eq!(held.iter().map(|(_, cents)| cents).sum::<i64>(), 0, "the books balance");
        for (place, cents) in &self.reference.held {
            let found = held.iter().filter(|(code, _)| code == place);
            assert_eq!(found.map(|(_, cents)| cents).sum::<i64>(), *cents, "account {place}");
        }
        let reported = self.shop(test).get("/api/withdraws/balance").await.expect(200);
        let held = |place| self.reference.holds(place);
        let balance = json!({
            "availableBalance": held(AVAILABLE), "pendingBalance": held(PENDING),
            "heldBalance": held(DISPUTED) + held(SUSPENSE),
        });
        assert_eq!(reported["data"], balance);
    }

    async fn agree_on_counts(&self) {
        let sql = "select title, cast(stock_quantity as text), cast(stock_reserved as text),
                          cast(times_used as text), cast(sales_count as text)
                     from payment_links
                   union all
                   select name, cast(stock_quantity as text), cast(stock_reserved as text), '-', '-'
                     from products
                   union all
                   select code, cast(usage_count as text), cast(paid_count as text), '-', '-'
                     from coupons
                   union all
                   select status, cast(count(*) as text), cast(sum(unmatched_cents) as text),
                          cast(sum(case when paid_late then 1 else 0 end) as text),
                          cast(sum(case when oversold then 1 else 0 end) as text)
                     from transactions group by status
                   union all
                   select 'withdrawal ' || status, cast(count(*) as text), '-', '-', '-'
                     from withdrawals group by status
                   union all
                   select 'refund ' || status, cast(count(*) as text),
                          cast(sum(amount_cents) as text), '-', '-'
                     from refunds group by status
                   union all
                   select 'dispute ' || status, cast(count(*) as text), '-', '-', '-'
                     from disputes group by status
                   union all
                   select type || ' ' || status, cast(count(*) as text),
                          cast(sum(amount_cents) as text), cast(sum(held_cents) as text),
                          cast(sum(unfunded_cents) as text)
                     from affiliate_commissions group by type, status
                   union all
                   select 'debts', cast(coalesce(sum(owed_cents), 0) as text),
                          cast(coalesce(sum(repaid_cents), 0) as text), '-', '-'
                     from affiliate_commissions
                   union all
                   select 'advances ' || status, cast(count(*) as text),
                          cast(sum(outstanding_cents) as text), '-', '-'
                     from advances group by status
                   union all
                   select 'back', cast(coalesce(sum(refunding_cents), 0) as text),
                          cast(coalesce(sum(refunded_cents), 0) as text), '-', '-'
                     from transactions";
        let mut found: Vec<_> =
            self.engine.rows(sql).await.iter().map(|row| row.join(" ")).collect();
        found.sort();
        assert_eq!(found, self.reference.counts());
    }

    async fn agree_on_events(&mut self, test: &TestApp) {
        let (shop, mut names, mut page) = (self.shop(test), Vec::new(), 1);
        let known = self.last_event.take();
        let limit = (self.reference.emitted.len() + 1).clamp(2, 100);
        let mut newest = None;
        'pages: loop {
            let path = format!("/api/webhooks/events?limit={limit}&page={page}");
            let events = shop.get(&path).await.expect(200);
            let events = events["data"].as_array().expect("is a list").clone();
            newest = newest.or_else(|| events.first().map(|event| id(event).to_owned()));
            for event in &events {
                if known.as_deref() == Some(id(event)) {
                    break 'pages;
                }
                names.push(event["event"].as_str().expect("has a name").to_owned());
            }
            if events.len() < limit {
                break;
            }
            page += 1;
        }
        self.last_event = newest;
        let mut reported = std::mem::take(&mut self.reference.emitted);
        names.sort();
        reported.sort_unstable();
        assert_eq!(names, reported, "the events");
    }

    async fn agree_on_a_sale(&mut self, test: &TestApp) {
        if self.reference.sales.is_empty() {
            return;
        }
        // Old ones change seldom; all of them are counted anyway.
        let newest = self.reference.sales.len();
        let sale = &self.reference.sales[newest - 1 - self.rng.place(newest.min(40))];
        let Some(id) = &sale.id else { return };
        let path = format!("/api/v1/transactions/{id}");
        let shown = self.shop(test).get(&path).await.expect(200)["transaction"].clone();
        let fields =
            ["amount", "status", "unmatchedAmount", "paidLate", "oversold", "refundedAmount"];
        let found: Vec<_> = fields.iter().map(|field| shown[field].clone()).collect();
        let aside: i64 = sale.aside.iter().sum();
        let Sale { amount, status, late, oversold, back, .. } = sale;
        let wanted = json!([amount, status, aside, late, oversold, back.refunded]);
        assert_eq!(json!(found), wanted, "{shown}");
    }
}

impl ReferenceModel {
    /// The lines that the database should give, in order.
    fn counts(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for good in &self.goods {
            let Good { name, is_link, quantity, reserved, uses, sold } = good;
            let quantity = quantity.expect("all of them are counted");
            let tail = if *is_link { format!("{uses} {sold}") } else { "- -".to_owned() };
            lines.push(format!("{name} {quantity} {reserved} {tail}"));
        }
        for Coupon { code, taken, paid, .. } in &self.coupons {
            lines.push(format!("{code} {taken} {paid} - -"));
        }
        for status in STATUSES {
            let all = || self.sales.iter().filter(|sale| sale.status == status);
            let aside = all().flat_map(|sale| &sale.aside).sum::<i64>();
            let late = all().filter(|sale| sale.late).count();
            let oversold = all().filter(|sale| sale.oversold).count();
            let line = format!("{status} {} {aside} {late} {oversold}", all().count());
            lines.extend(all().next().map(|_| line));
        }
        for status in ["PENDING", "COMPLETED", "FAILED"] {
            let count = self.payouts.iter().filter(|payout| payout.status == status).count();
            let count = count + if status == "COMPLETED" { self.their_payouts } else { 0 };
            lines.extend((count > 0).then(|| format!("withdrawal {status} {count} - - -")));
            let refunds = || self.refunds.iter().filter(|refund| refund.status == status);
            let sum = refunds().map(Refund::amount).sum::<i64>();
            let line = || format!("refund {status} {} {sum} - -", refunds().count());
            lines.extend(refunds().next().map(|_| line()));
        }
        for status in ["OPEN", "WON", "LOST"] {
            let count = self.disputes.iter().filter(|(_, stands)| *stands == status).count();
            lines.extend((count > 0).then(|| format!("dispute {status} {count} - - -")));
        }
        lines.extend(self.commission_counts());
        lines.extend(self.advance_counts());
        let refunding = self.sales.iter().map(|sale| sale.back.refunding).sum::<i64>();
        let refunded = self.sales.iter().map(|sale| sale.back.refunded).sum::<i64>();
        lines.push(format!("back {refunding} {refunded} - -"));
        lines.sort();
        lines
    }
}

async fn key_of(shop: &Shop) -> String {
    let wanted = json!({
        "name": "model", "environment": "development", "permissions": every_permission(),
    });
    let key = shop.owner.post("/api/credentials", wanted).await.expect(201);
    key["data"]["key"].as_str().expect("is shown once").to_owned()
}

fn goods() -> Vec<Good> {
    let good =
        |name, is_link| Good { name, is_link, quantity: Some(6), reserved: 0, uses: 0, sold: 0 };
    vec![good("Caneca", true), good("Caneca", false)]
}

fn ideal_coupons() -> Vec<Coupon> {
    let coupon = |code, limit| Coupon { code, limit, taken: 0, paid: 0 };
    vec![coupon("PARTE", Some(4)), coupon("TUDO", Some(3)), coupon("CINCO", None)]
}

async fn admin_token(test: &TestApp) -> String {
    // Opens the account where there is none.
    test.admin().await;
    let login = json!({ "email": "admin@example.com", "password": PASSWORD });
    let session = test.anyone().post("/api/auth/login", login).await.expect(200);
    session["accessToken"].as_str().expect("gives a token").to_owned()
}
