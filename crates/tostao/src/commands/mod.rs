//! Every command of the program.

use std::fmt::{Display, Formatter};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::config::{Given, Settings};
use crate::merchants::administrators::Last;

mod account;
mod backup;
mod demo;
mod healthcheck;
mod ledger;
mod listen;
mod migrate;
mod serve;

/// A self-hosted payment gateway for Brazil
#[derive(Debug, Parser)]
#[command(name = "tostao", version, about, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    settings: Settings,
    #[arg(skip)]
    given: Given,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the API, the checkout and the workers
    Serve(ServeArgs),
    /// Tell the whole story with simulated money, then keep serving
    Demo(DemoArgs),
    /// Run the workers alone, beside servers started with --no-worker
    Worker,
    /// Bring the database to this version
    Migrate {
        /// Only tell what would be applied
        #[arg(long)]
        dry_run: bool,
    },
    /// Show or check the settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Prove the books
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Manage administrators
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Write a whole copy of an embedded database, also while it serves
    Backup {
        /// The file to write; it must not exist
        file: PathBuf,
    },
    /// Put a copy in the place of an embedded database that does not exist yet
    Restore {
        /// The file to read
        file: PathBuf,
    },
    /// Print the API's description
    Openapi,
    /// Ask a running server whether it is ready
    Healthcheck,
}

#[derive(Debug, Args)]
struct ServeArgs {
    /// Leave jobs and webhooks to `tostao worker`
    #[arg(long)]
    no_worker: bool,
}

#[derive(Debug, Args)]
struct DemoArgs {
    /// End after the story, with status 0 if every step worked
    #[arg(long)]
    exit: bool,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Print every setting in force, secrets hidden
    Print,
    /// Check that the settings work together
    Check,
}

#[derive(Debug, Subcommand)]
enum LedgerCommand {
    /// Recompute balances and hashes, and compare the books with all rows about money
    Verify,
    /// Begin hash chains anew where an earlier release has booked without them
    Rechain,
}

#[derive(Debug, Subcommand)]
enum AdminCommand {
    /// Open an administrator's account
    Create {
        #[arg(long)]
        email: String,
        /// The password, which lists of processes show; "-" reads a line of the standard input
        #[arg(long, env = "TOSTAO_ADMIN_PASSWORD", hide_env_values = true)]
        password: String,
        /// The name shown to others
        #[arg(long, default_value = "Administrator")]
        name: String,
    },
    /// Set an administrator's password and end their sessions
    Password {
        #[arg(long)]
        email: String,
        /// The password, which lists of processes show; "-" reads a line of the standard input
        #[arg(long, env = "TOSTAO_ADMIN_PASSWORD", hide_env_values = true)]
        password: String,
    },
    /// Make an administrator a merchant and end their sessions
    Revoke {
        #[arg(long)]
        email: String,
        /// Also if there is no administrator left then
        #[arg(long)]
        even_the_last: bool,
    },
    /// List the administrators
    List,
}

/// Nobody reads what a command writes any more, as after `| head`; there is nothing to complain of.
#[derive(Debug)]
pub struct NobodyReads;

impl Display for NobodyReads {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        out.write_str("nobody reads the output")
    }
}

impl std::error::Error for NobodyReads {}

/// Reads the command line and the environment; ends the process where they make no sense.
pub fn read() -> Cli {
    let matches = Cli::command().get_matches();
    let given = Given::of(&matches);
    match Cli::from_arg_matches(&matches) {
        Ok(cli) => Cli { given, ..cli },
        Err(error) => error.format(&mut Cli::command()).exit(),
    }
}

/// Runs one command.
pub async fn run(cli: Cli) -> anyhow::Result<()> {
    let settings = cli.settings;
    match cli.command {
        Command::Serve(args) => serve::run(settings, !args.no_worker).await,
        Command::Demo(args) => demo::run(settings, cli.given, args.exit).await,
        Command::Worker => serve::work(settings).await,
        Command::Migrate { dry_run } => migrate::run(settings, dry_run).await,
        Command::Config(ConfigCommand::Print) => print_settings(&settings),
        Command::Config(ConfigCommand::Check) => check_settings(&settings),
        Command::Ledger(LedgerCommand::Verify) => ledger::verify(settings).await,
        Command::Ledger(LedgerCommand::Rechain) => ledger::rechain(settings).await,
        Command::Admin(AdminCommand::Create { email, password, name }) => {
            account::create_admin(settings, &name, &email, password).await
        }
        Command::Admin(AdminCommand::Password { email, password }) => {
            account::set_password(settings, &email, password).await
        }
        Command::Admin(AdminCommand::Revoke { email, even_the_last }) => {
            let last = if even_the_last { Last::Revoke } else { Last::Keep };
            account::revoke(settings, &email, last).await
        }
        Command::Admin(AdminCommand::List) => account::list(settings).await,
        Command::Backup { file } => backup::backup(settings, &file).await,
        Command::Restore { file } => backup::restore(settings, &file).await,
        Command::Openapi => say(&crate::openapi::docs::document()),
        Command::Healthcheck => healthcheck::run(&settings).await,
    }
}

/// Writes a line for the person at the terminal.
pub fn say(text: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(NobodyReads.into()),
        written => Ok(written?),
    }
}

/// Says why a command failed.
pub fn complain(error: &anyhow::Error) {
    // When even the terminal is gone there is nobody left to tell.
    let _ = writeln!(std::io::stderr().lock(), "tostao: {error:#}");
}

fn print_settings(settings: &Settings) -> anyhow::Result<()> {
    for (name, value) in settings.shown() {
        say(&format!("{name}={value}"))?;
    }
    Ok(())
}

fn check_settings(settings: &Settings) -> anyhow::Result<()> {
    settings.check()?;
    for warning in settings.warnings() {
        say(&format!("Warning: {warning}."))?;
    }
    say("The settings work together.")
}
