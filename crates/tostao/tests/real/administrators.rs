//! Administrators, as an operator makes and unmakes them by commands.

use crate::harness::client::Client;
use crate::harness::program::{Server, finish, program, tostao};
use crate::harness::shop::{
    EMAIL as MERCHANT, PASSWORD as SHOP_PASSWORD, Shop, enroll_with, sign_in,
};
use serde_json::json;
use tempfile::TempDir;

const EMAIL: &str = "admin@example.com";
const SECOND: &str = "second@example.com";
const PASSWORD: &str = "a password for tests";
const NEW: &str = "another one for tests";

async fn create(database_url: &str, email: &str) {
    let words = ["admin", "create", "--email", email, "--password", PASSWORD];
    tostao(database_url, &words).await.good();
}

/// Signs in as an administrator.
async fn administrator(server: &Server, email: &str, password: &str) -> Client {
    let anyone = Client::new(server.address);
    let session = sign_in(&anyone, email, password).await;
    let token = session["accessToken"].as_str().expect("gives a token");
    anyone.with("authorization", &format!("Bearer {token}"))
}

#[story::test]
async fn a_new_password_from_the_operator_replaces_the_old_one_and_ends_the_sessions(
    database_url: &str,
) {
    create(database_url, EMAIL).await;
    let server = Server::start(database_url).await;
    let signed_in = administrator(&server, EMAIL, PASSWORD).await;
    server.stop().await;
    let folder = tempfile::tempdir().expect("a folder can be made");
    let line = folder.path().join("line");
    std::fs::write(&line, format!("{NEW}\n")).expect("writes");
    let words = ["admin", "password", "--email", " Admin@Example.com", "--password", "-"];
    let mut by_input = program(database_url, &words);
    by_input.stdin(std::fs::File::open(line).expect("it was written"));
    let printed = finish(by_input).await.good();
    assert_eq!(printed, format!("{EMAIL} has a new password. All its sessions have ended.\n"));
    let server = Server::start(database_url).await;
    let ended = signed_in.at(server.address).get("/api/auth/me").await;
    ended.expect_refusal(401, "UNAUTHORIZED");
    let old = json!({ "email": EMAIL, "password": PASSWORD });
    let refused = Client::new(server.address).post("/api/auth/login", old).await;
    refused.expect_refusal(401, "INVALID_CREDENTIALS");
    administrator(&server, EMAIL, NEW).await.get("/api/admin/withdraws").await.expect(200);
    server.stop().await;
}

#[story::test]
async fn a_common_password_is_refused_by_every_command_that_sets_one(database_url: &str) {
    create(database_url, EMAIL).await;
    for (command, email) in [("create", SECOND), ("password", EMAIL)] {
        let words = ["admin", command, "--email", email, "--password", "password1"];
        let refused = tostao(database_url, &words).await.refused();
        assert!(refused.contains("password: must not be a common password"), "{refused}");
    }
}

#[story::test]
async fn a_revoked_administrator_is_a_merchant_and_signed_out(database_url: &str) {
    create(database_url, EMAIL).await;
    create(database_url, SECOND).await;
    let server = Server::start(database_url).await;
    let signed_in = administrator(&server, EMAIL, PASSWORD).await;
    signed_in.get("/api/admin/withdraws").await.expect(200);
    server.stop().await;
    let words = ["admin", "revoke", "--email", EMAIL];
    let printed = tostao(database_url, &words).await.good();
    let expected = "is no longer an administrator. All its sessions have ended.";
    assert_eq!(printed, format!("{EMAIL} {expected}\n"));
    let again = tostao(database_url, &words).await.refused();
    assert!(again.contains("no administrator has this e-mail"), "{again}");
    let server = Server::start(database_url).await;
    let ended = signed_in.at(server.address).get("/api/auth/me").await;
    ended.expect_refusal(401, "UNAUTHORIZED");
    let merchant = administrator(&server, EMAIL, PASSWORD).await;
    let refused = merchant.get("/api/admin/withdraws").await;
    refused.expect_refusal(403, "ADMIN_REQUIRED");
    server.stop().await;
}

#[story::test]
async fn a_merchant_is_made_an_administrator_by_a_command_of_its_own_and_signed_out(
    database_url: &str,
) {
    let server = Server::start(database_url).await;
    let shop = Shop::open(&server).await;
    server.stop().await;
    let words = ["admin", "create", "--email", MERCHANT, "--password", NEW];
    let refused = tostao(database_url, &words).await.refused();
    assert!(refused.contains(&format!("`tostao admin grant --email {MERCHANT}`")), "{refused}");
    let grant = async |email: &str, more: &[&str]| {
        let words = ["admin", "grant", "--email", email, "--password", NEW];
        tostao(database_url, &[&words[..], more].concat()).await
    };
    let printed = grant(MERCHANT, &["--yes"]).await.good();
    let expected = "is an administrator with a new password. All its sessions have ended.";
    assert!(printed.ends_with(&format!("{MERCHANT} {expected}\n")), "{printed}");
    let again = grant(MERCHANT, &["--yes"]).await.refused();
    assert!(again.contains("is already an administrator"), "{again}");
    let unknown = grant("nobody@example.com", &["--yes"]).await.refused();
    assert!(unknown.contains("no account has this e-mail"), "{unknown}");
    let server = Server::start(database_url).await;
    let token = shop.session["accessToken"].as_str().expect("gives a token");
    let before = Client::new(server.address).with("authorization", &format!("Bearer {token}"));
    before.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
    // The person who opened the account first, and chose its password, is no administrator.
    let old = json!({ "email": MERCHANT, "password": SHOP_PASSWORD });
    let refused = Client::new(server.address).post("/api/auth/login", old).await;
    refused.expect_refusal(401, "INVALID_CREDENTIALS");
    let admin = administrator(&server, MERCHANT, NEW).await;
    let made = admin.get("/api/admin/audit?action=administrator.granted").await.expect(200);
    assert_eq!(made["pagination"]["total"], 1);
    server.stop().await;
}

#[story::test]
async fn no_account_becomes_an_administrator_before_it_was_shown_and_confirmed(database_url: &str) {
    let server = Server::start(database_url).await;
    Shop::open(&server).await;
    server.stop().await;
    let words = ["admin", "grant", "--email", MERCHANT, "--password", NEW];
    let asked = tostao(database_url, &words).await;
    let shown = format!("Loja <{MERCHANT}>, opened 20");
    assert!(asked.out.starts_with(&shown), "{asked:?}");
    assert!(asked.out.contains(", last signed in 20"), "{asked:?}");
    let refused = asked.refused();
    assert!(refused.contains("--yes"), "{refused}");
    // An answer that no terminal gave is none.
    let folder = tempfile::tempdir().expect("a folder can be made");
    let line = folder.path().join("line");
    std::fs::write(&line, "yes\n").expect("writes");
    let mut by_input = program(database_url, &words);
    by_input.stdin(std::fs::File::open(line).expect("it was written"));
    finish(by_input).await.refused();
    let common = ["admin", "grant", "--email", MERCHANT, "--password", "password1", "--yes"];
    let refused = tostao(database_url, &common).await.refused();
    assert!(refused.contains("password: must not be a common password"), "{refused}");
    let listed = tostao(database_url, &["admin", "list"]).await.good();
    assert_eq!(listed, "There are no administrators.\n");
    let server = Server::start(database_url).await;
    administrator(&server, MERCHANT, SHOP_PASSWORD).await;
    server.stop().await;
}

#[story::test]
async fn a_person_sets_a_new_password_by_a_link_that_the_operator_prints(database_url: &str) {
    let server = Server::start(database_url).await;
    Shop::open(&server).await;
    server.stop().await;
    let base = ["--base-url", "https://api.example.com/"];
    let words = [&["admin", "reset-link", "--email", MERCHANT][..], &base].concat();
    let link = tostao(database_url, &words).await.good();
    let token = link.trim_end().strip_prefix("https://api.example.com/reset/").expect("is a link");
    let unknown = ["admin", "reset-link", "--email", "unknown@example.com"];
    let refused = tostao(database_url, &unknown).await.refused();
    assert!(refused.contains("no person has this e-mail: unknown@example.com"), "{refused}");
    let server = Server::start(database_url).await;
    let body = json!({ "token": token, "newPassword": NEW });
    let path = "/api/auth/password-resets/confirm";
    Client::new(server.address).post(path, body).await.expect(200);
    sign_in(&Client::new(server.address), MERCHANT, NEW).await;
    server.stop().await;
}

#[story::test]
async fn the_last_administrator_is_revoked_only_by_saying_so(database_url: &str) {
    create(database_url, EMAIL).await;
    let words = ["admin", "revoke", "--email", EMAIL];
    let refused = tostao(database_url, &words).await.refused();
    assert!(refused.contains("the last administrator"), "{refused}");
    assert!(refused.contains("--even-the-last"), "{refused}");
    tostao(database_url, &[&words[..], &["--even-the-last"]].concat()).await.good();
    let listed = tostao(database_url, &["admin", "list"]).await.good();
    assert_eq!(listed, "There are no administrators.\n");
}

#[story::test]
async fn administrators_are_listed_beside_a_running_server_and_merchants_are_not_among_them(
    database_url: &str,
) {
    create(database_url, EMAIL).await;
    create(database_url, SECOND).await;
    let server = Server::start(database_url).await;
    Shop::open(&server).await;
    let listed = tostao(database_url, &["admin", "list"]).await.good();
    let lines: Vec<_> = listed.lines().collect();
    assert_eq!(lines.len(), 2, "{listed}");
    assert!(lines[0].starts_with("admin@example.com  Administrator  since 20"), "{listed}");
    assert!(lines[1].starts_with("second@example.com  Administrator  since 20"), "{listed}");
    server.stop().await;
}

#[story::test]
async fn a_merchant_is_not_given_a_password_by_the_command_for_administrators(database_url: &str) {
    let server = Server::start(database_url).await;
    Shop::open(&server).await;
    server.stop().await;
    let words = ["admin", "password", "--email", MERCHANT, "--password", NEW];
    let refused = tostao(database_url, &words).await.refused();
    assert!(refused.contains("no administrator has this e-mail"), "{refused}");
}

#[story::in_a_folder]
async fn listing_administrators_makes_no_database(folder: &TempDir) {
    let url = format!("sqlite:{}", folder.path().join("tostao.db").display());
    tostao(&url, &["admin", "list"]).await.refused();
    assert_eq!(folder.path().read_dir().expect("is a folder").count(), 0);
}

#[story::test]
async fn the_second_step_of_a_lost_device_is_removed_by_a_command(database_url: &str) {
    create(database_url, EMAIL).await;
    let server = Server::start(database_url).await;
    enroll_with(&administrator(&server, EMAIL, PASSWORD).await, PASSWORD).await;
    let login = json!({ "email": EMAIL, "password": PASSWORD });
    let refused = Client::new(server.address).post("/api/auth/login", login).await;
    refused.expect_refusal(401, "TWO_FACTOR_REQUIRED");
    server.stop().await;
    let words = ["admin", "disable-two-factor", "--email", " Admin@Example.com"];
    let printed = tostao(database_url, &words).await.good();
    let said = "signs in with the password alone. All its sessions have ended.";
    assert_eq!(printed, format!("{EMAIL} {said}\n"));
    let refused = tostao(database_url, &words).await.refused();
    assert!(refused.contains("has no second step"), "{refused}");
    let server = Server::start(database_url).await;
    let admin = administrator(&server, EMAIL, PASSWORD).await;
    let log = admin.get("/api/admin/audit?action=two_factor.disabled").await.expect(200);
    assert_eq!(log["data"][0]["actor"]["kind"], "command_line");
    server.stop().await;
}
