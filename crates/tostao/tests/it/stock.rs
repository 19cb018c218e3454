//! Stock: promised when a payment is issued, taken when it is paid, given back when it is not.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};
use crate::webhooks::subscribe;

const HOUR: Duration = Duration::from_hours(1);

/// A link of which so many can be sold.
async fn limited_link(shop: &Shop, count: i64) -> Value {
    let stock = json!({ "amountCents": 1_000, "stockEnabled": true, "stockQuantity": count });
    shop.link_with(stock).await
}

/// A product of which so many lie on the shelf.
async fn limited_product(shop: &Shop, count: i64) -> Value {
    shop.product(json!({ "stockEnabled": true, "stockQuantity": count })).await
}

fn of_link(link: &Value) -> Value {
    json!({ "paymentLinkId": id(link) })
}

fn of_product(product: &Value, quantity: i64) -> Value {
    json!({ "items": [{ "productId": id(product), "quantity": quantity }] })
}

async fn sell(shop: &Shop, sale: Value) -> Value {
    shop.charge_with(sale).await
}

#[track_caller]
fn sold_out(refused: &Reply) {
    refused.expect_refusal(409, "OUT_OF_STOCK");
}

#[story::test]
async fn of_sixty_four_buyers_at_once_exactly_one_gets_the_last_one(shop: Shop) {
    let link = limited_link(&shop, 1).await;
    let product = limited_product(&shop, 1).await;
    for sale in [of_link(&link), of_product(&product, 1)] {
        let buyers = (0..64).map(|_| shop.try_charge(sale.clone()));
        let (won, lost): (Vec<_>, Vec<_>) =
            join_all(buyers).await.into_iter().partition(|answer| answer.status == 201);
        assert_eq!((won.len(), lost.len()), (1, 63));
        lost.iter().for_each(sold_out);
    }
    assert_eq!(shop.read_link(&link).await["timesUsed"], 1);
    assert_eq!(shop.read_link(&link).await["status"], "ACTIVE");
    assert_eq!(shop.key.total("/api/v1/transactions").await, 2);
}

#[story::test]
async fn sixty_four_buyers_share_what_two_links_sell_of_one_product(shop: Shop) {
    let product = limited_product(&shop, 10).await;
    let mut links = Vec::new();
    for quantity in [1, 2] {
        let items = json!([{ "productId": id(&product), "quantity": quantity }]);
        links.push(shop.link_with(json!({ "products": items })).await);
    }
    let buyers = (0..64).map(|number| shop.try_charge(of_link(&links[number % 2])));
    let answers = join_all(buyers).await;
    let sold = answers.iter().filter(|answer| answer.status == 201);
    let sold = sold.map(|answer| answer.json()["transaction"]["items"][0]["quantity"].clone());
    let sold: i64 = sold.map(|quantity| quantity.as_i64().expect("is a number")).sum();
    assert_eq!(sold, 10);
    answers.iter().filter(|answer| answer.status != 201).for_each(sold_out);
}

#[story::test]
async fn a_payment_takes_what_was_promised_to_it(shop: Shop) {
    let link = limited_link(&shop, 3).await;
    let product = limited_product(&shop, 3).await;
    let charges = [sell(&shop, of_link(&link)).await, sell(&shop, of_product(&product, 2)).await];
    assert_eq!(shop.read_link(&link).await["stockQuantity"], 3);
    assert_eq!(shop.read_product(&product).await["stockQuantity"], 3);
    sold_out(&shop.try_charge(of_product(&product, 2)).await);
    for charge in &charges {
        shop.pay(charge).await;
    }
    assert_eq!(shop.read_link(&link).await["stockQuantity"], 2);
    assert_eq!(shop.read_product(&product).await["stockQuantity"], 1);
    sold_out(&shop.try_charge(of_product(&product, 2)).await);
    sell(&shop, of_product(&product, 1)).await;
}

#[story::test]
async fn what_was_promised_comes_back_when_the_payment_does_not(test: &TestApp, shop: Shop) {
    let link = limited_link(&shop, 1).await;
    let product = limited_product(&shop, 1).await;
    for sale in [of_link(&link), of_product(&product, 1)] {
        let cancelled = sell(&shop, sale.clone()).await;
        sold_out(&shop.try_charge(sale.clone()).await);
        let path = format!("/api/v1/transactions/{}/cancel", id(&cancelled));
        for _ in 0..2 {
            shop.key.post(&path, json!({})).await.expect(200);
        }
        let expired = sell(&shop, sale.clone()).await;
        sold_out(&shop.try_charge(sale.clone()).await);
        test.pass(HOUR);
        // The first reader writes the expiry down; the job finds nothing left to do.
        assert_eq!(shop.transaction(&expired).await["status"], "EXPIRED");
        test.run_jobs().await;
        let simulated = sell(&shop, sale.clone()).await;
        sold_out(&shop.try_charge(sale.clone()).await);
        shop.simulate(&simulated, json!({ "outcome": "EXPIRED" })).await;
        sell(&shop, sale.clone()).await;
        sold_out(&shop.try_charge(sale).await);
    }
    assert_eq!(shop.read_link(&link).await["stockQuantity"], 1);
    assert_eq!(shop.read_product(&product).await["stockQuantity"], 1);
}

#[story::test]
async fn a_late_payment_takes_one_if_there_is_one(test: &TestApp, shop: Shop) {
    let link = limited_link(&shop, 1).await;
    let product = limited_product(&shop, 1).await;
    let late = [sell(&shop, of_link(&link)).await, sell(&shop, of_product(&product, 1)).await];
    test.run_jobs_after(HOUR).await;
    for charge in &late {
        let paid = shop.pay(charge).await;
        assert_eq!((&paid["paidLate"], &paid["oversold"]), (&json!(true), &json!(false)));
    }
    assert_eq!(shop.read_link(&link).await["stockQuantity"], 0);
    assert_eq!(shop.read_product(&product).await["stockQuantity"], 0);
    sold_out(&shop.try_charge(of_link(&link)).await);
    sold_out(&shop.try_charge(of_product(&product, 1)).await);
}

#[story::test]
async fn a_late_payment_never_takes_what_is_promised_to_another(test: &TestApp, shop: Shop) {
    let link = limited_link(&shop, 1).await;
    let product = limited_product(&shop, 1).await;
    for sale in [of_link(&link), of_product(&product, 1)] {
        let late = sell(&shop, sale.clone()).await;
        test.run_jobs_after(HOUR).await;
        let waiting = sell(&shop, sale.clone()).await;
        let paid = shop.pay(&late).await;
        assert_eq!((&paid["status"], &paid["oversold"]), (&json!("PAID"), &json!(true)));
        sold_out(&shop.try_charge(sale.clone()).await);
        assert_eq!(shop.pay(&waiting).await["paidLate"], false);
        sold_out(&shop.try_charge(sale).await);
    }
    let link = shop.read_link(&link).await;
    assert_eq!((&link["stockQuantity"], &link["salesCount"]), (&json!(0), &json!(2)));
    assert_eq!(shop.read_product(&product).await["stockQuantity"], 0);
}

#[story::test]
async fn a_late_payment_of_several_products_takes_all_or_none(test: &TestApp, shop: Shop) {
    let plenty = limited_product(&shop, 5).await;
    let scarce = limited_product(&shop, 1).await;
    let order = json!({ "items": [
        { "productId": id(&plenty), "quantity": 2 },
        { "productId": id(&scarce), "quantity": 1 },
    ] });
    let late = sell(&shop, order).await;
    test.run_jobs_after(HOUR).await;
    shop.pay(&sell(&shop, of_product(&scarce, 1)).await).await;
    shop.pay(&late).await;
    assert_eq!(shop.read_product(&plenty).await["stockQuantity"], 5);
    assert_eq!(shop.read_product(&scarce).await["stockQuantity"], 0);
    sell(&shop, of_product(&plenty, 5)).await;
}

#[story::test]
async fn a_late_payment_for_which_nothing_is_left_says_so_everywhere(test: &TestApp, shop: Shop) {
    let link = limited_link(&shop, 1).await;
    let late = sell(&shop, of_link(&link)).await;
    test.run_jobs_after(HOUR).await;
    shop.pay(&sell(&shop, of_link(&link)).await).await;
    let receiver = Receiver::start().await;
    subscribe(&shop.key, &receiver.url, &["transaction.paid"]).await;
    let paid = shop.pay(&late).await;
    assert_eq!((&paid["paidLate"], &paid["oversold"]), (&json!(true), &json!(true)));
    assert_eq!(shop.transaction(&late).await["oversold"], true);
    let steps = ["CREATED", "EXPIRED", "PAID", "OVERSOLD", "REFUND_REQUESTED"];
    assert_eq!(shop.steps(&late).await, steps);
    test.run_jobs().await;
    let reported = receiver.take_one().json();
    assert_eq!(reported["data"]["transaction"]["oversold"], true);
}

#[story::test]
async fn a_late_payment_through_a_link_takes_of_link_and_products_all_or_none(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let product = limited_product(&shop, 1).await;
    let items = json!([{ "productId": id(&product), "quantity": 1 }]);
    let stock = json!({ "products": items, "stockEnabled": true, "stockQuantity": 5 });
    let link = shop.link_with(stock).await;
    let late = sell(&shop, of_link(&link)).await;
    test.run_jobs_after(HOUR).await;
    shop.pay(&sell(&shop, of_product(&product, 1)).await).await;
    assert_eq!(shop.pay(&late).await["oversold"], true);
    let link = shop.read_link(&link).await;
    assert_eq!((&link["stockQuantity"], &link["salesCount"]), (&json!(5), &json!(1)));
    assert_eq!(shop.read_product(&product).await["stockQuantity"], 0);
}

#[story::test]
async fn an_order_that_lacks_one_product_promises_none(shop: Shop) {
    let plenty = limited_product(&shop, 1).await;
    let empty = limited_product(&shop, 0).await;
    let items = json!([
        { "productId": id(&plenty), "quantity": 1 },
        { "productId": id(&empty), "quantity": 1 },
    ]);
    let link = shop.link_with(json!({ "products": items })).await;
    sold_out(&shop.try_charge(of_link(&link)).await);
    sold_out(&shop.try_charge(json!({ "items": items })).await);
    assert_eq!(shop.read_link(&link).await["timesUsed"], 0);
    sell(&shop, of_product(&plenty, 1)).await;
    let names = shop.events().await;
    assert_eq!(names.iter().filter(|name| *name == "transaction.created").count(), 1);
}

#[story::test]
async fn one_product_named_twice_in_an_order_is_counted_twice(shop: Shop) {
    let product = limited_product(&shop, 3).await;
    let line = |quantity: i64| json!({ "productId": id(&product), "quantity": quantity });
    sold_out(&shop.try_charge(json!({ "items": [line(2), line(2)] })).await);
    let charge = sell(&shop, json!({ "items": [line(1), line(2)] })).await;
    shop.pay(&charge).await;
    assert_eq!(shop.read_product(&product).await["stockQuantity"], 0);
}

#[story::test]
async fn a_merchant_may_set_less_stock_than_is_reserved(shop: Shop) {
    let link = limited_link(&shop, 2).await;
    let product = limited_product(&shop, 2).await;
    let charges = [sell(&shop, of_link(&link)).await, sell(&shop, of_product(&product, 2)).await];
    shop.change_link(&link, json!({ "stockQuantity": 0 })).await;
    shop.change_product(&product, json!({ "stockQuantity": 1 })).await;
    for charge in &charges {
        assert_eq!(shop.pay(charge).await["status"], "PAID");
    }
    assert_eq!(shop.read_link(&link).await["stockQuantity"], 0);
    assert_eq!(shop.read_product(&product).await["stockQuantity"], 0);
    shop.change_link(&link, json!({ "stockQuantity": 1 })).await;
    sell(&shop, of_link(&link)).await;
}

#[story::test]
async fn promises_made_while_nothing_was_counted_hold_when_it_is(shop: Shop) {
    let link = shop.link(1_000).await;
    let product = shop.product(json!({})).await;
    let charges = [sell(&shop, of_link(&link)).await, sell(&shop, of_product(&product, 1)).await];
    let counted = json!({ "stockEnabled": true, "stockQuantity": 2 });
    shop.change_link(&link, counted.clone()).await;
    shop.change_product(&product, counted).await;
    for sale in [of_link(&link), of_product(&product, 1)] {
        sell(&shop, sale.clone()).await;
        sold_out(&shop.try_charge(sale).await);
    }
    for charge in &charges {
        shop.pay(charge).await;
    }
    assert_eq!(shop.read_link(&link).await["stockQuantity"], 1);
    assert_eq!(shop.read_product(&product).await["stockQuantity"], 1);
}
