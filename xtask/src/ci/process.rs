//! A command that has to end in time, and is stopped with everything that it started if it does
//! not.

use std::fs::{File, read_dir, read_to_string};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use crate::command;

/// How often one who waits for a process looks at what it has printed.
const LOOKED_EVERY: Duration = Duration::from_secs(1);

/// A process that was started.
pub struct Process {
    pid: u32,
    start: Instant,
    /// How it ended, and when.
    ended: Receiver<(std::io::Result<ExitStatus>, Instant)>,
}

impl Process {
    /// Starts a command, which prints into a file.
    #[expect(clippy::disallowed_methods, reason = "it is measured; somebody has to wait for it")]
    pub fn start(command: &mut Command, output: &Path) -> Result<Self> {
        let file = File::create(output)?;
        command.stdout(file.try_clone()?).stderr(file);
        let start = Instant::now();
        let mut child = command.spawn()?;
        let (sender, ended) = channel();
        let pid = child.id();
        // The step that would receive it may have given up.
        std::thread::spawn(move || drop(sender.send((child.wait(), Instant::now()))));
        Ok(Self { pid, start, ended })
    }

    /// Waits for its end, which has to come within a time from its start, and looks at what it has
    /// printed meanwhile.
    pub fn end(self, limit: Duration, mut look: impl FnMut()) -> (Result<()>, Duration) {
        let (status, end) = loop {
            let rest = limit.saturating_sub(self.start.elapsed());
            let ended = self.ended.recv_timeout(rest.min(LOOKED_EVERY));
            look();
            if let Ok(ended) = ended {
                break ended;
            }
            if rest <= LOOKED_EVERY {
                let late =
                    || anyhow!("it had not ended after {} s and was stopped", limit.as_secs_f64());
                return (Err(stop(self.pid).err().unwrap_or_else(late)), self.start.elapsed());
            }
        };
        let outcome = match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(anyhow!("it ended with {status}")),
            Err(error) => Err(error.into()),
        };
        (outcome, end - self.start)
    }
}

/// Stops a process and all that it started, which a signal to the process alone would leave behind.
fn stop(pid: u32) -> Result<()> {
    let mut all = vec![pid.to_string()];
    let mut looked_at = 0;
    while let Some(parent) = all.get(looked_at) {
        all.extend(children(parent));
        looked_at += 1;
    }
    // Some may have ended since.
    command::command(&["kill", "-TERM"])?.args(all).status()?;
    Ok(())
}

fn children(pid: &str) -> Vec<String> {
    let threads = read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let listed = threads.filter_map(|thread| read_to_string(thread.path().join("children")).ok());
    listed.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tempfile::NamedTempFile;

    use super::Process;
    use crate::command::command;

    /// Runs a script; how it ended, and what it printed.
    fn run(script: &str, limit: Duration) -> (Result<(), String>, String) {
        let output = NamedTempFile::new().unwrap();
        let mut shell = command(&["bash", "-c", script]).unwrap();
        let process = Process::start(&mut shell, output.path()).unwrap();
        let (outcome, _) = process.end(limit, || ());
        let printed = std::fs::read_to_string(output.path()).unwrap();
        (outcome.map_err(|error| error.to_string()), printed)
    }

    #[test]
    fn what_ends_in_time_ends_as_it_likes() {
        let limit = Duration::from_mins(1);
        assert_eq!(run("echo done", limit), (Ok(()), "done\n".to_owned()));
        let (outcome, _) = run("exit 3", limit);
        assert_eq!(outcome, Err("it ended with exit status: 3".to_owned()));
    }

    #[test]
    fn what_has_no_end_is_stopped_with_all_that_it_started() {
        let script = "bash -c 'echo $$; while :; do read -t 60 <> <(:); done' & wait";
        let (outcome, printed) = run(script, Duration::from_secs(1));
        assert_eq!(outcome, Err("it had not ended after 1 s and was stopped".to_owned()));
        let grandchild = printed.trim();
        let lives = || std::path::Path::new("/proc").join(grandchild).exists();
        assert!(!grandchild.is_empty());
        while lives() {}
    }
}
