//! No picture of this process's memory is written to a disk: it holds the secrets of banks, which
//! are sealed everywhere else.

use rustix::process::{Resource, Rlimit, setrlimit};

/// Keeps the system from writing core dumps of this process, and on Linux also other processes of
/// the same user from reading its memory.
///
/// A system that cannot is no reason not to run.
pub fn disable() {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let _ = setrlimit(Resource::Core, none);
    // A program that dumps are piped to does not heed the limit.
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}
