//! `tostao diagnose`: why deliveries to a webhook fail.

use clap::Args;
use serde_json::{Value, json};

use crate::commands::client::Done;
use crate::commands::client::api::ApiArgs;
use crate::commands::client::failure::Failure;
use crate::commands::client::terminal::Terminal;
use crate::platform::messages::Lang;

/// The arguments of `diagnose`.
#[derive(Debug, Args)]
pub struct DiagnoseArgs {
    /// The id of the webhook
    webhook: String,
    /// Also send samples with a wrong and with an old signature, which it should refuse
    #[arg(long)]
    probe_refusals: bool,
    #[command(flatten)]
    api: ApiArgs,
}

impl DiagnoseArgs {
    /// Where the command prints.
    pub fn terminal(&self) -> Terminal {
        self.api.terminal()
    }
}

/// Prints each step; one that failed is a fault.
pub async fn run(args: &DiagnoseArgs) -> Done {
    let (api, terminal) = (args.api.api()?, args.terminal());
    let language = match terminal.lang {
        Lang::PtBr => "pt",
        Lang::En => "en",
    };
    let path = format!("/api/v1/webhooks/subscriptions/{}/diagnose?lang={language}", args.webhook);
    let diagnosis = api.post(&path, &json!({ "probeRefusals": args.probe_refusals })).await?;
    let steps = diagnosis["data"]["steps"].as_array().cloned().unwrap_or_default();
    for step in &steps {
        terminal.print(|| line(step), step)?;
    }
    let failed = steps.iter().filter(|step| step["outcome"] == "fail");
    let codes: Vec<_> = failed.map(|step| step["code"].clone()).collect();
    if codes.is_empty() {
        return Ok(());
    }
    let message = terminal.lang.cli_diagnosed().to_owned();
    Err(Failure::Fault { message, details: json!({ "codes": codes }) })
}

/// A step as a line, and what to do about it as another one.
fn line(step: &Value) -> String {
    let text = |name: &str| step[name].as_str().unwrap_or_default();
    let line = format!("{:<8} {:<9} {}", text("outcome"), text("step"), text("message"));
    match step["remedy"].as_str() {
        Some(remedy) => format!("{line}\n{:<18} → {remedy}", ""),
        None => line,
    }
}
