//! Judges of the connectors: the providers' own SDKs, the central bank's document, and twins.
//!
//! A connector and the fake that tests it could share a mistake. So the providers' SDKs call the
//! fake, and the schemas in them judge what it answers and what a connector sends; Prism stands
//! between a connector and the fake with the central bank's OpenAPI document, and Schemathesis
//! sends the fake what that document allows. At last, what a connector and an SDK send for the same
//! operation has to agree. With `--mutate`, mistakes are made on purpose, and each has to be
//! noticed.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::{SCHEMATHESIS, ask, virtual_environment};
use crate::command::{command, root, run as run_command};

const PACKAGES: [&str; 3] =
    ["@stoplight/prism-cli@5.16.0", "sdk-node-apis-efi@2.0.1", "@pagarme/pagarme-nodejs-sdk@7.0.2"];
/// The clients of Efí and Inter, with what the second one imports and does not declare, and what
/// writes a certificate in the form that the first SDK reads.
const CLIENTS: [&str; 4] =
    ["efipay==1.0.7", "bancointer-python==0.16", "python-decouple==3.8", "cryptography==50.0.2"];
/// The central bank's OpenAPI document, which is not ours to distribute.
const DOCUMENT: &str = "TOSTAO_BACEN_OPENAPI";

/// What is asked for on the command line.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    document: Option<PathBuf>,
    mutate: bool,
}

/// Runs the judges, or sees them fail with `--mutate`.
pub fn run(arguments: &[String]) -> Result<()> {
    let options = Options::read(arguments)?;
    let document = document(options.document)?;
    if options.mutate && document.is_none() {
        bail!("--mutate needs the central bank's document, by --bacen FILE or {DOCUMENT}");
    }
    let folder = root().join("target/judges/connectors");
    std::fs::create_dir_all(&folder)?;
    install(&folder)?;
    let python = virtual_environment(&folder.join("clients"), &CLIENTS)?;
    virtual_environment(&folder.join("schemathesis"), &[SCHEMATHESIS])?;
    let programs = build()?;
    let given = json!({
        "folder": folder,
        "fakepsp": programs.join("fakepsp"),
        "exercise": programs.join("examples/exercise"),
        "schemathesis": folder.join("schemathesis/bin/schemathesis"),
        "bacen": document,
    });
    let given = given.to_string();
    let mut arguments = vec![&*given];
    arguments.extend(options.mutate.then_some("--mutate"));
    ask(&python, "xtask/judges/connectors/judge.py", &arguments)
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--mutate" => options.mutate = true,
                "--bacen" => {
                    let path = rest.next().context("--bacen needs a file")?;
                    options.document = Some(PathBuf::from(path));
                }
                other => bail!("the judges of connectors know no {other}"),
            }
        }
        Ok(options)
    }
}

/// The central bank's document, by an absolute path.
#[expect(clippy::disallowed_methods, reason = "a developer's machine says where it is")]
fn document(named: Option<PathBuf>) -> Result<Option<PathBuf>> {
    let path = named.or_else(|| std::env::var_os(DOCUMENT).map(PathBuf::from));
    let absolute = path.map(|path| path.canonicalize().context(path.display().to_string()));
    absolute.transpose()
}

fn install(folder: &Path) -> Result<()> {
    let install = ["npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
    let mut install = command(&install)?;
    install.args(["--silent", "--prefix"]).arg(folder).args(PACKAGES);
    run_command(&mut install).context("on Debian, install npm")
}

/// Builds the fake and what calls every operation of our connectors, with the features of the whole
/// workspace, because that is what the tests have built; returns the build's folder.
fn build() -> Result<PathBuf> {
    let build = ["cargo", "build", "--locked", "--workspace"];
    run_command(command(&build)?.args(["--bin", "fakepsp", "--example", "exercise"]))?;
    let ours = std::env::current_exe()?;
    ours.parent().map(Path::to_path_buf).context("this program is in no folder")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::Options;

    fn read(arguments: &[&str]) -> anyhow::Result<Options> {
        let arguments: Vec<String> = arguments.iter().map(|&it| it.to_owned()).collect();
        Options::read(&arguments)
    }

    #[test]
    fn options_are_read_and_others_are_refused() {
        let document = Some(PathBuf::from("a.yaml"));
        let both = read(&["--bacen", "a.yaml", "--mutate"]).unwrap();
        assert_eq!(both, Options { document, mutate: true });
        assert_eq!(read(&[]).unwrap(), Options::default());
        assert!(read(&["--bacen"]).is_err());
        assert!(read(&["7"]).is_err());
    }
}
