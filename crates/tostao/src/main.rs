//! The command line.

use std::process::ExitCode;

use tostao::commands::{complain, read, run};

fn main() -> ExitCode {
    let cli = read();
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = built.map_err(anyhow::Error::from).and_then(|runtime| runtime.block_on(run(cli)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}
