//! One affiliate of two sellers, whose buyers all pay at once.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{Scene, join, program};
use crate::banks::{confirm_pix, pix, txid};
use crate::harness::TestApp;
use crate::harness::shop::Shop;
use crate::methods::balance;

const SALES: u8 = 12;

/// A second seller with a program that the affiliate has joined.
async fn another_seller(test: &TestApp, affiliate: Shop) -> Scene {
    let shop = test.shop("Oficina").await;
    let product = shop.product(json!({ "name": "Oficina", "price": 10_000 })).await;
    let program = program(&shop, &product, json!({})).await;
    let link = join(&affiliate, &program).await;
    Scene { shop, affiliate, product, program, link }
}

async fn issue_all(scene: &Scene) -> Vec<Value> {
    let mut charges = Vec::new();
    for _ in 0..SALES {
        charges.push(scene.issue(json!({})).await);
    }
    charges
}

#[story::test]
async fn two_sellers_with_one_affiliate_share_their_books_and_no_entry_is_lost(test: &TestApp) {
    let first = Scene::open(test, json!({})).await;
    let second = another_seller(test, test.shop_again("Bia Lima").await).await;
    let charges = [issue_all(&first).await, issue_all(&second).await].concat();
    let paid = (1..).zip(&charges).map(|(number, charge)| {
        let receipt = pix(txid(charge), number, 10_000, test.app.now());
        confirm_pix(test, vec![receipt])
    });
    for reply in join_all(paid).await {
        reply.expect(200);
    }
    // 24 sales × 1,000 for the affiliate, and 12 × 9,000 for each seller.
    assert_eq!(balance(&first.affiliate).await, (json!(0), json!(24_000)));
    for shop in [&first.shop, &second.shop, &first.affiliate] {
        let proof = shop.key.get("/api/ledger/verify").await.expect(200);
        assert_eq!(proof["success"], true, "{proof}");
    }
    for shop in [&first.shop, &second.shop] {
        assert_eq!(balance(shop).await, (json!(108_000), json!(0)));
    }
}
