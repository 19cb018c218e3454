//! Verifying a webhook by hand; what is said of each mistake is shown beside the rules.

use serde_json::json;

use crate::client::{bare, complaint, fed};

const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const BODY: &str = r#"{"id":"evt","data":{"price":1}}"#;
/// Computed with Python's `hmac`.
const SIGNATURE: &str = "X-Webhook-Signature: S5ZYueAfK9bmDYl5NUp9Lk5O+2CQCo2dWXhSXj9ZpMk=";

#[story::in_a_folder]
async fn a_signature_is_verified_without_a_server() {
    let words = ["verify", "--secret", SECRET, "--header", SIGNATURE];
    let verified = fed(bare(&words), BODY.as_bytes()).await.good();
    assert_eq!(verified.trim(), "Verified.");
    let mut by_environment = bare(&["verify", "-H", SIGNATURE, "--output", "json"]);
    by_environment.env("TOSTAO_WEBHOOK_SECRET", SECRET);
    let verified = fed(by_environment, BODY.as_bytes()).await.good();
    assert_eq!(verified.trim(), json!({ "verified": true }).to_string());
}

#[story::in_a_folder]
async fn the_mistake_is_named_with_what_to_do() {
    let words = ["verify", "--secret", SECRET, "--header", SIGNATURE, "--lang", "pt"];
    let spaced = BODY.replace(':', ": ");
    let ended = fed(bare(&words), spaced.as_bytes()).await;
    assert_eq!(ended.status, 4, "{ended:?}");
    let page = "http://127.0.0.1:8080/docs/pt/webhooks#corpo-bruto";
    for part in ["Não confere.", page, "veio ", r#"assinado   {"id":"evt","data":{"pr"#] {
        assert!(ended.errors.contains(part), "{ended:?}");
    }
    let words = ["verify", "--secret", SECRET, "--header", SIGNATURE, "-o", "json"];
    let (code, fault) = complaint(&fed(bare(&words), b"another body").await);
    assert_eq!((code, &fault["error"]), (4, &json!("fault")));
    let (_, fault) = complaint(&fed(bare(&words), spaced.as_bytes()).await);
    assert_eq!(fault["details"]["mistake"], "SPACES");
    let unsigned = ["verify", "--secret", SECRET, "--header", "content-type: application/json"];
    let ended = fed(bare(&unsigned), BODY.as_bytes()).await;
    assert_eq!(ended.status, 4, "{ended:?}");
    for words in [&["verify", "--secret", SECRET, "-H", "nonsense"][..], &["verify"]] {
        assert_eq!(fed(bare(words), BODY.as_bytes()).await.status, 2);
    }
    let lost = ["verify", "--secret", SECRET, "-H", SIGNATURE, "--body", "/nowhere/body.json"];
    assert_eq!(fed(bare(&lost), b"").await.status, 1);
}
