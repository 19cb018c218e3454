//! The binary: its one line, its files, and its end.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use fakepsp::certificates::Identity;
use fakepsp::fake::{Fake, Options};
use serde_json::Value;

use crate::harness::{Request, connector, exchange_tls};

fn serve(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fakepsp"));
    command.arg("serve").args(arguments).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn first_line(child: &mut Child) -> Value {
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap()
}

#[tokio::test]
async fn it_prints_its_addresses_writes_its_certificates_and_ends_with_its_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let any = "127.0.0.1:0";
    let arguments = ["--folder", path, "--tls-client", any, "--tls", any, "--until-stdin-closes"];
    let mut child = serve(&arguments);

    let line = first_line(&mut child);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let identity =
        Identity { certificate: read("client-good.pem"), key: read("client-good.key.pem") };
    let connector = connector(&read("ca.pem"), Some(&identity));
    let port = line["tls_client"].as_str().unwrap().rsplit_once(':').unwrap().1;
    let address = format!("127.0.0.1:{port}").parse().unwrap();
    let answer = exchange_tls(address, &connector, Request::new("GET", "/v2/gn/saldo")).await;
    drop(child.stdin.take());

    assert_eq!(answer.unwrap().status, 401);
    assert!(line["plain"].as_str().unwrap().starts_with("http://127.0.0.1:"));
    for name in ["server", "client-expired", "client-foreign", "client-revoked", "bank"] {
        assert!(read(&format!("{name}.both.pem")).contains("PRIVATE KEY"), "{name}");
    }
    assert!(child.wait().unwrap().success());
}

#[test]
fn it_ends_on_sigterm() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = serve(&["--folder", folder.path().to_str().unwrap()]);
    let line = first_line(&mut child);

    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();

    assert!(killed.success());
    assert_eq!(line["tls"], Value::Null);
    assert!(child.wait().unwrap().success());
}

#[tokio::test]
async fn it_listens_on_this_machine_alone() {
    let open = Some("0.0.0.0:0".parse().unwrap());
    let refused = Fake::start(Options { plain: open, ..Options::default() }).await;

    let error = refused.err().unwrap().to_string();
    assert!(error.contains("not on this machine alone"), "{error}");
}
