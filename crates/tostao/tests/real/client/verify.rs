//! Verifying a webhook by hand; what is said of each mistake is shown beside the rules.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use crate::client::{bare, complaint, fed};
use crate::harness::program::finish;

const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const BODY: &str = r#"{"id":"evt","data":{"price":1}}"#;
/// The folder of the guides.
const GUIDES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
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

#[story::in_a_folder]
async fn the_delivery_of_the_guides_is_verified_as_it_is_pasted(folder: &TempDir) {
    let tostao = Path::new(env!("CARGO_BIN_EXE_tostao")).parent().expect("is in a folder");
    let guides = [
        ("webhooks.md", "en_US.UTF-8", "Verified."),
        ("pt/webhooks.md", "pt_BR.UTF-8", "Confere."),
    ];
    for (guide, language, said) in guides {
        let text = std::fs::read_to_string(Path::new(GUIDES).join(guide)).expect("is there");
        let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("\n```"));
        let mut blocks = blocks.map(|(block, _)| block);
        let pasted = blocks.find(|block| block.contains("tostao verify")).expect("is pasted");
        let mut shell = Command::new("bash");
        shell.args(["-c", &format!("PATH={}:$PATH; {pasted}", tostao.display())]);
        shell.current_dir(folder.path()).env("LANG", language);
        assert_eq!(finish(shell).await.good().trim(), said, "{guide}");
    }
}
