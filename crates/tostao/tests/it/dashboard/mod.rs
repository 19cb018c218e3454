//! The dashboard, as people use it: in a browser that keeps cookies and follows redirects.

mod account;
mod accounts;
mod admin;
mod admin_queues;
mod admin_server;
mod admin_withdrawals;
mod advances;
mod affiliates;
mod balance;
mod changes;
mod charges;
mod clients;
mod closing;
mod coupons;
mod developers;
mod elevation;
mod elsewhere;
mod email;
mod figures;
mod forms;
mod home;
mod joining;
mod kept_forms;
mod keys;
mod links;
mod live;
mod looks;
mod matrix;
mod notices;
mod payments;
mod payout_keys;
mod plans;
mod products;
mod receipts;
mod referrals;
mod refunds;
mod refusals;
mod request_log;
mod resets;
mod second_step;
mod security;
mod sessions;
mod setup;
mod sign_in;
mod subscriptions;
mod team;
mod unmatched;
mod views;
mod webhook_forms;
mod webhooks;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use http::Method;
use serde_json::json;

use crate::harness::TestApp;
use crate::harness::client::{Client, Stream};
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, Shop};
use crate::second_step::{Device, STEP};

pub const EMAIL: &str = "loja@example.com";
const COOKIE: &str = "__Host-tostao";
/// A text that would do harm in a page that does not escape it.
const HOSTILE: &str = "\"'><script>alert(1)</script><b onclick=x style=y>&{{ m }}";

/// A browser.
pub struct Browser {
    client: Client,
    jar: Mutex<BTreeMap<String, String>>,
}

impl Browser {
    /// A browser that has been nowhere.
    pub fn new(test: &TestApp) -> Self {
        let client = test.anyone().with("host", "api.example.com").with("accept", "text/html");
        Self { client, jar: Mutex::default() }
    }

    /// The same, at another address.
    pub fn from(self, address: &str) -> Self {
        Self { client: self.client.from(address), ..self }
    }

    /// The same, sending one more header with every request.
    pub fn with(self, name: &str, value: &str) -> Self {
        Self { client: self.client.with(name, value), ..self }
    }

    /// A browser whose person has signed in.
    pub async fn signed_in(test: &TestApp, email: &str) -> Self {
        let browser = Self::new(test);
        let entered = browser.sign_in(email, PASSWORD).await;
        assert_eq!(entered.status, 303, "{}", entered.text);
        browser
    }

    /// A browser whose person has signed in with a code of their device.
    pub async fn signed_in_with(test: &TestApp, device: &Device) -> Self {
        test.pass(STEP);
        let browser = Self::new(test);
        let page = Page::of(browser.sign_in(EMAIL, PASSWORD).await, 200);
        let proved = page.hidden("proved").expect("is sealed");
        let fields = [("proved", proved), ("code", &*device.code(test, 0))];
        next(&browser.post("/sign-in/code", &fields).await);
        browser
    }

    /// Posts the form to sign in.
    pub async fn sign_in(&self, email: &str, password: &str) -> Reply {
        self.post("/sign-in", &[("email", email), ("password", password)]).await
    }

    /// Opens an address.
    pub async fn get(&self, path: &str) -> Reply {
        self.keep(self.asking().get(path).await)
    }

    /// Opens the page at an address.
    pub async fn page(&self, path: &str) -> Page {
        Page::of(self.get(path).await, 200)
    }

    /// Listens to a stream of events, as a page of ours does.
    pub async fn listen(&self, path: &str) -> Stream {
        self.asking().with("sec-fetch-site", "same-origin").listen(path).await
    }

    /// Posts a form of a page of ours.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let client = self.asking().with("sec-fetch-site", "same-origin");
        self.keep(client.submit(path, fields).await)
    }

    /// Posts a form with an attempt and a file, as browsers send one.
    pub async fn upload(&self, path: &str, attempt: &str, file: &[u8]) -> Reply {
        let disposition = "--mark\r\nContent-Disposition: form-data; name";
        let head = format!(
            "{disposition}=\"attempt\"\r\n\r\n{attempt}\r\n{disposition}=\"logo\"; \
             filename=\"logo.png\"\r\nContent-Type: image/png\r\n\r\n"
        );
        let body = [head.as_bytes(), file, b"\r\n--mark--\r\n"].concat();
        let client = self.asking().with("sec-fetch-site", "same-origin");
        let kind = "multipart/form-data; boundary=mark";
        self.keep(client.send_bytes(Method::POST, path, kind, body).await)
    }

    /// Posts a form whose fields were made for it.
    pub async fn post_typed(&self, path: &str, fields: &[(impl AsRef<str>, String)]) -> Reply {
        let fields = fields.iter().map(|(name, value)| (name.as_ref(), value.as_str()));
        let fields: Vec<_> = fields.collect();
        self.post(path, &fields).await
    }

    /// Follows redirects to a page.
    pub async fn land(&self, mut reply: Reply) -> Page {
        while reply.status == 303 {
            reply = self.get(&next(&reply)).await;
        }
        Page::of(reply, 200)
    }

    /// A cookie that the browser holds.
    pub fn cookie(&self, name: &str) -> Option<String> {
        self.jar.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Puts a cookie there, as one who copied it would.
    pub fn hold(&self, name: &str, value: &str) {
        let mut jar = self.jar.lock().unwrap_or_else(PoisonError::into_inner);
        jar.insert(name.to_owned(), value.to_owned());
    }

    /// Whether a page of the dashboard opens.
    pub async fn is_in(&self) -> bool {
        self.get("/dashboard/dev").await.status == 200
    }

    /// The client with the browser's cookies and nothing else.
    fn asking(&self) -> Client {
        let jar = self.jar.lock().unwrap_or_else(PoisonError::into_inner);
        let cookies: Vec<_> = jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if cookies.is_empty() {
            return self.client.clone();
        }
        self.client.with("cookie", &cookies.join("; "))
    }

    fn keep(&self, reply: Reply) -> Reply {
        let mut jar = self.jar.lock().unwrap_or_else(PoisonError::into_inner);
        for line in reply.headers.get_all("set-cookie") {
            let line = line.to_str().expect("is text");
            let (pair, attributes) = line.split_once(';').unwrap_or((line, ""));
            let (name, value) = pair.split_once('=').expect("is a cookie");
            if attributes.contains("Max-Age=0") {
                jar.remove(name);
            } else {
                jar.insert(name.to_owned(), value.to_owned());
            }
        }
        drop(jar);
        reply
    }
}

/// Turns the second step on for the person of a browser, who then proves it there.
pub async fn secured(test: &TestApp, browser: &Browser, caller: &Client) -> Device {
    let device = Device::enrolled(test, caller).await;
    test.pass(STEP);
    let proof = device.code(test, 0);
    next(&browser.post("/account/elevate", &[("proof", &proof)]).await);
    device
}

/// Where a reply leads.
pub fn next(reply: &Reply) -> String {
    assert_eq!(reply.status, 303, "{}", reply.text);
    reply.header("location").expect("leads somewhere").to_owned()
}

/// The lines that set a cookie.
fn set_cookies(reply: &Reply, name: &str) -> Vec<String> {
    let lines = reply.headers.get_all("set-cookie").iter();
    let lines = lines.map(|line| line.to_str().expect("is text").to_owned());
    lines.filter(|line| line.starts_with(&format!("{name}="))).collect()
}

/// Makes a person with this address a member of the shop.
pub async fn join(test: &TestApp, shop: &Shop, email: &str, role: &str) {
    let invited = json!({ "email": email, "role": role });
    let invitation = shop.owner.post("/api/invitations", invited).await.expect(201);
    let accepted =
        json!({ "token": invitation["data"]["token"], "name": "Bia", "password": PASSWORD });
    test.anyone().post("/api/invitations/accept", accepted).await.expect(200);
}

/// Calls the API in test mode as a person does.
pub async fn token(test: &TestApp, email: &str) -> Client {
    let login = json!({ "email": email, "password": PASSWORD });
    let session = test.anyone().post("/api/auth/login", login).await.expect(200);
    let token = session["accessToken"].as_str().expect("gives a token");
    let caller = test.anyone().with("authorization", &format!("Bearer {token}"));
    caller.with("x-dev-mode", "true")
}

/// What was typed, with the attempt of the page that it was typed on.
pub async fn typed<'a>(
    browser: &Browser,
    page: &str,
    fields: &[(&'a str, &'a str)],
) -> Vec<(&'a str, String)> {
    let page = browser.page(page).await;
    let attempt = page.hidden("attempt").expect("has an attempt").to_owned();
    let typed = fields.iter().map(|(name, value)| (*name, (*value).to_owned()));
    typed.chain([("attempt", attempt)]).collect()
}

/// Proves that pages of an id, which is another merchant's, are as those of an unknown one.
pub async fn as_unknown(browser: &Browser, list: &str, theirs: &str, pages: &[&str]) {
    let unknown = "01931b2c-0000-7000-8000-000000000000";
    for page in pages {
        let [one, none] = [theirs, unknown].map(|id| format!("{list}/{id}{page}"));
        let (one, none) = (browser.get(&one).await, browser.get(&none).await);
        assert_eq!((one.status, none.status), (404, 404), "{page}");
        let shown = |reply: &Reply, id: &str| {
            let request = reply.header("x-request-id").expect("has an id");
            reply.text.replace(id, "").replace(request, "")
        };
        assert_eq!(shown(&one, theirs), shown(&none, unknown), "{page}");
    }
}

/// Proves that what a page says of the API is so: each of its calls is answered.
pub async fn calls_answer(shop: &Shop, page: &Page) {
    let text = page.text.replace("&#34;", "\"").replace("&#38;", "&");
    let parts: Vec<_> = text.split("\"https://api.example.com").collect();
    assert!(parts.len() > 1, "{text}");
    for pair in parts.windows(2) {
        let path = pair[1].split('"').next().expect("is quoted");
        let answer = if pair[0].ends_with("-X DELETE ") {
            shop.key.delete(path).await
        } else {
            shop.key.get(path).await
        };
        answer.expect(200);
    }
}

/// Proves that a hostile text is shown and does nothing.
pub fn without_harm(page: &Page) {
    assert!(!page.says("<script>alert") && !page.says("<b onclick"), "{}", page.text);
    assert!(page.says("alert(1)"), "{}", page.text);
}
