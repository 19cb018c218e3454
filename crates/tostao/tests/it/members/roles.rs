//! What each role may do.

use std::fmt::Write;

use serde_json::{Value, json};
use tostao::platform::member_role::MemberRole;
use tostao::platform::openapi::operation::Security;
use tostao::routes;

use super::{invite, member, person, sign_in};
use crate::harness::TestApp;
use crate::harness::shop::{PASSWORD, Shop, id};

const BIA: &str = "bia@example.com";
const CAIO: &str = "caio@example.com";

#[story::test]
async fn every_role_has_its_permissions_in_each_mode(test: &TestApp, shop: Shop) {
    let bia = member(test, &shop, BIA, "VIEWER").await;
    let path = format!("/api/members/{}", person(&shop.owner, BIA).await);
    let mut table = String::new();
    for role in MemberRole::ALL {
        shop.owner.patch(&path, json!({ "role": role.name() })).await.expect(200);
        for mode in ["development", "production"] {
            let bia = bia.with("x-dev-mode", &(mode == "development").to_string());
            let who = bia.get("/api/whoami").await.expect(200)["data"].clone();
            assert_eq!(who["environment"], mode);
            let list = who["permissions"].as_array().expect("is a list").iter();
            let names: Vec<_> = list.map(|name| name.as_str().expect("is a name")).collect();
            writeln!(table, "{} in {mode}: {}", role.name(), names.join(" ")).expect("has room");
        }
    }
    insta::assert_snapshot!("roles", table);
}

#[story::test]
async fn a_role_is_asked_at_every_route_that_only_people_use(test: &TestApp, shop: Shop) {
    let bia = member(test, &shop, BIA, "VIEWER").await;
    let path = format!("/api/members/{}", person(&shop.owner, BIA).await);
    let mut asked = 0;
    for role in MemberRole::ALL {
        shop.owner.patch(&path, json!({ "role": role.name() })).await.expect(200);
        for route in routes::routes() {
            let Some(Security::Person([needed])) = route.needs else { continue };
            let unknown = "00000000-0000-7000-8000-000000000000";
            let path = route.path.replace("{id}", unknown);
            let kind = (route.method != "GET").then_some("application/json");
            let body = if kind.is_some() { "{}" } else { "" };
            let reply = bia.send(route.method.clone(), &path, kind, body.to_owned()).await;
            if role.may(*needed) {
                assert_ne!(reply.status, 403, "{role:?} {} {path}", route.method);
            } else {
                reply.expect_refusal(403, "INSUFFICIENT_PERMISSION");
                assert_eq!(reply.json()["requiredPermission"], needed.name());
            }
            asked += 1;
        }
    }
    assert!(asked > 50, "{asked}");
}

#[story::test]
async fn a_refusal_names_the_permission_that_the_role_lacks(test: &TestApp, shop: Shop) {
    let bia = member(test, &shop, BIA, "VIEWER").await;
    bia.get("/api/v1/transactions").await.expect(200);
    let refused = bia.post("/api/v1/payment-links", json!({ "title": "Caneca" })).await;
    refused.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    let answer = refused.json();
    assert_eq!(answer["requiredPermission"], "paymentLinks:write");
    let expected = "Your role in this account does not include the permission paymentLinks:write.";
    assert_eq!(answer["message"], expected);
}

#[story::test]
async fn the_person_who_opened_an_account_stays_its_owner_beside_others(
    test: &TestApp,
    shop: Shop,
) {
    let bia = member(test, &shop, BIA, "MANAGER").await;
    let opened = format!("/api/members/{}", person(&shop.owner, "loja@example.com").await);
    let second = format!("/api/members/{}", person(&shop.owner, BIA).await);
    shop.owner.patch(&second, json!({ "role": "OWNER" })).await.expect(200);
    for owner in [&shop.owner, &bia] {
        let demoted = owner.patch(&opened, json!({ "role": "VIEWER" })).await;
        demoted.expect_refusal(409, "INVALID_STATE_TRANSITION");
        owner.delete(&opened).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
    }
    shop.owner.delete(&second).await.expect(200);
    assert_eq!(shop.owner.list("/api/members").await.len(), 1);
}

#[story::test]
async fn everybody_may_leave_and_removing_others_takes_a_permission(test: &TestApp, shop: Shop) {
    let bia = member(test, &shop, BIA, "VIEWER").await;
    member(test, &shop, CAIO, "VIEWER").await;
    let refused = bia.delete(&format!("/api/members/{}", person(&bia, CAIO).await)).await;
    refused.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    assert_eq!(refused.json()["requiredPermission"], "team:write");
    bia.delete(&format!("/api/members/{}", person(&bia, BIA).await)).await.expect(200);
    bia.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
}

#[story::test]
async fn who_may_no_longer_invite_has_no_open_invitation(test: &TestApp, shop: Shop) {
    let bia = member(test, &shop, BIA, "MANAGER").await;
    let path = format!("/api/members/{}", person(&shop.owner, BIA).await);
    let accept = async |invitation| {
        let body = super::acceptance(&invitation);
        test.anyone().post("/api/invitations/accept", body).await
    };
    let own = invite(&shop.owner, "davi@example.com", "VIEWER").await;
    let invitation = invite(&bia, CAIO, "MANAGER").await;
    shop.owner.patch(&path, json!({ "role": "VIEWER" })).await.expect(200);
    accept(invitation).await.expect_refusal(410, "INVITATION_INVALID");
    shop.owner.patch(&path, json!({ "role": "MANAGER" })).await.expect(200);
    let invitation = invite(&bia, CAIO, "MANAGER").await;
    shop.owner.delete(&path).await.expect(200);
    accept(invitation).await.expect_refusal(410, "INVITATION_INVALID");
    accept(own).await.expect(200);
}

#[story::test]
async fn a_manager_decides_about_everybody_but_owners(test: &TestApp, shop: Shop) {
    let manager = member(test, &shop, BIA, "MANAGER").await;
    member(test, &shop, CAIO, "VIEWER").await;
    let caio = format!("/api/members/{}", person(&shop.owner, CAIO).await);
    let role = |role: &str| json!({ "role": role });
    manager.patch(&caio, role("SUPPORT")).await.expect(200);
    let denied = manager.patch(&caio, role("OWNER")).await;
    denied.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    shop.owner.patch(&caio, role("OWNER")).await.expect(200);
    manager.patch(&caio, role("VIEWER")).await.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    manager.delete(&caio).await.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    shop.owner.patch(&caio, role("VIEWER")).await.expect(200);
    manager.delete(&caio).await.expect(200);
}

fn new_key(mode: &str, permissions: &[&str]) -> Value {
    json!({ "name": "x", "environment": mode, "permissions": permissions })
}

#[story::test]
async fn a_key_may_do_no_more_than_the_member_who_makes_it(test: &TestApp, shop: Shop) {
    let bia = member(test, &shop, BIA, "DEVELOPER").await;
    let moves = ["transactions:read", "withdrawals:write"];
    let test_key = bia.post("/api/credentials", new_key("development", &moves)).await;
    test_key.expect(201);
    let refused = bia.post("/api/credentials", new_key("production", &moves)).await;
    refused.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    assert_eq!(refused.json()["requiredPermission"], "withdrawals:write");
    bia.post("/api/credentials", new_key("production", &moves[..1])).await.expect(201);
    let owners = shop.owner.post("/api/credentials", new_key("production", &moves)).await;
    let owners = owners.expect(201)["data"].clone();
    let path = format!("/api/credentials/{}/rotate", id(&owners));
    let once = bia.with("idempotency-key", "rotation");
    shop.owner.with("idempotency-key", "rotation").post(&path, json!({})).await.expect(200);
    // Not even a stored response with the key is sent to them.
    once.post(&path, json!({})).await.expect_refusal(403, "INSUFFICIENT_PERMISSION");
}

#[story::test]
async fn the_stored_response_of_a_route_for_people_is_shown_to_those_who_may(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let bia = member(test, &shop, BIA, "VIEWER").await;
    let path = format!("/api/members/{}", person(&shop.owner, BIA).await);
    let once = shop.owner.with("idempotency-key", "k-1");
    once.patch(&path, json!({ "role": "DEVELOPER" })).await.expect(200);
    for (who, sees) in [(&bia, false), (&shop.owner, true)] {
        let found = who.list("/api/idempotency-keys/k-1").await;
        assert_eq!(found[0]["answer"].is_object(), sees, "{found:?}");
    }
}

#[story::test]
async fn what_a_member_does_is_in_the_audit_log_as_theirs(test: &TestApp, shop: Shop) {
    let manager = member(test, &shop, BIA, "MANAGER").await;
    invite(&manager, CAIO, "VIEWER").await;
    let entries = shop.owner.list("/api/audit").await;
    let shown: Vec<_> = entries
        .iter()
        .map(|one| format!("{} {}", one["actor"]["kind"], one["action"]).replace('"', ""))
        .collect();
    let expected = [
        "member member.invited",
        "member sign_in.succeeded",
        "member member.joined",
        "owner member.invited",
    ];
    assert_eq!(shown[..4], expected);
    assert_eq!(entries[0]["actor"]["id"], *person(&shop.owner, BIA).await);
}

#[story::test]
async fn a_member_of_an_administrators_account_is_no_administrator(test: &TestApp) {
    let admin = test.admin().await;
    admin.get("/api/admin/connections").await.expect(200);
    let invitation = invite(&admin, BIA, "MANAGER").await;
    let body = super::acceptance(&invitation);
    test.anyone().post("/api/invitations/accept", body).await.expect(200);
    let (bia, _) = sign_in(test, json!({ "email": BIA, "password": PASSWORD })).await;
    bia.get("/api/admin/connections").await.expect_refusal(403, "ADMIN_REQUIRED");
    let path = format!("/api/members/{}", person(&admin, BIA).await);
    admin.patch(&path, json!({ "role": "OWNER" })).await.expect(200);
    bia.get("/api/admin/connections").await.expect_refusal(403, "ADMIN_REQUIRED");
}

#[story::test]
async fn an_administrator_joins_no_other_account(test: &TestApp, shop: Shop) {
    let admin = test.admin().await;
    let me = admin.get("/api/auth/me").await.expect(200);
    let email = me["person"]["email"].as_str().expect("has one");
    let invitation = invite(&shop.owner, email, "FINANCE").await;
    let body = json!({ "token": invitation["token"], "password": PASSWORD });
    let refused = test.anyone().post("/api/invitations/accept", body).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(shop.owner.list("/api/members").await.len(), 1);
}
