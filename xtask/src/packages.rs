//! The image and the Debian package: what can be checked in a second, and their trial.
//!
//! The trial is `packaging/trial`: it builds both in a clean Debian and runs them in one that is
//! booted with systemd. It builds the program with all optimizations, so it is not in the gate.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::command::{command, provide, root, run as run_command, say};

const SCRIPTS: [&str; 4] =
    [".ci/run", "packaging/trial", "packaging/trial-inside", "packaging/debian/postrm"];
const UNITS: [&str; 2] = ["tostao.service", "tostao-port.socket"];
/// Where the unit expects the program.
const PROGRAM: &str = "/usr/bin/tostao";
/// The exposure to attacks that systemd may find in the unit, in tenths of its scale to 10.
const EXPOSURE: &str = "--threshold=20";
/// The folder of the manifest that lists the package's files.
const PRODUCT: &str = "crates/tostao";

/// Builds the image's files and the Debian package, and tries them.
pub fn run(_: &[String]) -> Result<()> {
    provide(&[("mmdebstrap", "mmdebstrap"), ("systemd-nspawn", "systemd-container")])?;
    run_command(&mut command(&["packaging/trial"])?)
}

/// Checks the scripts, the unit and the list of the package's files.
pub fn check() -> Result<()> {
    provide(&[("shellcheck", "shellcheck"), ("systemd-analyze", "systemd")])?;
    run_command(command(&["shellcheck"])?.args(SCRIPTS))?;
    check_units()?;
    let manifest = fs::read_to_string(root().join(PRODUCT).join("Cargo.toml"))?;
    let missing = missing(&manifest)?;
    ensure!(missing.is_empty(), "the package lists missing files: {}", missing.join(", "));
    say("the scripts, the units and the package's list of files are in order")
}

/// systemd verifies a unit only where its program exists, so the copies start this one.
fn check_units() -> Result<()> {
    let own = std::env::current_exe()?;
    let copies = UNITS.map(|unit| root().join("target/ci").join(unit));
    fs::create_dir_all(root().join("target/ci"))?;
    for (unit, copy) in UNITS.iter().zip(&copies) {
        let unit = fs::read_to_string(root().join("packaging").join(unit))?;
        fs::write(copy, unit.replace(PROGRAM, &own.display().to_string()))?;
    }
    let verify = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no"];
    run_command(command(&verify)?.args(&copies))?;
    let security = ["systemd-analyze", "security", "--offline=true", "--no-pager", EXPOSURE];
    let judged = command(&security)?.arg(&copies[0]).output()?;
    let report = String::from_utf8_lossy(&judged.stdout);
    ensure!(judged.status.success(), "the unit confines too little:\n{report}");
    say(report.lines().last().unwrap_or_default())
}

/// The files that the manifest's package lists, other than those of the build, and that do not
/// exist.
fn missing(manifest: &str) -> Result<Vec<String>> {
    let manifest: toml::Table = toml::from_str(manifest)?;
    let assets = manifest["package"]["metadata"]["deb"]["assets"].as_array();
    let sources = assets.context("the package lists no files")?.iter();
    let sources = sources.filter_map(|asset| asset[0].as_str());
    let written = sources.filter(|source| !source.split('/').any(|part| part == "target"));
    let absent = |source: &&str| !root().join(PRODUCT).join(source).is_file();
    Ok(written.filter(absent).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn a_file_that_the_package_lists_and_the_tree_lacks_is_found() {
        let manifest = r#"
            [package.metadata.deb]
            assets = [
                ["target/release/tostao", "usr/bin/", "755"],
                ["../../target/tostao.cdx.json", "usr/share/doc/tostao/", "644"],
                ["../../README.md", "usr/share/doc/tostao/", "644"],
                ["../../NEWS.md", "usr/share/doc/tostao/", "644"],
            ]
        "#;

        assert_eq!(missing(manifest).unwrap(), ["../../NEWS.md"]);
    }
}
