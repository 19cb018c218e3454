//! Every list: the same pages, filters and refusals, and nothing for anyone else.
//!
//! A list is a route that takes a `limit`; what else it takes is read from its description.

use std::collections::BTreeMap;
use std::time::Duration;

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};
use tostao::openapi::docs::operations;
use tostao::routes;

use super::strangers::developer;
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::shop::{Shop, every_permission, id, link_path};
use crate::middleware::shapes::resolved;
use crate::{advances, affiliates, banks, carts, connections, referrals, subscriptions};

const ROUNDS: u8 = 3;
/// The list of all merchants, and those of what is in no mode.
const LOG: &str = "/api/requests";
const MAILS: &str = "/api/mails";
/// Rewards are moved weeks after they are earned; their own stories list what was moved.
const MOVED_REWARDS: &str = "/api/referral/withdrawals";
const MARKETPLACE: &str = "/api/affiliate/marketplace";
/// What waits for administrators is listed oldest first; its own stories turn the pages.
const QUEUES: [&str; 3] =
    ["/api/admin/withdraws/waiting", "/api/admin/advances/waiting", "/api/admin/mails"];
const MODELESS: [&str; 4] = [
    "/api/referral/history",
    "/api/admin/audit",
    "/api/admin/reconciliation",
    "/api/admin/first-steps/accounts",
];

/// A list with its queries' schemas by their names.
struct List {
    path: String,
    takes: BTreeMap<String, Value>,
    client: Client,
}

/// Those who have everything that lists show.
struct Town {
    shop: Shop,
    affiliate: Shop,
    developer: Client,
    admin: Client,
    named: [(&'static str, Value); 4],
}

impl Town {
    /// Three of everything, a minute apart, and not all in one status.
    async fn of(test: &TestApp) -> Self {
        let (shop, affiliate) = (test.shop("Loja").await, test.shop("Bia").await);
        let hook = json!({ "url": "https://example.com/", "events": ["product.created"] });
        let hook = shop.key.post("/api/webhooks/subscriptions", hook).await.expect(201);
        let program = affiliates::program(&shop, &shop.product(json!({})).await, json!({})).await;
        let plan = subscriptions::plan(&shop, json!({})).await;
        let made = subscriptions::subscribe(test, &plan, json!({})).await.expect(201);
        let named = [
            ("/api/v1/payment-links", shop.link(1_000).await),
            ("/api/affiliate/programs", program),
            ("/api/webhooks/subscriptions", hook["data"].clone()),
            ("/api/subscriptions", made["data"]["subscription"].clone()),
        ];
        let admin = test.admin().await;
        let bank = connections::Bank::connected(test).await;
        let developer = developer(&shop);
        let town = Self { shop, affiliate, developer, admin, named };
        let link = affiliates::join(&town.affiliate, &town.named[1].1).await;
        for round in 0..ROUNDS {
            test.pass(Duration::from_mins(1));
            town.sell(test, &link, round).await;
            town.add(test, round).await;
            bank.differs(test, round).await;
        }
        town
    }

    /// Sells in each way.
    async fn sell(&self, test: &TestApp, link: &Value, round: u8) {
        let Self { shop, named: [(_, page), (_, program), _, (_, named)], .. } = self;
        subscriptions::done(shop, named, "simulate", json!({ "outcome": "PAID" })).await;
        let short = shop.charge(1_000).await;
        shop.simulate(&short, json!({ "outcome": "PAID", "paidAmountCents": 999 })).await;
        let items = json!([{ "productId": program["productId"], "quantity": 1 }]);
        let sale = json!({ "items": items, "affiliateCode": link["code"] });
        shop.pay(&shop.try_charge(sale).await.expect(201)["transaction"]).await;
        advances::sell(test, shop, 10_000, 2).await;
        carts::capture(test, page, &format!("buyer{round}@example.com"), json!({}))
            .await
            .expect(201);
        let code = referrals::code(shop).await;
        referrals::invited(test, &format!("Guest {round}"), &code).await.earn(100_000).await;
        affiliates::join(&test.shop(&format!("Affiliate {round}")).await, program).await;
        let receipt = banks::pix(&"0".repeat(32), round + 1, 700, test.app.now());
        banks::confirm_pix(test, vec![receipt]).await.expect(200);
    }

    /// Adds what a merchant has; the first of each is ended, or switched off.
    async fn add(&self, test: &TestApp, round: u8) {
        let shop = &self.shop;
        let key = &shop.key;
        let product = shop.product(json!({})).await;
        affiliates::join(&self.affiliate, &affiliates::program(shop, &product, json!({})).await)
            .await;
        let link = shop.link(1_000).await;
        let coupon = subscriptions::coupon(shop, json!({ "code": format!("CODE{round}") })).await;
        shop.client(json!({ "email": format!("client{round}@example.com") })).await;
        let plan = subscriptions::plan(shop, json!({})).await;
        let who = subscriptions::somebody(&format!("Buyer{round}"));
        let subscribed = subscriptions::by_card_with(test, &plan, Scenario::Approves, who).await;
        let subscribed = subscribed.expect(201)["data"]["subscription"].clone();
        let hook = json!({ "url": "https://example.com/", "events": ["product.deleted"] });
        key.post("/api/webhooks/subscriptions", hook).await.expect(201);
        let wanted =
            json!({ "amountCents": 100, "pixKey": "ana@example.com", "pixKeyType": "email" });
        let refused = key.post("/api/withdraws", wanted.clone()).await.expect(201);
        let no = format!("/api/withdraws/{}/process", id(&refused["data"]));
        self.admin.post(&no, json!({ "action": "reject" })).await.expect(200);
        let withdrawal = key.post("/api/withdraws", wanted).await.expect(201)["data"].clone();
        let advance = advances::request(shop, 1_000).await;
        if round < 2 {
            let no = advances::path(&advance, "reject");
            self.admin.post(&no, json!({ "reason": "Risco." })).await.expect(200);
        }
        if round == 0 {
            let off = json!({ "status": "INACTIVE" });
            shop.change_product(&product, off.clone()).await;
            key.patch(&link_path(&link), off.clone()).await.expect(200);
            key.patch(&format!("/api/v1/coupons/{}", id(&coupon)), off).await.expect(200);
            key.post(&format!("/api/withdraws/{}/cancel", id(&withdrawal)), json!({}))
                .await
                .expect(200);
            subscriptions::done(shop, &subscribed, "pause", json!({})).await;
        }
    }

    /// Every list, as it is for those who have something in it.
    fn lists(&self) -> Vec<List> {
        let document = routes::document();
        let operations = operations(&document);
        // Each look at anything adds to the request log; its own stories turn its pages.
        let apart = |path: &&str| [LOG, MOVED_REWARDS].contains(path) || QUEUES.contains(path);
        let reading =
            operations.iter().filter(|(path, method, _)| *method == "get" && !apart(path));
        let lists = reading.filter_map(|(path, _, operation)| {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let parameters = parameters.map(|parameter| resolved(&document, parameter));
            let queries = parameters.filter(|parameter| parameter["in"] == "query");
            let takes = queries.map(|query| {
                let name = query["name"].as_str().expect("has a name").to_owned();
                (name, resolved(&document, &query["schema"]).clone())
            });
            let takes: BTreeMap<_, _> = takes.collect();
            let client = match *path {
                _ if path.starts_with("/api/admin/") => &self.admin,
                "/api/audit" => &self.shop.owner,
                MAILS => &self.developer,
                MARKETPLACE | "/api/affiliate/links" | "/api/affiliate/commissions" => {
                    &self.affiliate.key
                }
                _ => &self.shop.key,
            };
            let named = self.named.iter().find(|(kind, _)| path.starts_with(&format!("{kind}/{{")));
            let path = named.map_or((*path).to_owned(), |(_, one)| path.replace("{id}", id(one)));
            takes.contains_key("limit").then(|| List { path, takes, client: client.clone() })
        });
        lists.collect()
    }
}

impl List {
    /// What the list answers to a query; it stands on a page, or goes on at a cursor.
    async fn page(&self, query: &str) -> (Vec<Value>, Value) {
        Self::read(&self.client, &self.path, query).await
    }

    async fn read(client: &Client, path: &str, query: &str) -> (Vec<Value>, Value) {
        let mut answer = client.get(&format!("{path}?{query}")).await.expect(200);
        let fields = answer.as_object_mut().expect("is an object");
        let page = fields.remove("pagination").or_else(|| fields.remove("nextCursor"));
        let rows = fields.values_mut().find_map(|value| value.as_array_mut().map(std::mem::take));
        (rows.expect("has rows"), page.unwrap_or_default())
    }

    async fn rows(&self, query: &str) -> Vec<Value> {
        self.page(query).await.0
    }

    /// All rows.
    async fn whole(&self) -> Vec<Value> {
        let rows = self.rows("limit=100").await;
        assert!(rows.len() >= usize::from(ROUNDS), "{}: {}", self.path, rows.len());
        rows
    }

    fn takes(&self, name: &str) -> bool {
        self.takes.contains_key(name)
    }
}

#[story::test]
async fn pages_and_cursors_meet_every_row_once(test: &TestApp) {
    for list in Town::of(test).await.lists() {
        let (path, whole) = (&list.path, list.whole().await);
        assert_eq!(list.rows("").await, whole[..whole.len().min(20)], "{path}");
        for number in (1..=whole.len() + 1).filter(|_| list.takes("page")) {
            let (rows, page) = list.page(&format!("limit=1&page={number}")).await;
            assert_eq!(rows, whole[number - 1..whole.len().min(number)], "{path}");
            let place = [&page["total"], &page["page"], &page["limit"]];
            assert_eq!(place, [&json!(whole.len()), &json!(number), &json!(1)], "{path}");
        }
        let (mut walked, mut cursor) = (Vec::new(), Some("&cursor=".to_owned()));
        while let Some(at) = cursor.filter(|_| list.takes("cursor")) {
            let (rows, page) = list.page(&format!("limit=2{at}")).await;
            walked.extend(rows);
            let next = page.get("nextCursor").unwrap_or(&page).as_str();
            cursor = next.map(|next| format!("&cursor={next}"));
            if list.takes("page") {
                let place = [&page["total"], &page["page"], &page["limit"]];
                assert_eq!(place, [&json!(whole.len()), &json!(1), &json!(2)], "{path}");
            }
        }
        assert!(walked == whole || !list.takes("cursor"), "{path}: {walked:?}");
    }
}

#[story::test]
async fn rows_are_newest_first_and_found_by_day_and_by_word(test: &TestApp) {
    let (mut by_day, mut by_word) = (0, 0);
    for list in Town::of(test).await.lists() {
        let (path, whole) = (&list.path, list.whole().await);
        let days: Vec<_> = whole.iter().filter_map(|row| row["createdAt"].as_str()).collect();
        assert!(days.is_sorted_by(|newer, older| newer >= older), "{path}: {days:?}");
        if list.takes("createdFrom") {
            let day = days.iter().find(|day| **day < days[0]).expect("is not all of one minute");
            let later = days.iter().filter(|other| *other >= day).count();
            assert_eq!(list.rows(&format!("createdFrom={day}&limit=100")).await, whole[..later]);
            assert_eq!(list.rows(&format!("createdTo={day}&limit=100")).await, whole[later..]);
            let none = format!("createdFrom={day}&createdTo={day}");
            assert_eq!(list.rows(&none).await, Vec::<Value>::new(), "{path}");
            by_day += 1;
        }
        for (name, words) in list.takes.iter().map(|(name, schema)| (name, words(schema))) {
            if words.is_empty() || !whole[0][name].is_string() {
                continue;
            }
            let mut found = 0;
            for word in words {
                let alike = |row: &&Value| row[name] == word;
                let expected: Vec<_> = whole.iter().filter(alike).cloned().collect();
                let rows = list.rows(&format!("{name}={word}&limit=100")).await;
                assert_eq!(rows, expected, "{path}?{name}={word}");
                found += rows.len();
            }
            assert_eq!(found, whole.len(), "{path} by {name}");
            by_word += 1;
        }
    }
    assert!(by_day > 9 && by_word > 12, "{by_day} {by_word}");
}

#[story::test]
async fn a_query_that_cannot_be_read_is_refused_by_its_name(test: &TestApp) {
    let mut refused = 0;
    for list in Town::of(test).await.lists() {
        for (name, schema) in &list.takes {
            let long = "a".repeat(256);
            let wrong: &[&str] = match (name.as_str(), schema["format"].as_str()) {
                ("limit", _) => &["0", "101", "x", "1&limit=2"],
                ("page", _) => &["0", "x"],
                ("q", _) => &[&long],
                (_, Some("date-time" | "date")) => &["yesterday", "2026-02-30"],
                (_, Some("uuid" | "int64")) => &["x"],
                _ if !words(schema).is_empty() => &["LOST"],
                _ if schema["type"].to_string().contains("boolean") => &["maybe"],
                _ => &[],
            };
            for wrong in wrong {
                let query = format!("{}?{name}={wrong}", list.path);
                let reply = list.client.get(&query).await;
                assert_eq!(
                    reply.expect_refusal(400, "VALIDATION_ERROR"),
                    [name.as_str()],
                    "{query}"
                );
                refused += 1;
            }
        }
        for (query, takes, code) in [
            ("page=101&limit=100", "page", "PAGINATION_TOO_DEEP"),
            ("cursor=x", "cursor", "INVALID_CURSOR"),
            ("cursor=AAAA", "cursor", "INVALID_CURSOR"),
            ("cursor=%21", "cursor", "INVALID_CURSOR"),
        ] {
            if list.takes(takes) {
                let reply = list.client.get(&format!("{}?{query}", list.path)).await;
                assert_eq!(reply.expect_refusal(400, code), [""; 0], "{} {query}", list.path);
            }
        }
    }
    assert!(refused > 200, "{refused}");
}

#[story::test]
async fn other_merchants_and_the_other_mode_find_nothing(test: &TestApp) {
    let town = Town::of(test).await;
    let permissions = every_permission();
    let permissions: Vec<_> = permissions.iter().map(String::as_str).collect();
    let other = test.shop("Outra").await;
    let strangers = [
        (other.key.clone(), false),
        (developer(&other), false),
        (town.shop.owner.clone(), true),
        (town.shop.key_for("production", &permissions).await, true),
        (town.affiliate.key_for("production", &permissions).await, true),
    ];
    let mut looks = 0;
    for list in town.lists() {
        let named = town.named.iter().any(|(_, one)| list.path.contains(id(one)));
        let by_key =
            ![MAILS, "/api/audit"].contains(&&*list.path) && !list.path.starts_with("/api/admin/");
        let admin = (town.admin.with("x-dev-mode", "false"), true);
        let people = [strangers[1].clone(), strangers[2].clone()];
        let strangers = match (by_key, &*list.path) {
            (true, _) => &strangers[..],
            (_, MAILS) => &people[..],
            _ => &[admin][..],
        };
        for (stranger, other_mode) in strangers {
            let shared = if *other_mode { &MODELESS[..] } else { &[MARKETPLACE] };
            if named || list.path == "/api/audit" || shared.contains(&list.path.as_str()) {
                continue;
            }
            // The keys of the other mode are mailed there.
            let query = if list.path == MAILS { "kind=withdrawal_failed" } else { "" };
            let (rows, page) = List::read(stranger, &list.path, query).await;
            assert_eq!((&rows, page["total"].as_i64().unwrap_or(0)), (&vec![], 0), "{}", list.path);
            looks += 1;
        }
    }
    assert!(looks > 90, "{looks}");
}

/// The words that a schema lists.
fn words(schema: &Value) -> Vec<&str> {
    let listed = schema["enum"].as_array().into_iter().flatten().chain([&schema["const"]]);
    let nested = schema["oneOf"].as_array().into_iter().flatten().flat_map(words);
    listed.filter_map(Value::as_str).chain(nested).collect()
}
