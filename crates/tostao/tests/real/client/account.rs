//! Keys, the test clock, and what a key stands for.

use serde_json::json;
use tostao::platform::system_clock::system;

use crate::client::{Developer, bare, complaint, fed, objects};
use crate::harness::client::Client;
use crate::harness::program::finish;
use crate::harness::shop::{EMAIL, PASSWORD, enroll};

#[story::test]
async fn a_key_says_what_it_stands_for(database_url: &str) {
    let developer = Developer::new(database_url).await;
    let [caller] = developer.objects(&["whoami"]).await.try_into().expect("is one");
    assert_eq!(caller["account"]["name"], "Loja");
    assert_eq!(
        (&caller["environment"], &caller["keyName"]),
        (&json!("development"), &json!("test"))
    );
    assert_eq!(caller["version"], env!("CARGO_PKG_VERSION"));
    let shown = developer.run(&["whoami", "--lang", "pt"]).await.good();
    for part in ["Conta", "Loja (", "Permissões", "webhooks:write", "API "] {
        assert!(shown.contains(part), "{shown}");
    }
    assert!(!shown.contains(&developer.shop.key), "{shown}");
}

#[story::test]
async fn a_command_ends_with_a_code_that_says_why_it_failed(database_url: &str) {
    let developer = Developer::new(database_url).await;
    let mut wrong = developer.command(&["whoami", "-o", "json"]);
    wrong.env("TOSTAO_API_KEY", "sk_dev_wrong");
    let (code, refused) = complaint(&finish(wrong).await);
    assert_eq!(
        (code, &refused["error"], &refused["code"]),
        (1, &json!("refused"), &json!("UNAUTHORIZED"))
    );
    assert!(refused["docUrl"].as_str().expect("is there").ends_with("/docs/errors/UNAUTHORIZED"));
    assert!(refused["requestId"].is_string());
    let mut keyless = developer.command(&["whoami"]);
    keyless.env_remove("TOSTAO_API_KEY");
    let ended = finish(keyless).await;
    assert_eq!(ended.status, 2, "{ended:?}");
    assert!(ended.errors.contains("--key-file"), "{ended:?}");
    let ended = finish(bare(&["whoami", "--server", "http://127.0.0.1:1", "--key", "x"])).await;
    assert_eq!(ended.status, 3, "{ended:?}");
    assert!(ended.errors.contains("http://127.0.0.1:1/ does not answer"), "{ended:?}");
    let usage = [
        &["whoami", "--server", "ftp://x"][..],
        &["whoami", "--server", "http://shop.example"],
        &["whoami", "--server", "https://user:password@shop.example"],
        &["whoami", "--lang", "fr"],
        &["listen", "--forward-to", "file:///etc"],
        &["trigger"],
    ];
    for words in usage {
        assert_eq!(developer.run(words).await.status, 2, "{words:?}");
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("key");
    std::fs::write(&file, format!("{}\n", developer.shop.key)).expect("is written");
    let file = file.display().to_string();
    let mut by_file = developer.command(&["whoami", "--key-file", &file]);
    by_file.env_remove("TOSTAO_API_KEY");
    finish(by_file).await.good();
}

#[story::test]
async fn keys_are_made_rolled_and_revoked_with_the_owners_password(database_url: &str) {
    let developer = Developer::new(database_url).await;
    let keys = async |words: &[&str], password: &str| {
        let owner = ["--email", EMAIL, "--password", "-", "--output", "json"];
        let words: Vec<_> = ["keys"].iter().chain(words).chain(&owner).copied().collect();
        fed(developer.command(&words), format!("{password}\n").as_bytes()).await
    };
    let words = ["create", "--name", "ci", "--permission", "webhooks:read", "--expires", "90d"];
    let [made] = objects(&keys(&words, PASSWORD).await.good()).try_into().expect("is one");
    assert_eq!(
        (&made["environment"], &made["permissions"]),
        (&json!("development"), &json!(["webhooks:read"]))
    );
    assert!(made["expiresAt"].is_string());
    let id = made["id"].as_str().expect("has one");
    let rolled = keys(&["roll", id, "--grace", "1h"], PASSWORD).await.good();
    let [rolled] = objects(&rolled).try_into().expect("is one");
    assert_ne!(rolled["key"], made["key"]);
    let rolled_id = rolled["id"].as_str().expect("has one");
    let listed = objects(&keys(&["list"], PASSWORD).await.good());
    assert!(
        listed.iter().any(|key| key["id"] == rolled["id"])
            && listed.iter().all(|key| key["key"].is_null())
    );
    keys(&["revoke", rolled_id], PASSWORD).await.good();
    let mut revoked = developer.command(&["events", "list"]);
    revoked.env("TOSTAO_API_KEY", rolled["key"].as_str().expect("is whole"));
    assert_eq!(finish(revoked).await.status, 1);
    let (code, refused) = complaint(&keys(&["list"], "wrong").await);
    assert_eq!((code, &refused["status"]), (1, &json!(401)));
    let typed = developer.run(&["keys", "list", "--email", EMAIL, "--password", PASSWORD]).await;
    assert_eq!(typed.status, 2, "a password on the command line is in lists of processes");
    assert_eq!(developer.run(&["keys", "list", "--email", EMAIL]).await.status, 2);
    let token = developer.shop.session["accessToken"].as_str().expect("is there");
    let owner = Client::new(developer.server.address);
    let owner = owner.with("authorization", &format!("Bearer {token}"));
    let sessions = owner.get("/api/auth/sessions").await.expect(200);
    assert_eq!(sessions["data"].as_array().expect("is a list").len(), 1, "none is left behind");
}

#[story::test]
async fn an_owner_with_a_second_step_passes_a_code(database_url: &str) {
    let developer = Developer::new(database_url).await;
    let token = developer.shop.session["accessToken"].as_str().expect("is there");
    let owner = Client::new(developer.server.address);
    let app = enroll(&owner.with("authorization", &format!("Bearer {token}"))).await;
    let list = async |more: &[&str]| {
        let words = ["keys", "list", "--email", EMAIL, "--password", "-", "--output", "json"];
        let words = [&words[..], more].concat();
        fed(developer.command(&words), format!("{PASSWORD}\n").as_bytes()).await
    };
    let (code, refused) = complaint(&list(&[]).await);
    assert_eq!((code, &refused["error"]), (2, &json!("usage")));
    assert!(refused["message"].as_str().expect("says why").contains("--code"), "{refused}");
    let (code, refused) = complaint(&list(&["--code", "no code"]).await);
    assert_eq!((code, &refused["code"]), (1, &json!("TWO_FACTOR_CODE_INVALID")));
    let listed = list(&["--code", &app.code(system().now(), 1)]).await.good();
    assert_eq!(objects(&listed).len(), 1);
}

#[story::test]
async fn the_test_clock_is_shown_advanced_and_reset(database_url: &str) {
    let developer = Developer::new(database_url).await;
    let [clock] = developer.objects(&["clock", "show"]).await.try_into().expect("is one");
    assert_eq!(clock["aheadSeconds"], 0);
    let would = async |words: &[&str]| {
        let words: Vec<_> =
            ["clock", "advance", "--dry-run"].iter().chain(words).copied().collect();
        developer.run(&words).await.good()
    };
    let nothing = would(&["30d"]).await;
    assert!(nothing.trim_end().ends_with("nothing would happen."), "{nothing}");
    developer.run(&["trigger", "transaction.created", "--amount", "4990"]).await.good();
    let shown = would(&["30d", "--lang", "pt"]).await;
    let work = shown.lines().last().expect("is shown");
    assert!(work.starts_with("     1×  pagamento expira "), "{shown}");
    assert!(work.ends_with("R$\u{a0}49,90"), "{shown}");
    let [clock] = developer.objects(&["clock", "advance", "30d"]).await.try_into().expect("is one");
    assert_eq!(clock["aheadSeconds"], 30 * 86_400);
    let shown = developer.run(&["clock", "show"]).await.good();
    assert!(shown.contains("30d 00:00:00 ahead of the real clock"), "{shown}");
    let past = ["clock", "advance", "--to", "2020-01-01T00:00:00Z"];
    assert_eq!(developer.run(&past).await.status, 1);
    let unsure = developer.run(&["clock", "reset"]).await;
    assert_eq!(unsure.status, 2, "{unsure:?}");
    let [clock] = developer.objects(&["clock", "reset", "--yes"]).await.try_into().expect("is one");
    assert_eq!(clock["aheadSeconds"], 0);
}

#[story::in_a_folder]
async fn every_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = finish(bare(&["completions", shell])).await.good();
        assert!(script.contains("trigger") && script.contains("listen"), "{shell}");
    }
}
