//! The hosted pages, as a browser without scripts goes through them.

use std::time::Duration;

use serde_json::Value;

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::Shop;

mod attempts;
mod boleto;
mod card;
mod card_state;
mod coupon;
mod link;
mod other_sites;
mod passed_on;
mod pay_form;
mod payment;
mod reader;
mod subscription;

const HOUR: Duration = Duration::from_hours(1);

/// What a buyer types.
pub const BUYER: [(&str, &str); 3] =
    [("name", "Fulano de Tal"), ("email", "fulano@example.com"), ("document", "529.982.247-25")];

const ADDRESS: [(&str, &str); 8] = [
    ("phone", "(11) 91234-5678"),
    ("postal_code", "01310-100"),
    ("street", "Avenida Paulista"),
    ("number", "1000"),
    ("complement", ""),
    ("district", "Bela Vista"),
    ("city", "São Paulo"),
    ("state", "SP"),
];

/// A buyer's browser, which has been here before.
pub fn browser(test: &TestApp) -> Client {
    let device = "__Host-device=0123456789abcdef0123456789abcdef";
    test.anyone().with("accept", "text/html").with("cookie", device)
}

fn form(link: &Value) -> String {
    format!("/pay/{}", link["slug"].as_str().expect("has one"))
}

/// Where a card page leads that does not open.
fn lost(page: &str) -> String {
    format!("{page}?notice=card")
}

/// Where an answer sends the browser.
#[track_caller]
fn next(reply: &Reply) -> String {
    assert_eq!(reply.status, 303, "{}", reply.text);
    reply.header("location").expect("leads on").to_owned()
}

/// Buys through a link; answers the address of the page with the code.
async fn buy(test: &TestApp, link: &Value) -> String {
    next(&browser(test).submit(&form(link), &BUYER).await)
}

async fn open(test: &TestApp, address: &str) -> Page {
    Page::of(browser(test).get(address).await, 200)
}

/// The address of the page of a charge that the API made.
fn address(charge: &Value) -> String {
    let url = charge["paymentUrl"].as_str().expect("has one");
    url.strip_prefix("https://pay.example.com").expect("is ours").to_owned()
}

/// The address of another page of the same payment.
fn beside(address: &str, action: &str) -> String {
    address.replace("?token=", &format!("{action}?token="))
}

fn token(address: &str) -> &str {
    address.split_once("?token=").expect("has a token").1
}

/// Posts one of the small forms of a payment's page.
async fn press(test: &TestApp, address: &str, action: &str) -> Reply {
    let path = address.split_once('?').expect("has a token").0;
    let token = token(address);
    browser(test).submit(&format!("{path}{action}"), &[("token", token)]).await
}

/// The only payments there are, newest first.
async fn charges(shop: &Shop) -> Vec<Value> {
    shop.key.list("/api/v1/transactions").await
}
