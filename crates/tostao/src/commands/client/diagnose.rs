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
        terminal.print(|| line(terminal.lang, step), step)?;
    }
    let failed = steps.iter().filter(|step| step["outcome"] == "fail");
    let codes: Vec<_> = failed.map(|step| step["code"].clone()).collect();
    if codes.is_empty() {
        return Ok(());
    }
    let message = terminal.lang.cli_diagnosed().to_owned();
    Err(Failure::Fault { message, details: json!({ "codes": codes }) })
}

/// A step as a line, with what was looked at, and what to do about it as another one.
fn line(lang: Lang, step: &Value) -> String {
    let text = |name: &str| step[name].as_str().unwrap_or_default();
    let (outcome, name) = (outcome(lang, text("outcome")), step_name(lang, text("step")));
    let mut line = format!("{outcome:<8} {name:<17} {}", text("message"));
    if let Some(detail) = step["detail"].as_str() {
        line = format!("{line} {detail}");
    }
    match step["remedy"].as_str() {
        Some(remedy) => format!("{line}\n{:<26} → {remedy}", ""),
        None => line,
    }
}

/// An outcome for a person; one that this program does not know yet stays as it is.
fn outcome(lang: Lang, name: &str) -> &str {
    match name {
        "warn" => lang.cli_outcome_warn(),
        "fail" => lang.cli_outcome_fail(),
        "skipped" => lang.cli_outcome_skipped(),
        other => other,
    }
}

/// The name of a step for a person, likewise.
fn step_name(lang: Lang, name: &str) -> &str {
    match name {
        "state" => lang.cli_step_state(),
        "address" => lang.cli_step_address(),
        "connect" => lang.cli_step_connect(),
        "answer" => lang.cli_step_answer(),
        "again" => lang.cli_step_again(),
        "unsigned" => lang.cli_step_unsigned(),
        "stale" => lang.cli_step_stale(),
        "history" => lang.cli_step_history(),
        other => other,
    }
}
