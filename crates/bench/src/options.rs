//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::load::Plan;

/// Measures the product, and the limits of the machine it runs on, in the same run
///
/// The server is the binary of the packages: `cargo build --profile dist` first. It has one core
/// and the generator the other, TLS is off, and every run has an empty database of its own.
/// Throughput is measured with callers who wait for each other's answers; every percentile with a
/// timetable that does not wait (at 50 % and 80 % of that throughput), from when a request should
/// have left.
///
/// Each line of the output is one JSON object. Percentiles at its top are those at 50 %. Ratios say
/// how much of a limit is kept; the limit was measured in the same run. Results depend on the disk,
/// so every line has the measured time of a sync. A line whose `generator_share` is near 1 was held
/// up by the generator, one whose `others_share` is far from 0 by other programs, and one whose
/// `stolen_share` is by other machines on the same host: all three say nothing about the product.
/// A line is `void` if other programs took more than a tenth of the generator's core, or other
/// machines more than a hundredth of a core.
///
/// On PostgreSQL: `cargo xtask postgres -- cargo run --profile dist -p bench -- w2` starts a
/// throwaway cluster that never waits for the disk; the lines then say `"durable": false`. For
/// durable figures start a cluster with its own settings and name it with --postgres.
#[derive(Debug, Parser)]
#[command(name = "bench", version, verbatim_doc_comment, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub options: Options,
}

/// What to measure.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Everything below
    All,
    /// Create a payment link
    W1,
    /// A full charge: create, bank callback, ledger, counters, events, one webhook delivery
    W2,
    /// The hosted checkout page
    W3,
    /// One event to 1 and to 10 subscribers
    W4,
    /// Try a coupon: codes that are good, and as many that do not exist
    W5,
    /// W2 beside more and more existing transactions; SQLite only
    W6,
    /// Lists of payments: first page, last numbered page, deep cursor; SQLite only
    W7,
    /// A billing run of many subscriptions, a tenth of them declined, beside W2; SQLite only
    W8,
    /// W2 with every charge on one merchant, and spread over many
    W9,
    /// W2 with half of all requests repeated, and twins who ask at the same time
    W10,
    /// Sign-ins beside a flood of them from another address
    SignIn,
    /// Charges of one merchant, alone and beside another one whose webhooks are answered for ever
    W11,
    /// Real money by a fake of a bank: what the product adds to the bank's own time for a PIX
    /// charge, how long many notices take to be booked, and the API beside a bank that hangs
    W12,
    /// A page of the reference beside the checkout page, and what an idempotency key stands for
    W13,
    /// The pages of the dashboard of a merchant with a long history, beside W2 at half its rate,
    /// and an export of all their payments
    W14,
    /// Memory at rest and after a load, start and size of the binary
    Footprint,
    /// What this machine could do at best: L1 to L3 (L5 and L6 on PostgreSQL), L7 to L9
    Limits,
    #[command(hide = true, subcommand)]
    Helper(Helper),
}

/// A process that stands in for the product while a limit is measured.
#[derive(Debug, Clone, Subcommand)]
pub enum Helper {
    /// Answers every JSON body with the same
    Echo,
    /// Is Efí, faked, and puts its certificates into a folder
    Bank { folder: PathBuf },
    /// Answers with so many bytes
    Page { bytes: usize },
    /// Posts to an address for a while, and prints how often it was answered
    Post { address: SocketAddr, bytes: usize, callers: usize, seconds: f64 },
    /// Is the product itself without HTTP, and prints how many charges a second it makes
    Charges { file: PathBuf, callers: usize, warm_up: f64, seconds: f64 },
}

/// How to measure.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// How long each phase counts, in seconds
    #[arg(long, global = true, default_value_t = 10.0, value_name = "SECONDS")]
    pub duration: f64,
    /// How long each phase runs before it counts, in seconds
    #[arg(long, global = true, default_value_t = 3.0, value_name = "SECONDS")]
    pub warm_up: f64,
    /// Callers at the same time; the server lets at most 200 connect from one address
    #[arg(long, global = true, default_value_t = 64, value_name = "COUNT")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=190))]
    pub connections: u8,
    /// Also measure the confirm call of W2 at these fixed rates, in charges per second
    #[arg(long, global = true, value_delimiter = ',', value_name = "RATES")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub rates: Vec<u32>,
    /// Skip the limits that a workload is compared with; its lines then have no ratio to them
    #[arg(long, global = true)]
    pub no_limits: bool,
    /// Measure on this PostgreSQL cluster instead of on SQLite
    #[arg(long, global = true, env = "TOSTAO_TEST_DATABASE_URL", hide_env_values = true)]
    #[arg(value_name = "URL")]
    pub postgres: Option<String>,
    /// Run TPC-B on this PostgreSQL cluster beside W2 and W9 [default: that of --postgres]
    #[arg(long, global = true, value_name = "URL")]
    pub yardstick: Option<String>,
    /// The scale of TPC-B; 50 is about 750 MB
    #[arg(long, global = true, default_value_t = 50, value_name = "SCALE")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub tpcb_scale: u16,
    /// Hold every byte between the server and PostgreSQL for this long in each direction, in
    /// microseconds, as a network would
    #[arg(long, global = true, value_name = "MICROSECONDS", requires = "postgres")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub network_delay_us: Option<u32>,
    /// How many nodes W9 loads, all on the server's core
    #[arg(long, global = true, default_value_t = 1, value_name = "COUNT", requires = "postgres")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=8))]
    pub nodes: u8,
    /// Where databases are put, on the disk that is to be measured [default: the temporary folder]
    #[arg(long, global = true, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Existing transactions in W6; W7 takes the largest number
    #[arg(
        long = "sizes",
        alias = "rows",
        global = true,
        value_delimiter = ',',
        default_value = "10000,1000000"
    )]
    #[arg(value_name = "COUNTS")]
    pub sizes: Vec<u64>,
    /// How long loading them may take at most, in seconds; W6 and W7 then go on with fewer
    #[arg(long, global = true, default_value_t = 900, value_name = "SECONDS")]
    pub load_time: u64,
    /// How often W6 and W7 measure what they loaded
    #[arg(long, global = true, default_value_t = 1, value_name = "COUNT")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=100))]
    pub rounds: u16,
    /// Subscriptions that W8 bills
    #[arg(long, global = true, default_value_t = 100_000, value_name = "COUNT")]
    #[arg(value_parser = clap::value_parser!(u64).range(1_000..))]
    pub subscriptions: u64,
    /// Notices of payments that W12 sends
    #[arg(long, global = true, default_value_t = 10_000, value_name = "COUNT")]
    pub notices: usize,
    /// Merchants over whom W9 spreads the charges
    #[arg(long, global = true, default_value_t = 64, value_name = "COUNT")]
    pub merchants: usize,
    /// Payment links of W3, of which every twentieth gets four fifths of the visits
    #[arg(long, global = true, default_value_t = 1_000, value_name = "COUNT")]
    pub links: usize,
}

impl Options {
    /// How long each phase takes.
    pub fn plan(&self) -> Plan {
        Plan {
            warm_up: Duration::from_secs_f64(self.warm_up),
            measure: Duration::from_secs_f64(self.duration),
        }
    }

    /// Callers at the same time.
    pub fn callers(&self) -> usize {
        usize::from(self.connections)
    }

    /// Where databases are put.
    pub fn folder(&self) -> PathBuf {
        self.folder.clone().unwrap_or_else(std::env::temp_dir)
    }
}

#[cfg(test)]
mod tests {
    use clap::builder::Resettable;
    use clap::{CommandFactory, Parser};

    use super::Cli;

    #[test]
    fn the_sizes_of_a_history_are_a_list() {
        for name in ["--sizes", "--rows"] {
            let parsed = Cli::try_parse_from(["bench", "w6", name, "10000,10000000"]);
            assert_eq!(parsed.unwrap().options.sizes, [10_000, 10_000_000], "{name}");
        }
    }

    #[test]
    fn a_network_is_only_between_the_server_and_postgres() {
        let alone = ["bench", "w2", "--network-delay-us", "250"];
        // The environment of a test run may name a cluster.
        let command = Cli::command().mut_arg("postgres", |arg| arg.env(Resettable::Reset));
        assert!(command.try_get_matches_from(alone).is_err());
        let both = Cli::try_parse_from([&alone[..], &["--postgres", "postgres://h/x"]].concat());
        assert_eq!(both.unwrap().options.network_delay_us, Some(250));
    }

    #[test]
    fn rates_are_a_list_of_positive_numbers() {
        let rates = |text: &str| {
            let parsed = Cli::try_parse_from(["bench", "w2", "--rates", text]);
            parsed.ok().map(|cli| cli.options.rates)
        };
        assert_eq!(rates("600,950"), Some(vec![600, 950]));
        assert_eq!(rates("600"), Some(vec![600]));
        for wrong in ["0", "600,", "-1", "fast", "100001"] {
            assert_eq!(rates(wrong), None, "{wrong}");
        }
    }
}
