//! CPU pinning: the server on one core, everything that loads it on the other.
//!
//! Pinning uses `taskset`, because the code here may not call the system directly. A machine with
//! one core, or without `taskset`, is measured anyway, and the report says so.

use std::ffi::OsStr;
use std::num::NonZero;
use std::process::{Command, Stdio};

use serde::Serialize;

/// The assignment of cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cores {
    /// The server on core 0 and the generator on core 1.
    Apart,
    /// Both wherever the system schedules them.
    Shared,
}

const SERVER: &str = "0";
const GENERATOR: &str = "1";

impl Cores {
    /// Moves this process to the generator's core; must be called before its first thread.
    pub fn take() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let own = std::process::id().to_string();
        if cores >= 2 && taskset(&["-pc", GENERATOR, &own]) { Self::Apart } else { Self::Shared }
    }

    /// The generator's own core.
    pub fn generator(self) -> Option<&'static str> {
        (self == Self::Apart).then_some(GENERATOR)
    }

    /// A command that will run on the server's core.
    pub fn server_command(self, program: impl AsRef<OsStr>) -> tokio::process::Command {
        let mut command = match self {
            Self::Apart => {
                let mut command = tokio::process::Command::new("taskset");
                command.args(["-c", SERVER]).arg(program);
                command
            }
            Self::Shared => tokio::process::Command::new(program),
        };
        command.kill_on_drop(true).stdin(Stdio::null());
        command
    }

    /// Moves a running process and its threads to the server's core; false without permission.
    pub fn move_to_server(self, pid: u32) -> bool {
        self == Self::Apart && taskset(&["-apc", SERVER, &pid.to_string()])
    }
}

/// Lets a process run on all cores again.
pub fn release(pid: u32) {
    let last = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    // A process that has ended meanwhile needs no reset.
    taskset(&["-apc", last.trim(), &pid.to_string()]);
}

fn taskset(arguments: &[&str]) -> bool {
    let mut command = Command::new("taskset");
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
