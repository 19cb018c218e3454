//! The program.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Returns the memory of a burst, such as many password hashes, to the system; the system's own
/// allocator never does.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    tostao::commands::main()
}
