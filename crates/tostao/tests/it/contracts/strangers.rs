//! To a stranger, another's thing is as if it were not there: the same answer to the byte.

use std::collections::BTreeMap;

use http::Method;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};
use tostao::openapi::api::Route;
use tostao::platform::openapi::operation::Security;
use tostao::routes;

use crate::affiliates::{join, program};
use crate::banks;
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, Shop, every_permission, id};
use crate::sandbox::token_that;
use crate::subscriptions;

const NOBODYS: &str = "00000000-0000-7000-8000-000000000001";

/// As long as an id, so that answers about it are as long as those about nothing.
const REQUEST: &str = "00000000-0000-7000-8000-00000000000a";

const LISTENERS: &str = "/api/dev/listeners/";
/// A key is the caller's own word, and names nothing by itself.
const KEYS: &str = "/api/idempotency-keys/";
/// Where everything named is for anybody who has its name, or for anyone who wants to join it.
const OPEN: [&str; 5] = [
    "/api/payment-links/public/slug/{slug}",
    "/api/subscriptions/public/{planId}",
    "/api/transactions/public/{id}",
    "/api/affiliate/join/{programId}",
    "/api/affiliate/marketplace/{id}",
];

/// What is the same in both modes: an account, and what is about real money alone.
const MODELESS: [&str; 8] = [
    "/api/admin/merchants/",
    "/api/admin/mails/",
    "/api/admin/connections/",
    "/api/admin/connection-routes/",
    "/api/admin/reconciliation/",
    "/api/admin/charges/",
    "/api/admin/disputes/",
    "/api/admin/refunds/",
];

/// Stands in a path for what belongs to the thing that the path names first.
const PART: &str = "{unmatchedId}";
/// What names no charge is no merchant's; administrators find it in its mode.
const UNMATCHED: &str = "/api/admin/unmatched";
/// Administrators find these in each merchant's list.
const ALL_WITHDRAWALS: &str = "/api/admin/withdraws";
const WITHDRAWALS: &str = "/api/withdraws";
const ALL_ADVANCES: &str = "/api/admin/advances";
const ADVANCES: &str = "/api/advances";
/// Only what was paid is given back.
const REFUNDS: &str = "/api/v1/transactions/{id}/refund";
/// Only what was to end goes on after all, what was paused goes on, what failed is tried again, and
/// what is a trial is extended.
const REACTIVATE: &str = "/api/subscriptions/{id}/reactivate";
const RESUME: &str = "/api/subscriptions/{id}/resume";
const RETRY: &str = "/api/subscriptions/{id}/retry";
const EXTEND: &str = "/api/subscriptions/{id}/extend-trial";
/// Routes that take a thing in a state of its own.
const RECEIPTS: &str = "/api/v1/transactions/{id}/receipt";
const PARTICULAR: [&str; 6] = [REFUNDS, RECEIPTS, REACTIVATE, RESUME, RETRY, EXTEND];
/// Stand in a body for a plan, and for a card.
const PLAN: &str = "planId";
const CARD: &str = "cardToken";

/// Everybody to whom what a merchant has in development is as if it were not there.
struct Strangers {
    /// Another merchant's token, in either mode.
    tokens: [Client; 2],
    /// Another's key, and the merchant's own key and token in production.
    others: [Client; 3],
}

impl Strangers {
    async fn of(shop: &Shop, other: &Shop) -> Self {
        let permissions = every_permission();
        let permissions: Vec<_> = permissions.iter().map(String::as_str).collect();
        let real = shop.key_for("production", &permissions).await;
        // The list of keys shows of each when it was used.
        real.get("/api/v1/products").await.expect(200);
        Self {
            tokens: [developer(other), other.owner.clone()],
            others: [other.key.clone(), real, shop.owner.clone()],
        }
    }

    /// Who is a stranger on a route; what belongs to an account itself is in no mode.
    fn on(&self, route: &Route) -> impl Iterator<Item = &Client> {
        let of_a_mode = !is_for_people(route);
        self.tokens.iter().chain(self.others.iter().filter(move |_| of_a_mode))
    }
}

/// Whether a route needs a person, whom no key can stand in for.
fn is_for_people(route: &Route) -> bool {
    matches!(route.needs, Some(Security::Person(_)))
}

/// Who has a thing: a link is read by its affiliate, and switched by the seller.
fn owner_of<'a>(route: &Route, shop: &'a Shop, affiliate: &'a Shop) -> &'a Shop {
    let is_link = route.method == Method::GET && route.path == "/api/affiliate/links/{id}";
    if is_link { affiliate } else { shop }
}

/// A merchant's token, looking at development data.
pub fn developer(shop: &Shop) -> Client {
    shop.owner.with("x-dev-mode", "true")
}

/// One thing of each kind that a path can name, by the path that lists its kind.
async fn belongings(
    test: &TestApp,
    shop: &Shop,
    affiliate: &Shop,
) -> BTreeMap<&'static str, String> {
    shop.earn(1_000).await;
    let key = json!({ "amountCents": 1_000, "pixKey": "ana@example.com", "pixKeyType": "email" });
    let withdrawal = shop.key.post("/api/withdraws", key).await.expect(201);
    let charge = shop.charge(1_000).await;
    shop.simulate(&charge, json!({ "outcome": "PAID", "paidAmountCents": 1 })).await;
    let path = format!("/api/v1/transactions/{}/unmatched", id(&charge));
    let unmatched = shop.key.get(&path).await.expect(200);
    let hook = json!({ "url": "https://example.com/hook", "events": ["*"] });
    let hook = shop.key.post("/api/webhooks/subscriptions", hook).await.expect(201);
    let hook = id(&hook["data"]).to_owned();
    let paid = shop.charge(1_000).await;
    shop.pay(&paid).await;
    let product = shop.product(json!({})).await;
    let program = program(shop, &product, json!({})).await;
    let link = join(affiliate, &program).await;
    let client = shop.try_client(json!({})).await.json()["client"].clone();
    // A code is taken by one coupon; an id is one that is not taken yet.
    let code = id(&product);
    let coupon = json!({ "code": code, "discountType": "PERCENTAGE", "discountValue": 10 });
    let coupon = shop.key.post("/api/v1/coupons", coupon).await.expect(201)["coupon"].clone();
    let events = shop.key.get("/api/webhooks/events").await.expect(200);
    let login = json!({ "email": "loja@example.com", "password": PASSWORD });
    test.anyone().post("/api/auth/login", login).await.expect(200);
    let sessions = shop.owner.get("/api/auth/sessions").await.expect(200);
    shop.key_for("development", &["referrals:read"]).await;
    let keys = shop.owner.get("/api/credentials").await.expect(200);
    let mut belongings = subscribed(test, shop).await;
    belongings.insert("/api/mails", mailed(test, shop).await);
    belongings.insert("/api/saved-views", saved_view(shop).await);
    belongings.extend(team(test, shop).await);
    belongings.extend([
        ("/api/v1/products", id(&product).to_owned()),
        ("/api/v1/coupons", id(&coupon).to_owned()),
        ("/api/v1/payment-links", id(&shop.link(1_000).await).to_owned()),
        ("/api/v1/transactions", id(&charge).to_owned()),
        (REFUNDS, id(&paid).to_owned()),
        (RECEIPTS, id(&paid).to_owned()),
        (PART, id(&unmatched["data"][0]).to_owned()),
        (UNMATCHED, unknown_payment(test).await),
        ("/api/affiliate/programs", id(&program).to_owned()),
        ("/api/affiliate/links", id(&link).to_owned()),
        ("/api/clients", id(&client).to_owned()),
        (WITHDRAWALS, id(&withdrawal["data"]).to_owned()),
        ("/api/payout-keys", payout_key(shop).await),
        (ADVANCES, open_advance(shop).await),
        ("/api/v1/webhooks/subscriptions", hook.clone()),
        ("/api/webhooks/subscriptions", hook),
        ("/api/webhooks/events", id(&events["data"][0]).to_owned()),
        ("/api/credentials", id(&keys["data"][0]).to_owned()),
        ("/api/auth/sessions", id(&sessions["data"][0]).to_owned()),
    ]);
    belongings
}

/// A member beside the owner, and an invitation; both are there once, however often they are asked
/// for.
async fn team(test: &TestApp, shop: &Shop) -> [(&'static str, String); 2] {
    let email = "caio@example.com";
    let invited = shop.owner.post("/api/invitations", json!({ "email": email, "role": "VIEWER" }));
    let invited = invited.await;
    if invited.status == 201 {
        let body = json!({
            "token": invited.json()["data"]["token"], "name": "Caio", "password": PASSWORD,
        });
        test.anyone().post("/api/invitations/accept", body).await.expect(200);
    }
    let members = shop.owner.get("/api/members").await.expect(200);
    let open = json!({ "email": "davi@example.com", "role": "VIEWER" });
    let open = shop.owner.post("/api/invitations", open).await.expect(201);
    [
        ("/api/members", id(&members["data"][1]).to_owned()),
        ("/api/invitations", id(&open["data"]).to_owned()),
    ]
}

/// The one view that is saved, made if there is none.
async fn saved_view(shop: &Shop) -> String {
    let view = json!({ "list": "transactions", "name": "Pagas", "query": "status=PAID" });
    developer(shop).post("/api/saved-views", view).await;
    let views = developer(shop).get("/api/saved-views").await.expect(200);
    id(&views["data"][0]).to_owned()
}

/// The mail about a withdrawal that was rejected.
async fn mailed(test: &TestApp, shop: &Shop) -> String {
    shop.earn(1_000).await;
    let wanted =
        json!({ "amountCents": 1_000, "pixKey": "ana@example.com", "pixKeyType": "email" });
    let withdrawal = shop.key.post("/api/withdraws", wanted).await.expect(201);
    let path = format!("/api/withdraws/{}/process", id(&withdrawal["data"]));
    test.admin().await.post(&path, json!({ "action": "reject" })).await.expect(200);
    let mails = developer(shop).get("/api/mails").await.expect(200);
    id(&mails["data"][0]).to_owned()
}

/// Money that names no charge.
async fn unknown_payment(test: &TestApp) -> String {
    let receipt = banks::pix("00000000000000000000000000000000", 1, 1, test.app.now());
    banks::confirm_pix(test, vec![receipt]).await.expect(200);
    let listed = test.admin().await.get(UNMATCHED).await.expect(200);
    id(&listed["data"][0]).to_owned()
}

/// Subscriptions in the states that their routes want.
async fn subscribed(test: &TestApp, shop: &Shop) -> BTreeMap<&'static str, String> {
    let active = subscriptions::active(test, shop).await;
    let ending = subscriptions::active(test, shop).await;
    subscriptions::done(shop, &ending, "cancel", json!({ "atPeriodEnd": true })).await;
    let paused = subscriptions::active(test, shop).await;
    subscriptions::done(shop, &paused, "pause", json!({})).await;
    let behind = subscriptions::active(test, shop).await;
    subscriptions::done(shop, &behind, "simulate", json!({ "outcome": "FAILED" })).await;
    let free = subscriptions::plan(shop, json!({ "trialDays": 9 })).await;
    let other = subscriptions::somebody("Bia");
    let trial = subscriptions::by_card_with(test, &free, Scenario::Approves, other).await;
    let trial = trial.expect(201)["data"].clone();
    shop.key.with("x-request-id", REQUEST).get("/api/v1/products").await.expect(200);
    BTreeMap::from([
        ("/api/requests", REQUEST.to_owned()),
        ("/api/subscriptions/plans", id(&free).to_owned()),
        ("/api/subscriptions", id(&active).to_owned()),
        (REACTIVATE, id(&ending).to_owned()),
        (RESUME, id(&paused).to_owned()),
        (RETRY, id(&behind).to_owned()),
        (EXTEND, id(&trial["subscription"]).to_owned()),
        (PLAN, id(&free).to_owned()),
        (CARD, token_that(test, Scenario::Approves).await),
    ])
}

/// A key to withdraw to, which is there once, however often it is asked for.
async fn payout_key(shop: &Shop) -> String {
    let (owner, path) = (developer(shop), "/api/payout-keys");
    let key = json!({ "label": "Conta", "pixKey": "ana@example.com", "pixKeyType": "email" });
    owner.post(path, key).await;
    id(&owner.list(path).await[0]).to_owned()
}

/// The one advance that is open, asked for if there is none.
async fn open_advance(shop: &Shop) -> String {
    shop.key.post("/api/advances", json!({ "amountCents": 1_000 })).await;
    let open = shop.key.get("/api/advances?status=PENDING").await.expect(200);
    id(&open["data"][0]).to_owned()
}

/// A body that every one of these routes takes; each ignores what is another's.
fn body(belongings: &BTreeMap<&'static str, String>) -> Value {
    json!({
        "outcome": "PAID", "event": "transaction.paid", "role": "SUPPORT", "reason": "Risco.",
        "trialEndsAt": "2027-01-01T00:00:00Z", "since": "2026-11-21T00:00:00Z",
        "planId": belongings[PLAN], "cardToken": belongings[CARD], "action": "reject",
        "transactionId": belongings["/api/v1/transactions"],
    })
}

async fn call(
    client: &Client,
    route: &Route,
    id: &str,
    belongings: &BTreeMap<&'static str, String>,
) -> Reply {
    let (before, named) = route.path.split_once('{').expect("names a thing");
    let (_, after) = named.split_once('}').expect("is a whole name");
    let path = format!("{before}{id}{after}").replace(PART, &belongings[PART]);
    assert!(!path.contains('{'), "make a part for {}", route.path);
    let bodiless = route.method == Method::GET || route.method == Method::DELETE;
    let (kind, body) = if bodiless {
        (None, String::new())
    } else {
        let mut body = body(belongings);
        if route.path.ends_with("/resolve") {
            let of_money = route.path.starts_with(UNMATCHED);
            body["outcome"] = if of_money { json!("DUPLICATE") } else { json!("not_paid") };
            body["note"] = json!("No portal.");
        }
        (Some("application/json"), body.to_string())
    };
    client.send(route.method.clone(), &path, kind, body).await
}

/// Routes that name one thing of the caller's, with the thing's kind.
fn named() -> Vec<(Route, &'static str)> {
    naming(|route| route.needs != Some(Security::Admin))
}

/// The same for administrators, for whom only the other mode's objects do not exist; anyone
/// else gets just a refusal.
fn named_to_administrators() -> Vec<(Route, &'static str)> {
    let of_a_mode = |route: &Route| MODELESS.iter().all(|path| !route.path.starts_with(path));
    naming(|route| route.needs == Some(Security::Admin))
        .into_iter()
        .filter(|(route, _)| of_a_mode(route))
        .collect()
}

fn naming(wanted: fn(&Route) -> bool) -> Vec<(Route, &'static str)> {
    let routes = routes::routes().into_iter();
    // A stream has no end; the stories of listeners ask strangers about them.
    let apart = [&LISTENERS, &KEYS];
    let open = |route: &Route| OPEN.iter().chain(apart).any(|path| route.path.starts_with(path));
    let named = routes.filter(|route| route.path.contains('{') && !open(route) && wanted(route));
    named
        .map(|route| {
            let kind = route.path.split("/{").next().expect("has a beginning");
            let kind = match kind {
                ALL_WITHDRAWALS => WITHDRAWALS,
                ALL_ADVANCES => ADVANCES,
                kind => kind,
            };
            let kind = PARTICULAR.into_iter().find(|path| *path == route.path).unwrap_or(kind);
            (route, kind)
        })
        .collect()
}

#[story::test]
async fn an_administrators_answer_in_the_other_mode_is_the_answer_about_nothing(test: &TestApp) {
    let (shop, affiliate) = (test.shop("Loja").await, test.shop("Bia").await);
    let belongings = belongings(test, &shop, &affiliate).await;
    let admin = test.admin().await;
    let real = admin.with("x-dev-mode", "false").with("x-request-id", "same-request");
    let mut found = 0;
    for (route, kind) in named_to_administrators() {
        let known = &belongings[kind];
        let reader = if kind == UNMATCHED { &admin } else { &shop.key };
        let seen = async || reader.get(&format!("{kind}/{known}")).await.expect(200);
        let before = seen().await;
        let about_it = call(&real, &route, known, &belongings).await;
        let about_nothing = call(&real, &route, NOBODYS, &belongings).await;
        let what = format!("{} {}", route.method, route.path);
        assert_eq!(about_it.status, 404, "{what}: {}", about_it.text);
        assert_eq!(about_it.headers, about_nothing.headers, "{what}");
        let expected = about_nothing.text.replace(NOBODYS, known);
        assert_eq!(about_it.text, expected, "{what}");
        assert_eq!(seen().await, before, "{what}");
        let in_its_mode = call(&admin, &route, known, &belongings).await;
        assert_ne!(in_its_mode.status, 404, "{what}: {}", in_its_mode.text);
        found += 1;
    }
    assert!(found > 2, "{found}");
}

#[story::test]
async fn a_strangers_answer_is_the_answer_about_nothing(test: &TestApp) {
    let (shop, affiliate) = (test.shop("Loja").await, test.shop("Bia").await);
    let belongings = belongings(test, &shop, &affiliate).await;
    let strangers = Strangers::of(&shop, &test.shop("Outra").await).await;
    for (route, kind) in named() {
        let known = belongings.get(kind);
        let known = known.unwrap_or_else(|| panic!("make a thing for {}", route.path));
        for stranger in strangers.on(&route) {
            let stranger = stranger.with("x-request-id", "same-request");
            let about_it = call(&stranger, &route, known, &belongings).await;
            let about_nothing = call(&stranger, &route, NOBODYS, &belongings).await;
            let what = format!("{} {}", route.method, route.path);
            let simulated = route.path.ends_with("/simulate") && about_it.status == 403;
            assert!(about_it.status == 404 || simulated, "{what}: {}", about_it.text);
            assert_eq!(about_it.status, about_nothing.status, "{what}");
            assert_eq!(about_it.headers, about_nothing.headers, "{what}");
            let expected = about_nothing.text.replace(NOBODYS, known);
            assert_eq!(about_it.text, expected, "{what}");
        }
    }
}

#[story::test]
async fn the_owner_finds_every_one_of_these_things(test: &TestApp, shop: Shop, affiliate: Shop) {
    let mut found = 0;
    for (route, kind) in named() {
        let by_token = is_for_people(&route);
        let has = owner_of(&route, &shop, &affiliate);
        let by_key = (!by_token).then(|| has.key.clone());
        for owner in by_key.into_iter().chain([developer(has)]) {
            let belongings = belongings(test, &shop, &affiliate).await;
            // No server runs that writes the log meanwhile, and who reads it would wait for all.
            test.app.requests.write(&test.app.database).await;
            let known = belongings.get(kind).expect("was made");
            let reply = call(&owner, &route, known, &belongings).await;
            assert!(reply.status < 300, "{} {}: {}", route.method, route.path, reply.text);
            found += 1;
            let hooks = "/api/webhooks/subscriptions";
            shop.key.delete(&format!("{hooks}/{}", belongings[hooks])).await;
            let keys = "/api/credentials";
            shop.owner.delete(&format!("{keys}/{}", belongings[keys])).await;
        }
    }
    assert!(found > 30, "{found}");
}

#[story::test]
async fn what_a_stranger_tries_changes_nothing(test: &TestApp, shop: Shop, affiliate: Shop) {
    let belongings = belongings(test, &shop, &affiliate).await;
    let seen = async || {
        let mut seen = vec![shop.owner.get("/api/credentials").await.text];
        for (route, kind) in named() {
            if route.method == Method::GET && !is_for_people(&route) {
                let key = &owner_of(&route, &shop, &affiliate).key;
                seen.push(call(key, &route, &belongings[kind], &belongings).await.text);
            }
        }
        seen
    };
    let strangers = Strangers::of(&shop, &test.shop("Outra").await).await;
    let before = seen().await;
    for (route, kind) in named() {
        for stranger in strangers.on(&route) {
            call(stranger, &route, &belongings[kind], &belongings).await;
        }
    }
    assert_eq!(seen().await, before);
}
