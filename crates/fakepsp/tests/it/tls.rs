//! Certificates that are good and certificates that are not.

use fakepsp::certificates::Identity;
use serde_json::json;

use crate::harness::{Answer, Bank, Request, exchange_tls};

async fn ask(bank: &Bank, identity: Option<&Identity>) -> Result<Answer, String> {
    let address = bank.fake.addresses().tls_client.unwrap();
    let request = Request::new("GET", "/v2/gn/saldo");
    exchange_tls(address, &bank.client(identity), request).await
}

fn strangers(bank: &Bank) -> [(&'static str, Option<Identity>); 4] {
    let authority = bank.fake.authority();
    [
        ("CertificateExpired", Some(authority.client_expired.clone())),
        ("UnknownCA", Some(authority.client_foreign.clone())),
        ("CertificateRevoked", Some(authority.client_revoked.clone())),
        ("CertificateRequired", None),
    ]
}

#[tokio::test]
async fn a_bad_client_certificate_gets_the_alert_that_names_its_fault() {
    let bank = Bank::start().await;

    for (alert, identity) in strangers(&bank) {
        let error = ask(&bank, identity.as_ref()).await.unwrap_err();
        assert!(error.contains(alert), "{alert}: {error}");
    }
    let good = bank.fake.authority().client.clone();
    assert_eq!(ask(&bank, Some(&good)).await.unwrap().status, 401);
    assert_eq!(bank.get("/__log").await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_bad_client_certificate_is_left_without_a_word_where_the_test_wants_it() {
    let bank = Bank::start().await;
    bank.admin("/__tls", json!({ "refusal": "close" })).await;

    for (name, identity) in strangers(&bank) {
        let error = ask(&bank, identity.as_ref()).await.unwrap_err();
        assert!(!error.contains("alert"), "{name}: {error}");
    }
    let good = bank.fake.authority().client.clone();
    assert_eq!(ask(&bank, Some(&good)).await.unwrap().status, 401);
}

#[tokio::test]
async fn a_bad_client_certificate_gets_400_and_html_where_the_test_wants_it() {
    let bank = Bank::start().await;
    bank.admin("/__tls", json!({ "refusal": "html" })).await;

    for (name, identity) in strangers(&bank) {
        let answer = ask(&bank, identity.as_ref()).await.unwrap();
        assert_eq!((answer.status, answer.text.contains("<html>")), (400, true), "{name}");
    }
    let good = bank.fake.authority().client.clone();
    assert_eq!(ask(&bank, Some(&good)).await.unwrap().status, 401);
}

#[tokio::test]
async fn the_server_shows_an_expired_certificate_or_one_of_another_name() {
    let bank = Bank::start().await;
    let good = bank.fake.authority().client.clone();
    for (server, reason) in [("expired", "expired"), ("other_name", "not valid for name")] {
        bank.admin("/__tls", json!({ "server": server })).await;
        let error = ask(&bank, Some(&good)).await.unwrap_err();
        assert!(error.contains(reason), "{server}: {error}");
    }
    bank.admin("/__tls", json!({})).await;

    assert_eq!(ask(&bank, Some(&good)).await.unwrap().status, 401);
}

#[tokio::test]
async fn each_listener_serves_only_the_banks_that_live_there() {
    let bank = Bank::start().await;
    let paths = [
        ("/v2/gn/saldo", true),
        ("/banking/v2/saldo", true),
        ("/v1/charges", false),
        ("/core/v5/orders", false),
    ];
    for (path, needs_certificate) in paths {
        let request = || Request::new("GET", path);
        let mutual = bank.mutual(request()).await.unwrap().status;
        let open = bank.tls(request()).await.unwrap().status;
        let expected = if needs_certificate { (401, 404) } else { (404, 401) };
        assert_eq!((mutual, open), expected, "{path}");
        assert_eq!(bank.plain(request()).await.unwrap().status, 401, "{path}");
    }
}
