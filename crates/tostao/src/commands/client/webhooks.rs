//! `tostao webhooks`: the addresses that receive events, with the ids that other commands take.

use clap::Subcommand;
use serde_json::Value;

use crate::commands::client::Done;
use crate::commands::client::api::{Api, ApiArgs, plain, rows};
use crate::commands::client::failure::Failure;
use crate::commands::client::terminal::Terminal;

/// Where they are.
pub const WEBHOOKS: &str = "/api/v1/webhooks/subscriptions";
/// More than an account may have.
const ALL: u64 = 100;

/// The commands about webhooks.
#[derive(Debug, Subcommand)]
pub enum WebhooksCommand {
    /// List the webhooks of the key's mode: id, state, address and events
    List(ApiArgs),
}

impl WebhooksCommand {
    /// Where the command prints.
    pub fn terminal(&self) -> Terminal {
        let Self::List(api) = self;
        api.terminal()
    }
}

/// Runs a command about webhooks.
pub async fn run(command: WebhooksCommand) -> Done {
    let terminal = command.terminal();
    let WebhooksCommand::List(api) = command;
    let webhooks = subscribed(&api.api()?).await?;
    for webhook in &webhooks {
        terminal.print(|| line(webhook), webhook)?;
    }
    terminal.expect_some(&webhooks, terminal.lang.cli_no_webhooks())
}

/// Every webhook of the key's mode.
pub async fn subscribed(api: &Api) -> Result<Vec<Value>, Failure> {
    Ok(rows(api.get(&format!("{WEBHOOKS}?limit={ALL}")).await?))
}

fn line(webhook: &Value) -> String {
    let events = webhook["events"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let state = match webhook["disabledReason"].as_str() {
        Some(reason) => format!("{} ({reason})", plain(&webhook["status"])),
        None => plain(&webhook["status"]).to_owned(),
    };
    format!(
        "{}  {state:<8}  {}  {}",
        plain(&webhook["id"]),
        plain(&webhook["url"]),
        events.collect::<Vec<_>>().join(",")
    )
}
