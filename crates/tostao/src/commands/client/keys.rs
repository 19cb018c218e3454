//! `tostao keys`: API keys, which only the owner of an account may manage.
//!
//! The password is asked for, and the access token that it gives is kept in memory alone.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use crate::commands::client::Done;
use crate::commands::client::api::{Api, ServerArgs, rows};
use crate::commands::client::failure::Failure;
use crate::commands::client::span::span;
use crate::commands::client::terminal::Terminal;
use crate::commands::password::{FROM_INPUT, ask, given};
use crate::platform::error::ErrorCode;
use crate::platform::permissions::Permission;

const KEYS: &str = "/api/credentials";
const LOGIN: &str = "/api/auth/login";

/// The commands about keys.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// List the account's keys
    List(OwnerArgs),
    /// Create a key, which is shown only now
    Create(CreateArgs),
    /// Replace a key by a new one with the same permissions
    Roll {
        id: String,
        /// How long the old key stays valid, such as 24h; at most 7d
        #[arg(long, value_parser = span, value_name = "SPAN")]
        grace: Option<Duration>,
        #[command(flatten)]
        owner: OwnerArgs,
    },
    /// Revoke a key at once
    Revoke {
        id: String,
        #[command(flatten)]
        owner: OwnerArgs,
    },
}

/// The parameters of a new key.
#[derive(Debug, Args)]
pub struct CreateArgs {
    /// What the key is for
    #[arg(long)]
    name: String,
    #[arg(long, value_enum, default_value = "dev")]
    mode: Mode,
    /// What the key may do, such as transactions:write; repeatable [default: everything]
    #[arg(long = "permission", value_name = "PERMISSION")]
    permissions: Vec<String>,
    /// How long the key is valid, such as 90d
    #[arg(long, value_parser = span, value_name = "SPAN")]
    expires: Option<Duration>,
    #[command(flatten)]
    owner: OwnerArgs,
}

/// The mode of a key.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Mode {
    Dev,
    Prod,
}

/// The owner of the account.
#[derive(Debug, Args)]
pub struct OwnerArgs {
    /// The email that the owner signs in with
    #[arg(long)]
    email: String,
    /// "-" reads the password from a line of the standard input [default: ask for it]
    #[arg(long, value_name = "-")]
    password: Option<String>,
    /// A code of the authenticator app, or a backup code [default: ask for it if it is needed]
    #[arg(long)]
    code: Option<String>,
    #[command(flatten)]
    server: ServerArgs,
}

/// A session of the owner, as long as the command.
struct Session(Api);

impl KeysCommand {
    /// Where the command prints.
    pub fn terminal(&self) -> Terminal {
        self.owner().server.terminal()
    }

    fn owner(&self) -> &OwnerArgs {
        match self {
            Self::List(owner) | Self::Roll { owner, .. } | Self::Revoke { owner, .. } => owner,
            Self::Create(args) => &args.owner,
        }
    }
}

/// Runs a command about keys.
pub async fn run(command: KeysCommand) -> Done {
    let terminal = command.terminal();
    let session = command.owner().sign_in(terminal).await?;
    let done = manage(&session.0, &command, terminal).await;
    session.end().await;
    done
}

async fn manage(api: &Api, command: &KeysCommand, terminal: Terminal) -> Done {
    match command {
        KeysCommand::List(_) => {
            let keys = rows(api.get(KEYS).await?);
            for key in &keys {
                terminal.print(|| line(key), key)?;
            }
            terminal.expect_some(&keys, terminal.lang.cli_no_keys())
        }
        KeysCommand::Create(args) => create(api, args, terminal).await,
        KeysCommand::Roll { id, grace, .. } => {
            let body = json!({ "gracePeriodSeconds": grace.unwrap_or_default().as_secs() });
            show(terminal, &api.post(&format!("{KEYS}/{id}/rotate"), &body).await?)
        }
        KeysCommand::Revoke { id, .. } => {
            api.delete(&format!("{KEYS}/{id}")).await?;
            terminal.print(|| terminal.lang.cli_revoked(id), &json!({ "id": id, "revoked": true }))
        }
    }
}

async fn create(api: &Api, args: &CreateArgs, terminal: Terminal) -> Done {
    let environment = match args.mode {
        Mode::Dev => "development",
        Mode::Prod => "production",
    };
    let permissions = match &*args.permissions {
        [] => json!(Permission::ALL),
        named => json!(named),
    };
    let mut body =
        json!({ "name": args.name, "environment": environment, "permissions": permissions });
    if let Some(expires) = args.expires {
        body["expiresAt"] = api.sources.now().plus(expires).to_string().into();
    }
    show(terminal, &api.post(KEYS, &body).await?)
}

impl OwnerArgs {
    async fn sign_in(&self, terminal: Terminal) -> Result<Session, Failure> {
        let password = match self.password.as_deref() {
            Some(FROM_INPUT) => given(FROM_INPUT.to_owned())?,
            Some(_) => return Err(Failure::Usage(terminal.lang.cli_password_by_input().into())),
            None => ask(terminal.lang.cli_password())
                .map_err(|error| Failure::Usage(error.to_string()))?,
        };
        let api = self.server.api()?;
        let mut body = json!({ "email": self.email, "password": password, "code": self.code });
        let session = match api.post(LOGIN, &body).await {
            Err(failure) if self.code.is_none() && needs_code(&failure) => {
                let code = ask(terminal.lang.cli_code())
                    .map_err(|_| Failure::Usage(terminal.lang.cli_code_by_option().to_owned()))?;
                body["code"] = code.into();
                api.post(LOGIN, &body).await?
            }
            answered => answered?,
        };
        Ok(Session(api.with(session["accessToken"].as_str().unwrap_or_default())))
    }
}

/// Whether a sign-in was refused for the second step alone.
fn needs_code(failure: &Failure) -> bool {
    let code = ErrorCode::TwoFactorRequired.name();
    matches!(failure, Failure::Refused(refusal) if refusal.body["code"] == code)
}

impl Session {
    /// Signs out, so that no command leaves a session behind.
    async fn end(self) {
        // What the command did is done, and the session ends by itself later.
        let _ = self.0.post("/api/auth/logout", &json!({})).await;
    }
}

/// Shows a key whole, for the only time.
fn show(terminal: Terminal, made: &Value) -> Done {
    let key = &made["data"];
    let whole = key["key"].as_str().unwrap_or_default();
    terminal.print(|| format!("{}\n{}\n{whole}", line(key), terminal.lang.cli_key_once()), key)
}

fn line(key: &Value) -> String {
    let text = |name: &str| key[name].as_str().unwrap_or("–");
    format!(
        "{}  {:<11}  {}…{}  {}",
        text("id"),
        text("environment"),
        text("prefix"),
        text("last4"),
        text("name")
    )
}
