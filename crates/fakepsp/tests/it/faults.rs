//! Every way in which a call goes wrong, over TLS.

use serde_json::{Value, json};

use crate::harness::{Bank, Request, TXID, charge};

async fn put(bank: &Bank, token: &str) -> Result<crate::harness::Answer, String> {
    let request = Request::new("PUT", &format!("/v2/cob/{TXID}")).bearer(token);
    bank.mutual(request.json(&charge("10.00"))).await
}

async fn charges(bank: &Bank) -> usize {
    let state = bank.get("/__state").await;
    state["efi"]["pix"]["charges"].as_array().unwrap().len()
}

/// Plays one fault and returns the answer, and whether the charge was created.
async fn play(fault: Value) -> (Result<crate::harness::Answer, String>, bool) {
    let bank = Bank::start().await;
    let token = bank.efi_token().await;
    let mut rule = fault;
    rule["operation"] = json!("efi.cob.create");
    rule["times"] = json!(1);
    bank.fault(rule).await;
    let answer = put(&bank, &token).await;
    let created = charges(&bank).await == 1;
    // Only the next call goes wrong.
    let next = put(&bank, &token).await.unwrap().status;
    assert_eq!(next, if created { 409 } else { 201 });
    (answer, created)
}

#[tokio::test]
async fn what_is_no_operation_is_answered_with_those_that_are() {
    let bank = Bank::start().await;
    for (method, path) in [("GET", "/"), ("POST", "/pay")] {
        let (status, answer) = bank.fake.admin(method, path, &Value::Null).await.unwrap();
        let said = answer["error"].as_str().unwrap();
        assert_eq!(status, 422);
        assert!(said.contains("there is no such operation; there are GET /__log"), "{said}");
    }
}

#[tokio::test]
async fn a_connection_is_cut_before_processing_and_after_it() {
    for (fault, is_created) in [("cut_before", false), ("cut_after", true)] {
        let (answer, created) = play(json!({ "fault": fault })).await;

        assert!(answer.unwrap_err().starts_with("cut after 0 bytes"), "{fault}");
        assert_eq!(created, is_created, "{fault}");
    }
}

#[tokio::test]
async fn an_answer_is_cut_in_half() {
    let (answer, created) = play(json!({ "fault": "cut_in_half" })).await;

    let error = answer.unwrap_err();
    assert!(error.contains("HTTP/1.1 201 Created") && error.contains("{\"calendario\""), "{error}");
    assert!(created);
}

#[tokio::test]
async fn an_error_of_the_infrastructure_is_html_and_processed_only_if_asked() {
    for status in [500, 502, 503, 504] {
        for processed in [false, true] {
            let fault = json!({ "fault": "status", "status": status, "processed": processed });
            let (answer, created) = play(fault).await;

            let answer = answer.unwrap();
            assert_eq!((answer.status, created), (status, processed));
            assert!(answer.text.starts_with("<html>"), "{}", answer.text);
        }
    }
}

#[tokio::test]
async fn a_page_comes_instead_of_json() {
    let (answer, created) = play(json!({ "fault": "html" })).await;

    let answer = answer.unwrap();
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/html")));
    assert!(created);
    let (answer, created) = play(json!({ "fault": "proxy_html" })).await;
    assert_eq!((answer.unwrap().status, created), (400, false));
}

#[tokio::test]
async fn too_many_calls_are_refused_with_and_without_a_time_to_wait() {
    for (fault, wait) in [
        (json!({ "fault": "too_many", "retry_after": 3 }), Some("3")),
        (json!({ "fault": "too_many" }), None),
    ] {
        let (answer, created) = play(fault).await;

        let answer = answer.unwrap();
        assert_eq!((answer.status, answer.header("retry-after"), created), (429, wait, false));
        let kind = answer.json()["type"].clone();
        assert_eq!(kind, "https://pix.bcb.gov.br/api/v2/error/BaldeFichasVazio");
    }
}

#[tokio::test]
async fn a_late_answer_and_a_dripping_one_are_whole_in_the_end() {
    for fault in [json!({ "fault": "slow", "ms": 5 }), json!({ "fault": "drip", "ms": 1 })] {
        let (answer, created) = play(fault).await;

        assert_eq!(answer.unwrap().json()["txid"], TXID);
        assert!(created);
    }
}

#[tokio::test]
async fn an_answer_never_comes_although_the_charge_exists() {
    let bank = Bank::start().await;
    let token = bank.efi_token().await;
    bank.fault(json!({ "operation": "efi.cob.create", "fault": "no_answer", "times": 1 })).await;

    let mut waits = Box::pin(put(&bank, &token));
    // The call is under way until the charge is seen, and no answer comes meanwhile.
    while charges(&bank).await == 0 {
        tokio::select! {
            answer = &mut waits => panic!("an answer came: {answer:?}"),
            () = tokio::task::yield_now() => {}
        }
    }

    let log = bank.get("/__log?operation=efi.cob.create").await;
    assert_eq!((&log[0]["status"], &log[0]["fault"]["fault"]), (&Value::Null, &json!("no_answer")));
    drop(waits);
    assert_eq!(put(&bank, &token).await.unwrap().status, 409);
}

#[tokio::test]
async fn tokens_end_before_their_time_and_a_door_refuses_for_ever() {
    let bank = Bank::start().await;
    let token = bank.efi_token().await;
    bank.fault(json!({ "operation": "efi.*", "fault": "expire_tokens" })).await;
    let early = put(&bank, &token).await.unwrap();
    let token = bank.efi_token().await;
    bank.fault(json!({ "operation": "efi.cob.*", "fault": "unauthorized" })).await;
    let ever = [put(&bank, &token).await.unwrap(), put(&bank, &token).await.unwrap()];

    assert_eq!(early.status, 401);
    assert_eq!(ever.map(|answer| answer.status), [401, 401]);
    bank.fake.admin("DELETE", "/__fault", &Value::Null).await.unwrap();
    assert_eq!(put(&bank, &token).await.unwrap().status, 201);
    assert_eq!(bank.count("efi.token").await, 2);
}

#[tokio::test]
async fn the_log_has_every_request_and_no_secret() {
    let bank = Bank::start().await;
    bank.charge(TXID, "10.00").await;

    let log = bank.get("/__log").await;

    let entries = log.as_array().unwrap();
    let operations: Vec<&str> =
        entries.iter().map(|entry| entry["operation"].as_str().unwrap()).collect();
    assert_eq!(operations, ["efi.token", "efi.cob.create"]);
    let [token, charged] = &entries[..] else { panic!("{log}") };
    assert_eq!(token["headers"]["authorization"], "Basic …");
    assert_eq!(charged["headers"]["authorization"], "Bearer …");
    assert_eq!(charged["listener"], "tls-client");
    assert_eq!((&charged["method"], &charged["status"]), (&json!("PUT"), &json!(201)));
    assert_eq!(charged["path"], format!("/v2/cob/{TXID}"));
    assert_eq!(charged["body"], charge("10.00"));
    let later = bank.get("/__log?from=1").await;
    assert_eq!(later.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_mistaken_operation_of_the_test_is_an_error() {
    let bank = Bank::start().await;
    for (path, body) in [
        ("/__fault", json!({ "operation": "*", "fault": "nonsense" })),
        ("/__pay", json!({ "dialect": "efi", "charge": "unknown" })),
        ("/__notify", json!({ "nonsense": 1 })),
        ("/__settings", json!({ "nonsense": 1 })),
        ("/__nonsense", json!({})),
    ] {
        let (status, value) = bank.fake.admin("POST", path, &body).await.unwrap();
        assert_eq!((status, value["error"].is_string()), (422, true), "{path}: {value}");
    }
    let answer = bank.mutual(Request::new("GET", "/__state")).await.unwrap();
    assert_eq!(answer.status, 404);
}
