//! `tostao verify`: whether a webhook is signed, without a server.

use std::io::{Read, stdin};

use clap::Args;
use serde_json::json;

use crate::commands::client::Done;
use crate::commands::client::api::PrintArgs;
use crate::commands::client::failure::Failure;
use crate::commands::client::terminal::Terminal;
use crate::platform::messages::Lang;
use crate::platform::system_clock;
use crate::webhooks::verification::{Difference, Mistake, Received, Verdict, verify};

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
    let received = Received {
        body: &body,
        own: args.header("x-webhook-signature").or_else(|| args.header("x-service-signature")),
        standard: args.header("webhook-signature"),
        id: args.header("webhook-id").or_else(|| args.header("x-webhook-id")),
        timestamp: args.header("webhook-timestamp").or_else(|| args.header("x-webhook-timestamp")),
    };
    let mut secrets = args.secret.iter().map(String::as_str);
    let (secret, others) = (secrets.next().unwrap_or_default(), secrets.collect::<Vec<_>>());
    let now = system_clock::system().now().seconds();
    let lang = terminal.lang;
    match verify(&received, (secret, &others), (now, args.skew.into())) {
        Verdict::Verified => {
            terminal.print(|| lang.cli_verified().to_owned(), &json!({ "verified": true }))
        }
        Verdict::Unsigned => Err(Failure::fault(lang.cli_unsigned())),
        Verdict::Unexplained => Err(Failure::fault(lang.cli_unexplained())),
        Verdict::Mistaken(mistake, difference) => {
            let mut text = said(lang, mistake);
            if let Some(Difference { received, signed }) = difference {
                text = format!("{text}\n{}", lang.cli_difference(received, signed));
            }
            let message = format!("{} {text}", lang.cli_not_verified());
            Err(Failure::Fault { message, details: json!({ "mistake": code(mistake) }) })
        }
    }
}

/// The name of a mistake, for a script.
fn code(mistake: Mistake) -> &'static str {
    match mistake {
        Mistake::Stale { .. } => "STALE",
        Mistake::Milliseconds => "MILLISECONDS",
        Mistake::Spaces => "SPACES",
        Mistake::Escapes => "ESCAPES",
        Mistake::LineBreakAdded => "LINE_BREAK_ADDED",
        Mistake::LineBreakLost => "LINE_BREAK_LOST",
        Mistake::CarriageReturns => "CARRIAGE_RETURNS",
        Mistake::Encoding => "ENCODING",
        Mistake::ByteOrderMark => "BYTE_ORDER_MARK",
        Mistake::SecretSpaced => "SECRET_SPACED",
        Mistake::SecretWithoutPrefix => "SECRET_WITHOUT_PREFIX",
        Mistake::OtherSecret => "OTHER_SECRET",
        Mistake::SecretNotDecoded => "SECRET_NOT_DECODED",
        Mistake::SecretDecoded => "SECRET_DECODED",
        Mistake::Hexadecimal => "HEXADECIMAL",
        Mistake::UrlAlphabet => "URL_ALPHABET",
        Mistake::OtherMessage => "OTHER_MESSAGE",
    }
}

fn said(lang: Lang, mistake: Mistake) -> String {
    let text = match mistake {
        Mistake::Stale { seconds } => return lang.cli_stale(seconds),
        Mistake::Milliseconds => lang.cli_milliseconds(),
        Mistake::Spaces => lang.cli_spaces(),
        Mistake::Escapes => lang.cli_escapes(),
        Mistake::LineBreakAdded => lang.cli_line_break_added(),
        Mistake::LineBreakLost => lang.cli_line_break_lost(),
        Mistake::CarriageReturns => lang.cli_carriage_returns(),
        Mistake::Encoding => lang.cli_encoding(),
        Mistake::ByteOrderMark => lang.cli_byte_order_mark(),
        Mistake::SecretSpaced => lang.cli_secret_spaced(),
        Mistake::SecretWithoutPrefix => lang.cli_secret_without_prefix(),
        Mistake::OtherSecret => lang.cli_other_secret(),
        Mistake::SecretNotDecoded => lang.cli_secret_not_decoded(),
        Mistake::SecretDecoded => lang.cli_secret_decoded(),
        Mistake::Hexadecimal => lang.cli_hexadecimal(),
        Mistake::UrlAlphabet => lang.cli_url_alphabet(),
        Mistake::OtherMessage => lang.cli_other_message(),
    };
    text.to_owned()
}
