//! The command line.

use std::process::ExitCode;

use mimalloc::MiMalloc;
use tostao::commands::{NobodyReads, complain, read, run};

/// Gives back what a burst took, such as the memory of many passwords hashed; the system's own
/// allocator keeps it for good.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// What a shell says of a program that the end of a pipe's reader ended.
const CLOSED_PIPE: u8 = 128 + 13;

fn main() -> ExitCode {
    let cli = read();
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = built.map_err(anyhow::Error::from).and_then(|runtime| runtime.block_on(run(cli)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<NobodyReads>() => ExitCode::from(CLOSED_PIPE),
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}
