//! Diagnosing a webhook from the command line.

use serde_json::json;

use crate::client::Developer;
use crate::harness::receiver::Receiver;

#[story::test]
async fn a_diagnosis_ends_with_a_code_that_says_whether_something_is_to_be_mended(
    database_url: &str,
) {
    let (developer, program) = (Developer::new(database_url).await, Receiver::start().await);
    let wanted = json!({ "url": program.url, "events": ["product.created"] });
    let path = "/api/v1/webhooks/subscriptions";
    let hook = developer.shop.client.post(path, wanted).await.expect(201)["subscription"].clone();
    let hook = hook["id"].as_str().expect("has an id");
    let steps = developer.objects(&["diagnose", hook]).await;
    assert_eq!((steps.len(), &steps[5]["code"]), (10, &json!("ACCEPTED")));
    let forged = developer.run(&["diagnose", hook, "--probe-refusals", "--lang", "pt"]).await;
    assert_eq!(forged.status, 4, "{forged:?}");
    assert!(forged.out.contains("falha    assinatura errada Uma assinatura errada"), "{forged:?}");
    assert!(
        forged
            .out
            .contains(&format!("endereço          O endereço está bem escrito. {}", program.url))
    );
    assert!(forged.out.contains("→ Confira a assinatura"), "{forged:?}");
    program.answer(&[400]);
    let refused = developer.run(&["diagnose", hook]).await;
    assert!(refused.out.contains("`tostao verify` names the mistake"), "{refused:?}");
    program.answer(&[404]);
    let away = developer.run(&["diagnose", hook, "--output", "json"]).await;
    assert_eq!(away.status, 4, "{away:?}");
    assert!(away.errors.contains("NOTHING_THERE"), "{away:?}");
    assert_eq!(developer.run(&["diagnose", "no-such-webhook"]).await.status, 1);
}
