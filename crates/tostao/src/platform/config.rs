//! Every setting: a flag and an environment variable of the same name, read once at start.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};
use db::embedded::make_folder;
use outbound::target::Policy;
use url::Url;

use crate::platform::config::dashboard::DashboardSettings;
use crate::platform::config::mail::MailSettings;
use crate::platform::http::client_ip::TrustedProxies;
use crate::platform::http::rate_limit::overrides::Overrides;
use crate::platform::secrets::Secrets;
use crate::platform::telemetry::{self, LogFormat};

pub mod dashboard;
pub mod mail;
mod warnings;

/// Replaces a secret that is not shown.
const HIDDEN: &str = "***";
/// The only variable that belongs to a command and is not a setting.
pub const ADMIN_PASSWORD: &str = "TOSTAO_ADMIN_PASSWORD";
const SECRET_LENGTH_MIN: usize = 32;

/// Where the data is, for commands that need nothing else.
#[derive(Debug, Clone, Args)]
pub struct Storage {
    /// Where the data is: `sqlite:PATH` (`migrate` and `serve` make it) or `postgres://…`
    #[arg(long, env = "TOSTAO_DATABASE_URL", hide_env_values = true)]
    #[arg(default_value = "sqlite:data/tostao.db", value_name = "URL")]
    pub database_url: String,
}

/// Where the server listens by default.
pub const LISTEN: &str = "127.0.0.1:8080";

/// Where the server listens, for commands that need nothing else.
#[derive(Debug, Clone, Args)]
pub struct ListenSettings {
    /// Address and port to serve on
    #[arg(long, env = "TOSTAO_LISTEN", default_value = LISTEN)]
    #[arg(value_name = "ADDRESS", value_parser = address_and_port)]
    pub listen: SocketAddr,
}

/// What the operator may set; `--help` lists it, `config print` shows what is in force.
#[derive(Debug, Clone, Args)]
pub struct Settings {
    #[command(flatten)]
    pub storage: Storage,
    #[command(flatten)]
    pub listener: ListenSettings,
    /// On PostgreSQL: how many connections of each database thread commit many charges at once
    #[arg(long, env = "TOSTAO_DATABASE_LANES", value_name = "COUNT")]
    #[arg(default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=4))]
    pub database_lanes: u8,
    /// Public address of the API [default: the listen address]
    #[arg(long, env = "TOSTAO_BASE_URL", value_name = "URL")]
    pub base_url: Option<Url>,
    /// Public address of the hosted checkout [default: the listen address]
    #[arg(long, env = "TOSTAO_CHECKOUT_URL", value_name = "URL")]
    pub checkout_url: Option<Url>,
    /// Secret from which every key is derived; at least 32 characters
    #[arg(long, env = "TOSTAO_SECRET_KEY", hide_env_values = true)]
    #[arg(value_name = "SECRET")]
    pub secret_key: Option<String>,
    /// File that holds the secret [default for SQLite: beside the database, made if absent]
    #[arg(long, env = "TOSTAO_SECRET_KEY_FILE", value_name = "FILE")]
    pub secret_key_file: Option<PathBuf>,
    /// Secret before this one: what was sealed and signed with it is still read
    #[arg(long, env = "TOSTAO_SECRET_KEY_PREVIOUS", hide_env_values = true)]
    #[arg(value_name = "SECRET")]
    pub secret_key_previous: Option<String>,
    /// Whether strangers may open accounts
    #[arg(long, env = "TOSTAO_REGISTRATION", default_value = "open")]
    pub registration: Registration,
    /// Whether there is simulated money: development keys' charges and test cards
    #[arg(long, env = "TOSTAO_SANDBOX", default_value = "on")]
    pub sandbox: Switch,
    /// Let webhook addresses be http and on this machine; for tests only
    #[arg(long, env = "TOSTAO_ALLOW_LOCAL_WEBHOOKS", default_value = "false")]
    #[arg(num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub allow_local_webhooks: bool,
    /// Whether rate limits hold
    #[arg(long, env = "TOSTAO_RATE_LIMITS", default_value = "on")]
    pub rate_limits: Switch,
    /// Other limits by zone, like `login=10/60+30/3600,public=500/1` (count/seconds)
    #[arg(long, env = "TOSTAO_RATE_LIMIT_OVERRIDES", default_value = "")]
    #[arg(value_name = "LIST", hide_default_value = true)]
    pub rate_limit_overrides: Overrides,
    /// Addresses or networks of proxies whose X-Forwarded-For is believed, comma separated
    #[arg(long, env = "TOSTAO_TRUSTED_PROXIES", value_delimiter = ',')]
    #[arg(value_name = "CIDR")]
    pub trusted_proxies: Vec<String>,
    /// Address and port for Prometheus metrics [default: off]
    #[arg(long, env = "TOSTAO_METRICS_LISTEN", value_name = "ADDRESS")]
    #[arg(value_parser = address_and_port)]
    pub metrics_listen: Option<SocketAddr>,
    /// What to log, like `info` or `tostao=debug`
    #[arg(long, env = "TOSTAO_LOG", default_value = "info", value_name = "FILTER")]
    pub log: String,
    /// How to log [default: text on a terminal, else json]
    #[arg(long, env = "TOSTAO_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,
    /// Which API requests merchants find in their request log in production; in development, all
    #[arg(long, env = "TOSTAO_REQUEST_LOG", default_value = "writes")]
    pub request_log: RequestLogLevel,
    /// How many days entries of the audit log are kept
    #[arg(long, global = true, env = "TOSTAO_AUDIT_DAYS", default_value_t = 1_825)]
    #[arg(value_parser = clap::value_parser!(u32).range(365..=3_650))]
    pub audit_days: u32,
    /// Fixed fee on every paid PIX, in cents
    #[arg(long, env = "TOSTAO_PIX_FEE_CENTS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(i64).range(0..=100_000))]
    pub pix_fee_cents: i64,
    /// Proportional fee on every paid PIX, in basis points
    #[arg(long, env = "TOSTAO_PIX_FEE_BASIS_POINTS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub pix_fee_basis_points: u32,
    /// Fixed fee on every paid boleto, in cents
    #[arg(long, env = "TOSTAO_BOLETO_FEE_CENTS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(i64).range(0..=100_000))]
    pub boleto_fee_cents: i64,
    /// Proportional fee on every paid boleto, in basis points
    #[arg(long, env = "TOSTAO_BOLETO_FEE_BASIS_POINTS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub boleto_fee_basis_points: u32,
    /// Fixed fee on every paid card payment, in cents
    #[arg(long, env = "TOSTAO_CARD_FEE_CENTS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(i64).range(0..=100_000))]
    pub card_fee_cents: i64,
    /// Proportional fee on every paid card payment, in basis points
    #[arg(long, env = "TOSTAO_CARD_FEE_BASIS_POINTS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub card_fee_basis_points: u32,
    /// How many days an affiliate waits for the commission of a PIX or a boleto
    #[arg(long, env = "TOSTAO_AFFILIATE_HOLD_DAYS", default_value_t = 7)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=365))]
    pub affiliate_hold_days: u32,
    /// How many days an affiliate waits for the commission of a card payment
    #[arg(long, env = "TOSTAO_AFFILIATE_CARD_HOLD_DAYS", default_value_t = 30)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=365))]
    pub affiliate_card_hold_days: u32,
    /// Fixed fee on every withdrawal, in cents
    #[arg(long, env = "TOSTAO_WITHDRAWAL_FEE_CENTS", default_value_t = 80)]
    #[arg(value_parser = clap::value_parser!(i64).range(0..=100_000))]
    pub withdrawal_fee_cents: i64,
    /// How much a merchant may withdraw in a day of São Paulo, in cents
    #[arg(long, env = "TOSTAO_WITHDRAWAL_DAILY_CAP_CENTS")]
    #[arg(default_value_t = 10_000_000, value_parser = clap::value_parser!(i64).range(0..))]
    pub withdrawal_daily_cap_cents: i64,
    /// How much a merchant without a CNPJ may withdraw from 20:00 to 6:00, in cents
    #[arg(long, env = "TOSTAO_WITHDRAWAL_NIGHT_CAP_CENTS")]
    #[arg(default_value_t = 100_000, value_parser = clap::value_parser!(i64).range(0..))]
    pub withdrawal_night_cap_cents: i64,
    /// Whether the caps on withdrawals hold for simulated money, too
    #[arg(long, env = "TOSTAO_WITHDRAWAL_CAPS_IN_DEVELOPMENT")]
    #[arg(default_value = "off")]
    pub withdrawal_caps_in_development: Switch,
    /// What an invited merchant has to sell in 90 days, in cents
    #[arg(long, env = "TOSTAO_REFERRAL_GOAL_CENTS", default_value_t = 100_000)]
    #[arg(value_parser = clap::value_parser!(i64).range(1..))]
    pub referral_goal_cents: i64,
    /// What that earns the inviter, once, in cents
    #[arg(long, env = "TOSTAO_REFERRAL_FIXED_CENTS", default_value_t = 5_000)]
    #[arg(value_parser = clap::value_parser!(i64).range(0..=1_000_000_000))]
    pub referral_fixed_cents: i64,
    /// What part of the invited merchant's sales of twelve months is earned, in basis points
    #[arg(long, env = "TOSTAO_REFERRAL_BASIS_POINTS", default_value_t = 50)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub referral_basis_points: u32,
    /// Whether withdrawals are paid without an administrator's approval
    #[arg(long, env = "TOSTAO_AUTO_PAYOUTS", default_value = "off")]
    pub auto_payouts: Switch,
    /// Interest on an advance, a month, in basis points
    #[arg(long, env = "TOSTAO_ADVANCE_RATE_BASIS_POINTS", default_value_t = 299)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=2_000))]
    pub advance_rate_basis_points: u32,
    /// How much of what can be advanced a merchant may take, in percent
    #[arg(long, env = "TOSTAO_ADVANCE_LIMIT_PERCENT", default_value_t = 80)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    pub advance_limit_percent: u32,
    /// For how many years payments that brought money say who paid, once their client is deleted
    #[arg(long, global = true, env = "TOSTAO_RETENTION_YEARS", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    pub retention_years: u32,
    #[command(flatten)]
    pub mail: MailSettings,
    #[command(flatten)]
    pub dashboard: DashboardSettings,
    /// What hashing a password costs; the tests set less, an operator cannot.
    #[arg(skip)]
    pub password_cost: PasswordCost,
}

/// What hashing one password costs, in Argon2's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordCost {
    pub memory_kib: u32,
    pub passes: u32,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

/// Which requests are logged in production. In development all are, unless it is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RequestLogLevel {
    Off,
    /// What was refused.
    Errors,
    /// That, and every request that may have changed something.
    Writes,
    All,
}

/// Whether anyone may open an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Registration {
    Open,
    Closed,
}

impl Default for PasswordCost {
    /// OWASP's recommendation for Argon2id without parallelism.
    fn default() -> Self {
        Self { memory_kib: 19_456, passes: 2 }
    }
}

impl Storage {
    /// The path of the SQLite database; `None` for PostgreSQL.
    pub fn sqlite_path(&self) -> Option<&Path> {
        self.database_url.strip_prefix("sqlite:").map(Path::new)
    }

    /// Fails if the SQLite database does not exist.
    pub fn ensure_exists(&self) -> anyhow::Result<()> {
        let missing = self.sqlite_path().filter(|path| !path.exists());
        missing.map_or(Ok(()), |path| {
            bail!(
                "{} does not exist; `tostao migrate` and `tostao serve` make a new one",
                path.display()
            )
        })
    }

    /// Refuses a URL of an unknown kind.
    pub fn check(&self) -> anyhow::Result<()> {
        let known = self.sqlite_path().is_some() || self.database_url.starts_with("postgres");
        ensure!(known, "TOSTAO_DATABASE_URL must start with sqlite: or postgres://");
        Ok(())
    }
}

impl Settings {
    /// Refuses settings that cannot work together.
    pub fn check(&self) -> anyhow::Result<()> {
        self.storage.check()?;
        self.mail.check()?;
        TrustedProxies::parse(&self.trusted_proxies).context("TOSTAO_TRUSTED_PROXIES")?;
        for (name, url) in [("BASE", &self.base_url), ("CHECKOUT", &self.checkout_url)] {
            if let Some(url) = url {
                let plain = matches!(url.scheme(), "http" | "https")
                    && url.query().is_none()
                    && url.fragment().is_none();
                ensure!(
                    plain,
                    "TOSTAO_{name}_URL must be an http or https address without a query"
                );
            }
        }
        let shared = self.storage.sqlite_path().is_none();
        if shared && self.secret_key.is_none() && self.secret_key_file.is_none() {
            bail!("TOSTAO_SECRET_KEY (or _FILE) is required with PostgreSQL: every node needs it");
        }
        let secrets = [("", &self.secret_key), ("_PREVIOUS", &self.secret_key_previous)];
        for (name, secret) in secrets {
            let long = secret.as_ref().is_none_or(|secret| secret.len() >= SECRET_LENGTH_MIN);
            ensure!(
                long,
                "TOSTAO_SECRET_KEY{name} must have at least {SECRET_LENGTH_MIN} characters"
            );
        }
        self.kept_secret().map(drop)
    }

    /// Also checks what only a server needs.
    pub fn check_to_serve(&self) -> anyhow::Result<()> {
        self.check()?;
        telemetry::check_filter(&self.log).context("TOSTAO_LOG")?;
        let listen = self.listener.listen;
        let taken = self.metrics_listen.filter(|metrics| {
            let anywhere = metrics.ip().is_unspecified() || listen.ip().is_unspecified();
            let same = anywhere || metrics.ip() == listen.ip();
            same && metrics.port() == listen.port() && metrics.port() != 0
        });
        match taken {
            Some(metrics) => bail!(
                "TOSTAO_METRICS_LISTEN ({metrics}) must use another port than TOSTAO_LISTEN \
                 ({listen})"
            ),
            None => Ok(()),
        }
    }

    /// The public URL of the API, without a trailing slash.
    pub fn base_url(&self) -> String {
        self.public(self.base_url.as_ref())
    }

    /// The public URL of the checkout, without a trailing slash.
    pub fn checkout_url(&self) -> String {
        self.public(self.checkout_url.as_ref())
    }

    /// Which addresses webhooks may have.
    pub fn webhook_policy(&self) -> Policy {
        Policy { allow_local: self.allow_local_webhooks }
    }

    /// The file of the secret; `None` if the secret is set directly.
    pub fn secret_file(&self) -> Option<PathBuf> {
        let beside = || self.storage.sqlite_path().map(|path| path.with_extension("secret"));
        let file = self.secret_key_file.clone().or_else(beside);
        file.filter(|_| self.secret_key.is_none())
    }

    /// Derives the keys; creates the secret beside a SQLite database that has none yet.
    pub fn secrets(&self, fresh: impl FnOnce() -> String) -> anyhow::Result<Secrets> {
        let secrets = Secrets::derive(&self.secret(fresh)?);
        Ok(match &self.secret_key_previous {
            Some(previous) => secrets.after(previous),
            None => secrets,
        })
    }

    fn secret(&self, fresh: impl FnOnce() -> String) -> anyhow::Result<String> {
        if let Some(secret) = self.kept_secret()? {
            return Ok(secret);
        }
        let Some(path) = self.secret_file() else { bail!("TOSTAO_SECRET_KEY is required") };
        let secret = fresh();
        write_secret(&path, &secret)?;
        tracing::info!(
            "a new secret was created in {}; back it up, in another place than the database",
            path.display()
        );
        Ok(secret)
    }

    /// The configured or stored secret; `None` if the first start has yet to create it.
    fn kept_secret(&self) -> anyhow::Result<Option<String>> {
        if let Some(secret) = &self.secret_key {
            return Ok(Some(secret.clone()));
        }
        let Some(path) = self.secret_file() else { return Ok(None) };
        if !path.exists() && self.secret_key_file.is_none() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read the secret in {}", path.display()))?;
        let secret = text.trim();
        ensure!(
            secret.len() >= SECRET_LENGTH_MIN,
            "{} must hold at least {SECRET_LENGTH_MIN} characters",
            path.display()
        );
        Ok(Some(secret.to_owned()))
    }

    /// The settings in force, secrets hidden, in the order of `--help`.
    pub fn shown(&self) -> Vec<(&'static str, String)> {
        let hidden = |given: bool| if given { HIDDEN } else { "" }.to_owned();
        let own = vec![
            ("TOSTAO_DATABASE_URL", without_password(&self.storage.database_url)),
            ("TOSTAO_DATABASE_LANES", self.database_lanes.to_string()),
            ("TOSTAO_LISTEN", self.listener.listen.to_string()),
            ("TOSTAO_BASE_URL", self.base_url()),
            ("TOSTAO_CHECKOUT_URL", self.checkout_url()),
            ("TOSTAO_SECRET_KEY", hidden(self.secret_key.is_some())),
            ("TOSTAO_SECRET_KEY_FILE", shown_path(self.secret_file().as_deref())),
            ("TOSTAO_SECRET_KEY_PREVIOUS", hidden(self.secret_key_previous.is_some())),
            ("TOSTAO_REGISTRATION", word(&self.registration)),
            ("TOSTAO_SANDBOX", word(&self.sandbox)),
            ("TOSTAO_ALLOW_LOCAL_WEBHOOKS", self.allow_local_webhooks.to_string()),
            ("TOSTAO_RATE_LIMITS", word(&self.rate_limits)),
            ("TOSTAO_RATE_LIMIT_OVERRIDES", self.rate_limit_overrides.to_string()),
            ("TOSTAO_TRUSTED_PROXIES", self.trusted_proxies.join(",")),
            (
                "TOSTAO_METRICS_LISTEN",
                self.metrics_listen.map(|a| a.to_string()).unwrap_or_default(),
            ),
            ("TOSTAO_LOG", self.log.clone()),
            ("TOSTAO_LOG_FORMAT", self.log_format.as_ref().map(word).unwrap_or_default()),
            ("TOSTAO_AUDIT_DAYS", self.audit_days.to_string()),
            ("TOSTAO_PIX_FEE_CENTS", self.pix_fee_cents.to_string()),
            ("TOSTAO_PIX_FEE_BASIS_POINTS", self.pix_fee_basis_points.to_string()),
            ("TOSTAO_BOLETO_FEE_CENTS", self.boleto_fee_cents.to_string()),
            ("TOSTAO_BOLETO_FEE_BASIS_POINTS", self.boleto_fee_basis_points.to_string()),
            ("TOSTAO_CARD_FEE_CENTS", self.card_fee_cents.to_string()),
            ("TOSTAO_CARD_FEE_BASIS_POINTS", self.card_fee_basis_points.to_string()),
            ("TOSTAO_AFFILIATE_HOLD_DAYS", self.affiliate_hold_days.to_string()),
            ("TOSTAO_AFFILIATE_CARD_HOLD_DAYS", self.affiliate_card_hold_days.to_string()),
            ("TOSTAO_WITHDRAWAL_FEE_CENTS", self.withdrawal_fee_cents.to_string()),
            ("TOSTAO_WITHDRAWAL_DAILY_CAP_CENTS", self.withdrawal_daily_cap_cents.to_string()),
            ("TOSTAO_WITHDRAWAL_NIGHT_CAP_CENTS", self.withdrawal_night_cap_cents.to_string()),
            ("TOSTAO_WITHDRAWAL_CAPS_IN_DEVELOPMENT", word(&self.withdrawal_caps_in_development)),
            ("TOSTAO_REFERRAL_GOAL_CENTS", self.referral_goal_cents.to_string()),
            ("TOSTAO_REFERRAL_FIXED_CENTS", self.referral_fixed_cents.to_string()),
            ("TOSTAO_REFERRAL_BASIS_POINTS", self.referral_basis_points.to_string()),
            ("TOSTAO_AUTO_PAYOUTS", word(&self.auto_payouts)),
            ("TOSTAO_ADVANCE_RATE_BASIS_POINTS", self.advance_rate_basis_points.to_string()),
            ("TOSTAO_ADVANCE_LIMIT_PERCENT", self.advance_limit_percent.to_string()),
            ("TOSTAO_RETENTION_YEARS", self.retention_years.to_string()),
        ];
        own.into_iter().chain(self.mail.shown()).chain(self.dashboard.shown()).collect()
    }

    fn public(&self, given: Option<&Url>) -> String {
        let own = || format!("http://{}", self.listener.listen);
        given.map_or_else(own, |url| url.as_str().trim_end_matches('/').to_owned())
    }
}

fn address_and_port(text: &str) -> Result<SocketAddr, String> {
    let read = text.parse();
    read.map_err(|_| match text.trim_start_matches(':').parse::<u16>() {
        Ok(port) => format!("the address before the port is missing, as in 127.0.0.1:{port}"),
        Err(_) => "write an IP address and a port, like 127.0.0.1:8080".to_owned(),
    })
}

fn word(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn shown_path(path: Option<&Path>) -> String {
    path.map(|path| path.display().to_string()).unwrap_or_default()
}

/// Hides a URL's password without a URL parser, because drivers accept more than a parser does.
fn without_password(url: &str) -> String {
    if url.starts_with("sqlite:") {
        return url.to_owned();
    }
    let Some((scheme, rest)) = url.split_once("://") else { return HIDDEN.to_owned() };
    // A password that was not percent-encoded may contain any character, also an at sign.
    let rest = match rest.rsplit_once('@').map(|(who, place)| (who.split_once(':'), place)) {
        Some((Some((user, _)), place)) => format!("{user}:{HIDDEN}@{place}"),
        _ => rest.to_owned(),
    };
    let Some((place, query)) = rest.split_once('?') else { return format!("{scheme}://{rest}") };
    let query: Vec<_> = query.split('&').map(without_value).collect();
    format!("{scheme}://{place}?{}", query.join("&"))
}

/// A parameter of a URL; hides the value where it is, or may be, a password.
fn without_value(parameter: &str) -> String {
    match parameter.split_once('=') {
        Some((name, _)) if name.contains("password") || name.contains('%') => {
            format!("{name}={HIDDEN}")
        }
        _ => parameter.to_owned(),
    }
}

fn write_secret(path: &Path, secret: &str) -> anyhow::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let shown = path.display();
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_folder(folder).with_context(|| format!("cannot create the folder of {shown}"))?;
    }
    let mut options = std::fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .with_context(|| format!("cannot write {shown}"))?;
    file.write_all(secret.as_bytes())?;
    file.sync_all()?;
    Ok(())
}
