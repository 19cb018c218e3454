//! Accounts, sessions and tokens from before there were people.

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::json;
use tostao::auth::tokens;
use tostao::housekeeping;

use super::member;
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{PASSWORD, Shop};

/// What takes a database back to where the migration finds it.
const BEFORE: [&str; 55] = [
    "drop index subscriptions_trial",
    "alter table subscriptions drop column trial_plan_id",
    "drop index pix_infractions_pix",
    "alter table pix_infractions drop column is_returned",
    "drop index receivables_pending",
    "drop index affiliate_commissions_payment",
    "drop index payment_returns_payment",
    "drop index jobs_failing",
    "alter table jobs drop column failing_since",
    "drop table payout_keys",
    "drop index withdrawals_undecided",
    "drop index withdrawals_paid_to",
    "drop index advances_undecided",
    "drop table mail_preferences",
    "drop table logos",
    "alter table merchants drop column accent_color",
    "alter table merchants drop column logo_hash",
    "alter table merchants drop column logo_width",
    "alter table merchants drop column logo_height",
    "alter table merchants drop column payment_mails",
    "alter table webhooks drop column failure_mailed_at",
    "drop index sessions_of_earlier_token",
    "alter table sessions drop column earlier_token_hash",
    "alter table sessions drop column earlier_good_until",
    "alter table sessions drop column wrong_codes",
    "drop index sessions_of_token",
    "alter table sessions drop column kind",
    "alter table sessions drop column token_hash",
    "alter table sessions drop column agent",
    "alter table sessions drop column address",
    "drop table second_steps",
    "drop table backup_codes",
    "alter table sessions drop column elevated_until",
    "drop index sessions_of_person",
    "alter table sessions drop column person_id",
    "alter table audit_log drop column member_id",
    "drop table people",
    "drop table memberships",
    "drop table invitations",
    "drop table mails",
    "drop table password_resets",
    "drop table email_changes",
    "drop table daily_figures",
    "drop table figure_starts",
    "drop table daily_payments",
    "drop table mail_recipients",
    "drop table proved_addresses",
    "drop index unmatched_receipts_open",
    "drop table first_steps",
    "drop table saved_views",
    "drop table setup_links",
    "drop table setup_turns",
    "alter table connections drop column problem_reason",
    "alter table connections drop column problem_subject",
    "delete from schema_migrations where name >= '0068'",
];

#[story::test]
async fn owners_sessions_and_tokens_from_before_stay_good(test: &TestApp) {
    let owner = test.shop("Loja").await.owner;
    let login = json!({ "email": "loja@example.com", "password": PASSWORD });
    let session = test.anyone().post("/api/auth/login", login.clone()).await.expect(200);
    let engine = Engine::open(test).await;
    for statement in BEFORE {
        engine.rows(statement).await;
    }
    test.app.migrate().await.expect("migrates");

    owner.get("/api/auth/me").await.expect(200);
    let token = session["accessToken"].as_str().expect("is given");
    let mut claims = tokens::verify(&test.app.secrets, token, test.app.now()).expect("is good");
    claims.per = None;
    let key = test.app.secrets.access_token();
    let header = Header {
        typ: Some("at+jwt".to_owned()),
        kid: Some(key.id.clone()),
        ..Header::new(Algorithm::HS256)
    };
    let old = encode(&header, &claims, &EncodingKey::from_secret(&key.bytes)).expect("signs");
    let older = test.anyone().with("authorization", &format!("Bearer {old}"));
    let me = older.get("/api/auth/me").await.expect(200);
    assert_eq!(me["person"]["id"], me["user"]["id"]);
    assert_eq!(me["person"]["role"], "OWNER");
    test.anyone().post("/api/auth/login", login).await.expect(200);
    let renewal = json!({ "refreshToken": session["refreshToken"] });
    test.anyone().post("/api/auth/refresh", renewal).await.expect(200);
}

#[story::test]
async fn a_session_that_an_older_version_began_is_its_owners(test: &TestApp, shop: Shop) {
    Engine::open(test).await.rows("update sessions set person_id = null").await;
    shop.owner.get("/api/auth/me").await.expect(200);
    assert_eq!(shop.owner.list("/api/auth/sessions").await.len(), 1);
    let change = json!({ "currentPassword": PASSWORD, "newPassword": "another battery staple" });
    shop.owner.post("/api/auth/password", change).await.expect(200);
    shop.owner.post("/api/auth/logout", json!({})).await.expect(200);
    shop.owner.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
}

#[story::test]
async fn what_an_older_version_wrote_beside_this_one_holds(test: &TestApp) {
    let (loja, bia) = (test.shop("Loja").await, test.shop("Bia").await);
    let engine = Engine::open(test).await;
    for statement in [
        // It changes a password where it is read,
        "update merchants
            set password_hash = (select other.password_hash
                                   from merchants as other
                                  where other.email = 'bia@example.com')
          where email = 'loja@example.com'",
        // opens an account without a person, and closes one without ending its person.
        "delete from memberships
          where person_id in (select id from people where email = 'bia@example.com')",
        "delete from people where email = 'bia@example.com'",
        "update people set password_hash = 'stale'",
    ] {
        engine.rows(statement).await;
    }
    let login = json!({ "email": "loja@example.com", "password": PASSWORD });
    test.anyone().post("/api/auth/login", login).await.expect(200);
    loja.owner.get("/api/auth/me").await.expect(200);
    bia.owner.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
    housekeeping::run(&test.app).await.expect("runs");
    bia.owner.get("/api/auth/me").await.expect(200);
    let caio = member(test, &bia, "caio@example.com", "VIEWER").await;
    for email in ["bia@example.com", "caio@example.com"] {
        let ask = json!({ "email": email });
        test.anyone().post("/api/auth/password-resets", ask).await.expect(200);
    }
    test.run_jobs().await;
    let close =
        "update merchants set closed_at = 1, email = 'closed' where email = 'bia@example.com'";
    engine.rows(close).await;
    housekeeping::run(&test.app).await.expect("runs");
    caio.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
    for left in [
        "select email from people where email <> 'loja@example.com'",
        "select 'reset' from password_resets",
        "select kind from mails where merchant_id is null",
        "select network from sessions
          where network is not null
            and person_id not in (select id from people)",
    ] {
        assert_eq!(engine.rows(left).await, [[""; 0]; 0], "{left}");
    }
    test.shop("Bia").await;
}
