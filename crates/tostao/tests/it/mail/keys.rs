//! What an owner gets a mail about when a key of production is made or rotated.

use serde_json::json;

use super::{member, standing};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, id};
use crate::harness::smtp::story_with_mail;

const KEYS: &str = "/api/credentials";

#[test]
fn a_key_of_production_that_is_made_or_rotated_is_mailed_to_the_owner() {
    story_with_mail(async |test, server| {
        let owner = test.shop("Loja").await.owner;
        let permissions = ["products:read", "withdrawals:write"];
        let wanted =
            json!({ "name": "a.example", "environment": "production", "permissions": permissions });
        let made = owner.post(KEYS, wanted).await.expect(201)["data"].clone();
        let rotate = format!("{KEYS}/{}/rotate", id(&made));
        let rotated = owner.post(&rotate, json!({})).await.expect(200)["data"].clone();
        test.run_jobs().await;
        let mails = server.take();
        let subjects: Vec<_> = mails.iter().map(|mail| mail.header("Subject")).collect();
        assert_eq!(subjects, ["Nova chave de API de produção", "Chave de API de produção trocada"]);
        for (mail, key) in mails.iter().zip([&made, &rotated]) {
            let (text, last4) = (mail.text(), key["last4"].as_str().expect("is shown"));
            let keys = "https://api.example.com/dashboard/prod/developers/keys";
            for said in ["Loja ", "“a. example”", last4, "2 permissões", keys, "/forgot"] {
                assert!(text.contains(said), "{said}: {text}");
            }
            assert!(!text.contains(key["key"].as_str().expect("is shown once")), "{text}");
        }
        let listed = owner.list("/api/mails").await;
        let kinds: Vec<_> = listed.iter().map(|mail| &mail["kind"]).collect();
        assert_eq!(kinds, ["api_key_rotated", "api_key_created"]);
        assert!(listed.iter().all(|mail| mail["subjectId"] == made["id"]));
    });
}

#[story::test]
async fn the_mail_names_the_member_and_goes_to_the_owner(test: &TestApp, shop: Shop) {
    let bia = member(test, &shop.owner, "bia@example.com", "MANAGER").await;
    let wanted =
        json!({ "name": "a", "environment": "production", "permissions": ["products:read"] });
    bia.post(KEYS, wanted).await.expect(201);
    let [mail] = shop.owner.list("/api/mails?kind=api_key_created").await.try_into().unwrap();
    assert_eq!(mail["to"], "loja@example.com");
    let sql = "select parameters from mails where kind = 'api_key_created'";
    let kept = Engine::open(test).await.rows(sql).await.concat().concat();
    assert!(kept.contains("\"by\":\"Bia\""), "{kept}");
}

#[story::test]
async fn a_key_of_development_and_one_that_is_refused_are_not_mailed(test: &TestApp, shop: Shop) {
    shop.key_for("development", &["products:read"]).await;
    let wrong = json!({ "name": "a", "environment": "production", "permissions": [] });
    shop.owner.post(KEYS, wrong).await.expect_refusal(400, "VALIDATION_ERROR");
    let unknown = format!("{KEYS}/00000000-0000-7000-8000-000000000001/rotate");
    shop.owner.post(&unknown, json!({})).await.expect_refusal(404, "NOT_FOUND");
    assert!(standing(test).await.is_empty());
    shop.key_for("production", &["products:read"]).await;
    assert_eq!(standing(test).await, ["api_key_created WAITING"]);
}
