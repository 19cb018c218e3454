//! `tostao verify`: whether a webhook is signed, without a server.

use std::io::{Read, stdin};

use clap::Args;
use serde_json::{Value, json};
use url::Url;

use crate::commands::client::Done;
use crate::commands::client::api::{PrintArgs, SERVER};
use crate::commands::client::failure::Failure;
use crate::commands::client::terminal::Terminal;
use crate::events::names::Name;
use crate::platform::messages::with_addresses;
use crate::platform::system_clock;
use crate::samples;
use crate::webhooks::verification::{Difference, Known, Mistake, Received, Verdict, verify};

/// The file name that stands for the standard input.
const INPUT: &str = "-";

/// The arguments of `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The webhook's secret, which lists of processes show; better in the environment. Others, such
    /// as that of the other mode, explain a mistake
    #[arg(
        long,
        env = "TOSTAO_WEBHOOK_SECRET",
        hide_env_values = true,
        value_name = "SECRET",
        required = true
    )]
    secret: Vec<String>,
    /// A header that came, as 'Name: value'; repeatable
    #[arg(long = "header", short = 'H', value_name = "HEADER", required = true)]
    headers: Vec<String>,
    /// The file with the body as it came; "-" is the standard input
    #[arg(long, value_name = "FILE", default_value = INPUT)]
    body: String,
    /// How many seconds old a signature may be
    #[arg(long, default_value = "60", value_name = "SECONDS")]
    skew: u32,
    /// The server whose documentation is named; it is not called
    #[arg(long, env = "TOSTAO_SERVER", default_value = SERVER, value_name = "URL")]
    server: Url,
    #[command(flatten)]
    print: PrintArgs,
}

impl VerifyArgs {
    /// Where the command prints.
    pub fn terminal(&self) -> Terminal {
        self.print.terminal()
    }

    /// The value of a header, whatever the case of its name.
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.headers.iter().filter_map(|line| line.split_once(':'));
        let mut found = lines.filter(|(known, _)| known.trim().eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.trim())
    }

    fn body(&self) -> anyhow::Result<Vec<u8>> {
        let mut body = Vec::new();
        if self.body == INPUT {
            stdin().lock().read_to_end(&mut body)?;
            return Ok(body);
        }
        let read = std::fs::read(&self.body);
        anyhow::Context::with_context(read, || format!("{} cannot be read", self.body))
    }
}

/// Verifies; a mistake is a failure that names it.
pub fn run(args: &VerifyArgs) -> Done {
    let (body, terminal) = (args.body()?, args.terminal());
    if let Some(line) = args.headers.iter().find(|line| !line.contains(':')) {
        return Err(Failure::Usage(terminal.lang.cli_no_header(line)));
    }
    let received = Received::new(&body, |name| args.header(name));
    let mut secrets = args.secret.iter().map(String::as_str);
    let secret = secrets.next().unwrap_or_default();
    let others: Vec<_> = secrets.map(|secret| (secret, Mistake::OtherSecret)).collect();
    let like = like(args, &body);
    let known = Known { secret, others: &others, like: like.as_deref() };
    let now = system_clock::system().now().seconds();
    let lang = terminal.lang;
    let addressed = |text: &str| with_addresses(text, args.server.as_str());
    match verify(&received, known, (now, args.skew.into())) {
        Verdict::Verified => {
            terminal.print(|| lang.cli_verified().to_owned(), &json!({ "verified": true }))
        }
        Verdict::Unsigned => Err(Failure::fault(lang.cli_unsigned())),
        Verdict::Unexplained => Err(Failure::fault(addressed(lang.cli_unexplained()))),
        Verdict::Mistaken(mistake, difference) => {
            let mut text = addressed(&mistake.explained(lang));
            if let Some(Difference { received, signed }) = difference {
                text = format!("{text}\n{}", lang.cli_difference(received, signed));
            }
            let message = format!("{} {text}", lang.cli_not_verified());
            Err(Failure::Fault { message, details: json!({ "mistake": mistake.code() }) })
        }
    }
}

/// The body of the sample of the event that came, whose fields are in their order.
fn like(args: &VerifyArgs, body: &[u8]) -> Option<String> {
    let parsed: Option<Value> = serde_json::from_slice(body).ok();
    let named = parsed.as_ref().and_then(|parsed| parsed["event"].as_str());
    let name = args.header("x-webhook-event").or(named)?;
    Name::parse(name).map(samples::body)
}
