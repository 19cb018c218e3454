//! What a response looks like in debug output.

use serde_json::json;

use super::Replayable;
use crate::platform::http::reply::{Message, Ok200, SecretReply};

#[test]
fn an_answer_that_holds_a_secret_is_printed_without_it() {
    let message = || Ok200(Message { message: "sk_dev_once" });
    let open = Replayable::fresh(&message()).unwrap();
    let secret = Replayable::fresh(&SecretReply(message())).unwrap();
    let body = json!({ "message": "sk_dev_once" }).to_string();
    assert_eq!(open.response.body, body);
    assert_eq!(secret.response.body, body);
    assert!(format!("{open:?}").contains("sk_dev_once"));
    let printed = format!("{secret:?}");
    assert!(printed.contains("***") && !printed.contains("sk_dev_once"), "{printed}");
}
