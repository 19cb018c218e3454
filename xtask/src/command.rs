//! Child processes and the lines printed around them.

use std::ffi::OsStr;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// A command made of words, run in the workspace's folder with empty standard input.
///
/// Without standard input a tool that would prompt fails at once instead of waiting.
pub fn command<Word: AsRef<OsStr>>(words: &[Word]) -> Result<Command> {
    let (program, arguments) = words.split_first().context("the command is empty")?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root()).stdin(Stdio::null());
    Ok(command)
}

/// Runs the command to its end; any exit but success is an error that names it.
pub fn run(command: &mut Command) -> Result<()> {
    let line = described(command);
    let status = command.status().with_context(|| format!("`{line}` could not start"))?;
    if !status.success() {
        bail!("`{line}` ended with {status}");
    }
    Ok(())
}

/// Builds the program, as the tests do; returns its path.
pub fn build_program() -> Result<PathBuf> {
    run(&mut command(&["cargo", "build", "--locked", "--package", "tostao"])?)?;
    Ok(root().join("target/debug/tostao"))
}

/// Finds programs, each given with its Debian package, and installs the missing ones.
pub fn provide(needs: &[(&str, &str)]) -> Result<()> {
    let runs = |program: &str| {
        command(&[program, "--version"]).and_then(|mut asked| output(&mut asked)).is_ok()
    };
    let missing = needs.iter().filter(|(program, _)| !runs(program)).map(|(_, package)| *package);
    let missing: Vec<&str> = missing.collect();
    if missing.is_empty() {
        return Ok(());
    }
    let is_root = output(&mut command(&["id", "-u"])?)?.trim() == "0";
    if !is_root || !Path::new("/etc/debian_version").exists() {
        bail!("install these first, or run as root on Debian: {}", missing.join(", "));
    }
    install(&missing)
}

/// Installs packages of Debian, as root.
pub fn install(packages: &[&str]) -> Result<()> {
    run(&mut command(&["apt-get", "update"])?)?;
    let install = ["apt-get", "install", "--yes", "--no-install-recommends"];
    run(command(&install)?.args(packages).env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Runs the command and returns its output.
pub fn output(command: &mut Command) -> Result<String> {
    let line = described(command);
    let output = command.output().with_context(|| format!("`{line}` could not start"))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("`{line}` ended with {}: {}", output.status, errors.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{line}` printed no text"))
}

/// The files of the workspace that git tracks, or would track, and that match the pattern.
///
/// A checkout may belong to another user, as in a container; that is safe, because nothing of it is
/// executed.
pub fn listed_files(pattern: &str) -> Result<Vec<String>> {
    let mut git = command(&["git", "-c", "safe.directory=*", "ls-files", "-z"])?;
    git.args(["--cached", "--others", "--exclude-standard", pattern]);
    let listed = output(&mut git).context("the rules of the tree need a git checkout")?;
    Ok(listed.split_terminator('\0').map(str::to_owned).collect())
}

/// Prints a line immediately, so that it precedes the next child's output.
pub fn say(line: &str) -> Result<()> {
    let mut stdout = stdout().lock();
    writeln!(stdout, "{line}")?;
    Ok(stdout.flush()?)
}

fn described(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{command, output, run};

    #[test]
    fn a_failing_command_is_an_error_that_names_it() {
        let error = run(&mut command(&["false", "now"]).unwrap()).unwrap_err();

        assert!(error.to_string().starts_with("`false now` ended with"), "{error}");
    }

    #[test]
    fn a_command_without_words_is_refused() {
        assert!(command::<&str>(&[]).is_err());
    }

    #[test]
    fn what_a_command_printed_is_given_back() {
        assert_eq!(output(&mut command(&["echo", "hello"]).unwrap()).unwrap(), "hello\n");
    }
}
