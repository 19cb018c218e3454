//! Codes, and who is invited with them.

use db::tx::Tx;
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{code, history, invited, only, register, stats};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

#[story::test]
async fn a_merchant_has_one_code_in_both_modes(test: &TestApp, shop: Shop) {
    let codes = join_all((0..8).map(|_| code(&shop))).await;
    assert!(codes.iter().all(|code| code == &codes[0] && code.len() == 8), "{codes:?}");
    let by_token = shop.owner.get("/api/referral/code").await.expect(200);
    assert_eq!(by_token["code"], codes[0].as_str());
    let url = format!("https://api.example.com/?inviteCode={}", codes[0]);
    assert_eq!(by_token["url"], url.as_str());
    assert_ne!(code(&test.shop("Outra").await).await, codes[0]);
}

#[story::test]
async fn an_invited_merchant_is_shown_by_a_first_name_and_an_initial(test: &TestApp, shop: Shop) {
    let typed = format!(" {} ", code(&shop).await.to_lowercase());
    let opened = register(test, "Fulano de Tal", json!({ "inviteCode": typed })).await;
    assert_eq!(opened.expect(201)["warning"], Value::Null);
    let listed = history(&shop, "").await;
    let referral = &listed["referrals"][0];
    let known = json!({
        "id": referral["id"], "referredName": "Fulano T.", "status": "PENDING",
        "createdAt": "2026-11-21T12:00:00.000Z", "commissionCents": 0,
    });
    assert_eq!(listed["referrals"], json!([known]));
    assert_eq!(listed["pagination"], json!({ "total": 1, "page": 1, "limit": 20 }));
}

#[story::test]
async fn an_unknown_code_is_ignored_with_a_warning(test: &TestApp) {
    let reply = register(test, "Ana", json!({ "inviteCode": "00000000" })).await.expect(201);
    assert_eq!(reply["warning"], "The invite code is unknown and was ignored.");
    for (name, without) in [("Bia", json!("")), ("Caio", Value::Null)] {
        let reply = register(test, name, json!({ "inviteCode": without })).await.expect(201);
        assert!(reply.get("warning").is_none(), "{reply}");
    }
    let shop = test.shop_again("Ana").await;
    shop.sell(10_000).await;
    assert_eq!(stats(&shop).await["totalReferrals"], 0);
}

#[story::test]
async fn inviting_oneself_is_rejected_and_earns_nothing(test: &TestApp) {
    let document = json!({ "document": "529.982.247-25" });
    let phone = json!({ "phone": "+55 (11) 91234-5678" });
    let national = json!({ "phone": "11 91234-5678" });
    for (number, (his, guests)) in
        [(&document, &document), (&phone, &national), (&national, &phone)].iter().enumerate()
    {
        let (name, guest) = (format!("Loja{number}"), format!("Outra{number}"));
        register(test, &name, (*his).clone()).await.expect(201);
        let shop = test.shop_again(&name).await;
        let mut more = (*guests).clone();
        more["inviteCode"] = json!(code(&shop).await);
        let reply = register(test, &guest, more).await.expect(201);
        assert!(reply.get("warning").is_none(), "no warning: {reply}");
        test.shop_again(&guest).await.sell(100_000).await;
        assert_eq!(only(&shop).await, ("REJECTED".to_owned(), 0), "{number}");
        let stats = stats(&shop).await;
        assert_eq!((&stats["totalReferrals"], &stats["pendingReferrals"]), (&json!(1), &json!(0)));
    }
}

#[story::test]
async fn a_second_account_on_the_same_device_is_rejected(test: &TestApp) {
    let device = test.anyone().with("x-device-id", "phone-1");
    let account = |name: &str, code: Option<&str>| {
        json!({
            "name": name, "email": format!("{}@example.com", name.to_lowercase()),
            "password": crate::harness::shop::PASSWORD, "inviteCode": code,
        })
    };
    device.post("/api/auth/register", account("Loja", None)).await.expect(201);
    let shop = test.shop_again("Loja").await;
    let code = code(&shop).await;
    device.post("/api/auth/register", account("Outra", Some(&code))).await.expect(201);
    assert_eq!(only(&shop).await.0, "REJECTED");
    invited(test, "Terceira", &code).await;
    assert_eq!(history(&shop, "?status=PENDING").await["pagination"]["total"], 1);
}

#[story::test]
async fn an_account_is_opened_with_its_invitation_or_not_at_all(test: &TestApp, shop: Shop) {
    let code = code(&shop).await;
    invited(test, "Ana", &code).await;
    register(test, "Ana", json!({ "inviteCode": code })).await.expect(409);
    assert_eq!(history(&shop, "").await["pagination"]["total"], 1);
    let merchants = async |tx: &Tx| tostao::merchants::all(tx).await;
    assert_eq!(test.app.read(merchants).await.expect("reads").len(), 2);
}
