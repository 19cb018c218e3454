//! `tostao whoami`: what a key stands for.

use serde_json::Value;

use crate::commands::client::Done;
use crate::commands::client::api::ApiArgs;

/// Prints the account, the mode, the permissions, the limits that are left, and the versions.
pub async fn run(args: &ApiArgs) -> Done {
    let (api, terminal) = (args.api()?, args.terminal());
    let (headers, found) = api.look("/api/whoami").await?;
    let mut data = found["data"].clone();
    for (name, header) in [("limit", "ratelimit-limit"), ("remaining", "ratelimit-remaining")] {
        let number = headers.get(header).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        data["rateLimit"][name] = number.into();
    }
    let text = || {
        let text = |name: &str| data[name].as_str().unwrap_or("–").to_owned();
        let permissions = data["permissions"].as_array().into_iter().flatten();
        let permissions: Vec<_> = permissions.filter_map(Value::as_str).collect();
        let (left, limit) = (&data["rateLimit"]["remaining"], &data["rateLimit"]["limit"]);
        let (lang, account) = (terminal.lang, &data["account"]);
        [
            format!(
                "{:<12} {} ({})",
                lang.cli_account(),
                plain(&account["name"]),
                plain(&account["id"])
            ),
            format!("{:<12} {}", lang.cli_mode(), text("environment")),
            format!("{:<12} {}", lang.cli_key(), plain(&data["keyName"])),
            format!("{:<12} {}", lang.cli_expires(), text("expiresAt")),
            format!("{:<12} {}", lang.cli_permissions(), permissions.join(" ")),
            format!("{:<12} {left}/{limit}", lang.cli_requests_left()),
            format!("{:<12} {}", lang.cli_time(), text("now")),
            format!(
                "{:<12} API {}, tostao {}",
                lang.cli_version(),
                text("apiVersion"),
                text("version")
            ),
        ]
        .join("\n")
    };
    terminal.print(text, &data)
}

fn plain(value: &Value) -> &str {
    value.as_str().unwrap_or("–")
}
