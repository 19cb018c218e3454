//! Every command of the program.

use std::fmt::{Display, Formatter};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow, ensure};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use db::database::Database;
use db::migrations::pending;
use url::Url;

use crate::app::{App, MIGRATIONS};
use crate::commands::client::ClientCommand;
use crate::commands::demo::AfterStory;
use crate::commands::language::LanguageArgs;
use crate::people::administrators::LastAdministratorPolicy;
use crate::platform::config::{ADMIN_PASSWORD, ListenSettings, Settings, Storage};
use crate::platform::error::Error;
use crate::platform::{core_dumps, open_files, system_clock};

mod account;
mod backup;
mod client;
mod connections;
mod demo;
mod healthcheck;
mod http_client;
mod language;
mod ledger;
mod listen;
mod migrate;
mod password;
mod progress;
mod secrets;
mod serve;
mod text_file;

/// The settings of commands that open the database and do not serve.
const STORAGE_AND_SECRET: [&str; 3] = ["database_url", "secret_key", "secret_key_file"];
/// The same, and the secret before.
const STORAGE_AND_SECRETS: [&str; 4] =
    ["database_url", "secret_key", "secret_key_file", "secret_key_previous"];
/// The same, and the URL that banks send notices to and that links begin with.
const STORAGE_SECRET_AND_URL: [&str; 4] =
    ["database_url", "secret_key", "secret_key_file", "base_url"];
/// The exit code that a shell reports for a program ended by a closed pipe (SIGPIPE).
const CLOSED_PIPE: u8 = 128 + 13;

/// A self-hosted payment gateway for Brazil
#[derive(Debug, Parser)]
#[command(name = "tostao", version, about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Here(CommandHere),
    #[command(flatten)]
    Client(Box<ClientCommand>),
}

/// The commands that open the database themselves, or need none.
#[derive(Debug, Subcommand)]
enum CommandHere {
    /// Serve the API, the checkout and the workers
    Serve(ServeArgs),
    /// Play the life of a sale with simulated money, then keep serving
    Demo(DemoArgs),
    /// Run only the workers, beside servers started with --no-worker
    Worker(SettingsArgs),
    /// Apply pending database migrations
    Migrate(MigrateArgs),
    /// Show or check the settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Verify the ledger
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Manage administrators
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Manage connections with banks and acquirers, through which real money moves
    #[command(subcommand)]
    Connections(connections::ConnectionsCommand),
    /// Finish a rotation of the secret
    #[command(subcommand)]
    Secrets(SecretsCommand),
    /// Write a complete copy of an embedded database, even while it is being served
    Backup {
        /// The file to write; it must not exist
        file: PathBuf,
        #[command(flatten)]
        storage: Storage,
    },
    /// Restore a copy as an embedded database that does not exist yet
    Restore {
        /// The file to read
        file: PathBuf,
        #[command(flatten)]
        storage: Storage,
    },
    /// Print the OpenAPI document
    Openapi,
    /// Check whether a running server is ready
    Healthcheck(ListenSettings),
}

#[derive(Debug, Args)]
struct SettingsArgs {
    #[command(flatten)]
    settings: Box<Settings>,
}

#[derive(Debug, Args)]
struct ServeArgs {
    /// Leave jobs and webhooks to `tostao worker`
    #[arg(long)]
    no_worker: bool,
    #[command(flatten)]
    settings: Box<Settings>,
}

#[derive(Debug, Args)]
struct DemoArgs {
    /// Exit after the story, with status 0 if every step worked
    #[arg(long)]
    exit: bool,
    /// Play the story of production instead, with the money of a fake bank
    #[arg(long)]
    production_like: bool,
    #[command(flatten)]
    fake: FakeArgs,
    #[command(flatten)]
    language: LanguageArgs,
    #[command(flatten)]
    settings: Box<Settings>,
}

/// Where the fake of the banks is, a program of this repository that is in no release.
#[derive(Debug, Args)]
struct FakeArgs {
    /// The plain address of a running `fakepsp`
    #[arg(long, value_name = "URL", requires = "production_like", conflicts_with = "fakepsp")]
    psp: Option<Url>,
    /// The program `fakepsp` [default: the one beside this program]
    #[arg(long, value_name = "FILE", requires = "production_like")]
    fakepsp: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct MigrateArgs {
    /// Only print what would be applied
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    settings: Box<Settings>,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Print every setting in force, secrets hidden
    Print(SettingsArgs),
    /// Check that the settings work together
    Check(SettingsArgs),
}

#[derive(Debug, Subcommand)]
enum LedgerCommand {
    /// Recompute balances and hashes, and compare the books with all rows about money
    Verify(Storage),
    /// Restart hash chains where an earlier release has booked without them
    Rechain(Storage),
}

#[derive(Debug, Subcommand)]
enum AdminCommand {
    /// Create an administrator
    Create {
        #[arg(long)]
        email: String,
        /// The password, which lists of processes show; "-" reads a line of the standard input
        #[arg(long, env = ADMIN_PASSWORD, hide_env_values = true)]
        password: String,
        /// The name shown to others
        #[arg(long, default_value = "Administrator")]
        name: String,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Set an administrator's password and end their sessions
    Password {
        #[arg(long)]
        email: String,
        /// The password, which lists of processes show; "-" reads a line of the standard input
        #[arg(long, env = ADMIN_PASSWORD, hide_env_values = true)]
        password: String,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Make an administrator a merchant and end their sessions
    Revoke {
        #[arg(long)]
        email: String,
        /// Allow revoking the last administrator
        #[arg(long)]
        even_the_last: bool,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Show a merchant's account, then make it an administrator's with a new password
    Grant {
        #[arg(long)]
        email: String,
        /// The password, which lists of processes show; "-" reads a line of the standard input
        #[arg(long, env = ADMIN_PASSWORD, hide_env_values = true)]
        password: String,
        /// Do it without asking
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Remove the second step of a person, and end their sessions
    DisableTwoFactor {
        /// The email of the person, who need not be an administrator
        #[arg(long)]
        email: String,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Print a link that sets a new password of a person, once and within 30 minutes
    ResetLink {
        #[arg(long)]
        email: String,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// List the administrators
    List(Storage),
}

#[derive(Debug, Subcommand)]
enum SecretsCommand {
    /// Reseal what the previous secret sealed, and report what still needs it
    Reseal(SettingsArgs),
}

/// The reader of a command's output has closed it, as `| head` does; that is not an error.
#[derive(Debug)]
struct OutputClosed;

impl Display for OutputClosed {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        out.write_str("the output was closed")
    }
}

impl std::error::Error for OutputClosed {}

/// Runs the command of the command line.
pub fn main() -> ExitCode {
    core_dumps::disable();
    open_files::raise();
    let cli = read();
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = built.map_err(anyhow::Error::from).and_then(|runtime| runtime.block_on(run(cli)));
    match outcome {
        Ok(code) => code,
        Err(error) if error.is::<OutputClosed>() => ExitCode::from(CLOSED_PIPE),
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

/// The command line: each command shows the settings that it uses, with its own defaults.
fn command() -> clap::Command {
    Cli::command()
        .mut_subcommand("demo", demo::demo_defaults)
        .mut_subcommand("migrate", |migrate| showing(migrate, &STORAGE_AND_SECRET))
        .mut_subcommand("admin", |admin| {
            admin
                .mut_subcommands(|command| showing(command, &STORAGE_AND_SECRET))
                .mut_subcommand("reset-link", |link| showing(link, &STORAGE_SECRET_AND_URL))
        })
        .mut_subcommand("connections", |connections| {
            connections.mut_subcommands(|command| showing(command, &STORAGE_SECRET_AND_URL))
        })
        .mut_subcommand("secrets", |secrets| {
            secrets.mut_subcommands(|command| showing(command, &STORAGE_AND_SECRETS))
        })
}

/// Reads the command line and the environment; ends the process where they make no sense.
fn read() -> Cli {
    match Cli::from_arg_matches(&command().get_matches()) {
        Ok(cli) => cli,
        Err(error) => error.format(&mut command()).exit(),
    }
}

/// Runs one command.
async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        Command::Client(command) => client::run(*command).await,
        Command::Here(command) => run_here(command).await.map(|()| ExitCode::SUCCESS),
    }
}

/// Runs a command that opens the database itself, or needs none.
async fn run_here(command: CommandHere) -> anyhow::Result<()> {
    match command {
        CommandHere::Serve(args) => serve::run(*args.settings, !args.no_worker).await,
        CommandHere::Demo(args) => {
            let after = if args.exit { AfterStory::Exit } else { AfterStory::KeepServing };
            let lang = args.language.chosen();
            if args.production_like {
                let FakeArgs { psp, fakepsp } = args.fake;
                return demo::production::run(*args.settings, after, lang, psp, fakepsp).await;
            }
            demo::run(*args.settings, after, lang).await
        }
        CommandHere::Worker(args) => serve::run_worker(*args.settings).await,
        CommandHere::Migrate(args) => migrate::run(*args.settings, args.dry_run).await,
        CommandHere::Config(ConfigCommand::Print(args)) => print_settings(&args.settings),
        CommandHere::Config(ConfigCommand::Check(args)) => check_settings(&args.settings),
        CommandHere::Ledger(LedgerCommand::Verify(storage)) => ledger::verify(&storage).await,
        CommandHere::Ledger(LedgerCommand::Rechain(storage)) => ledger::rechain(&storage).await,
        CommandHere::Admin(command) => administer(command).await,
        CommandHere::Connections(command) => connections::run(command).await,
        CommandHere::Secrets(SecretsCommand::Reseal(args)) => secrets::reseal(*args.settings).await,
        CommandHere::Backup { file, storage } => backup::backup(&storage, &file).await,
        CommandHere::Restore { file, storage } => backup::restore(&storage, &file).await,
        CommandHere::Openapi => say(&crate::routes::document().to_string()),
        CommandHere::Healthcheck(listener) => healthcheck::run(&listener).await,
    }
}

async fn administer(command: AdminCommand) -> anyhow::Result<()> {
    match command {
        AdminCommand::Create { email, password, name, settings } => {
            account::create_admin(*settings, &name, &email, password).await
        }
        AdminCommand::Password { email, password, settings } => {
            account::set_password(*settings, &email, password).await
        }
        AdminCommand::Revoke { email, even_the_last, settings } => {
            let last = if even_the_last {
                LastAdministratorPolicy::Revoke
            } else {
                LastAdministratorPolicy::Keep
            };
            account::revoke(*settings, &email, last).await
        }
        AdminCommand::Grant { email, password, yes, settings } => {
            account::grant(*settings, &email, password, yes).await
        }
        AdminCommand::DisableTwoFactor { email, settings } => {
            account::disable_two_factor(*settings, &email).await
        }
        AdminCommand::ResetLink { email, settings } => account::reset_link(*settings, &email).await,
        AdminCommand::List(storage) => account::list(&storage).await,
    }
}

/// Opens the product for a command that writes to what is there; makes no database and no secret.
async fn open_existing(settings: Settings, otherwise: &'static str) -> anyhow::Result<App> {
    let database = open_to_read(&settings.storage)?;
    lacking(&database).await?;
    drop(database);
    if let Some(file) = settings.secret_file() {
        ensure!(file.exists(), "the secret file {} does not exist", file.display());
    }
    open(settings, otherwise).await
}

/// Opens what is there to read it, also while a server runs.
fn open_to_read(storage: &Storage) -> anyhow::Result<Database> {
    storage.ensure_exists()?;
    Ok(Database::open_to_read(&storage.database_url, system_clock::system())?)
}

/// The migrations that a database lacks; refuses one that has none.
async fn lacking(database: &Database) -> anyhow::Result<Vec<&'static str>> {
    let missing = pending(database, MIGRATIONS).await?;
    let name = database.path().map_or_else(|| "the database".into(), |path| path.to_string_lossy());
    ensure!(
        missing.len() < MIGRATIONS.len(),
        "{name} holds no data of this product, and so no ledger"
    );
    Ok(missing)
}

/// Opens the product for a command that writes; makes a database where there is none.
async fn open(settings: Settings, otherwise: &'static str) -> anyhow::Result<App> {
    let app = App::open(settings, system_clock::system()).context(otherwise)?;
    app.migrate().await?;
    Ok(app)
}

/// What went wrong, for the person at the terminal.
fn user_error(error: Error) -> anyhow::Error {
    match error {
        Error::Internal(cause) => cause,
        error => anyhow!("{}", error.message()),
    }
}

/// Shows some settings alone; the environment of a server serves every command.
fn showing(command: clap::Command, shown: &[&str]) -> clap::Command {
    let settings = Settings::augment_args(clap::Command::default());
    let server: Vec<_> = settings.get_arguments().map(|arg| arg.get_id().clone()).collect();
    command.mut_args(|arg| {
        let id = arg.get_id();
        let hidden = server.contains(id) && !shown.contains(&id.as_str());
        arg.hide(hidden)
    })
}

/// Writes a line for the person at the terminal.
pub fn say(text: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(OutputClosed.into()),
        written => Ok(written?),
    }
}

/// Writes a line about the progress of a command.
pub fn mention(text: &str) {
    // A command works as well without a terminal.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Says why a command failed.
fn complain(error: &anyhow::Error) {
    // When the terminal is gone, there is nowhere to report to.
    let _ = writeln!(std::io::stderr().lock(), "tostao: {error:#}");
}

fn print_settings(settings: &Settings) -> anyhow::Result<()> {
    for (name, value) in settings.shown() {
        say(&format!("{name}={value}"))?;
    }
    Ok(())
}

fn check_settings(settings: &Settings) -> anyhow::Result<()> {
    settings.check_to_serve()?;
    for warning in settings.warnings() {
        say(&format!("Warning: {warning}."))?;
    }
    say("The settings work together.")
}
