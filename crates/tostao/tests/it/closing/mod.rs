//! Closing an account: what stands in the way, what ends with it, and what is left of people.

mod ends;
mod late_money;
mod obstacles;
mod people;

use db::tx::Tx;
use serde_json::{Value, json};
use tostao::merchants;
use tostao::platform::ids::{MerchantId, Mode, Scope};

use crate::banks::{confirm_pix, pix, txid};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, Shop, every_permission, id};

const CLOSE: &str = "/api/auth/account/close";

/// Asks for the account to be closed.
async fn close(client: &Client) -> Reply {
    client.post(CLOSE, json!({ "password": PASSWORD })).await
}

/// A production key that may do everything.
async fn real_key(shop: &Shop) -> Client {
    let permissions = every_permission();
    let permissions: Vec<_> = permissions.iter().map(String::as_str).collect();
    shop.key_for("production", &permissions).await
}

/// Makes production data of what was made in development and has moved no money yet: no provider
/// issues anything for real money.
async fn make_real(test: &TestApp) {
    test.app
        .transact(async |tx: &Tx| {
            for table in [
                "update clients set mode = 1",
                "update products set mode = 1",
                "update payment_links set mode = 1",
                "update transactions set mode = 1",
                "update carts set mode = 1",
                "update affiliate_programs set mode = 1",
                "update affiliate_links set mode = 1",
                "update affiliate_attributions set mode = 1",
            ] {
                tx.exec(table, &[]).await?;
            }
            Ok(())
        })
        .await
        .expect("is done");
}

/// Has a charge paid with so many real cents.
pub async fn pay_for_real(test: &TestApp, charge: &Value, number: u8, cents: i64) {
    make_real(test).await;
    let receipt = pix(txid(charge), number, cents, test.app.now());
    confirm_pix(test, vec![receipt]).await.expect(200);
}

/// A merchant's scope for real money.
async fn real_scope(test: &TestApp, shop: &Shop) -> Scope {
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let merchant: MerchantId = id(&me["user"]).parse().expect("is an id");
    let read = async move |tx: &Tx| merchants::scope(tx, merchant, Mode::Production).await;
    test.app.read(read).await.expect("is there")
}
