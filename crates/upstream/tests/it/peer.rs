//! A service on loopback, over TLS or not, that does with each request what its script says.
#![expect(clippy::disallowed_methods, reason = "the peer is a task that ends with the test")]

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rustls::crypto::aws_lc_rs::default_provider;
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use upstream::client::Client;
use upstream::failure::{ErrorObject, Meaning};
use upstream::identity::Identity;
use upstream::settings::{Limits, Settings};

use crate::certificate::{Made, made};

/// What the service does with a request that it has read.
pub enum Act {
    /// Writes these bytes and waits for the next request.
    Answer(Vec<u8>),
    /// Waits for the gate, then writes these bytes and waits for the next request.
    AnswerAfter(Arc<Semaphore>, Vec<u8>),
    /// Writes these bytes and ends the stream.
    Close(Vec<u8>),
    /// Writes these bytes and resets the connection.
    Reset(Vec<u8>),
    /// Writes these bytes and then nothing.
    Hang(Vec<u8>),
}

/// Gets the number of the request, from 0, and its text.
type Script = Arc<dyn Fn(usize, &str) -> Act + Send + Sync>;

#[derive(Clone)]
pub struct Peer {
    pub address: SocketAddr,
    /// The certificate of a service that speaks TLS.
    own: Option<Arc<Made>>,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
    script: Script,
}

impl Peer {
    /// A service that asks for no certificate, on `localhost`.
    pub async fn start(script: impl Fn(usize, &str) -> Act + Send + Sync + 'static) -> Self {
        Self::with(made("localhost"), None, rustls::ALL_VERSIONS, script).await
    }

    /// A service with this certificate, that asks its clients for one if it has a verifier.
    pub async fn with(
        own: Made,
        verifier: Option<Arc<dyn ClientCertVerifier>>,
        versions: &[&'static SupportedProtocolVersion],
        script: impl Fn(usize, &str) -> Act + Send + Sync + 'static,
    ) -> Self {
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(versions)
            .unwrap();
        let config = match verifier {
            Some(verifier) => config.with_client_cert_verifier(verifier),
            None => config.with_no_client_auth(),
        };
        let config = config.with_single_cert(vec![own.certificate.clone()], own.key()).unwrap();
        Self::listen(Some((own, TlsAcceptor::from(Arc::new(config)))), script).await
    }

    /// A service without TLS.
    pub async fn plain(script: impl Fn(usize, &str) -> Act + Send + Sync + 'static) -> Self {
        Self::listen(None, script).await
    }

    async fn listen(
        tls: Option<(Made, TlsAcceptor)>,
        script: impl Fn(usize, &str) -> Act + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (own, acceptor) = tls.map(|(own, acceptor)| (Arc::new(own), acceptor)).unzip();
        let peer = Self {
            address: listener.local_addr().unwrap(),
            own,
            connections: Arc::default(),
            requests: Arc::default(),
            script: Arc::new(script),
        };
        tokio::spawn(peer.clone().accept(listener, acceptor));
        peer
    }

    /// The settings of a client that trusts this service.
    pub fn settings(&self) -> Settings {
        let (scheme, roots) = match &self.own {
            Some(own) => ("https", own.roots()),
            None => ("http", RootCertStore::empty()),
        };
        Settings {
            name: "peer".to_owned(),
            address: format!("{scheme}://localhost:{}/base", self.address.port()),
            roots,
            identity: None,
            limits: Limits::default(),
            read_error,
        }
    }

    pub fn client(&self) -> Client {
        Client::new(&self.settings()).unwrap()
    }

    pub fn client_with(&self, limits: Limits) -> Client {
        Client::new(&Settings { limits, ..self.settings() }).unwrap()
    }

    pub fn client_as(&self, identity: Identity) -> Client {
        Client::new(&Settings { identity: Some(identity), ..self.settings() }).unwrap()
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// The requests that arrived, in their order.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// The first lines of the requests that arrived, without the version.
    pub fn lines(&self) -> Vec<String> {
        let line = |request: &String| request.split(" HTTP/1.1").next().unwrap().to_owned();
        self.requests().iter().map(line).collect()
    }

    async fn accept(self, listener: TcpListener, acceptor: Option<TlsAcceptor>) {
        while let Ok((stream, _)) = listener.accept().await {
            self.connections.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(self.clone().welcome(stream, acceptor.clone()));
        }
    }

    async fn welcome(self, stream: TcpStream, acceptor: Option<TlsAcceptor>) -> io::Result<()> {
        let Some(acceptor) = acceptor else {
            return self.serve(stream).await;
        };
        match acceptor.accept(stream).into_fallible().await {
            Ok(stream) => self.serve(stream).await,
            // Closing with unread bytes would reset the connection, and the alert might be lost.
            Err((_, mut stream)) => stream.read_to_end(&mut Vec::new()).await.map(drop),
        }
    }

    async fn serve<S: Resets>(self, mut stream: S) -> io::Result<()> {
        while let Some(request) = read_request(&mut stream).await? {
            let act = {
                let mut requests = self.requests.lock().unwrap();
                requests.push(request.clone());
                (self.script)(requests.len() - 1, &request)
            };
            match act {
                Act::Answer(bytes) => write(&mut stream, &bytes).await?,
                Act::AnswerAfter(gate, bytes) => {
                    gate.acquire().await.unwrap().forget();
                    write(&mut stream, &bytes).await?;
                }
                Act::Close(bytes) => {
                    write(&mut stream, &bytes).await?;
                    return stream.shutdown().await;
                }
                Act::Reset(bytes) => {
                    write(&mut stream, &bytes).await?;
                    return stream.reset_when_dropped();
                }
                Act::Hang(bytes) => {
                    write(&mut stream, &bytes).await?;
                    return stream.read_to_end(&mut Vec::new()).await.map(drop);
                }
            }
        }
        Ok(())
    }
}

trait Resets: AsyncRead + AsyncWrite + Unpin {
    fn reset_when_dropped(&self) -> io::Result<()>;
}

impl Resets for TcpStream {
    fn reset_when_dropped(&self) -> io::Result<()> {
        self.set_zero_linger()
    }
}

impl Resets for TlsStream<TcpStream> {
    fn reset_when_dropped(&self) -> io::Result<()> {
        self.get_ref().0.set_zero_linger()
    }
}

/// Demands a certificate of these authorities.
pub fn demanding(roots: RootCertStore) -> Arc<dyn ClientCertVerifier> {
    let provider = Arc::new(default_provider());
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap()
}

/// A complete response with this status line, these header lines and this body.
pub fn reply(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n{body}").into_bytes()
}

pub fn ok() -> Act {
    Act::Answer(reply("200 OK", "", "{}"))
}

/// An error in the form of the service.
pub fn object(code: &str) -> String {
    format!(r#"{{"code":"{code}","text":"Não foi possível"}}"#)
}

fn read_error(_: u16, body: &[u8]) -> Option<ErrorObject> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    let part = |name: &str| Some(body.get(name)?.as_str()?.to_owned());
    let code = part("code")?;
    let meaning = if code == "known" { Meaning::Duplicate } else { Meaning::Refused };
    Some(ErrorObject { code, text: part("text")?, meaning })
}

async fn write<S: AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes).await?;
    stream.flush().await
}

/// Reads up to the end of a request whose body is as long as its `content-length`.
async fn read_request<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return Ok(Some(text.into_owned()));
        }
    }
}
