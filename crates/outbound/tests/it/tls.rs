//! HTTPS: the certificate must be for the requested name, from a trusted authority.
#![expect(clippy::disallowed_methods, reason = "a TLS server that blocks needs a thread")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{JoinHandle, spawn};

use outbound::client::{Client, Limits, Options};
use outbound::examination::TlsFault;
use outbound::failure::Failure;
use outbound::target::Target;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::server::Acceptor;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

use crate::certificate::{Identity, identity};
use crate::peer::{LOCAL, post, reply};

/// What a TLS server saw of the one connection it accepted.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    server_name: Option<String>,
    protocols: Vec<String>,
    request_line: Option<String>,
}

/// What the server writes after it has a request.
enum Says {
    Once(Vec<u8>),
    ForEver(&'static [u8]),
}

/// Accepts one connection with the certificate, if the client gets that far.
fn serve_one(identity: Identity) -> (SocketAddr, JoinHandle<Seen>) {
    serve_one_that(identity, Says::Once(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec()))
}

fn serve_one_that(identity: Identity, says: Says) -> (SocketAddr, JoinHandle<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![identity.certificate], identity.key)
        .unwrap();
    let server = spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut acceptor = Acceptor::default();
        let accepted = loop {
            acceptor.read_tls(&mut stream).unwrap();
            if let Some(accepted) = acceptor.accept().map_err(|(error, _)| error).unwrap() {
                break accepted;
            }
        };
        let hello = accepted.client_hello();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let server_name = hello.server_name().map(str::to_owned);
        let protocols = hello.alpn().into_iter().flatten().map(text).collect();
        let connection = accepted.into_connection(Arc::new(config)).map_err(|(error, _)| error);
        let request_line = answer(StreamOwned::new(connection.unwrap(), stream), &says).ok();
        Seen { server_name, protocols, request_line }
    });
    (address, server)
}

fn answer<S: Read + Write>(
    stream: StreamOwned<ServerConnection, S>,
    says: &Says,
) -> std::io::Result<String> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    let stream = stream.get_mut();
    match says {
        // The client may close the connection before the end of a response that is longer than it
        // reads.
        Says::Once(bytes) => drop(stream.write_all(bytes).and_then(|()| stream.flush())),
        Says::ForEver(bytes) => while stream.write_all(bytes).is_ok() {},
    }
    Ok(line.trim_end().to_owned())
}

fn client(trusted: Option<&Identity>) -> Client {
    let mut roots = RootCertStore::empty();
    if let Some(identity) = trusted {
        roots.add(identity.certificate.clone()).unwrap();
    }
    Client::with(Options { roots: Arc::new(roots), ..Options::new(LOCAL, Limits::default()) })
}

fn target(address: SocketAddr) -> Target {
    Target::parse(&format!("https://localhost:{}/hook", address.port()), LOCAL).unwrap()
}

#[tokio::test]
async fn a_trusted_server_is_asked_for_by_its_name_and_answers() {
    let identity = identity("localhost");
    let client = client(Some(&identity));
    let (address, server) = serve_one(identity);

    let answer = post(&client, &target(address).owned_by(7)).await;

    assert_eq!(answer.map(|answer| answer.status), Ok(204));
    let expected = Seen {
        server_name: Some("localhost".to_owned()),
        protocols: vec!["http/1.1".to_owned()],
        request_line: Some("POST /hook HTTP/1.1".to_owned()),
    };
    assert_eq!(server.join().unwrap(), expected);
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused_before_anything_is_sent() {
    let identity = identity("example.com");
    let client = client(Some(&identity));
    let (address, server) = serve_one(identity);

    assert_eq!(post(&client, &target(address)).await, Err(Failure::Tls));
    assert_eq!(server.join().unwrap().request_line, None);
}

#[tokio::test]
async fn a_machine_without_certificate_authorities_trusts_no_server() {
    let client = client(None);
    let (address, server) = serve_one(identity("localhost"));

    assert_eq!(post(&client, &target(address)).await, Err(Failure::Tls));
    assert_eq!(server.join().unwrap().request_line, None);
}

#[tokio::test]
async fn a_server_that_does_not_speak_tls_is_a_failure_of_the_handshake() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).ok();
    });
    assert_eq!(post(&client(None), &target(address)).await, Err(Failure::Tls));
    server.join().unwrap();
}

#[tokio::test]
async fn a_big_body_behind_tls_is_cut() {
    let identity = identity("localhost");
    let client = client(Some(&identity));
    let big = reply("200 OK", "", &"x".repeat(1 << 20));
    let (address, server) = serve_one_that(identity, Says::Once(big));

    let answer = post(&client, &target(address)).await.unwrap();

    assert_eq!((answer.status, answer.excerpt.len()), (200, 1_024));
    drop(client);
    server.join().unwrap();
}

#[tokio::test]
async fn interim_answers_for_ever_behind_tls_are_left_after_some_bytes() {
    let identity = identity("localhost");
    let client = client(Some(&identity));
    let says = Says::ForEver(b"HTTP/1.1 100 Continue\r\n\r\n");
    let (address, server) = serve_one_that(identity, says);

    assert_eq!(post(&client, &target(address)).await, Err(Failure::TooLarge));
    drop(client);
    server.join().unwrap();
}

#[tokio::test]
async fn an_examination_names_what_a_certificate_lacks() {
    let rows = [
        ("localhost", true, Ok("TLS 1.3")),
        ("example.com", true, Err(TlsFault::OtherName)),
        ("localhost", false, Err(TlsFault::UnknownAuthority)),
    ];
    for (name, is_trusted, expected) in rows {
        let identity = identity(name);
        // A client without any authority can verify nothing.
        let other = crate::certificate::identity("other.example.com");
        let client = client(Some(if is_trusted { &identity } else { &other }));
        let (address, server) = serve_one(identity);

        let examination = client.examine(&target(address)).await.unwrap();

        let tls = examination.tls.unwrap();
        assert_eq!(tls.version, expected, "{name}");
        assert_eq!(tls.expires_at, Some(253_402_300_799), "{name}");
        assert!(examination.connections.iter().any(|one| one.failure.is_none()));
        let seen = server.join();
        assert!(seen.is_err() || seen.unwrap().request_line.is_none(), "{name}");
    }
}
