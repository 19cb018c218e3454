//! The programs of the reference, sent as they stand once their variables have values.

use std::collections::BTreeMap;

use http::Method;
use serde_json::{Value, json};
use tostao::platform::openapi::operation::Security;
use tostao::routes;

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};
use crate::subscriptions::plan;

/// An id that nothing has.
const NOTHING: &str = "00000000-0000-4000-8000-000000000000";
/// What ends a session or an account, or holds the secrets of a bank.
const NOT_PASTED: [&str; 5] = [
    "/api/auth/password",
    "/api/auth/account/close",
    "/api/dev/reset",
    "/api/admin/connections",
    "/api/admin/connections/{id}/rotate",
];
/// What a new account cannot do, however it asks.
const LACKS: [&str; 2] = ["INSUFFICIENT_BALANCE", "COUPON_INVALID"];

/// The `curl` of an operation, without what stands around it.
struct Pasted {
    address: String,
    headers: Vec<(String, String)>,
    body: Option<String>,
}

impl Pasted {
    /// Reads the program of an operation out of its tag's page.
    fn of(page: &str, method: &Method, path: &str) -> Self {
        let line = format!("\n`{method} {path}`\n");
        let (_, after) = page.split_once(&line).unwrap_or_else(|| panic!("{line} is on no page"));
        let (_, program) = after.split_once("```sh\n").expect("has a program");
        let (program, _) = program.split_once("\n```").expect("ends");
        let (address, _) = program
            .split_once("\"$TOSTAO_SERVER")
            .expect("names it")
            .1
            .split_once('"')
            .expect("ends");
        let headers = program.split("-H \"").skip(1).map(|header| {
            let (header, _) = header.split_once('"').expect("ends");
            let (name, value) = header.split_once(": ").expect("has a value");
            (name.to_owned(), value.replace("$(openssl rand -hex 16)", "a-new-key"))
        });
        let body = program.split_once("-d '").map(|(_, body)| {
            body.trim_end_matches('\'').replace("\"'\"$", "\"$").replace("\"'\"", "\"")
        });
        Self { address: address.to_owned(), headers: headers.collect(), body }
    }

    /// Sends it with these values, as a caller whose credential it names.
    async fn sent(&self, method: &Method, caller: &Client, values: &[(&str, String)]) -> Reply {
        let filled = |text: &str| {
            values.iter().fold(text.to_owned(), |text, (name, value)| {
                text.replace(&format!("${name}"), value)
            })
        };
        let mut caller = caller.clone();
        for (name, value) in self.headers.iter().filter(|(name, _)| name == "Idempotency-Key") {
            caller = caller.with(name, value);
        }
        let body = self.body.as_deref().map(|body| filled(body).replace("'\\''", "'"));
        let kind = body.as_ref().map(|_| "application/json");
        caller.send(method.clone(), &filled(&self.address), kind, body.unwrap_or_default()).await
    }
}

/// The pages of all tags, by the name of the tag.
async fn pages(test: &TestApp) -> BTreeMap<&'static str, String> {
    let mut pages = BTreeMap::new();
    for (tag, address) in tostao::openapi::docs::tags() {
        let page = test.anyone().get(&format!("{address}.md")).await;
        assert_eq!(page.status, 200, "{address}");
        pages.insert(tag, page.text);
    }
    pages
}

#[story::test]
async fn no_program_of_the_reference_is_refused_for_its_form(test: &TestApp, shop: Shop) {
    let (pages, admin) = (pages(test).await, test.admin().await);
    let link = shop.link(4_990).await;
    let now = test.app.now().to_string();
    let mut values: Vec<(&str, String)> = [
        "TRANSACTION_ID",
        "CONNECTION_ID",
        "UNMATCHED_ID",
        "SUBSCRIPTION_ID",
        "PLAN_ID",
        "PROGRAM_ID",
        "EVENT_ID",
        "ID",
    ]
    .map(|name| (name, NOTHING.to_owned()))
    .to_vec();
    let product = shop.product(json!({})).await;
    values.push(("PRODUCT_ID", id(&product).to_owned()));
    values.push(("SLUG", link["slug"].as_str().expect("has one").to_owned()));
    values.push(("RAIL", "pix".to_owned()));
    values.extend([("TRIAL_ENDS_AT", now.clone()), ("SINCE", now)]);
    values.extend(["REFRESH_TOKEN", "CARD_TOKEN", "TOKEN"].map(|it| (it, "a-token".to_owned())));
    let mut refused = Vec::new();
    let changes = routes::routes().into_iter().filter(|route| route.method != Method::GET);
    for route in changes.filter(|route| !NOT_PASTED.contains(&route.path)) {
        let pasted = Pasted::of(&pages[route.tag], &route.method, route.path);
        if pasted.body.is_none() {
            continue;
        }
        let caller = match route.needs {
            Some(Security::Permissions(_)) => &shop.key,
            Some(Security::Person(_)) => &shop.owner,
            Some(Security::Admin) => &admin,
            None => &test.anyone(),
        };
        let reply = pasted.sent(&route.method, caller, &values).await;
        let code = |reply: &Reply| reply.json()["code"].as_str().map(str::to_owned);
        let is_lacking = || code(&reply).is_some_and(|code| LACKS.contains(&code.as_str()));
        if matches!(reply.status, 400 | 415 | 422) && !is_lacking() {
            refused.push(format!("{} {}: {}", route.method, route.path, reply.text));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[story::test]
async fn what_is_created_most_works_as_it_is_pasted(test: &TestApp, shop: Shop) {
    let pages = pages(test).await;
    let (product, plan) = (shop.product(json!({})).await, plan(&shop, json!({})).await);
    let (charge, sale) = (shop.charge(4_990).await, shop.sell(100_000).await);
    let wanted = json!({ "url": "https://example.com/a", "events": ["*"] });
    let hooks = "/api/webhooks/subscriptions";
    let hook = shop.key.post(hooks, wanted).await.expect(201)["data"].clone();
    let of = |name: &'static str, object: &Value| vec![(name, id(object).to_owned())];
    let table = [
        ("/api/v1/transactions", vec![]),
        ("/api/v1/payment-links", vec![]),
        ("/api/v1/products", vec![]),
        ("/api/v1/coupons", vec![]),
        ("/api/clients", vec![]),
        ("/api/subscriptions/plans", vec![]),
        ("/api/subscriptions/checkout", of("PLAN_ID", &plan)),
        ("/api/affiliate/programs", of("PRODUCT_ID", &product)),
        ("/sandbox/card-tokens", vec![]),
        ("/api/v1/transactions/{id}/simulate", of("ID", &charge)),
        ("/api/v1/transactions/{id}/refund", of("ID", &sale)),
        ("/api/withdraws", vec![]),
        ("/api/webhooks/verify", of("SUBSCRIPTION_ID", &hook)),
    ];
    let routes = routes::routes();
    for (path, values) in table {
        let mut served = routes.iter().filter(|route| route.path == path);
        let route = served.find(|route| route.method == Method::POST).expect("is served");
        let pasted = Pasted::of(&pages[route.tag], &route.method, path);
        let caller = if route.needs.is_some() { &shop.key } else { &test.anyone() };
        let reply = pasted.sent(&route.method, caller, &values).await;
        assert!(matches!(reply.status, 200 | 201), "{path}: {}", reply.text);
        let takes_key = pasted.headers.iter().any(|(name, _)| name == "Idempotency-Key");
        let is_question = path.ends_with("/verify") || path.starts_with("/sandbox");
        assert_eq!(takes_key, !is_question, "{path}");
    }
}
