//! How a person becomes a member, and stops being one.

use std::time::Duration;

use serde_json::json;

use super::{acceptance, invite, member, person, sign_in};
use crate::harness::client::Client;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::harness::{TestApp, rate_limited_to};

const BIA: &str = "bia@example.com";

#[story::test]
async fn who_accepts_an_invitation_works_in_the_account_with_their_role(
    test: &TestApp,
    shop: Shop,
) {
    let invitation = invite(&shop.owner, "Bia@Example.com", "FINANCE").await;
    let open = shop.owner.list("/api/invitations").await;
    assert_eq!(id(&open[0]), id(&invitation));
    assert!(open[0]["token"].is_null());
    test.anyone().post("/api/invitations/accept", acceptance(&invitation)).await.expect(200);
    assert!(shop.owner.list("/api/invitations").await.is_empty());

    let (bia, session) = sign_in(test, json!({ "email": BIA, "password": PASSWORD })).await;
    assert_eq!(session["user"]["email"], "loja@example.com");
    assert_eq!(session["person"]["email"], BIA);
    assert_eq!(session["person"]["role"], "FINANCE");
    let me = bia.get("/api/auth/me").await.expect(200);
    assert_eq!(me["person"], session["person"]);
    assert_eq!(me["user"], session["user"]);
    let members = bia.list("/api/members").await;
    let shown: Vec<_> =
        members.iter().map(|one| (&one["email"], &one["role"], &one["current"])).collect();
    let expected = json!([["loja@example.com", "OWNER", false], [BIA, "FINANCE", true]]);
    assert_eq!(json!(shown), expected);
}

#[story::test]
async fn an_invitation_is_accepted_once(test: &TestApp, shop: Shop) {
    let invitation = invite(&shop.owner, BIA, "VIEWER").await;
    let anyone = test.anyone();
    let accept = || anyone.post("/api/invitations/accept", acceptance(&invitation));
    accept().await.expect(200);
    accept().await.expect_refusal(410, "INVITATION_INVALID");
    let again = json!({ "email": BIA, "role": "VIEWER" });
    shop.owner.post("/api/invitations", again).await.expect_refusal(409, "ALREADY_EXISTS");
}

#[story::test]
async fn an_invitation_that_is_over_replaced_or_taken_back_is_refused(test: &TestApp, shop: Shop) {
    let replaced = invite(&shop.owner, BIA, "MANAGER").await;
    let revoked = invite(&shop.owner, BIA, "VIEWER").await;
    let path = format!("/api/invitations/{}", id(&revoked));
    shop.owner.delete(&path).await.expect(200);
    shop.owner.delete(&path).await.expect_refusal(404, "NOT_FOUND");
    let late = invite(&shop.owner, BIA, "VIEWER").await;
    test.pass(Duration::from_hours(7 * 24));
    for invitation in [replaced, revoked, late, json!({ "token": "x" })] {
        let refused = test.anyone().post("/api/invitations/accept", acceptance(&invitation)).await;
        refused.expect_refusal(410, "INVITATION_INVALID");
    }
    assert!(test.shop_again("Loja").await.owner.list("/api/invitations").await.is_empty());
}

#[story::test]
async fn a_person_without_a_password_says_their_name(test: &TestApp, shop: Shop) {
    let invitation = invite(&shop.owner, BIA, "VIEWER").await;
    for (name, code) in [(json!(null), "REQUIRED"), (json!(" "), "INVALID_LENGTH")] {
        let body = json!({ "token": invitation["token"], "name": name, "password": PASSWORD });
        let refused = test.anyone().post("/api/invitations/accept", body).await.expect(400);
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!("name"), &json!(code)));
    }
}

#[story::test]
async fn a_token_without_the_persons_password_makes_them_no_member(test: &TestApp, shop: Shop) {
    test.shop("Bia").await;
    let invitation = invite(&shop.owner, BIA, "MANAGER").await;
    let anyone = test.anyone();
    let accept = |password: &str| {
        let body = json!({ "token": invitation["token"], "name": "X", "password": password });
        anyone.post("/api/invitations/accept", body)
    };
    accept("not the password").await.expect_refusal(401, "INVALID_CREDENTIALS");
    accept(PASSWORD).await.expect(200);
}

#[story::test]
async fn a_person_of_two_accounts_says_which_one_they_sign_in_to(test: &TestApp, shop: Shop) {
    let own = test.shop("Bia").await;
    let invitation = invite(&shop.owner, BIA, "SUPPORT").await;
    test.anyone().post("/api/invitations/accept", acceptance(&invitation)).await.expect(200);
    let login = json!({ "email": BIA, "password": PASSWORD });
    let (_, home) = sign_in(test, login.clone()).await;
    assert_eq!(home["user"]["email"], BIA);
    let account = shop.owner.get("/api/auth/me").await.expect(200)["user"]["id"].clone();
    let there = json!({ "email": BIA, "password": PASSWORD, "accountId": account });
    let (bia, session) = sign_in(test, there).await;
    assert_eq!(session["person"]["role"], "SUPPORT");
    assert_eq!(session["person"]["id"], home["user"]["id"]);
    // A new password is the person's, in every account.
    let change = json!({ "currentPassword": PASSWORD, "newPassword": "another battery staple" });
    bia.post("/api/auth/password", change).await.expect(200);
    own.owner.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
    bia.get("/api/auth/me").await.expect(200);
    let other = test.shop("Outra").await;
    let not_there = json!({
        "email": BIA, "password": "another battery staple",
        "accountId": other.owner.get("/api/auth/me").await.expect(200)["user"]["id"],
    });
    let refused = test.anyone().post("/api/auth/login", not_there).await;
    refused.expect_refusal(401, "INVALID_CREDENTIALS");
    other.key.get("/api/v1/transactions").await.expect(200);
}

#[story::test]
async fn a_member_who_is_removed_is_signed_out_at_once_and_may_be_invited_again(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let bia = member(test, &shop, BIA, "VIEWER").await;
    let path = format!("/api/members/{}", person(&shop.owner, BIA).await);
    shop.owner.delete(&path).await.expect(200);
    bia.get("/api/v1/transactions").await.expect_refusal(401, "UNAUTHORIZED");
    let login = json!({ "email": BIA, "password": PASSWORD });
    let refused = test.anyone().post("/api/auth/login", login).await;
    refused.expect_refusal(401, "INVALID_CREDENTIALS");
    shop.owner.delete(&path).await.expect_refusal(404, "NOT_FOUND");
    member(test, &shop, BIA, "SUPPORT").await.get("/api/v1/transactions").await.expect(200);
}

#[story::test]
async fn another_accounts_members_and_invitations_do_not_exist(test: &TestApp, shop: Shop) {
    let other = test.shop("Outra").await;
    member(test, &other, BIA, "VIEWER").await;
    let path = format!("/api/members/{}", person(&other.owner, BIA).await);
    shop.owner.delete(&path).await.expect_refusal(404, "NOT_FOUND");
    let role = json!({ "role": "MANAGER" });
    shop.owner.patch(&path, role).await.expect_refusal(404, "NOT_FOUND");
    let invitation = invite(&other.owner, "caio@example.com", "VIEWER").await;
    let path = format!("/api/invitations/{}", id(&invitation));
    shop.owner.delete(&path).await.expect_refusal(404, "NOT_FOUND");
    assert!(shop.owner.list("/api/invitations").await.is_empty());
}

#[story::test]
async fn a_bad_field_of_an_invitation_or_its_acceptance_is_named(test: &TestApp, shop: Shop) {
    let bad = json!({ "email": "x", "role": "OWNER" });
    let refused = shop.owner.post("/api/invitations", bad).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["email", "role"]);
    let invitation = invite(&shop.owner, BIA, "VIEWER").await;
    let bad = json!({ "token": invitation["token"], "password": "short" });
    let refused = test.anyone().post("/api/invitations/accept", bad).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["name", "password"]);
}

#[story::test]
async fn closing_an_account_ends_what_its_members_had_in_it(test: &TestApp) {
    let (shop, home) = (test.shop("Loja").await, test.shop("Bia").await);
    let invitation = invite(&shop.owner, BIA, "MANAGER").await;
    test.anyone().post("/api/invitations/accept", acceptance(&invitation)).await.expect(200);
    let caio = member(test, &shop, "caio@example.com", "VIEWER").await;
    let open = invite(&shop.owner, "davi@example.com", "VIEWER").await;
    let account = shop.owner.get("/api/auth/me").await.expect(200)["user"]["id"].clone();
    let there = json!({ "email": BIA, "password": PASSWORD, "accountId": account });
    let (bia, _) = sign_in(test, there).await;
    let manager = bia.post("/api/auth/account/close", json!({ "password": PASSWORD })).await;
    manager.expect_refusal(403, "INSUFFICIENT_PERMISSION");

    let close = json!({ "password": PASSWORD });
    shop.owner.post("/api/auth/account/close", close).await.expect(200);
    for gone in [&bia, &caio, &shop.owner] {
        gone.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
    }
    let refused = test.anyone().post("/api/invitations/accept", acceptance(&open)).await;
    refused.expect_refusal(410, "INVITATION_INVALID");
    // Who works elsewhere stays who they are; who does not may open an account.
    home.owner.get("/api/auth/me").await.expect(200);
    test.shop("Caio").await;
    test.shop("Loja").await;
}

#[story::test(rate_limited_to("invitations=3/3600,credentials=4/3600,mail_recipient=1/3600"))]
async fn sessions_that_may_not_invite_use_up_nothing_of_those_that_may(test: &TestApp, shop: Shop) {
    let manager = member(test, &shop, BIA, "MANAGER").await;
    let viewer = member(test, &shop, "davi@example.com", "VIEWER").await;
    test.pass(Duration::from_mins(10));
    let ask = async |who: &Client, email: &str| {
        who.post("/api/invitations", json!({ "email": email, "role": "VIEWER" })).await
    };
    for _ in 0..4 {
        let refused = ask(&manager, "caio@example.com").await;
        refused.expect_refusal(403, "ELEVATION_REQUIRED");
        let refused = ask(&viewer, "caio@example.com").await;
        refused.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    }
    let password = json!({ "password": PASSWORD });
    manager.post("/api/auth/elevate", password).await.expect(200);
    ask(&manager, "caio@example.com").await.expect(201);
    ask(&manager, "elis@example.com").await.expect_refusal(429, "RATE_LIMITED");
}
