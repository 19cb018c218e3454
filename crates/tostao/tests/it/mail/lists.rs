//! Who reads an account's mails, and what of them.

use serde_json::{Value, json};

use super::{forget, invite, member};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};
use crate::withdrawals::{GOOD, process, withdraw};

const PATH: &str = "/api/mails";

#[story::test]
async fn a_mail_of_production_is_listed_without_its_text(shop: Shop) {
    let invitation = invite(&shop.owner, "bia@example.com").await;
    let [mail] = shop.owner.list(PATH).await.try_into().expect("is one");
    let expected = json!({
        "id": mail["id"], "kind": "invitation", "subjectId": invitation["id"],
        "to": "bia@example.com", "language": "pt-BR", "status": "WAITING", "attempts": 0,
        "lastError": "no_smtp_server", "createdAt": "2026-11-21T12:00:00.000Z",
        "lastAttemptAt": null,
        "givesUpAt": "2026-11-26T12:00:00.000Z", "endedAt": null, "subject": null,
    });
    assert_eq!(mail, expected);
    let shown = shop.owner.get(&format!("{PATH}/{}", id(&mail))).await;
    let shown = shown.expect(200)["data"].clone();
    assert_eq!((&shown["text"], &shown["html"]), (&Value::Null, &Value::Null));
}

#[story::test]
async fn what_is_written_to_a_person_about_their_sign_in_is_in_no_accounts_list(
    test: &TestApp,
    shop: Shop,
) {
    forget(test, "loja@example.com").await;
    assert!(shop.owner.list(PATH).await.is_empty());
}

#[story::test]
async fn mails_are_read_by_the_roles_that_may_and_by_no_key(test: &TestApp, shop: Shop) {
    for (role, status) in
        [("MANAGER", 200), ("FINANCE", 200), ("DEVELOPER", 200), ("SUPPORT", 403), ("VIEWER", 403)]
    {
        let email = format!("{}@example.com", role.to_lowercase());
        let reader = member(test, &shop.owner, &email, role).await;
        assert_eq!(reader.get(PATH).await.status, status, "{role}");
    }
    shop.key.get(PATH).await.expect_refusal(401, "UNAUTHORIZED");
}

#[story::test]
async fn another_accounts_and_another_modes_mail_does_not_exist(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let _ = test;
    invite(&shop.owner, "bia@example.com").await;
    let [mail] = shop.owner.list(PATH).await.try_into().expect("is one");
    let path = format!("{PATH}/{}", id(&mail));
    other.owner.get(&path).await.expect_refusal(404, "NOT_FOUND");
    assert!(other.owner.list(PATH).await.is_empty());
    let development = shop.owner.with("x-dev-mode", "true");
    development.get(&path).await.expect_refusal(404, "NOT_FOUND");
    assert!(development.list(PATH).await.is_empty());
}

#[story::test]
async fn mails_are_listed_newest_first_page_by_page_and_by_kind_and_status(
    test: &TestApp,
    shop: Shop,
) {
    shop.earn(10_000).await;
    let admin = test.admin().await;
    let mut about = Vec::new();
    for action in ["approve", "reject", "approve", "reject", "approve"] {
        let withdrawal = withdraw(&shop, 1_000, GOOD).await;
        process(&admin, &withdrawal, json!({ "action": action })).await.expect(200);
        test.run_jobs().await;
        about.insert(0, withdrawal["id"].clone());
    }
    let owner = shop.owner.with("x-dev-mode", "true");
    let subjects = |mails: &[Value]| -> Vec<Value> {
        mails.iter().map(|mail| mail["subjectId"].clone()).collect()
    };
    assert_eq!(subjects(&owner.list(PATH).await), about);
    let mut paged = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = owner.get(&format!("{PATH}?limit=2&cursor={cursor}")).await.expect(200);
        assert_eq!(page["pagination"]["total"], 5);
        paged.extend(subjects(page["data"].as_array().expect("is a list")));
        let Some(next) = page["pagination"]["nextCursor"].as_str() else { break };
        next.clone_into(&mut cursor);
    }
    assert_eq!(paged, about);
    let failed = owner.list(&format!("{PATH}?kind=withdrawal_failed")).await;
    assert_eq!(subjects(&failed), [about[1].clone(), about[3].clone()]);
    assert_eq!(owner.list(&format!("{PATH}?status=KEPT")).await.len(), 5);
    assert!(owner.list(&format!("{PATH}?status=SENT")).await.is_empty());
    assert!(owner.list(&format!("{PATH}?createdTo=2026-11-21T12:00:00Z")).await.is_empty());
    let wrong = owner.get(&format!("{PATH}?kind=gossip")).await;
    assert_eq!(wrong.expect_refusal(400, "VALIDATION_ERROR"), ["kind"]);
}
