//! The command line.

use std::process::ExitCode;

use mimalloc::MiMalloc;
use tostao::commands::{OutputClosed, complain, read, run};

/// Returns the memory of a burst, such as many password hashes, to the system; the system's own
/// allocator never does.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The exit code that a shell reports for a program ended by a closed pipe (SIGPIPE).
const CLOSED_PIPE: u8 = 128 + 13;

fn main() -> ExitCode {
    let cli = read();
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = built.map_err(anyhow::Error::from).and_then(|runtime| runtime.block_on(run(cli)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<OutputClosed>() => ExitCode::from(CLOSED_PIPE),
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}
