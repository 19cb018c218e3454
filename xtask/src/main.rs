//! The project's own commands: the gate and its parts.
//!
//! They are in Rust because every machine that builds the product can run them. Only the judges and
//! the browser tests are in the languages of the libraries they use.

mod browser;
mod ci;
mod command;
mod dependencies;
mod judge;
mod model;
mod packages;
mod postgres;
mod readme;
mod sdk;
mod snapshots;
mod tidy;

use std::process::ExitCode;

use anyhow::{Result, bail};

/// A subcommand of `cargo xtask`.
struct Subcommand {
    name: &'static str,
    usage: &'static str,
    run: fn(&[String]) -> Result<()>,
}

const SUBCOMMANDS: [Subcommand; 11] = [
    Subcommand {
        name: "ci",
        usage: "ci [step…]              every step of the gate, or only the named ones",
        run: ci::run,
    },
    Subcommand {
        name: "tidy",
        usage: "tidy                    the rules of the tree alone",
        run: tidy::run,
    },
    Subcommand {
        name: "judge",
        usage: "judge [seed]            programs of others check webhooks, charges and boletos\n  \
                cargo xtask judge connectors [--bacen FILE] [--mutate]\n                          \
                the providers' own SDKs check connectors and their fake",
        run: judge::run,
    },
    Subcommand {
        name: "sdk",
        usage: "sdk                     clients generated from the OpenAPI document",
        run: sdk::run,
    },
    Subcommand {
        name: "fuzz",
        usage: "fuzz [seed]             Schemathesis asks every operation of the API",
        run: judge::fuzz,
    },
    Subcommand {
        name: "model",
        usage: "model [actions [seed]]    four long random lives on each database",
        run: model::run,
    },
    Subcommand {
        name: "browser",
        usage: "browser [WORDS]…        whole purchases in a real browser, or those so named",
        run: browser::run,
    },
    Subcommand {
        name: "pictures",
        usage: "pictures                the pictures of the README",
        run: browser::take_pictures,
    },
    Subcommand {
        name: "sbom",
        usage: "sbom [platform]         the program's bill of materials, as CycloneDX",
        run: dependencies::sbom::print,
    },
    Subcommand {
        name: "packages",
        usage: "packages                the image and the Debian package, built and tried",
        run: packages::run,
    },
    Subcommand {
        name: "postgres",
        usage: "postgres -- command…    a command beside a throwaway PostgreSQL cluster",
        run: postgres::run,
    },
];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(command::say(&format!("error: {error:#}")));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        bail!("{}", usage());
    };
    match SUBCOMMANDS.iter().find(|subcommand| subcommand.name == name) {
        Some(subcommand) => (subcommand.run)(rest),
        None => bail!("there is no `cargo xtask {name}`\n{}", usage()),
    }
}

fn usage() -> String {
    let lines = SUBCOMMANDS.map(|subcommand| format!("  cargo xtask {}", subcommand.usage));
    format!("usage:\n{}", lines.join("\n"))
}
