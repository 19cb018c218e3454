//! Commands that call a server over HTTP, as an integrator's program does.
//!
//! They never open the database and ignore the settings of a server. Each ends with a code that a
//! script can branch on:
//!
//! ```text
//! 0  done
//! 1  the server refused, or a file could not be read
//! 2  the command line makes no sense
//! 3  the server was not reached
//! 4  a fault was found: by `verify`, `diagnose` or `trigger --wait`
//! ```

use std::io::Write;
use std::process::ExitCode;

use clap::Subcommand;
use clap_complete::Shell;

use crate::commands::client::failure::Failure;
use crate::commands::client::terminal::{Output, Terminal, clean};
use crate::commands::{OutputClosed, command as command_line};

mod api;
mod clock;
mod diagnose;
mod events;
mod failure;
mod forward;
mod keys;
mod listen;
mod listener;
mod logs;
mod span;
mod sse;
mod terminal;
mod trigger;
mod verify;
mod webhooks;
mod whoami;

/// What a client command, or a part of it, ends with.
type Done = Result<(), Failure>;

/// The client commands.
#[derive(Debug, Subcommand)]
pub enum ClientCommand {
    /// Receive events on this machine, and forward them to a program
    Listen(listen::ListenArgs),
    /// Make an event happen in development
    Trigger(trigger::TriggerArgs),
    /// List, show and resend events
    #[command(subcommand)]
    Events(events::EventsCommand),
    /// List the addresses that receive events
    #[command(subcommand)]
    Webhooks(webhooks::WebhooksCommand),
    /// Show the requests of API keys, and why they were refused
    #[command(subcommand)]
    Logs(logs::LogsCommand),
    /// Check a webhook's signature without a server, and name the mistake
    Verify(verify::VerifyArgs),
    /// Find out why deliveries to a webhook fail
    Diagnose(diagnose::DiagnoseArgs),
    /// Show and advance the test clock
    #[command(subcommand)]
    Clock(clock::ClockCommand),
    /// Manage API keys with the owner's password
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// Show what the API key stands for
    Whoami(api::ApiArgs),
    /// Print the completions of a shell
    Completions {
        #[arg(value_enum)]
        shell: Shell,
    },
}

/// Runs a client command, and says why it failed.
pub async fn run(command: ClientCommand) -> anyhow::Result<ExitCode> {
    let terminal = command.terminal();
    let failure = match done(command).await {
        Ok(()) => return Ok(ExitCode::SUCCESS),
        Err(Failure::Other(error)) if error.is::<OutputClosed>() => return Err(error),
        Err(failure) => failure,
    };
    let text = match terminal.map(|terminal| terminal.output) {
        Some(Output::Json) => failure.json().to_string(),
        _ => format!("tostao: {failure}"),
    };
    // When the terminal is gone, there is nowhere to report to.
    let _ = writeln!(std::io::stderr().lock(), "{}", clean(&text));
    Ok(ExitCode::from(failure.exit_code()))
}

async fn done(command: ClientCommand) -> Done {
    match command {
        ClientCommand::Listen(args) => listen::run(args).await,
        ClientCommand::Trigger(args) => trigger::run(args).await,
        ClientCommand::Events(command) => events::run(command).await,
        ClientCommand::Webhooks(command) => webhooks::run(command).await,
        ClientCommand::Logs(command) => logs::run(command).await,
        ClientCommand::Verify(args) => verify::run(&args),
        ClientCommand::Diagnose(args) => diagnose::run(&args).await,
        ClientCommand::Clock(command) => clock::run(command).await,
        ClientCommand::Keys(command) => keys::run(command).await,
        ClientCommand::Whoami(args) => whoami::run(&args).await,
        ClientCommand::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command_line(), "tostao", &mut script);
            crate::commands::say(String::from_utf8_lossy(&script).trim_end())?;
            Ok(())
        }
    }
}

impl ClientCommand {
    /// Where it prints, if it has a choice.
    fn terminal(&self) -> Option<Terminal> {
        match self {
            Self::Listen(args) => Some(args.terminal()),
            Self::Trigger(args) => Some(args.terminal()),
            Self::Events(command) => Some(command.terminal()),
            Self::Webhooks(command) => Some(command.terminal()),
            Self::Logs(command) => Some(command.terminal()),
            Self::Verify(args) => Some(args.terminal()),
            Self::Diagnose(args) => Some(args.terminal()),
            Self::Clock(command) => Some(command.terminal()),
            Self::Keys(command) => Some(command.terminal()),
            Self::Whoami(args) => Some(args.terminal()),
            Self::Completions { .. } => None,
        }
    }
}
